// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "decomposition/ownership.hpp"
#include "decomposition/stationary.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue {

namespace {

Range part(std::int64_t length, std::int64_t index, std::int64_t parts) {
  return {fraction_of(length, index, parts), fraction_of(length, index + 1, parts)};
}

std::vector<Cuboid> grid_cuboids(const Decomposition& d) {
  std::vector<Cuboid> result(static_cast<std::size_t>(d.ranks));
  const auto [gi, gj, gk] = d.grid;
  std::size_t rank = 0;
  for (int c = 0; c < gk; ++c) {
    for (int b = 0; b < gj; ++b) {
      for (int a = 0; a < gi; ++a) {
        result[rank++] = {part(d.shape.m, a, gi), part(d.shape.n, b, gj), part(d.shape.k, c, gk)};
      }
    }
  }
  return result;
}

Range& axis_of(Cuboid& box, int axis) {
  return axis == 0 ? box.i : axis == 1 ? box.j : box.k;
}

// Where `first` of `ranks` ranks cut a range: in proportion, at least one element on both sides.
std::int64_t cut_position(const Range& r, std::int64_t first, std::int64_t ranks) {
  const std::int64_t length = (2 * r.size() * first + ranks) / (2 * ranks);
  return r.begin + std::clamp<std::int64_t>(length, 1, r.size() - 1);
}

void bisect(const std::vector<Cut>& cuts, std::size_t& next, Cuboid box, int ranks,
            std::size_t rank, std::vector<Cuboid>& result) {
  if (ranks == 1) {
    result[rank] = box;
    return;
  }
  const Cut cut = cuts.at(next++);
  if (cut.axis < 0) {
    result[rank] = box;
    return;
  }
  Cuboid rest = box;
  const std::int64_t at = cut_position(axis_of(box, cut.axis), cut.first, ranks);
  axis_of(box, cut.axis).end = at;
  axis_of(rest, cut.axis).begin = at;
  bisect(cuts, next, box, cut.first, rank, result);
  bisect(cuts, next, rest, ranks - cut.first, rank + static_cast<std::size_t>(cut.first), result);
}

}  // namespace

std::string Decomposition::name() const {
  if (kind == Kind::bisection) return "bisection of " + std::to_string(ranks) + " ranks";
  if (kind == Kind::stationary) return "stationary, 4 x " + std::to_string(strips) + " strips";
  return "grid " + std::to_string(grid[0]) + " x " + std::to_string(grid[1]) + " x " +
         std::to_string(grid[2]) + (exchange == Exchange::doubling ? " by doubling" : "");
}

std::vector<Cuboid> Decomposition::cuboids() const {
  if (kind == Kind::grid) return grid_cuboids(*this);
  if (kind == Kind::stationary) return stationary_cuboids(*this);
  std::vector<Cuboid> result(static_cast<std::size_t>(ranks));
  std::size_t next = 0;
  bisect(cuts, next, {{0, shape.m}, {0, shape.n}, {0, shape.k}}, ranks, 0, result);
  return result;
}

}  // namespace redblue
