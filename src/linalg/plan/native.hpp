// SPDX-License-Identifier: BSD-3-Clause
// A decomposition's native layout: every element owned by one of the ranks that need it.
#pragma once

#include <optional>
#include <vector>

#include "decomposition/ownership.hpp"
#include "layout/arrangement.hpp"
#include "redblue/gemm.hpp"

namespace redblue::linalg {

// The parts of an operand's cells that `rank` owns, in order, stored one after another.
std::vector<OwnedPart> owned_parts(const std::vector<Cell>& cells, Rank rank);

// The parts as patches of the rank's array.
std::vector<layout::Patch> patches_of(const std::vector<OwnedPart>& parts);

// The same of all ranks, as an arrangement of a rows x columns matrix; of the cells with these
// numbers alone where `some` is given.
layout::Arrangement native_arrangement(const std::vector<Cell>& cells, int ranks, std::int64_t rows,
                                       std::int64_t columns, std::optional<Range> some = {});

}  // namespace redblue::linalg
