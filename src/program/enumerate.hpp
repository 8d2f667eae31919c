// SPDX-License-Identifier: BSD-3-Clause
// Points of sets and values of maps at given parameter values, fast enough for millions.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::program {

using Sizes = std::map<std::string, std::int64_t>;
using Coordinates = std::span<const std::int64_t>;

// (constant + sum coefficients x + sum of floors) / denominator.
struct Affine {
  struct Floor;
  std::int64_t constant = 0;
  std::vector<std::int64_t> coefficients;
  std::vector<Floor> floors;
  std::int64_t denominator = 1;

  std::int64_t numerator(Coordinates x) const;
};
struct Affine::Floor {
  std::int64_t coefficient = 0;
  Affine of;
};

// value >= 0, or value = 0.
struct Constraint {
  Affine value;
  bool equality = false;
  bool holds(Coordinates x) const;
};

// All of several constraints; those of one coordinate alone as its range, which is faster.
struct Conjunction {
  struct Range {
    std::size_t coordinate = 0;
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
  };
  std::vector<Range> ranges;
  std::vector<Constraint> others;

  explicit Conjunction(std::vector<Constraint> all);
  bool holds(Coordinates x) const;
};

// Throws Error when a name is no parameter of the program, a size negative, or the program is not
// read for these sizes.
void check_parameters(const Program& program, const Sizes& sizes);

// Throws Error where the program is not read for any sizes with these among them.
void check_valid(const Program& program, const Sizes& sizes);

// The parameters' values as a set: "{ : N = 4 }".
isl::set at_sizes(const Sizes& sizes);
// Without parameters, which take these values.
isl::set at_sizes(const isl::set& set, const Sizes& sizes);
isl::map at_sizes(const isl::map& map, const Sizes& sizes);

// Throws Error when a parameter of the set has no size.
void check_given(const isl::set& set, const Sizes& sizes);

// All integer points of a set once, in no order that matters. Parameters missing in `sizes` throw
// Error. O(points x constraints) where every loop bound is tight.
void for_each_point(const isl::set& set, const Sizes& sizes,
                    const std::function<void(Coordinates)>& visit);

// A single-valued map, ready to be evaluated.
class Function {
 public:
  Function(const isl::map& map, const Sizes& sizes);
  // False outside the map's domain.
  bool at(Coordinates x, std::vector<std::int64_t>& value) const;
  // Faster, for x in the map's domain.
  bool inside(Coordinates x, std::vector<std::int64_t>& value) const;

 private:
  struct Piece {
    std::vector<Conjunction> where;  // any of these
    std::vector<Affine> values;
  };
  static void evaluate(const Piece& piece, Coordinates x, std::vector<std::int64_t>& value);

  std::vector<Piece> pieces_;
};

}  // namespace redblue::program
