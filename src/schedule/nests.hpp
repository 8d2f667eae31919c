// SPDX-License-Identifier: BSD-3-Clause
// The loop orders worth tiling.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "schedule/privatise.hpp"
#include "schedule/tiling.hpp"

namespace redblue::schedule {

// The dimensions of a time that the outermost loop has: its place in the text, and its counter.
constexpr int place_and_counter = 2;

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
  // The program's outermost loops: in isl's order of all; or each by itself, some of them as in the
  // source; or each with those after it that need nothing but what its step made.
  enum class Outermost { together, one_by_one, in_groups } outermost = Outermost::together;
};

// Each order once, or again where storage leaves more of it to tile.
class Distinct {
 public:
  void offer(Nest nest);
  std::vector<Nest> take() { return std::move(found_); }

 private:
  std::vector<Nest> found_;
  std::vector<isl::union_map> times_;
};

// Of the nests of one band around further loops, those that run what is independent first.
std::vector<Nest> independent_first(const program::Program& program,
                                    const std::vector<Nest>& nests);

// For storage as it is, for families with further subscripts, and for all that may have storage of
// their own: the program's order with loops fused as far as legal, and isl's orders (most and
// least fusion) for all loops, for those inside the outermost, for some of the outermost loops each
// by itself, and for groups of them. Each order once.
std::vector<Nest> nests(const program::Program& program);

isl::union_map times(const Nest& nest, const std::vector<Tiles>& tiles);
// The same order as a tree, of which isl makes loops in less time: it need not compare what a tree
// says runs one after the other. Nothing where the order is no tree, or isl finds none.
std::optional<isl::schedule> tree(const Nest& nest, const std::vector<Tiles>& tiles);
isl::union_map tile_coordinates(const Nest& nest, const std::vector<Tiles>& tiles);

}  // namespace redblue::schedule
