#include "decomposition/cholesky.hpp"

#include <algorithm>
#include <utility>

#include "decomposition/request.hpp"
#include "decomposition/triangle.hpp"
#include "redblue/error.hpp"

namespace redblue {

std::string CholeskyDecomposition::name() const {
  TriangleDecomposition blocks;
  blocks.points = points;
  blocks.touched = touched;
  return blocks.name() + ", blocks of " + std::to_string(block);
}

CholeskySteps::CholeskySteps(const CholeskyDecomposition& d)
    : points_(d.points),
      rows_{d.n, d.block, d.points},
      owner_(static_cast<std::size_t>(d.points) * static_cast<std::size_t>(d.points)),
      touching_(static_cast<std::size_t>(d.points)),
      touched_(d.pairs.size()) {
  constexpr std::int64_t never = -2;
  std::vector<std::int64_t> until(static_cast<std::size_t>(points_), never);
  for (std::size_t r = 0; r < d.pairs.size(); ++r) {
    std::vector<Touched>& touched = touched_[r];
    const auto join = [&](int a, int b) {
      std::int64_t& last = until[static_cast<std::size_t>(a)];
      if (last == never) {
        touching_[static_cast<std::size_t>(a)].push_back(static_cast<int>(r));
        touched.push_back({a, 0});
      }
      last = std::max(last, rows_.last(b));
    };
    for (const auto& [i, j] : d.pairs[r]) {
      owner_[static_cast<std::size_t>(i) * static_cast<std::size_t>(points_) +
             static_cast<std::size_t>(j)] = static_cast<int>(r);
      join(i, j);
      if (i != j) join(j, i);
    }
    for (Touched& t : touched) {
      const std::int64_t last = std::exchange(until[static_cast<std::size_t>(t.point)], never);
      t.steps = std::max<std::int64_t>(0, std::min(rows_.last(t.point), last));
    }
    std::sort(touched.begin(), touched.end(),
              [](const Touched& a, const Touched& b) { return a.point < b.point; });
  }
}

std::vector<int> CholeskySteps::panel_ranks(std::int64_t step) const {
  const int q = rows_.of_block(step);
  std::vector<int> ranks;
  for (int p = 0; p < points_; ++p) {
    if (rows_.after(p, step) > 0 && owner(p, q) != owner(q, q)) ranks.push_back(owner(p, q));
  }
  std::sort(ranks.begin(), ranks.end());
  ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
  return ranks;
}

std::int64_t CholeskySteps::steps_needed(std::size_t rank, int point) const {
  const std::vector<Touched>& touched = touched_[rank];
  const auto found = std::partition_point(touched.begin(), touched.end(),
                                          [point](const Touched& t) { return t.point < point; });
  return found == touched.end() || found->point != point ? 0 : found->steps;
}

std::vector<int> CholeskySteps::needers(int point, std::int64_t step) const {
  std::vector<int> ranks;
  for (const int r : touching_[static_cast<std::size_t>(point)]) {
    if (steps_needed(static_cast<std::size_t>(r), point) > step) ranks.push_back(r);
  }
  return ranks;
}

std::vector<int> CholeskySteps::needed(int rank, std::int64_t step) const {
  std::vector<int> points;
  const auto r = static_cast<std::size_t>(rank);
  if (r >= touched_.size()) return points;
  for (const Touched& t : touched_[r]) {
    if (t.steps > step) points.push_back(t.point);
  }
  return points;
}

namespace {

// Rows left of two classes after each step, multiplied and summed over the steps. What is left of a
// class changes at its blocks only.
std::int64_t left_area(const CyclicClasses& rows, int i, int j) {
  const auto next_block = [&rows](int c, std::int64_t step) {
    return step < c ? c : c + ((step - c) / rows.classes + 1) * rows.classes;
  };
  const std::int64_t end = std::min(rows.last(i), rows.last(j));
  std::int64_t area = 0;
  for (std::int64_t t = 0, next = 0; t < end; t = next) {
    next = std::min({next_block(i, t), next_block(j, t), end});
    area += rows.after(i, t) * rows.after(j, t) * (next - t);
  }
  return area;
}

// Multiplications of a rank: its pairs, each once per step that is left.
std::int64_t work_of(const CholeskyDecomposition& d, const CyclicClasses& rows, std::size_t rank) {
  std::int64_t work = 0;
  for (const auto& [i, j] : d.pairs[rank]) {
    // all steps' panels are as wide, but the last, after which nothing is left
    const std::int64_t area = left_area(rows, i, j);
    work += (i == j ? area / 2 : area) * d.block;
  }
  return work;
}

struct Received {
  std::int64_t words = 0;
  std::int64_t messages = 0;
};

// By all ranks in all steps: of every point the panel rows while they need them, but what is their
// own, and diagonal blocks. O(ranks * points of a rank + points * steps).
std::vector<Received> received(const CholeskyDecomposition& d, const CholeskySteps& steps) {
  const CyclicClasses& rows = steps.rows();
  std::vector<std::vector<std::int64_t>> words(static_cast<std::size_t>(d.points));  // before steps
  std::vector<Received> ranks(d.pairs.size());
  for (int p = 0; p < d.points; ++p) {
    std::vector<std::int64_t>& sum = words[static_cast<std::size_t>(p)];
    sum.push_back(0);
    for (std::int64_t t = 0; t < rows.last(p); ++t) {
      const std::int64_t panel = rows.after(p, t) * rows.block_size(t);
      sum.push_back(sum.back() + panel);
      const auto source = static_cast<std::size_t>(steps.owner(p, rows.of_block(t)));
      if (steps.steps_needed(source, p) <= t) continue;
      ranks[source].words -= panel;
      --ranks[source].messages;
    }
  }
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    for (const int p : d.touched[r]) {
      const std::int64_t needed = steps.steps_needed(r, p);
      ranks[r].words += words[static_cast<std::size_t>(p)][static_cast<std::size_t>(needed)];
      ranks[r].messages += needed;
    }
  }
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    for (const int r : steps.panel_ranks(t)) {
      ranks[static_cast<std::size_t>(r)].words += rows.block_size(t) * rows.block_size(t);
      ++ranks[static_cast<std::size_t>(r)].messages;
    }
  }
  return ranks;
}

}  // namespace

