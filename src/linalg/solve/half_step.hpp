// SPDX-License-Identifier: BSD-3-Clause
// What a rank did between two synchronisations of a solve.
#pragma once

#include <cstdint>

namespace redblue::linalg::solve {

struct HalfStep {
  std::int64_t operations = 0;  // multiplications with subtractions, and divisions
  std::int64_t words = 0;       // received
  std::int64_t messages = 0;    // received
};

}  // namespace redblue::linalg::solve
