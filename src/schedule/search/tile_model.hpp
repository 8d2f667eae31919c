// SPDX-License-Identifier: BSD-3-Clause
// What tiles should move, from the boxes of elements that they touch: to choose tiles, no
// prediction.
#pragma once

#include <optional>
#include <vector>

#include "schedule/search/search.hpp"

namespace redblue::schedule {

// Of one nest at given sizes.
class TileModel {
 public:
  // Nothing where a loop of a band is no single loop of each statement's (skewed ones are not).
  static std::optional<TileModel> of(const program::Program& program, const Nest& nest,
                                     const program::Sizes& sizes);

  // Tiles of every band, each in the way that should move least through a fast memory of s words:
  // one loop passes by in steps of 1 inside, some of the others are tiled with equal sides, or in
  // one piece where they are shorter.
  // Tiles fill `share` of it: what passes by takes some.
  std::vector<Tiles> best(std::int64_t s, double share = 0.65) const;

  // Whether steps of the bands' loops have loops inside them, so that a step may hold many words.
  bool has_loops_inside() const;

  // Words that these tiles of the bands should move: the largest inner part of the loops that fits
  // is loaded, but for what the loop around it leaves as it is.
  double moved(const std::vector<Tiles>& tiles, std::int64_t s) const;

 private:
  // Elements that a statement's instances touch: by subscript, the factors of its iterators.
  struct Touched {
    std::string array;
    std::vector<std::vector<std::int64_t>> subscripts;
    double weight = 1;  // words moved an element
  };
  struct Loops {                        // of one statement in one band
    std::vector<std::int64_t> extents;  // by iterator
    std::vector<int> iterator;       // by loop of the band; -1: none, the statement has one place
    std::vector<bool> around;        // by iterator: of loops around the band
    std::vector<Touched> touched;    // but for what another statement of the band touches, too
    std::vector<std::string> names;  // of the iterators
  };
  struct BandModel {
    std::vector<Loops> statements;
    int loops = 0;
    int in_order = 0;  // of the last ones
  };

  struct LoopSteps {
    std::size_t member;  // of the band
    double steps, span;  // of one step
  };

  static std::optional<Loops> loops_of(const program::Program& program, std::size_t statement,
                                       const Nest& nest, const Band& band,
                                       const program::Sizes& sizes);
  static double extent(const BandModel& band, int loop);
  static double moved(const BandModel& band, const Tiles& tiles, std::int64_t s);
  static double words(const BandModel& band, const std::vector<double>& ranges);
  static double words(const Loops& loops, const Touched& touched,
                      const std::vector<double>& ranges);
  static double loaded(const Loops& statement, const Touched& touched,
                       const std::vector<LoopSteps>& loops, const std::vector<double>& ranges);
  static Tiles best(const BandModel& band, std::int64_t s, double share);
  static Tiles filling(const BandModel& band, unsigned stream, unsigned tiled, double words);
  static Tiles with_other_sides(const BandModel& band, std::int64_t s, double share, Tiles tiles);
  static bool fits(const BandModel& band, const Tiles& tiles, double words);
  static std::string elements(const Loops& loops, const Touched& touched);
  static void count_once(BandModel& band);

  std::vector<BandModel> bands_;
};

}  // namespace redblue::schedule
