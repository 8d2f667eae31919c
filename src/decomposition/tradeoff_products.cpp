// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/tradeoff_products.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "redblue/error.hpp"

namespace redblue {

namespace {

void check_balance(double balance) {
  if (!(balance >= 9.0 / 5)) {
    throw Error("balance " + std::to_string(balance),
                "where one processor computes nearly all, nothing need be sent",
                "give at least 1.8");
  }
}

// What part of a chain of n vertices is surely in windows that several processors share.
double shared(double n, double balance, double majority, int order) {
  check_balance(balance);
  return std::max(n / 2, n * (1 - std::pow(1 / (majority * balance), 1.0 / order)) - 3);
}

// Of a window's length squared where one processor has about half of it, of the whole length where
// windows may be few, and of a window where that processor has a quarter to three quarters.
struct TripleCuts {
  double window = 0, whole = 0, quarter = 0;
};

// Theorem B of docs/methods/tradeoffs.md on a lattice of triples of n points.
double triples_words(std::int64_t n, double balance, const TripleCuts& cuts) {
  check_balance(balance);
  if (n < 6) return 0;
  const auto points = static_cast<double>(n);
  if (balance < 2) return cuts.quarter * std::pow(shared(points, balance, 0.75, 3), 2);
  const double in_windows = 1 - std::cbrt(2 / balance);
  const double of_square = std::max(cuts.whole, cuts.window * in_windows * in_windows);
  return of_square * (points - 2) * (points - 2);
}

// The least over all numbers c of windows of c^order times the mean window's vertices: `interval`
// is convex, so windows of lengths that differ by one have the fewest.
double least_product(std::int64_t n, int order,
                     const std::function<double(std::int64_t)>& interval) {
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t c = 1; c <= n; ++c) {
    const std::int64_t length = n / c, longer = n % c;
    const double least = static_cast<double>(c - longer) * interval(length) +
                         (longer == 0 ? 0 : static_cast<double>(longer) * interval(length + 1));
    best = std::min(best, least * std::pow(static_cast<double>(c), order - 1));
  }
  return best;
}

// Mesh points from which a point `steps` sweeps away reads.
double points_in_reach(int dimensions, int radius, bool box, std::int64_t steps) {
  const auto away = static_cast<double>(steps) * (box ? radius : 1);
  if (box || dimensions == 1) return std::pow(2 * away + 1, dimensions);
  if (dimensions == 2) return 2 * away * away + 2 * away + 1;
  return (4 * away * away * away + 6 * away * away + 8 * away + 3) / 3;
}

}  // namespace

double TradeoffBound::times_operations(double cost, double synchronisations) const {
  return cost * std::pow(synchronisations + 1, power_of_s) / least;
}

double TradeoffBound::times_words(double cost, double synchronisations) const {
  return cost * std::pow(synchronisations, power_of_s) / least;
}

TradeoffBound trsv_operations(std::int64_t n) {
  return {static_cast<double>(n) * static_cast<double>(n), 1};
}

TradeoffBound trsv_words(std::int64_t n, double balance) {
  return {2.0 / 3 * shared(static_cast<double>(n), balance, 5.0 / 9, 2), 0};
}

TradeoffBound cholesky_operations(std::int64_t n) {
  return {std::pow(static_cast<double>(n), 3) / 3, 2};
}

TradeoffBound cholesky_words(std::int64_t n, double balance) {
  return {triples_words(n, balance, {15. / 64, 0.06637, 0.125}), 1};
}

TradeoffBound lu_operations(std::int64_t n) {
  const double least = least_product(n - 1, 3, [](std::int64_t b) {
    const auto x = static_cast<double>(b);
    return (4 * x * x * x - 3 * x * x - x) / 6;
  });
  return {n < 2 ? 0 : least, 2};
}

TradeoffBound lu_words(std::int64_t n, double balance) {
  // n - 1 steps, and their windows lose a point
  return {triples_words(n - 2, balance, {4. / 25, 0.05386, 0.08}), 1};
}

TradeoffBound stencil_operations(int dimensions, int radius, bool box, std::int64_t sweeps) {
  if (dimensions < 1 || dimensions > 3)
    throw Error(std::to_string(dimensions) + " dimensions", "stencils have one to three", "");
  std::vector<double> interval = {0};
  for (std::int64_t b = 1; b <= sweeps + 1; ++b)
    interval.push_back(interval.back() + points_in_reach(dimensions, radius, box, (b - 1) / 2));
  const double least = least_product(sweeps, dimensions + 1, [&](std::int64_t b) {
    return interval[static_cast<std::size_t>(b)];
  });
  return {least, dimensions};
}

TradeoffBound stencil_words(int dimensions, int radius, bool box, std::int64_t sweeps,
                            double balance) {
  check_balance(balance);
  const bool all = box || dimensions == 1;
  const int block = all ? (radius + 1) / 2 : 1;
  const double blocks = block == 1 ? 1 : std::pow(block / 2.0, dimensions);
  const double cut = std::pow(2.0, -dimensions) / (all ? 1 : 2) * blocks;
  const std::int64_t steps = sweeps / (all ? dimensions + 1 : 2 * dimensions);
  const double part = shared(static_cast<double>(steps), balance, 0.75, dimensions + 1);
  return {cut * std::pow(part, dimensions), dimensions - 1};
}

}  // namespace redblue
