// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/cholesky/cholesky.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "decomposition/cholesky/grid_steps.hpp"
#include "decomposition/cost.hpp"
#include "decomposition/request.hpp"
#include "decomposition/symmetric/triangle.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue {

using covering::Covering;
using covering::PairSharing;

std::string CholeskyDecomposition::name() const {
  if (in_place()) return grid_name(1, grid_rows, grid_columns, block) + ", A in place";
  TriangleDecomposition blocks;
  blocks.row_blocks = row_blocks;
  blocks.row_blocks_of = row_blocks_of;
  return (replicas > 1 ? std::to_string(replicas) + " layers of " : "") + blocks.name() +
         ", blocks of " + std::to_string(block);
}

CholeskySteps::CholeskySteps(const CholeskyDecomposition& d)
    : row_blocks_(d.row_blocks),
      replicas_(d.replicas),
      rows_{d.n, d.block, d.row_blocks},
      owner_(static_cast<std::size_t>(d.row_blocks) * static_cast<std::size_t>(d.row_blocks)),
      members_with_(static_cast<std::size_t>(d.row_blocks)),
      needed_by_(d.pairs.size()) {
  constexpr std::int64_t never = -2;
  std::vector<std::int64_t> until(static_cast<std::size_t>(row_blocks_), never);
  for (std::size_t r = 0; r < d.pairs.size(); ++r) {
    std::vector<Needed>& needed = needed_by_[r];
    const auto join = [&](int a, int b) {
      std::int64_t& last = until[static_cast<std::size_t>(a)];
      if (last == never) {
        members_with_[static_cast<std::size_t>(a)].push_back(static_cast<int>(r));
        needed.push_back({a, 0});
      }
      last = std::max(last, rows_.last(b));
    };
    for (const auto& [i, j] : d.pairs[r]) {
      owner_[static_cast<std::size_t>(i) * static_cast<std::size_t>(row_blocks_) +
             static_cast<std::size_t>(j)] = static_cast<int>(r);
      join(i, j);
      if (i != j) join(j, i);
    }
    for (Needed& t : needed) {
      const std::int64_t last = std::exchange(until[static_cast<std::size_t>(t.row_block)], never);
      t.steps = std::max<std::int64_t>(0, std::min(rows_.last(t.row_block), last));
    }
    std::sort(needed.begin(), needed.end(),
              [](const Needed& a, const Needed& b) { return a.row_block < b.row_block; });
  }
}

std::int64_t CholeskySteps::panel_words(int row_block, std::int64_t step) const {
  const std::int64_t width = rows_.block_size(step);
  const std::int64_t below = rows_.after(row_block, step) * width;
  return row_block == rows_.of_block(step) ? below + width * (width + 1) / 2 : below;
}

