// SPDX-License-Identifier: BSD-3-Clause
// What a tiling costs, rank by rank.
#pragma once

#include <optional>
#include <vector>

#include "stencil/model/rounds.hpp"

namespace redblue::stencil {

// Of one rank in a whole execution. What it sends is known only if its receivers were looked at.
struct RankCost {
  std::int64_t words = 0;     // received
  std::int64_t messages = 0;  // received
  std::int64_t synchronisations = 0;
  std::int64_t updates = 0;
  std::int64_t rows = 0;        // of points computed
  std::int64_t moved_rows = 0;  // received, as they are in memory
  std::int64_t storage = 0;     // words of chunks
  std::int64_t buffers = 0;     // words of messages under way
};

// O(ranks * rounds * reads). `ranks` in rising order.
std::vector<RankCost> rank_costs(const Tiling& tiling, const std::vector<Rank>& ranks);

// All ranks up to 128; beyond, one of each kind: near the sides and in the middle.
std::vector<Rank> representatives(const Tiling& tiling);

// The most of each, with the times of the machine. `ranks`: those to look at.
StencilCost worst_cost(const Tiling& tiling, const std::vector<Rank>& ranks, const Machine& machine,
                       const StencilRates& rates);

// A rank's share of the last cache, the time a word takes between it and main memory, and what
// tiles may fill: half of the largest cache that a core has for itself. None where the machine file
// does not tell.
struct LocalMemory {
  std::int64_t cache_words = 0;
  std::int64_t tile_words = 0;
  double seconds_per_word = 0;
};
std::optional<LocalMemory> local_memory(const Machine& machine, const StencilRates& rates);

// How a rank computes the sweeps of a tile one after another so that they stay in cache: `depth`
// sweeps at a time, in strips of `width` points per dimension (as many as there are where 0), each
// moved back by the slopes from sweep to sweep.
struct CacheBlocking {
  std::int64_t depth = 1;
  MeshIndex width = {0, 0, 0};
};

// For a chunk with `storage` points and this many sweeps at a time: none where it is in cache.
CacheBlocking cache_blocking(const Sweeps& sweeps, const MeshBox& storage, std::int64_t count,
                             const LocalMemory& memory);

// One flop for each point read: without measured rates.
double default_seconds_per_update(const StencilProgram& program, const Machine& machine);

// Arrays of a program in memory: fields, those with two buffers twice.
std::int64_t arrays_of(const Sweeps& sweeps);

}  // namespace redblue::stencil
