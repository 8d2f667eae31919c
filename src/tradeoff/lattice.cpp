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

// Pairs with triples of one colour only: those of red lie on `red_points` points and those of blue
// on others. Cut is what is left of all pairs; and each colour's triples have cut pairs and pairs
// of their own colour only.
double least_pairs_cut(std::int64_t n, double red, double blue) {
  const double of_red = least_projections(3, 2, red), of_blue = least_projections(3, 2, blue);
  double least = std::min(of_red, of_blue);  // where only the other colour has pairs of its own
  for (std::int64_t red_points = 2; red_points <= n - 2; ++red_points) {
    const std::int64_t blue_points = n - red_points;
    const double left = pairs(n) - pairs(red_points) - pairs(blue_points);
    least =
        std::min(least, std::max({left, of_red - pairs(red_points), of_blue - pairs(blue_points)}));
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

double least_cut(const LatticeHypergraph& lattice, std::int64_t red) {
  const auto first = static_cast<double>(red);
  const auto second = static_cast<double>(lattice.vertices() - red);
  if (first == 0 || second == 0) return 0;
  if (lattice.m == 2 && lattice.r == 1) return least_projections(2, 1, std::min(first, second));
  return least_pairs_cut(lattice.n, first, second);
}

}  // namespace redblue::tradeoff
