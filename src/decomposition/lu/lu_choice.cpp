// SPDX-License-Identifier: BSD-3-Clause
// Which grids factor a matrix by LU.
#include <algorithm>
#include <cmath>
#include <utility>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/lu/lu_cost.hpp"
#include "decomposition/request.hpp"

namespace redblue {

namespace {

struct Candidate {
  LuDecomposition decomposition;
  Words farther;    // from the layouts matrices come in to replicas: each word about once more
  double estimate;  // of its words, all in all
};

double estimated_words(const LuDecomposition& d) {
  const auto elements = static_cast<double>(d.m) * static_cast<double>(d.n);
  const double rows = d.grid_rows;
  const double columns = d.grid_columns;
  const double replicas = d.replicas;
  return elements / 2 / replicas * (1 / rows + 1 / columns) +
         elements * replicas / (rows * columns);
}

constexpr std::int64_t usual_block = 64;

// The grids that `used` of the ranks form with so many replicas.
void add_grids(const LuDecomposition& like, int used, const FactorOptions& options,
               std::vector<Candidate>& candidates) {
  // rows of the grid that suit the matrix's shape; on many ranks only grids like it are looked at
  constexpr int few_ranks = 256;
  const std::int64_t most_steps = like.ranks > ranks_that_all_work ? 1 << 12 : 1 << 14;
  const int of_replica = used / like.replicas;
  const double ideal =
      std::clamp(std::sqrt(static_cast<double>(of_replica) * static_cast<double>(like.m) /
                           static_cast<double>(std::max<std::int64_t>(1, like.n))),
                 1.0, static_cast<double>(of_replica));
  for (int rows = 1; rows <= of_replica; ++rows) {
    const int columns = of_replica / rows;
    // fewer ranks than three in four do not pay where a squarer grid of more is there
    if (4 * rows * columns < 3 * of_replica) continue;
    if ((used > few_ranks || like.replicas > 1) && (rows < ideal / 4 || rows > 4 * ideal)) continue;
    LuDecomposition d = like;
    d.grid_rows = rows;
    d.grid_columns = columns;
    // panels and tournaments move about n blocks' words more
    d.block = options.block.value_or(
        suitable_block(std::min(d.m, d.n), std::max(rows, columns), usual_block, 12, most_steps));
    candidates.push_back({d, Words(d.replicas > 1 ? d.m * d.n / used : 0), estimated_words(d)});
  }
}

std::vector<Candidate> candidates(std::int64_t m, std::int64_t n, int ranks,
                                  const FactorOptions& options) {
  std::vector<Candidate> all;
  for (const int used : worker_counts(ranks)) {
    std::vector<Candidate> here;
    for (const int replicas : replica_counts("lu", options.replicas, ranks)) {
      if (replicas > used) continue;
      LuDecomposition d;
      d.m = m;
      d.n = n;
      d.ranks = ranks;
      d.replicas = replicas;
      // by time, one message after the other, fewer are better
      d.exchange = options.exchange.value_or(
          options.objective == Objective::seconds ? Exchange::doubling : Exchange::direct);
      add_grids(d, used, options, here);
    }
    constexpr std::size_t compared = 64;
    if (ranks > ranks_that_all_work && !options.memory && here.size() > compared) {
      std::stable_sort(here.begin(), here.end(), [](const Candidate& a, const Candidate& b) {
        return a.estimate < b.estimate;
      });
      here.resize(compared);
    }
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

// The cost of the candidate that promises most, or of none that fits.
std::optional<Cost> first_guess(const std::vector<Candidate>& all, const FactorOptions& options,
                                const Choice<LuDecomposition>& choice) {
  const Candidate* best = nullptr;
  for (const Candidate& c : all) {
    if (best != nullptr && best->estimate <= c.estimate) continue;
    if (choice.fits(lu_storage(c.decomposition))) best = &c;
  }
  if (best == nullptr) return std::nullopt;
  return lu_cost_while(best->decomposition, options.machine, best->farther,
                       [](const Cost&) { return true; });
}

// With larger blocks, where a few words more save messages.
LuDecomposition with_fewer_messages(const LuDecomposition& fewest_words, std::int64_t largest,
                                    const FactorOptions& options) {
  const Cost least = cost_of(fewest_words, options.machine);
  Choice<LuDecomposition> choice(Objective::seconds, options.memory);
  LuDecomposition d = fewest_words;
  for (d.block *= 2; d.block <= largest; d.block *= 2) {
    const Cost cost = cost_of(d, options.machine);
    if (saves_messages(cost, least)) choice.offer(d, cost);
  }
  return choice.empty() ? fewest_words : choice.take("lu");
}

}  // namespace

LuDecomposition choose_lu_by_cost(std::int64_t m, std::int64_t n, int ranks,
                                  const FactorOptions& options) {
  check_factorization("lu", m, n, ranks, options.block);
  Choice<LuDecomposition> choice(options.objective, options.memory);
  const std::vector<Candidate> all = candidates(m, n, ranks, options);
  const std::optional<Cost> guess = first_guess(all, options, choice);
  for (const Candidate& c : all) {
    Cost cost = lu_storage(c.decomposition);
    if (choice.fits(cost)) {
      // what is dearer than the guess, or not better than the best so far, need not be summed up
      cost = lu_cost_while(c.decomposition, options.machine, c.farther, [&](const Cost& so_far) {
        return choice.may_win(so_far) && !(guess && better(*guess, so_far, options.objective));
      });
    }
    choice.offer(c.decomposition, cost);
  }
  if (ranks > ranks_that_all_work && !options.memory && !options.replicas) {
    LuDecomposition fewer = choose_lu_by_cost(m, n, ranks_that_all_work, options);
    fewer.ranks = ranks;
    Cost cost = cost_of(fewer, options.machine);
    if (fewer.replicas > 1) cost.words += Words(m * n / ranks_that_all_work);
    choice.offer(fewer, cost);
  }
  LuDecomposition best = choice.take("lu");
  if (options.block || !weighs_messages(options.objective, ranks)) return best;
  return with_fewer_messages(best, usual_block, options);
}

}  // namespace redblue
