// SPDX-License-Identifier: BSD-3-Clause
// The graph of a loop nest at given sizes.
#pragma once

#include "program/enumerate.hpp"
#include "redblue/cdag.hpp"

namespace redblue::cdag {

constexpr std::int64_t most_instances = 50'000'000;

// One vertex per statement instance, operands by exact data flow, found by executing the program
// element by element; inputs are elements read before they are written, outputs the last values of
// arrays visible after it. Reads on one branch of a data-dependent choice are left out: they may
// not happen. Coordinates are the iterators (or subscripts). About 2 us per instance.
Graph program_graph(const program::Program& program, const program::Sizes& sizes,
                    const ProgressCallback& progress = {});

}  // namespace redblue::cdag
