// SPDX-License-Identifier: BSD-3-Clause
#include "redblue/lower_bound.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>

#include "decomposition/received.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

// min x + y + z subject to xyz >= square, each at least its floor.
double least_sum(double square, std::array<double, 3> floors) {
  std::sort(floors.begin(), floors.end(), std::greater<>());
  const double cube = std::cbrt(square);
  if (cube >= floors[0]) return 3 * cube;
  const double two = std::sqrt(square / floors[0]);
  if (two >= floors[1]) return floors[0] + 2 * two;
  return floors[0] + floors[1] + std::max(floors[2], square / (floors[0] * floors[1]));
}

// F of products whose elements of three kinds satisfy xyz >= v^2 / twofold, each element in at most
// `uses` products of its kind: at least v / uses of them.
std::function<double(double)> product_footprint(double twofold, std::array<double, 3> uses) {
  return [twofold, uses](double v) {
    return least_sum(v * v / twofold, {v / uses[0], v / uses[1], v / uses[2]});
  };
}

// The x in [low, high] at which f, which falls and then rises, is about least.
template <class F>
double lowest(double low, double high, F f) {
  constexpr int steps = 100;
  for (int s = 0; s < steps; ++s) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    if (f(a) < f(b)) {
      high = b;
    } else {
      low = a;
    }
  }
  return low;
}

// F of products C(i,j) += A(i,k) A(j,k), i > j: of `pairs` different (i,j) at most, each with
// `depth` different k at most. v products with c different (i,j) have for each k with m of them t
// elements A(.,k), t (t-1) / 2 >= m; as t(m) / m falls and m <= c, at least v t(c) / c of all.
std::function<double(double)> symmetric_footprint(double pairs, double depth) {
  return [pairs, depth](double v) {
    const auto need = [v](double c) { return c + v * (1 + std::sqrt(1 + 8 * c)) / 2 / c; };
    constexpr double rounding = 1e-9;  // of the search
    return (1 - rounding) * need(lowest(std::min(v / depth, pairs), pairs, need));
  };
}

// The theorem: Q / P for one g.
double received(const Kernel& k, const RankLimits& limits, double busiest, double g) {
  const double ranks = limits.ranks;
  double reloaded = 0;  // words in memory when a rank goes on to its next g products
  if (g < busiest) {
    if (!limits.memory) return 0;
    const double times = std::min(ranks * (std::ceil(busiest / g) - 1), k.products / g);
    reloaded = static_cast<double>(limits.memory->value) * times;
  }
  return (k.products * (k.least(g) / g) - reloaded - k.elements) / ranks;
}

}  // namespace

double best_received(const Kernel& k, const RankLimits& limits) {
  if (limits.ranks < 1)
    throw Error("a bound for " + std::to_string(limits.ranks) + " ranks", "nobody to compute",
                "use at least 1 rank");
  if (!(k.products > 0)) return 0;
  const double even = k.products / limits.ranks;
  const double busiest =
      std::clamp(limits.products.value_or(even), std::max(1.0, even), std::max(1.0, k.products));
  double best = received(k, limits, busiest, busiest);
  if (limits.memory) {
    const auto memory = static_cast<double>(limits.memory->value);
    const double middle = std::exp(lowest(0, std::log(std::max(1.0, k.products)), [&](double x) {
      const double g = std::exp(x);
      return (memory - k.least(g)) / g;
    }));
    const auto offer = [&](double g) {
      best = std::max(best, received(k, limits, busiest, std::max(1.0, std::floor(g))));
    };
    offer(middle);
    offer(middle + 1);
    // a whole number of times, as even as can be
    const double times = std::floor(busiest / middle);
    constexpr double few = 16;
    for (double n = std::max(2.0, times - 1); n <= times + 2; ++n) offer(busiest / n + 1);
    for (double n = 2; n <= few; ++n) offer(busiest / n + 1);
  }
  constexpr double rounding = 1e-12;
  const double least = rounding * (std::abs(best) + k.elements / limits.ranks);
  return best > least ? best : 0;
}

namespace {

void check(const std::string& kernel, std::initializer_list<std::int64_t> sizes) {
  for (const std::int64_t size : sizes) {
    if (size < 0) {
      throw Error("a bound for " + kernel, "a size of " + std::to_string(size), "use 0 or more");
    }
  }
}

// Sums over the steps after which something is left, of blocks of `block` in `extent` columns: of
// width, width * what is left of m, of n, and of both.
struct Steps {
  double count = 0, left_m = 0, left_n = 0, left_both = 0;

