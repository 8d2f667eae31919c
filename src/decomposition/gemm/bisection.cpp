// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/gemm/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

namespace redblue {

namespace {

using Sides = std::array<double, 3>;

// Words of A, B and C that a box of these sides needs: one face of each kind, half its surface.
double surface(const Sides& s) {
  return s[0] * s[1] + s[1] * s[2] + s[2] * s[0];
}

// Least surface of a box of `volume` that fits into `sides`.
double least_surface(double volume, Sides sides) {
  std::sort(sides.begin(), sides.end());
  const double cube = std::cbrt(volume);
  if (sides[0] >= cube) return 3 * cube * cube;
  const double square = std::sqrt(volume / sides[0]);
  if (sides[1] >= square) return square * square + 2 * sides[0] * square;
  return surface({sides[0], sides[1], volume / (sides[0] * sides[1])});
}

// Boxes by the lengths of their sides, which need not be whole.
struct Space {
  using Box = Sides;
  using Cut = redblue::Cut;
  using Key = std::tuple<int, long long, long long, long long>;

  static bool is_whole(int ranks, const Sides&) { return ranks == 1; }
  static double words(const Sides& sides) { return surface(sides); }

  static double least(int ranks, const Sides& sides, Measure measure) {
    const double volume = sides[0] * sides[1] * sides[2] / ranks;
    return least_surface(volume, sides) * (measure == Measure::total ? ranks : 1);
  }

  static Key key(int ranks, const Sides& s) {
    const auto rounded = [](double x) { return static_cast<long long>(std::llround(x * 1e6)); };
    return {ranks, rounded(s[0]), rounded(s[1]), rounded(s[2])};
  }

  // Longest side and even split first.
  static std::vector<Cut> cuts(int ranks, const Sides& sides) {
    std::array<int, 3> axes = {0, 1, 2};
    std::sort(axes.begin(), axes.end(), [&sides](int a, int b) {
      const double x = sides[static_cast<std::size_t>(a)];
      const double y = sides[static_cast<std::size_t>(b)];
      return x != y ? x > y : a < b;
    });
    std::vector<Cut> result;
    for (int first = ranks / 2; first >= fewest_on_a_part(ranks); --first) {
      for (const int axis : axes) result.push_back({axis, first});
    }
    return result;
  }

  static std::pair<Sides, Sides> parts(int ranks, const Sides& sides, const Cut& cut) {
    Sides low = sides;
    Sides high = sides;
    const std::size_t axis = static_cast<std::size_t>(cut.axis);
    low[axis] = sides[axis] * cut.first / ranks;
    high[axis] = sides[axis] - low[axis];
    return {low, high};
  }
};

// Follows `choose` on integer boxes and records the cuts.
template <class Choose>
void build(const Cuboid& box, int ranks, const Choose& choose, Decomposition& result) {
  if (ranks == 1) return;
  const std::array<std::int64_t, 3> sizes = {box.i.size(), box.j.size(), box.k.size()};
  const std::size_t longest =
      static_cast<std::size_t>(std::max_element(sizes.begin(), sizes.end()) - sizes.begin());
  if (sizes[longest] < 2) {
    result.cuts.push_back({-1, 0});
    return;
  }
  Cut cut = choose(Sides{static_cast<double>(sizes[0]), static_cast<double>(sizes[1]),
                         static_cast<double>(sizes[2])},
                   ranks);
  if (cut.axis < 0 || sizes[static_cast<std::size_t>(cut.axis)] < 2) {
    cut = {static_cast<int>(longest), ranks / 2};
  }
  result.cuts.push_back(cut);
  // Decomposition::cuboids() decides where the cut falls; ask it, with one cut.
  Decomposition one;
  one.kind = Decomposition::Kind::bisection;
  one.shape = {sizes[0], sizes[1], sizes[2]};
  one.ranks = ranks;
  one.cuts.assign(static_cast<std::size_t>(ranks), {-1, 0});
  one.cuts.front() = cut;
  const std::vector<Cuboid> parts = one.cuboids();
  build(parts.front(), cut.first, choose, result);
  build(parts[static_cast<std::size_t>(cut.first)], ranks - cut.first, choose, result);
}

Decomposition empty_bisection(const GemmShape& shape, int ranks) {
  Decomposition result;
  result.kind = Decomposition::Kind::bisection;
  result.shape = shape;
  result.ranks = ranks;
  return result;
}

}  // namespace

Decomposition greedy_bisection(const GemmShape& shape, int ranks) {
  Decomposition result = empty_bisection(shape, ranks);
  const auto choose = [](const Sides& sides, int p) {
    const auto longest = std::max_element(sides.begin(), sides.end());
    return Cut{static_cast<int>(longest - sides.begin()), p / 2};
  };
  build({{0, shape.m}, {0, shape.n}, {0, shape.k}}, ranks, choose, result);
  return result;
}

Decomposition searched_bisection(const GemmShape& shape, int ranks, Measure measure) {
  Decomposition result = empty_bisection(shape, ranks);
  CutSearch<Space> whole({}, measure);
  const Sides sides = {static_cast<double>(shape.m), static_cast<double>(shape.n),
                       static_cast<double>(shape.k)};
  whole.best(ranks, sides, INFINITY);
  // Cuts are rounded to integers on the way down; each box is searched anew as it came out, and
  // the table of the whole search answers where it came out exactly.
  const auto choose = [&whole](const Sides& s, int p) { return whole.best(p, s, INFINITY).cut; };
  build({{0, shape.m}, {0, shape.n}, {0, shape.k}}, ranks, choose, result);
  return result;
}

}  // namespace redblue
