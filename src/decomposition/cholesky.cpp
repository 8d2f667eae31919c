#include "decomposition/cholesky.hpp"

#include <algorithm>
#include <numeric>
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
      until_(d.pairs.size()) {
  constexpr std::int64_t never = -2;
  for (std::size_t r = 0; r < d.pairs.size(); ++r) {
    until_[r].assign(static_cast<std::size_t>(points_), never);
    const auto join = [&](int a, int b) {
      std::int64_t& until = until_[r][static_cast<std::size_t>(a)];
      if (until == never) touching_[static_cast<std::size_t>(a)].push_back(static_cast<int>(r));
      until = std::max(until, rows_.last(b));
    };
    for (const auto& [i, j] : d.pairs[r]) {
      owner_[static_cast<std::size_t>(i) * static_cast<std::size_t>(points_) +
             static_cast<std::size_t>(j)] = static_cast<int>(r);
      join(i, j);
      if (i != j) join(j, i);
    }
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

bool CholeskySteps::needs(std::size_t rank, int point, std::int64_t step) const {
  return rows_.last(point) > step && until_[rank][static_cast<std::size_t>(point)] > step;
}

std::vector<int> CholeskySteps::needers(int point, std::int64_t step) const {
  std::vector<int> ranks;
  for (const int r : touching_[static_cast<std::size_t>(point)]) {
    if (needs(static_cast<std::size_t>(r), point, step)) ranks.push_back(r);
  }
  return ranks;
}

std::vector<int> CholeskySteps::needed(int rank, std::int64_t step) const {
  std::vector<int> points;
  if (static_cast<std::size_t>(rank) >= until_.size()) return points;
  for (int p = 0; p < points_; ++p) {
    if (needs(static_cast<std::size_t>(rank), p, step)) points.push_back(p);
  }
  return points;
}

namespace {

// Multiplications of a rank: its pairs, each once per step that is left; `left`: rows of each point
// after each step.
std::int64_t work_of(const CholeskyDecomposition& d,
                     const std::vector<std::vector<std::int64_t>>& left, std::size_t rank) {
  std::int64_t work = 0;
  for (const auto& [i, j] : d.pairs[rank]) {
    const auto& a = left[static_cast<std::size_t>(i)];
    const auto& b = left[static_cast<std::size_t>(j)];
    // all steps' panels are as wide, but the last, after which nothing is left
    const std::int64_t area = std::inner_product(a.begin(), a.end(), b.begin(), std::int64_t{0});
    work += (i == j ? area / 2 : area) * d.block;
  }
  return work;
}

}  // namespace

Cost cost_of(const CholeskyDecomposition& d, const Machine& machine) {
  const CholeskySteps steps(d);
  const CyclicClasses& rows = steps.rows();
  std::vector<Cost> ranks(d.pairs.size());
  std::vector<std::vector<std::int64_t>> left(static_cast<std::size_t>(d.points));
  for (std::int64_t t = 0; t < steps.count(); ++t) {
    const std::int64_t width = rows.block_size(t);
    for (int p = 0; p < d.points; ++p) {
      left[static_cast<std::size_t>(p)].push_back(rows.after(p, t));
    }
    const auto receive = [&ranks](int rank, std::int64_t words) {
      ranks[static_cast<std::size_t>(rank)].words += Words(words);
      ranks[static_cast<std::size_t>(rank)].messages += Messages(1);
    };
    for (const int r : steps.panel_ranks(t)) receive(r, width * width);
    for (int p = 0; p < d.points; ++p) {
      const int source = steps.owner(p, rows.of_block(t));
      for (const int r : steps.needers(p, t)) {
        if (r != source) receive(r, left[static_cast<std::size_t>(p)].back() * width);
      }
    }
  }
  Cost cost;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    std::int64_t storage = 0;
    for (const auto& [i, j] : d.pairs[r]) storage += rows.size(i) * rows.size(j);
    std::int64_t slab = 0;
    for (const int p : d.touched[r]) slab += rows.size(p) * d.block;
    const std::int64_t buffers = 2 * (slab + d.block * d.block);
    const std::int64_t moved = storage + d.n * d.n / static_cast<std::int64_t>(ranks.size());
    cost.resident = std::max(cost.resident, Words(storage));
    cost.words = std::max(cost.words, ranks[r].words);
    cost.messages = std::max(cost.messages, ranks[r].messages);
    cost.memory = std::max(cost.memory, Words(storage + std::max(buffers, moved + 2 * d.n)));
    cost.work = std::max(cost.work, work_of(d, left, r));
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
