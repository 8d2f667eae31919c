// SPDX-License-Identifier: BSD-3-Clause
// Programs of kernels/ and of other files, with the updates that commute.
#pragma once

#include <string>

#include "frontend/read.hpp"
#include "schedule/updates.hpp"

namespace redblue::test {

inline program::Program read(const std::string& file) {
  BoundRequest request;
  request.file = file;
  program::Program program = frontend::read(request);
  program.commuting = schedule::commuting_updates(program);
  return program;
}

inline std::string kernel(const std::string& name) {
  return std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + name + ".c";
}

}  // namespace redblue::test
