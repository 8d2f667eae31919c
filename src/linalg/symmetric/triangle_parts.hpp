// SPDX-License-Identifier: BSD-3-Clause
// The panels and blocks of a triangle decomposition, as arrangements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "layout/arrangement.hpp"
#include "linalg/symmetric/symmetric_in_place.hpp"
#include "redblue/syrk_model.hpp"

namespace redblue::linalg {

struct TriangleMember {
  std::size_t member;
  int replica;
};

// Of a rank; nothing for a rank that idles.
std::optional<TriangleMember> triangle_member(const TriangleDecomposition& d, std::size_t rank);

// The rows of a member's row blocks, one row block after another.
layout::IndexSet needed_rows(const TriangleDecomposition& d, std::size_t member);

// A(rows of the rank's row blocks, K_l of the round) for all ranks, l the rank's replica; each
// panel at the start of its rank's buffer.
layout::Arrangement row_panels(const TriangleDecomposition& d, int ranks, std::int64_t round);

// C(I, J) for all pairs (I, J) of all ranks, one block after another in each rank's buffer.
layout::Arrangement pair_blocks(const TriangleDecomposition& d, int ranks);

// Those of one rank, with the rows of its panel that make them.
std::vector<SymmetricBlock> blocks_on_panel(const TriangleDecomposition& d, std::size_t rank,
                                            const std::vector<layout::Patch>& pairs);

}  // namespace redblue::linalg
