// SPDX-License-Identifier: BSD-3-Clause
// Tiles whose instances that need nothing from their own tile run first.
#pragma once

#include <isl/cpp.h>

namespace redblue::schedule {

// In a table filled from its own entries, best[i][j] from best[i][k] and best[k + 1][j], most of
// what a tile of (i, j) reads lies in earlier tiles: for all k there the tile is a product of two
// of them, and its loops may run in any order. So these instances run in front of their tile, with
// the loops that the tiled band leaves inside it (k) around the band's own:
//
//   independent: (tile, 0, k, point loops)    others: (tile, 1, point loops, k)
//
// `tiled`: a tree with marked point loops (schedule/tiling.hpp). `order`: instance -> what must run
// later; the new tree respects it where `tiled` does.
isl::schedule independent_first(const isl::schedule& tiled, const isl::union_map& order);

}  // namespace redblue::schedule