std::vector<int> CholeskySteps::panel_ranks(std::int64_t step) const {
  const int diagonal = solver(rows_.of_block(step), step);
  std::vector<int> ranks;
  for (int p = 0; p < row_blocks_; ++p) {
    if (rows_.after(p, step) > 0 && solver(p, step) != diagonal) ranks.push_back(solver(p, step));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::int64_t CholeskySteps::steps_needed(std::size_t member, int row_block) const {
  const std::vector<Needed>& needed = needed_by_[member];
  const auto found =
      std::partition_point(needed.begin(), needed.end(),
                           [row_block](const Needed& t) { return t.row_block < row_block; });
  return found == needed.end() || found->row_block != row_block ? 0 : found->steps;
}

std::vector<int> CholeskySteps::needers(int row_block, std::int64_t step) const {
  std::vector<int> members;
  for (const int m : members_with_[static_cast<std::size_t>(row_block)]) {
    if (steps_needed(static_cast<std::size_t>(m), row_block) > step) members.push_back(m);
  }
  return members;
}

std::vector<int> CholeskySteps::needed(int member, std::int64_t step) const {
  std::vector<int> row_blocks;
  for (const Needed& t : needed_by_[static_cast<std::size_t>(member)]) {
    if (t.steps > step) row_blocks.push_back(t.row_block);
  }
  return row_blocks;
}

// In step k = q + turn * row_blocks, row block p's copies come together at replica (p + q + turn)
// mod replicas. Over as many turns as replicas every replica is home to every class of p's, so that
// all have the same largest step.
CholeskyBuffers buffers_of(const CholeskyDecomposition& d, const CholeskySteps& steps,
                           std::size_t member) {
  CholeskyBuffers buffers;
  buffers.diagonal = d.block * d.block;
  for (const int p : d.row_blocks_of[member]) buffers.panel += steps.rows().size(p) * d.block;
  if (d.replicas == 1) return buffers;
  // words by q, of those the member needs, and by the class (p + q) mod replicas
  const std::vector<int>& touched = d.row_blocks_of[member];
  const auto replicas = static_cast<std::size_t>(d.replicas);
  std::vector<std::int64_t> of_class(touched.size() * replicas);
  const auto add = [&](int p, int q) {
    const auto index = static_cast<std::size_t>(
        std::lower_bound(touched.begin(), touched.end(), q) - touched.begin());
    of_class[index * replicas + static_cast<std::size_t>((p + q) % d.replicas)] +=
        steps.rows().size(p) * d.block;
  };
  for (const auto& [i, j] : d.pairs[member]) {
    add(i, j);
    if (i != j) add(j, i);
  }
  for (auto at = of_class.begin(); at != of_class.end(); at += d.replicas) {
    const auto [least, most] = std::minmax_element(at, at + d.replicas);
    const std::int64_t all = std::accumulate(at, at + d.replicas, std::int64_t{0});
    buffers.sent = std::max(buffers.sent, all - *least);
    buffers.received = std::max(buffers.received, (d.replicas - 1) * *most);
  }
  return buffers;
}

namespace {

// Rows left of two classes after each step, multiplied and summed over the steps. What is left of a
// class changes at its blocks only.
double left_area(const CyclicClasses& rows, int i, int j) {
  const std::int64_t end = std::min(rows.last(i), rows.last(j));
  double area = 0;
  for (std::int64_t t = 0, next = 0; t < end; t = next) {
    next = std::min({rows.next_block(i, t), rows.next_block(j, t), end});
    area += static_cast<double>(rows.after(i, t)) * static_cast<double>(rows.after(j, t)) *
            static_cast<double>(next - t);
  }
  return area;
}

// Multiplications of a member in all replicas: its pairs, each once per step that is left.
double work_of(const CholeskyDecomposition& d, const CyclicClasses& rows, std::size_t member) {
  double work = 0;
  for (const auto& [i, j] : d.pairs[member]) {
    // all steps' panels are as wide, but the last, after which nothing is left
    const double area = left_area(rows, i, j);
    work += (i == j ? std::floor(area / 2) : area) * static_cast<double>(d.block);
  }
  return work;
}

struct Received {
  std::int64_t words = 0;
  std::int64_t messages = 0;
};

// Copies that come together, at the ranks that solve for them, which do not receive what they solve
// for; adds the rows of a row block in a panel up over the steps before each.
void add_panels(const CholeskySteps& steps, int row_block, std::vector<std::int64_t>& rows_before,
                std::vector<Received>& ranks) {
  const CyclicClasses& rows = steps.rows();
  rows_before.push_back(0);
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t words = steps.panel_words(row_block, t);
    if (words == 0) break;
    Received& solver = ranks[static_cast<std::size_t>(steps.solver(row_block, t))];
    solver.words += (steps.replicas() - 1) * words;
    solver.messages += steps.replicas() - 1;
    const std::int64_t left = rows.after(row_block, t);
    rows_before.push_back(rows_before.back() + left);
    const int member = steps.owner(row_block, rows.of_block(t));
    const std::int64_t chunk = steps.chunk(t, steps.home(row_block, t)).size();
    if (chunk == 0 || steps.steps_needed(static_cast<std::size_t>(member), row_block) <= t)
      continue;
    solver.words -= left * chunk;
    --solver.messages;
  }
}

// By all ranks in all steps: of every row block the panel rows while they need them, in the columns
// of their replica, but what is their own; copies, and diagonal blocks. O(ranks * row blocks of a
// rank + row blocks * steps).
std::vector<Received> received(const CholeskyDecomposition& d, const CholeskySteps& steps) {
  std::vector<std::vector<std::int64_t>> rows_before(static_cast<std::size_t>(d.row_blocks));
  std::vector<Received> ranks(d.pairs.size() * static_cast<std::size_t>(d.replicas));
  for (int p = 0; p < d.row_blocks; ++p) {
    add_panels(steps, p, rows_before[static_cast<std::size_t>(p)], ranks);
  }
  for (std::size_t r = 0; r < ranks.size() && steps.count() > 0; ++r) {
    const std::size_t member = r % d.pairs.size();
    // of any step but the last, which no update follows
    const std::int64_t chunk = steps.chunk(0, static_cast<int>(r / d.pairs.size())).size();
    if (chunk == 0) continue;
    for (const int p : d.row_blocks_of[member]) {
      const std::int64_t needed = steps.steps_needed(member, p);
      ranks[r].words +=
          chunk * rows_before[static_cast<std::size_t>(p)][static_cast<std::size_t>(needed)];
      ranks[r].messages += needed;
    }
  }
  std::vector<std::int64_t> counted(ranks.size(),
                                    -1);  // the last step of which a rank has the block
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t words = steps.rows().block_size(t) * steps.rows().block_size(t);
    counted[static_cast<std::size_t>(steps.solver(steps.rows().of_block(t), t))] = t;
    for (int p = 0; p < d.row_blocks; ++p) {
      if (steps.rows().after(p, t) == 0) continue;
      const auto solver = static_cast<std::size_t>(steps.solver(p, t));
      if (std::exchange(counted[solver], t) == t) continue;
      ranks[solver].words += words;
      ++ranks[solver].messages;
    }
  }
  return ranks;
}

}  // namespace

