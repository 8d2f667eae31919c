// SPDX-License-Identifier: BSD-3-Clause
// A loop program cut into chunks that run one after the other, without running them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "schedule/traffic/walk.hpp"

namespace redblue::schedule {

// Whether chunks have more or fewer instances than those before them: where a triangle's rows enter
// a tile they move more than where the tile is whole, the first of them most.
enum class Growth : std::uint8_t { none, begins, goes_on };

// What chunks have in common: the node, and how far the loops around it have come. Where an outer
// loop has just advanced a chunk moves what its successors find in fast memory.
struct ChunkKind {
  std::size_t node = 0;
  std::size_t fresh = 0;    // loops around it, from the inside, in their first iteration
  bool last = false;        // the innermost of several iterations is in its last one
  std::uint64_t edges = 0;  // loops over tiles in their last and smaller tile, a bit each
  Growth grows = Growth::none;
  std::int64_t size = 0;  // bits of the number of instances
  auto operator<=>(const ChunkKind&) const = default;
};

// Chunks of the kind's node, from one whose inner loops are `fresh` on to the next of these loops'
// first iterations, or one by one where others lie between.
struct ChunkRun {
  std::int64_t first = 0, until = 0;  // numbers of chunks
};

struct Chunks {
  std::vector<bool> is_chunk;  // by node: whether its runs are chunks
  std::int64_t count = 0;
  struct Kind {
    std::int64_t count = 0;       // runs
    std::int64_t instances = 0;   // in all of them
    std::vector<ChunkRun> drawn;  // some, in no order
  };
  std::map<ChunkKind, Kind> kinds;
  std::vector<Place> places;  // of the chunks 0, spacing, 2 spacing, ..
  std::int64_t spacing = 1;
  bool counted = true;             // instances; not where that takes too long
  std::vector<std::int64_t> work;  // before each place: instances, or where not counted chunks

  // The last place with at least so much work (1 or more) between it and a chunk, or the first one.
  std::size_t place_before(std::int64_t chunk, std::int64_t least) const;
  std::int64_t work_between(std::size_t place, std::int64_t chunk) const {
    return work[static_cast<std::size_t>(chunk / spacing)] - work[place];
  }
};

// Chunks are the outermost nodes with at most so many touches, as told by the middle iteration of
// every loop, or else innermost loops and statements. At most `drawn` of a kind are drawn. Nothing
// is known (count 0) of programs with more than 30 million chunks.
Chunks chunks(const LoopProgram& program, double most_touches, std::size_t drawn);

}  // namespace redblue::schedule
