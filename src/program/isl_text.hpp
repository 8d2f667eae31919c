// SPDX-License-Identifier: BSD-3-Clause
// What isl writes of its objects.
#pragma once

#include <isl/cpp.h>
#include <isl/ctx.h>

#include <cstdlib>
#include <string>

namespace redblue::program {

// Takes a text of isl's; isl::exception where there is none: isl's functions in C only return null
// where they give up, within a limit (operation_limit.hpp).
inline std::string taken_text(char* text) {
  if (text == nullptr)
    isl::exception::throw_error(isl_error_quota, "too many operations", __FILE__, __LINE__);
  std::string result = text;
  std::free(text);
  return result;
}

}  // namespace redblue::program
