// SPDX-License-Identifier: BSD-3-Clause
// The loop orders worth tiling.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/privatise.hpp"
#include "schedule/tiling.hpp"

namespace redblue::schedule {

// Legal loops of a program: outer ones as they are, inside them those isl's scheduler found.
struct Nest {
  isl::union_map outer;                // instance -> time of the outer loops; of all, without inner
  std::optional<isl::schedule> inner;  // runs by itself where `outer` is the same
  std::vector<Band> bands;             // of `inner`
  std::vector<Family> families;        // storage this order relies on
  // What `inner` must keep in order, where instances that need nothing of their tile run first in
  // it (independent_first.hpp).
  std::optional<isl::union_map> order = {};
  // Instance -> time, of what runs inside of tiles of the only band, instead of the band's loops
  // (stencil/cone_tiles.hpp).
  std::optional<isl::union_map> points = {};
  // Tiles of the only band hold one instance of a statement and step per so much volume.
  std::int64_t volume_per_instance = 1;
  // Some of the outermost loops run as in the source, by themselves; `bands` are of the others.
  bool partly_as_written = false;
};

// Of the nests of one band around further loops, those that run what is independent first.
std::vector<Nest> independent_first(const program::Program& program,
                                    const std::vector<Nest>& nests);

// For storage as it is, for families with further subscripts, and for all that may have storage of
// their own: the program's order with loops fused as far as legal, and isl's orders (most and
// least fusion) for all loops, for those inside the outermost, and for some of the outermost loops
// each by itself. Each order once.
std::vector<Nest> nests(const program::Program& program);

// Inside the program's outermost one and two loops, as they are: isl's orders of what is left, so
// that loops further in are split and exchanged though the outer ones carry dependences. For
// storage as it is, and for families with those further subscripts that the outer loops do not
// give: their steps use it again.
std::vector<Nest> nests_inside(const program::Program& program);

isl::union_map times(const Nest& nest, const std::vector<Tiles>& tiles);
// The same order as a tree, of which isl makes loops in less time: it need not compare what a tree
// says runs one after the other. Nothing where the order is no tree, or isl finds none.
std::optional<isl::schedule> tree(const Nest& nest, const std::vector<Tiles>& tiles);
isl::union_map tile_coordinates(const Nest& nest, const std::vector<Tiles>& tiles);

}  // namespace redblue::schedule
