// SPDX-License-Identifier: BSD-3-Clause
#include "tradeoff/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace redblue::tradeoff {

namespace {

double factorial(int k) {
  double product = 1;
  for (int i = 2; i <= k; ++i) product *= i;
  return product;
}

// Fewest projections that so many m-subsets have: the inverse of most_subsets.
double least_projections(int m, int r, double vertices) {
  return std::pow(factorial(m) * vertices, static_cast<double>(r) / m) / factorial(r);
}

double pairs(std::int64_t n) {
  return static_cast<double>(n) * static_cast<double>(n - 1) / 2;
}

// Pairs of one colour only on so many points, at most: all, or as many as the colour's triples
// allow, of which a pair has all those with a point elsewhere alone and shares the others with two.
double pairs_alone(std::int64_t n, std::int64_t points, double triples) {
  const double each = static_cast<double>(n - points) + static_cast<double>(points - 2) / 3;
  return std::min(pairs(points), std::floor(triples / each + 1e-9));
}

// Pairs with triples of one colour only: those of red lie on `red_points` points and those of blue
// on others. Cut is what is left of all pairs; and each colour's triples have cut pairs and pairs
// of their own colour only.
double least_pairs_cut(std::int64_t n, double red, double blue) {
  const auto of_red = static_cast<double>(least_pairs(static_cast<std::int64_t>(red)));
  const auto of_blue = static_cast<double>(least_pairs(static_cast<std::int64_t>(blue)));
  double least = std::min(of_red, of_blue);  // where only the other colour has pairs of its own
  for (std::int64_t red_points = 2; red_points <= n - 2; ++red_points) {
    const std::int64_t blue_points = n - red_points;
    const double of_red_alone = pairs_alone(n, red_points, red);
    const double of_blue_alone = pairs_alone(n, blue_points, blue);
    least = std::min(least, std::max({pairs(n) - of_red_alone - of_blue_alone,
                                      of_red - of_red_alone, of_blue - of_blue_alone}));
  }
  return least;
}

}  // namespace

std::int64_t binomial(std::int64_t n, std::int64_t k) {
  if (k < 0 || k > n) return 0;
  std::int64_t result = 1;
  for (std::int64_t i = 1; i <= k; ++i) result = result * (n - k + i) / i;
  return result;
}

std::vector<std::vector<int>> subsets(int n, int k) {
  std::vector<std::vector<int>> result;
  std::vector<int> next(static_cast<std::size_t>(k));
  for (int i = 0; i < k; ++i) next[static_cast<std::size_t>(i)] = i;
  if (k > n) return result;
  while (true) {
    result.push_back(next);
    int i = k - 1;
    while (i >= 0 && next[static_cast<std::size_t>(i)] == n - k + i) --i;
    if (i < 0) return result;
    ++next[static_cast<std::size_t>(i)];
    for (int j = i + 1; j < k; ++j)
      next[static_cast<std::size_t>(j)] = next[static_cast<std::size_t>(j - 1)] + 1;
  }
}

std::vector<std::vector<int>> LatticeHypergraph::members() const {
  std::map<std::vector<int>, std::size_t> number;
  for (const std::vector<int>& edge : subsets(n, r)) number.emplace(edge, number.size());
  std::vector<std::vector<int>> result(number.size());
  int vertex = 0;
  const std::vector<std::vector<int>> places = subsets(m, r);
  for (const std::vector<int>& set : subsets(n, m)) {
    for (const std::vector<int>& place : places) {
      std::vector<int> edge;
      for (const int p : place) edge.push_back(set[static_cast<std::size_t>(p)]);
      result[number.at(edge)].push_back(vertex);
    }
    ++vertex;
  }
  return result;
}

int cut(const std::vector<std::vector<int>>& hyperedges, const std::vector<bool>& colour) {
  return static_cast<int>(
      std::count_if(hyperedges.begin(), hyperedges.end(), [&](const std::vector<int>& edge) {
        return std::any_of(edge.begin(), edge.end(), [&](int v) {
          return colour[static_cast<std::size_t>(v)] != colour[static_cast<std::size_t>(edge[0])];
        });
      }));
}

double most_subsets(int m, int r, std::int64_t projections) {
  return std::pow(factorial(r) * static_cast<double>(projections), static_cast<double>(m) / r) /
         factorial(m);
}

std::int64_t least_pairs(std::int64_t triples) {
  std::int64_t result = 0;
  for (std::int64_t k = 3; k > 0 && triples > 0; --k) {
    std::int64_t n = k;
    while (binomial(n + 1, k) <= triples) ++n;
    result += binomial(n, k - 1);
    triples -= binomial(n, k);
  }
  return result;
}

double window_cut(int missing) {
  const auto of = [missing](std::int64_t points, double cut) {
    const auto window = static_cast<double>(points + missing);
    return cut / (window * window);
  };
  double least = of(9, 15. / 64 * 81);
  double const fewest[] = {4, 6, 9, 12, 15};  // of 4 .. 8 points
  for (std::int64_t points = 4; points < 9; ++points)
    least = std::min(least, of(points, fewest[points - 4]));
  return least;
}

double triples_words(double balance, int missing) {
  const double cut = window_cut(missing);
  const double in_windows = std::max(0., 1 - std::cbrt(2 / balance));
  // The part of all points that one processor has most of, last: windows cut less the larger it is,
  // the whole cuts more.
  double low = 0, high = 1;
  const auto whole = [](double part) {
    const double triples = std::pow(0.5, 5. / 3) * part * part;
    const double alone = 1 - std::sqrt(1 - 2 * triples);
    return alone * (1 - alone);
  };
  const auto windows = [cut](double part) { return cut * (1 - part) * (1 - part); };
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (windows(middle) > whole(middle) ? low : high) = middle;
  }
  return std::max(whole(low), cut * in_windows * in_windows);
}

double least_cut(const LatticeHypergraph& lattice, std::int64_t red) {
  const auto first = static_cast<double>(red);
  const auto second = static_cast<double>(lattice.vertices() - red);
  if (first == 0 || second == 0) return 0;
  if (lattice.m == 2 && lattice.r == 1) return least_projections(2, 1, std::min(first, second));
  return least_pairs_cut(lattice.n, first, second);
}

}  // namespace redblue::tradeoff