  Steps(double m, double n, std::int64_t extent, std::int64_t block) {
    if (block < 1)
      throw Error("a bound for blocks of " + std::to_string(block), "", "use 1 or more");
    const auto b = static_cast<double>(block);
    count = extent < 1 ? 0 : static_cast<double>((extent - 1) / block);
    const double first = count * (count + 1) / 2;
    const double second = first * (2 * count + 1) / 3;
    left_m = b * (count * m - b * first);
    left_n = b * (count * n - b * first);
    left_both = b * (count * m * n - (m + n) * b * first + b * b * second);
  }
};

}  // namespace

double gemm_lower_bound(const GemmShape& shape, const RankLimits& limits) {
  check("gemm", {shape.m, shape.n, shape.k});
  const auto m = static_cast<double>(shape.m);
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return best_received({m * n * k, m * n + m * k + n * k, product_footprint(1, {k, n, m})}, limits);
}

double gemm_lower_bound(const GemmShape& shape, int ranks, std::optional<Words> memory) {
  const double products =
      static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
  if (products == 0) return 0;
  // of more ranks than there are products one at least has none
  return gemm_lower_bound(
      shape, {static_cast<int>(std::min<double>(ranks, products)), std::nullopt, memory});
}

double syrk_lower_bound(const SyrkShape& shape, const RankLimits& limits) {
  check("syrk", {shape.n, shape.k});
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  const double pairs = n * (n - 1) / 2;
  return best_received({pairs * k, pairs + n * k, symmetric_footprint(pairs, k)}, limits);
}

double syrk_lower_bound(const SyrkShape& shape, int ranks, std::optional<Words> memory) {
  return syrk_lower_bound(shape, {ranks, std::nullopt, memory});
}

double syr2k_lower_bound(const SyrkShape& shape, const RankLimits& limits) {
  check("syr2k", {shape.n, shape.k});
  const auto n = static_cast<double>(shape.n);
  const auto k = static_cast<double>(shape.k);
  return best_received(
      {n * (n - 1) * k, n * (n - 1) / 2 + 2 * n * k, product_footprint(2, {n - 1, n - 1, 2 * k})},
      limits);
}

double symm_lower_bound(std::int64_t order, std::int64_t columns, const RankLimits& limits) {
  check("symm", {order, columns});
  const auto n = static_cast<double>(order);
  const auto m = static_cast<double>(columns);
  return best_received(
      {n * (n - 1) * m, n * (n - 1) / 2 + 2 * n * m, product_footprint(2, {2 * m, n - 1, n - 1})},
      limits);
}

double trsm_lower_bound(std::int64_t order, std::int64_t columns, int copies,
                        const RankLimits& limits) {
  check("trsm", {order, columns, copies});
  const auto n = static_cast<double>(order);
  const auto m = static_cast<double>(columns);
  const double triangle = n * (n - 1) / 2;
  return best_received(
      {triangle * m, triangle * copies + 2 * (n - 1) * m, product_footprint(1, {m, n - 1, n - 1})},
      limits);
}

double trmm_lower_bound(std::int64_t order, std::int64_t columns, const RankLimits& limits) {
  return trsm_lower_bound(order, columns, 1, limits);
}

double cholesky_lower_bound(std::int64_t order, std::int64_t block, const RankLimits& limits) {
  check("cholesky", {order});
  const auto n = static_cast<double>(order);
  const Steps steps(n, n, order, block);
  const auto b = static_cast<double>(block);
  const double pairs = (n - b) * (n - b - 1) / 2;
  const double products = (steps.left_both - steps.left_m) / 2;
  return best_received(
      {products, steps.left_m + pairs, symmetric_footprint(pairs, steps.count * b)}, limits);
}

double lu_lower_bound(std::int64_t rows, std::int64_t columns, std::int64_t block,
                      const RankLimits& limits) {
  check("lu", {rows, columns});
  const auto m = static_cast<double>(rows);
  const auto n = static_cast<double>(columns);
  const Steps steps(m, n, std::min(rows, columns), block);
  const auto b = static_cast<double>(block);
  return best_received({steps.left_both, steps.left_m + steps.left_n + (m - b) * (n - b),
                        product_footprint(1, {n - b, m - b, steps.count * b})},
                       limits);
}

}  // namespace redblue