Cost cost_of(const CholeskyDecomposition& d, const Machine& machine) {
  if (d.in_place()) return cost_in_place(d, machine);
  const CholeskySteps steps(d);
  const CyclicClasses& rows = steps.rows();
  const std::vector<Received> ranks = received(d, steps);
  const auto used = static_cast<std::int64_t>(ranks.size());
  Cost cost;
  for (std::size_t m = 0; m < d.pairs.size(); ++m) {
    std::int64_t storage = 0;
    for (const auto& [i, j] : d.pairs[m]) storage += rows.size(i) * rows.size(j);
    cost.resident = std::max(cost.resident, Words(storage));
    cost.work = std::max(cost.work, std::floor(work_of(d, rows, m) / d.replicas));
    const std::int64_t buffers = buffers_of(d, steps, m).total();
    for (std::size_t r = m; r < ranks.size(); r += d.pairs.size()) {
      const std::int64_t moved = storage / d.replicas + d.n * d.n / used;
      cost.words = std::max(cost.words, Words(ranks[r].words));
      cost.mean_words += static_cast<double>(ranks[r].words) / d.ranks;
      cost.messages = std::max(cost.messages, Messages(ranks[r].messages));
      cost.memory = std::max(cost.memory, Words(storage + std::max(buffers, moved + 2 * d.n)));
    }
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

double lower_bound(const CholeskyDecomposition& d, std::optional<Words> memory) {
  if (d.in_place()) {
    return cholesky_lower_bound(d.n, d.block, {d.ranks, updates_in_place(d), memory});
  }
  const CyclicClasses rows{d.n, d.block, d.row_blocks};
  double busiest = 0;
  for (std::size_t m = 0; m < d.pairs.size(); ++m) busiest = std::max(busiest, work_of(d, rows, m));
  // replicas share the columns of every step
  const std::int64_t chunk = (d.block + d.replicas - 1) / d.replicas;
  busiest *= static_cast<double>(chunk) / static_cast<double>(d.block);
  return cholesky_lower_bound(d.n, d.block, {d.ranks, busiest, memory});
}

namespace {

// A covering for each of so many replicas, and about what their ranks receive.
struct Candidate {
  Covering covering;
  int replicas;
  double words;
};

bool is_many(int ranks) {
  return ranks > ranks_that_all_work;
}

// Of the replicas asked for or any that may pay; on many ranks those that promise most, of which
// any but a thousand ranks may idle.
std::vector<Candidate> candidates(std::int64_t n, int ranks, const FactorOptions& options) {
  std::vector<Candidate> all;
  const auto half = static_cast<double>(n) * static_cast<double>(n) / 2;
  constexpr std::int64_t least_block = 16;
  const std::vector<Covering> known = covering::coverings(ranks);
  for (const int replicas : replica_counts("cholesky", options.replicas, ranks)) {
    const int members = is_many(ranks) ? ranks_that_all_work / replicas : ranks / replicas;
    for (const Covering& c : known) {
      const int sets = static_cast<int>(c.sets.size());
      // half of the ranks or fewer never pay (one alone moves nothing), nor do points without rows
      if (sets > ranks / replicas || (2 * sets <= members && members > 1)) continue;
      if (is_many(ranks) && c.points > 1 && c.points * least_block > n) continue;
      const int used = is_many(ranks) ? sets * replicas : ranks;
      const double words = half * (c.fraction() / replicas + 2.0 * (replicas - 1) / used);
      all.push_back({c, replicas, words});
    }
  }
  constexpr int few_ranks = 128;
  constexpr std::size_t compared = 16;
  const bool wants_all = options.memory && !is_many(ranks);
  if (ranks <= few_ranks || wants_all || all.size() <= compared) return all;
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.words < b.words; });
  all.erase(all.begin() + compared, all.end());
  return all;
}

// Every replica is to have some of a row block's blocks.
std::int64_t chosen_block(std::int64_t n, int ranks, const Candidate& c,
                          const FactorOptions& options) {
  const std::int64_t most_steps = is_many(ranks) ? 1 << 12 : 1 << 14;
  return options.block.value_or(
      suitable_block(n, c.covering.points, 96, std::max(2, c.replicas), most_steps));
}

// About how long it takes to find a candidate's cost.
double effort(std::int64_t n, int ranks, const Candidate& c, const FactorOptions& options) {
  const double points = c.covering.points;
  const auto steps =
      static_cast<double>(n) / static_cast<double>(chosen_block(n, ranks, c, options));
  const auto members = static_cast<double>(c.covering.sets.size());
  return points * (points + steps) +
         members * c.replicas * c.replicas * points * c.covering.fraction();
}

struct Offer {
  CholeskyDecomposition decomposition;
  Cost cost;
};

Offer offer_of(std::int64_t n, int ranks, const Candidate& candidate,
               const FactorOptions& options) {
  const Covering& c = candidate.covering;
  const int replicas = candidate.replicas;
  PairSharing sharing = covering::share_pairs(c, c.points == 1    ? 1
                                                 : is_many(ranks) ? static_cast<int>(c.sets.size())
                                                                  : ranks / replicas);
  CholeskyDecomposition d{n,
                          ranks,
                          chosen_block(n, ranks, candidate, options),
                          c.points,
                          std::move(sharing.sets),
                          std::move(sharing.pairs),
                          replicas};
  Cost cost = cost_of(d, options.machine);
  // a copy more is to save what a rank holds of it
  cost.words += Words(fraction_of(n * n, replicas - 1, std::int64_t{2} * ranks));
  cost.seconds = predicted_seconds(cost, options.machine);
  return {std::move(d), cost};
}

}  // namespace

