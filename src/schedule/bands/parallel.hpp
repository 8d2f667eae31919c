// SPDX-License-Identifier: BSD-3-Clause
// Which loops of a schedule may be shared out to threads (on isl).
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <string>
#include <vector>

#include "schedule/bands/plain.hpp"

namespace redblue::schedule::codegen {

// Whether the steps of the loop that `upto` (instance -> times) ends with may run in any order:
// instances that `order` holds in order and that agree on the times before it agree on it, too.
bool any_order(const isl::union_map& order, const isl::union_map& upto);

// The part of `upto` whose times before the last are among `outside`.
isl::union_map beside(const isl::union_map& upto, const isl::union_map& outside);

// Whether the loop that `upto` ends with has some thousand instances each time it is entered, so
// that threads are worth waking.
bool enough_to_do(const program::Program& program, const isl::union_map& upto,
                  const program::Sizes& sizes);

// Whether the first step of the loop that `upto` ends with and one half way have equally many
// instances at `sizes`, where it has most steps: the last one may be a part of a tile.
bool equal_steps(const isl::union_map& upto, const program::Sizes& sizes);

// A loop over tiles of which the first step must run before the others, and these in any order,
// gets a phase in front: 0 for the first step, 1 for the others. In a factorization the first step
// is the panel. The order of the instances stays what it is, so that block.times does, too.
// `order`: what must stay in order.
void separate_first_steps(Blocked& block, const isl::union_map& order);

// A plain band's times in which threads share the loop at one depth.
struct Shared {
  isl::union_map times;
  int depth = 0;
};

// The tiles of a member that carries nothing of `order` come first; of a member without tiles, some
// per thread. Where there is no such member, the sum of all tile numbers comes first, a wavefront:
// as no dependence goes backwards along a member of a band, tiles of one sum may run in any order,
// and every tile after those it waits for; members get tiles where fewer than two have some.
// Nothing where the band has one member, or threads have too little to do. `tiles` as in
// plain_times.
std::optional<Shared> shared_tiles(const program::Program& program, const LeafBand& band,
                                   const InnerLoop& inner, const std::vector<std::int64_t>& tiles,
                                   int threads, const isl::union_map& order,
                                   const program::Sizes& sizes);

}  // namespace redblue::schedule::codegen
