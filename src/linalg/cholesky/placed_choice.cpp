// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky/placed_choice.hpp"

#include <algorithm>
#include <utility>

#include "decomposition/cholesky/grid_steps.hpp"
#include "linalg/cholesky/cholesky.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

using layout::Arrangement;

namespace {

struct Candidate {
  PlacedDecomposition plan;
  Cost cost;
};

// The matrix on the caller's grid, where that is worth a comparison.
std::optional<Candidate> in_place(std::int64_t n, bool upper, const std::optional<CallerGrid>& grid,
                                  int ranks, const FactorOptions& options) {
  constexpr int few_ranks = 64;  // on more, triangle blocks move less
  constexpr std::int64_t most_steps = 1 << 12;
  if (!grid || ranks == 1 || options.block || options.replicas || grid->block < smallest_block ||
      grid->rows * grid->columns > few_ranks || n / grid->block > most_steps) {
    return std::nullopt;
  }
  CallerGrid at = upper ? transposed(*grid) : *grid;  // L = U' is on the transposed grid
  Candidate stays;
  stays.plan.decomposition.n = n;
  stays.plan.decomposition.ranks = ranks;
  stays.plan.decomposition.block = at.block;
  stays.plan.decomposition.grid_rows = at.rows;
  stays.plan.decomposition.grid_columns = at.columns;
  stays.plan.grid = std::move(at.ranks);
  stays.cost = cost_of(stays.plan.decomposition, options.machine);
  // the limit is for what is beside the caller's array, which stays
  if (options.memory &&
      stays.cost.memory.value - stays.cost.resident.value > options.memory->value) {
    return std::nullopt;
  }
  return stays;
}

// What the way to the usual plan and back brings the busiest rank.
Words way_of(Arrangement placed, bool upper, const CholeskyDecomposition& usual, int ranks) {
  if (upper) placed = layout::transposed(std::move(placed));
  return words_of_way(placed, pair_storage(usual, ranks), layout::Part::lower);
}

// Whether it is worth it to move no more words. Not with hardly fewer in more messages, nor, unless
// it saves many, in blocks that make small multiplications.
bool saves_words(const CholeskyDecomposition& stays, const Cost& here, const Cost& there) {
  constexpr std::int64_t efficient_block = 32;
  const auto ratio = static_cast<double>(here.words.value) /
                     static_cast<double>(std::max<std::int64_t>(1, there.words.value));
  if (ratio > 0.9 && here.messages > there.messages) return false;
  return ratio <= (stays.block < efficient_block ? 2.0 / 3 : 1.0);
}

bool gains(const Candidate& candidate, const CholeskyDecomposition& usual, Words way,
           const FactorOptions& options) {
  const CholeskyDecomposition& stays = candidate.plan.decomposition;
  const Cost& here = candidate.cost;
  Cost there = cost_of(usual, options.machine);
  there.words += way;
  const bool saves = saves_words(stays, here, there);
  if (options.objective == Objective::seconds) {
    return gains_time_in_place(seconds_of(stays, options.machine),
                               seconds_of(usual, options.machine), saves);
  }
  // an even share of all multiplications, of which triangle blocks' work leaves out the panels', or
  // so few that sharing them gains nothing
  const auto n = static_cast<double>(stays.n);
  const double even = std::max(n * n * n / 6 / stays.ranks, there.work);
  constexpr double few = 64.0 * 64 * 64;
  return saves && here.work <= most_work_in_place * even + few;
}

}  // namespace

PlacedDecomposition choose_cholesky_for(const Arrangement& placed, Triangle triangle,
                                        const std::optional<CallerGrid>& grid, int ranks,
                                        const FactorOptions& options) {
  const bool upper = triangle == Triangle::upper;
  auto stays = in_place(placed.rows, upper, grid, ranks, options);
  try {
    CholeskyDecomposition usual = choose_cholesky(placed.rows, ranks, options);
    if (!stays || !gains(*stays, usual, way_of(placed, upper, usual, ranks), options))
      return {std::move(usual)};
  } catch (const Error&) {  // none fits into the memory
    if (!stays) throw;
  }
  return std::move(stays->plan);
}

}  // namespace redblue::linalg
