// SPDX-License-Identifier: BSD-3-Clause
// Which decomposition of an LU factorization suits a caller's layout.
#include "linalg/lu/placed_choice.hpp"

#include <algorithm>
#include <optional>

#include "decomposition/cost.hpp"
#include "linalg/lu/lu.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::Patch;

namespace {

// Elements of `of` in columns that `stored` has, too.
std::int64_t in_shared_columns(const std::vector<Patch>& of, const std::vector<Patch>& stored) {
  std::int64_t words = 0;
  for (const Patch& p : of) {
    for (const Patch& q : stored) words += p.rows.size() * count_shared(p.columns, q.columns);
  }
  return words;
}

// Where a rank's rows begin, if its part is one patch that is not empty; else -1.
std::int64_t first_row(const std::vector<Patch>& part) {
  if (part.size() != 1 || part.front().size() == 0) return -1;
  return part.front().rows.intervals().front().begin;
}

// With the blocks and, if `own_grid`, the grid of the layout, both as rank 0's part shows them.
std::optional<LuDecomposition> like_layout(const Arrangement& placed, LuDecomposition d,
                                           bool own_grid) {
  const std::int64_t first = first_row(placed.of_rank.front());
  if (first < 0) return std::nullopt;
  const auto block = [](const layout::IndexSet& s) {
    return s.intervals().front().end - s.intervals().front().begin;
  };
  const Patch& part = placed.of_rank.front().front();
  // all rows of a grid with one row are one interval, and all columns likewise
  d.block = std::min(block(part.rows), block(part.columns));
  constexpr std::int64_t most_steps = 1 << 14;  // more take long to plan
  if (std::min(d.m, d.n) / d.block > most_steps) return std::nullopt;
  if (!own_grid) return d;
  const auto in_first_row = [&](const std::vector<Patch>& p) { return first_row(p) == first; };
  d.grid_columns = static_cast<int>(
      std::find_if_not(placed.of_rank.begin(), placed.of_rank.end(), in_first_row) -
      placed.of_rank.begin());
  if (d.ranks % d.grid_columns != 0) return std::nullopt;
  d.grid_rows = d.ranks / d.grid_columns;
  d.replicas = 1;
  return d;
}

// With the way to the plan's layout and back.
Cost cost_in(const Arrangement& placed, const LuDecomposition& d, const Machine& machine) {
  Cost way;
  way.words = words_of_way(placed, d);
  Cost cost = cost_of(d, machine);
  cost.seconds += predicted_seconds(way, machine);
  cost.words += way.words;
  return cost;
}

}  // namespace

Words words_of_way(const Arrangement& placed, const LuDecomposition& d) {
  const double classes = d.grid_rows * d.replicas;
  const auto all = static_cast<double>(std::max<std::int64_t>(1, d.m * d.n));
  const std::int64_t pivots = std::min(d.m, d.n);
  const double upper = static_cast<double>(pivots * d.n - pivots * (pivots - 1) / 2) / all;
  const Arrangement stored = Lu<double>::before(d, Rank(0));
  double most = 0;
  for (std::size_t r = 0; r < stored.of_rank.size(); ++r) {
    const Rank rank(static_cast<int>(r));
    const auto in_place = static_cast<double>(count_shared(placed.of_rank[r], stored.of_rank[r]));
    const double row_of_any_class =
        static_cast<double>(in_shared_columns(placed.of_rank[r], stored.of_rank[r])) / classes;
    const auto there = static_cast<double>(stored.words_on(rank)) - in_place;
    const auto back = static_cast<double>(placed.words_on(rank)) - upper * in_place -
                      (1 - upper) * row_of_any_class;
    most = std::max(most, there + back);
  }
  return Words(static_cast<std::int64_t>(most));
}

LuDecomposition choose_lu_for(const Arrangement& placed, int ranks, const FactorOptions& options) {
  const LuDecomposition usual = choose_lu(placed.rows, placed.columns, ranks, options);
  if (options.block || options.replicas || ranks == 1) return usual;
  const Cost least = cost_in(placed, usual, options.machine);
  const bool compares_messages = weighs_messages(options.objective, ranks);
  LuDecomposition best = usual;
  double seconds = least.seconds;
  for (const bool own_grid : {false, true}) {
    const std::optional<LuDecomposition> like = like_layout(placed, usual, own_grid);
    if (!like) continue;
    const Cost cost = cost_in(placed, *like, options.machine);
    if (options.memory && cost.memory > *options.memory) continue;
    const bool fewer =
        cost.words < least.words || (compares_messages && saves_messages(cost, least));
    if (!fewer || cost.seconds > seconds) continue;
    best = *like;
    seconds = cost.seconds;
  }
  return best;
}

}  // namespace redblue::linalg
