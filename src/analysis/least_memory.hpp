// SPDX-License-Identifier: BSD-3-Clause
// The smallest fast memory in which every vertex can be computed.
#pragma once

#include <string>

#include "bounds/bound.hpp"
#include "program/program.hpp"

namespace redblue::analysis {

struct LeastMemory {
  std::int64_t words = 1;
  std::string statement;  // an instance of it needs so many; empty: none has instances
};

// What one instance reads and, beside it, its own value, for an instance that reads most. Where
// sizes are missing: at the largest.
LeastMemory least_memory(const program::Program& program, const symbolic::Valuation& sizes);

}  // namespace redblue::analysis