CholeskyDecomposition choose_cholesky_by_cost(std::int64_t n, int ranks,
                                              const FactorOptions& options) {
  if (n < 0)
    throw Error("cholesky of order " + std::to_string(n), "a negative size", "use 0 or more");
  check_ranks("cholesky", ranks);
  check_matrix("cholesky", n, n);
  check_block("cholesky", options.block, n);
  Choice<CholeskyDecomposition> choice(options.objective, options.memory);
  std::vector<Offer> all;
  double spent = 0;
  constexpr double most_effort = 5e7;  // some seconds
  const bool compares_messages = weighs_messages(options.objective, ranks);
  for (const Candidate& c : candidates(n, ranks, options)) {
    if (is_many(ranks) && spent > most_effort) break;
    spent += effort(n, ranks, c, options);
    Offer next = offer_of(n, ranks, c, options);
    choice.offer(next.decomposition, next.cost);
    if (compares_messages && choice.fits(next.cost)) all.push_back(std::move(next));
  }
  if (!all.empty()) {
    const Cost fewest = choice.least();
    Choice<CholeskyDecomposition> faster(Objective::seconds, options.memory);
    for (Offer& other : all)
      if (saves_messages(other.cost, fewest))
        faster.offer(std::move(other.decomposition), other.cost);
    if (!faster.empty()) return faster.take("cholesky");
  }
  if (is_many(ranks) && !options.memory && !options.replicas) {
    CholeskyDecomposition fewer = choose_cholesky_by_cost(n, ranks_that_all_work, options);
    fewer.ranks = ranks;
    Cost cost = cost_of(fewer, options.machine);
    choice.offer(std::move(fewer), cost);
  }
  return choice.take("cholesky");
}

}  // namespace redblue
