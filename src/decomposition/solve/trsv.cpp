// SPDX-License-Identifier: BSD-3-Clause
// Solving with a triangular matrix and few right-hand sides: choice, schedule of the wavefront.
#include "decomposition/solve/trsv.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "decomposition/ownership.hpp"
#include "decomposition/request.hpp"
#include "machine/sharing.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue {

std::string TrsvDecomposition::name() const {
  if (scheme == TrsvScheme::wavefront) {
    return "wavefront over panels of " + std::to_string(block) + " columns";
  }
  const std::string steps = ", steps of " + std::to_string(step);
  if (grid_rows == 0) return "in place" + steps;
  return "in place on " + std::to_string(grid_rows) + " x " + std::to_string(grid_columns) +
         ", blocks of " + std::to_string(block) + steps;
}

WavefrontSteps::WavefrontSteps(const TrsvDecomposition& d)
    : n_(d.n),
      block_(d.block),
      panels_((d.n + d.block - 1) / d.block),
      classes_(d.ranks),
      backward_(d.backward) {}

Range WavefrontSteps::rows(std::int64_t panel) const {
  const std::int64_t b = block(panel);
  return {b * block_, std::min(n_, (b + 1) * block_)};
}

std::vector<WavefrontVisit> WavefrontSteps::visits(int of_class) const {
  std::vector<WavefrontVisit> result;
  for (std::int64_t b = of_class; b < panels_; b += classes_) {
    const std::int64_t l = block(b);  // block() is its own inverse
    const std::int64_t far = l + classes_;
    // i = l, .., l + p - 1 while S(i) travels
    for (std::int64_t i = l; i < std::min(far, panels_); ++i) {
      const bool first = l == std::max<std::int64_t>(0, i - classes_ + 1);
      result.push_back({i + l, l, rows(i), i == l, true, !first});
    }
    if (far >= panels_) continue;
    // i = l + p, .. in the p half-steps from 2 l + p on
    const Range behind = backward_ ? Range{0, rows(far).end} : Range{rows(far).begin, n_};
    for (int share = 0; share < classes_; ++share) {
      const Range some = round_of(behind, share, classes_);
      if (some.size() == 0) continue;
      result.push_back({2 * l + classes_ + share, l, some, false, false, false});
    }
  }
  std::sort(result.begin(), result.end(),
            [](const auto& a, const auto& b) { return a.half_step < b.half_step; });
  return result;
}

namespace {

constexpr double word_bytes = 8;

}  // namespace

double seconds_per_element(const Machine& machine, double elements) {
  const double memory = machine.memory_bytes_per_second;
  if (memory <= 0) return word_bytes / machine.bytes_per_second;
  const auto stays = static_cast<double>(machine.cached_bytes);
  if (stays <= 0) return word_bytes / memory;
  const double cached = std::min(1., stays / std::max(1., word_bytes * elements));
  return word_bytes * (cached / machine.cache_bytes_per_second + (1 - cached) / memory);
}

namespace {

// The multiple of `least`, by a power of two, for which seconds(step) is least.
template <class Seconds>
std::int64_t best_step(std::int64_t least, std::int64_t n, Seconds seconds) {
  std::int64_t best = least;
  for (std::int64_t step = least; step < 2 * n; step *= 2) {
    if (seconds(static_cast<double>(step)) < seconds(static_cast<double>(best))) best = step;
  }
  return best;
}

// About how many messages a solver receives and sends in a step.
double messages_of_step(const TrsvRequest& r, double step) {
  if (r.grid_rows < 1) return 3.0 * (r.ranks - 1);
  const double blocks = std::ceil(step / static_cast<double>(r.layout_block));
  const double rows = std::min<double>(r.grid_rows, blocks);  // that have a part of the step
  const double columns = std::min<double>(r.grid_columns, blocks);
  const double sums = rows * r.grid_columns - 1;
  const double solutions = columns * r.grid_rows - 1;
  const double triangles = blocks > 1 ? rows * columns - 1 : 0;
  return sums + solutions + triangles;
}

}  // namespace

TrsvDecomposition choose_trsv(const TrsvRequest& r) {
  if (r.n < 0 || r.m < 0) {
    throw Error("trsv of " + std::to_string(r.n) + " x " + std::to_string(r.m), "a negative size",
                "use 0 or more");
  }
  check_ranks("trsv", r.ranks);
  check_matrix("trsv", r.n, r.n);
  check_matrix("trsv", r.n, r.m);
  check_block("trsv", r.options.block, r.n);
  TrsvDecomposition d;
  d.scheme = r.scheme;
  d.n = r.n;
  d.m = r.m;
  d.ranks = r.ranks;
  const auto n = static_cast<double>(r.n);
  const double alpha =
      std::max(r.options.machine.latency_seconds, r.options.machine.waiting_seconds);
  const double gamma = seconds_per_element(r.options.machine, n * n / 2 / r.ranks);
  if (r.scheme == TrsvScheme::wavefront) {
    // alpha S + gamma F; every rank has n^2 / 2 p operations to do, in half-steps of equal length;
    // ranks that share processors take turns
    const double in_turn = slowdown_by_sharing(r.options.machine, r.ranks);
    d.block = d.step = r.options.block.value_or(best_step(8, r.n, [&](double b) {
      const double first_panel = std::min(b, n) * (n - std::min(b, n) / 2);
      const double busiest = std::max(first_panel, n * n / (2 * r.ranks));
      return alpha * 2 * n / b + seconds_per_element(r.options.machine, busiest) * 2 *
                                     std::max(n * b, in_turn * n * n / (2 * r.ranks));
    }));
    return d;
  }
  d.block = r.layout_block;
  d.grid_rows = r.grid_rows;
  d.grid_columns = r.grid_columns;
  const double operation =
      std::max(gamma, 2 * static_cast<double>(r.m) / r.options.machine.flops_per_second);
  const bool alone = r.ranks == 1 || (r.grid_rows == 1 && r.grid_columns == 1);
  const std::int64_t least = r.layout_block >= 8 ? r.layout_block : 32;
  d.step = r.options.block.value_or(
      alone ? std::max<std::int64_t>(1, r.n) : best_step(least, r.n, [&](double step) {
        // a triangle that moves is packed, sent and unpacked
        const double triangles = step > static_cast<double>(r.layout_block)
                                     ? 3 * gamma + word_bytes / r.options.machine.bytes_per_second
                                     : 0;
        return alpha * messages_of_step(r, step) * n / step +
               (operation + triangles) * n * step / 2;
      }));
  return d;
}

TrsvLeadingTerms leading_terms(const TrsvDecomposition& d) {
  const auto n = static_cast<double>(d.n);
  const auto b = static_cast<double>(d.step);
  return {2 * n * b * static_cast<double>(d.m), 2 * n * static_cast<double>(d.m), 2 * n / b};
}

double lower_bound(const TrsvDecomposition& d, std::optional<Words> memory) {
  return trsm_lower_bound(d.n, d.m, 1, {d.ranks, cost_of(d, {}).work, memory});
}

}  // namespace redblue
