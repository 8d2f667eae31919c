// SPDX-License-Identifier: BSD-3-Clause
// Which decomposition of an LU factorization suits a caller's layout.
#pragma once

#include "layout/arrangement.hpp"
#include "redblue/factor_model.hpp"

namespace redblue::linalg {

// Words that the way from the caller's layout and back is expected to bring the busiest rank: the
// rows that become pivots are taken to be as good as random, and L to be spread as the matrix is.
// O(ranks * patches * intervals).
Words words_of_way(const layout::Arrangement& placed, const LuDecomposition& decomposition);

// The fastest by the model of: choose_lu()'s; that with the layout's own blocks; that on the
// layout's own grid, too, where its ranks are numbered row by row. The last two only if they move
// fewer words with the way, or few more in half of the messages. Throws Error as choose_lu().
LuDecomposition choose_lu_for(const layout::Arrangement& placed, int ranks,
                              const FactorOptions& options);

}  // namespace redblue::linalg
