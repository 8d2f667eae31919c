// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solve/caller_blocks.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/solve/trsm.hpp"
#include "linalg/solve/right_looking.hpp"
#include "linalg/solve/solve.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

using layout::Arrangement;

TrsmDecomposition transposed(TrsmDecomposition d) {
  std::swap(d.grid_rows, d.grid_columns);
  return d;
}

GridRanks ranks_of(const TrsmDecomposition& d) {
  GridRanks ranks(static_cast<std::size_t>(d.replicas * d.grid_rows * d.grid_columns));
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

namespace {

// How many times the work of the plan in its own layout the busiest rank may have with T in place.
constexpr double most_work = 2;

// The decomposition that leaves T in the caller's grid, if there is one and it costs no more than
// `moved`.
std::optional<TrsmDecomposition> in_place(const CallerGrid& grid, const Pass& pass,
                                          const TrsmDecomposition& moved,
                                          const FactorOptions& options) {
  if (grid.block < smallest_block || (options.block && *options.block != grid.block)) {
    return std::nullopt;
  }
  TrsmDecomposition d{moved.n,   moved.m,      moved.ranks, grid.block,
                      grid.rows, grid.columns, 1,           pass.backward()};
  if (pass.transposed()) d = transposed(d);
  if (options.objective == Objective::seconds) {
    const double stays = seconds_of(d, Triangles::in_place, options.machine);
    if (seconds_of(moved, Triangles::brought, options.machine) < stays) return std::nullopt;
    return d;
  }
  const Cost here = cost_of(d, options.machine);
  const Cost there = cost_with_triangle(moved, options.machine);
  if (here.work > most_work * there.work || better(there, here, options.objective))
    return std::nullopt;
  return d;
}

// The rank that holds all of both, which are one block each; nobody has to send it anything.
std::optional<TrsmDecomposition> at_its_owner(const CallerGrid& grid, const Pass& pass,
                                              const Arrangement& rhs,
                                              const TrsmDecomposition& moved,
                                              const FactorOptions& options) {
  const bool is_possible = options.objective == Objective::seconds && !options.block &&
                           moved.n <= grid.block &&
                           rhs.words_on(Rank{grid.ranks.front()}) == rhs.rows * rhs.columns;
  if (!is_possible) return std::nullopt;
  const TrsmDecomposition d{moved.n, moved.m, moved.ranks, grid.block, 1, 1, 1, pass.backward()};
  const double alone = cost_of(d, options.machine).seconds;
  if (seconds_of(moved, Triangles::brought, options.machine) < alone) return std::nullopt;
  return d;
}

// Whether they have the same elements on the same ranks.
bool same_owners(const Arrangement& a, const Arrangement& b) {
  for (std::size_t r = 0; r < a.of_rank.size(); ++r) {
    const std::int64_t in_both = count_shared(a.of_rank[r], b.of_rank[r]);
    const Rank rank(static_cast<int>(r));
    if (in_both != a.words_on(rank) || in_both != b.words_on(rank)) return false;
  }
  return true;
}

// With B where it is, if it lies on the grid of T in the same blocks, all passes can be made there
// and the memory suffices.
std::optional<Blocks> with_rhs_in_place(const SolveSetup& setup,
                                        const std::optional<CallerGrid>& grid, int ranks) {
  const FactorOptions& options = setup.options;
  if (!grid || grid->block < smallest_block || options.block) return std::nullopt;
  for (const bool turned : {false, true}) {  // B's rows along those of the grid, or its columns
    const bool opposite = std::any_of(setup.passes.begin(), setup.passes.end(),
                                      [&](const Pass& p) { return p.transposed() != turned; });
    if (opposite && grid->rows != grid->columns) continue;
    const CallerGrid at = turned ? transposed(*grid) : *grid;
    TrsmDecomposition d{setup.rhs.rows, setup.rhs.columns, ranks, at.block, at.rows, at.columns};
    d.backward = setup.passes.front().backward();
    d.rhs_in_place = true;
    d.transposed_grid = opposite;
    if (options.memory && cost_of(d, options.machine).memory > *options.memory) continue;
    if (!same_owners(setup.rhs, rhs_in_place(d, at.ranks, ranks))) continue;
    d.transposed_grid = setup.passes.front().transposed() != turned;
    return Blocks{d, grid, at.ranks};
  }
  return std::nullopt;
}

// What B's way to the plan and back brings the busiest rank.
Words way_of(const SolveSetup& setup, const Blocks& plan, int ranks) {
  const TrsmDecomposition& d = plan.decomposition;
  GridRanks where = ranks_of(d);
  if (plan.grid) {
    where = setup.passes.front().transposed() ? transposed(*plan.grid).ranks : plan.grid->ranks;
  }
  return words_of_way(setup.rhs, rhs_arrangement(d, where, ranks));
}

// Whether no more words move with B where it is than otherwise, and the busiest rank has not much
// more work. Where time is the objective, gains_time_in_place(). `usual`: with T's way, if it has
// one.
bool gains_in_place(const SolveSetup& setup, const TrsmDecomposition& d, const Blocks& usual,
                    int ranks) {
  const Machine& machine = setup.options.machine;
  const TrsmDecomposition& other = usual.decomposition;
  const Cost cost = usual.grid ? cost_of(other, machine) : cost_with_triangle(other, machine);
  const Cost stays = cost_of(d, machine);
  const bool no_more_words = stays.words <= cost.words + way_of(setup, usual, ranks);
  if (setup.options.objective == Objective::seconds) {
    const auto triangles = usual.grid ? Triangles::in_place : Triangles::brought;
    return gains_time_in_place(seconds_of(d, Triangles::in_place, machine),
                               seconds_of(other, triangles, machine), no_more_words);
  }
  return no_more_words && stays.work <= most_work_in_place * cost.work;
}

// With T where it is or brought to grids.
Blocks with_sums_moving(const SolveSetup& setup, const std::optional<CallerGrid>& grid, int ranks) {
  const Pass& first = setup.passes.front();
  TrsmDecomposition d = choose_trsm(setup.rhs.rows, setup.rhs.columns, ranks, setup.options);
  d.backward = first.backward();
  if (!grid) return {d, std::nullopt};
  if (const auto alone = at_its_owner(*grid, first, setup.rhs, d, setup.options)) {
    CallerGrid there = *grid;
    there.rows = there.columns = 1;
    there.ranks.resize(1);
    return {*alone, there};
  }
  if (const auto stays = in_place(*grid, first, d, setup.options)) return {*stays, grid};
  return {d, std::nullopt};
}

}  // namespace

TrsmDecomposition of_pass(TrsmDecomposition first, const Pass& first_pass, const Pass& pass) {
  first.backward = pass.backward();
  if (pass.transposed() != first_pass.transposed()) first.transposed_grid = !first.transposed_grid;
  return first;
}

Blocks choose_blocks(const SolveSetup& setup, int ranks, Rank me) {
  const std::optional<CallerGrid> grid = caller_grid(setup.triangles, me);
  const auto stays = with_rhs_in_place(setup, grid, ranks);
  try {
    Blocks usual = with_sums_moving(setup, grid, ranks);
    const bool alone = usual.grid && usual.grid->ranks.size() < grid->ranks.size();
    if (!stays || alone || !gains_in_place(setup, stays->decomposition, usual, ranks)) return usual;
  } catch (const Error&) {  // no grids fit into the memory
    if (!stays) throw;
  }
  return *stays;
}

}  // namespace redblue::linalg