Cost cost_of(const CholeskyDecomposition& d, const Machine& machine) {
  const CholeskySteps steps(d);
  const CyclicClasses& rows = steps.rows();
  const std::vector<Received> ranks = received(d, steps);
  Cost cost;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::int64_t storage = 0;
    for (const auto& [i, j] : d.pairs[r]) storage += rows.size(i) * rows.size(j);
    std::int64_t slab = 0;
    for (const int p : d.touched[r]) slab += rows.size(p) * d.block;
    const std::int64_t buffers = 2 * (slab + d.block * d.block);
    const std::int64_t moved = storage + d.n * d.n / static_cast<std::int64_t>(ranks.size());
    cost.resident = std::max(cost.resident, Words(storage));
    cost.words = std::max(cost.words, Words(ranks[r].words));
    cost.messages = std::max(cost.messages, Messages(ranks[r].messages));
    cost.memory = std::max(cost.memory, Words(storage + std::max(buffers, moved + 2 * d.n)));
    cost.work = std::max(cost.work, work_of(d, rows, r));
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

CholeskyDecomposition choose_cholesky(std::int64_t n, int ranks, const FactorOptions& options) {
  if (n < 0)
    throw Error("cholesky of order " + std::to_string(n), "a negative size", "use 0 or more");
  check_ranks("cholesky", ranks);
  check_block(options.block);
  Choice<CholeskyDecomposition> choice(options.objective, options.memory);
  for (const Covering& c : coverings(ranks)) {
    // fewer ranks than half never pay
    if (2 * static_cast<int>(c.sets.size()) < ranks) continue;
    PairSharing sharing = share_pairs(c, c.points == 1 ? 1 : ranks);
    CholeskyDecomposition d{n,
                            ranks,
                            options.block.value_or(suitable_block(n, c.points, 96, 2)),
                            c.points,
                            std::move(sharing.touched),
                            std::move(sharing.pairs)};
    const Cost cost = cost_of(d, options.machine);
    choice.offer(std::move(d), cost);
  }
  return choice.take("cholesky");
}

}  // namespace redblue
