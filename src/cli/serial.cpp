// SPDX-License-Identifier: BSD-3-Clause
// with_ranks() for a build without MPI.
#include "cli/parallel.hpp"

namespace redblue::cli {

int with_ranks(bool, const std::function<int(bool)>& body) {
  return body(true);
}

}  // namespace redblue::cli
