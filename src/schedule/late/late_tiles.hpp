// SPDX-License-Identifier: BSD-3-Clause
// Tiles of an array that run many steps at once: a tile waits until others need its values.
//
// The steps of the outermost loop come in blocks, and the elements of the array that they change in
// tiles, of one side. A tile that makes copies in a block (step_copies.hpp), a panel, must have run
// all steps before; every other tile can run its steps later, with the copies that panels made, and
// so waits until it is a panel itself, or for the end. In Floyd and Warshall's algorithm a tile
// (I, J) is a panel in the blocks I and J: it is brought in three times, not once for every block.
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <optional>

#include "schedule/late/step_copies.hpp"

namespace redblue::schedule {

struct LateTiles {
  WithCopies copied;
  std::int64_t side = 0;
  int dimensions = 0;  // of the array
  int levels = 0;      // of panels in a block: those of one need copies of levels before it only
  // Of every instance of `copied.program`: (0, block in which the tile is a panel, level, tile; 1
  // in that block, 0 before it) or (1, 0, 0, tile; 0), then the program's own time.
  isl::union_map times;

  // How many dimensions of a time say which tile runs.
  int tile_depth() const { return 3 + dimensions; }
};

// Nothing where the program has no copies that help, or isl does not prove that the order is legal.
std::optional<LateTiles> late_tiles(const WithCopies& copied, std::int64_t side);

// The times alone, legal or not; nothing where panels of a block need copies of each other.
std::optional<isl::union_map> late_times(const WithCopies& copied, std::int64_t side);

// Times of the program without copies.
isl::union_map without_copies(const WithCopies& copied, const isl::union_map& times);

}  // namespace redblue::schedule
