// SPDX-License-Identifier: BSD-3-Clause
// What a triangular solve with few right-hand sides costs: its busiest rank, its critical path.
#include <algorithm>
#include <utility>
#include <vector>

#include "decomposition/ownership.hpp"
#include "decomposition/solve/trsv.hpp"
#include "decomposition/solve/trsv_updates.hpp"
#include "machine/sharing.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

// A cost, and the operations on its path as they follow one another where ranks that share
// processors take turns on them: at least path.operations.
struct PathCost {
  TrsvCost cost;
  double operations_in_turn = 0;
};

// What the ranks do and receive in one half-step, and in all of them.
class Tally {
 public:
  Tally(std::size_t ranks, const Machine& machine)
      : machine_(machine), ranks_(ranks), now_(ranks) {}

  struct Count {
    std::int64_t operations = 0;
    std::int64_t words = 0;
    std::int64_t messages = 0;
  };
  Count& of(std::size_t rank) { return now_[rank]; }

  void end_half_step() {
    const std::size_t together =
        machine_.ranks_together > 0 ? static_cast<std::size_t>(machine_.ranks_together) : 1;
    Count most;
    double of_host = 0;
    double busiest = 0;  // of the host
    double in_turn = 0;  // of the slowest host
    for (std::size_t r = 0; r < now_.size(); ++r) {
      if (r % together == 0) of_host = busiest = 0;
      const auto mine = static_cast<double>(now_[r].operations);
      of_host += mine;
      busiest = std::max(busiest, mine);
      in_turn = std::max(in_turn, taken_in_turn(busiest, of_host, machine_));
      most.operations = std::max(most.operations, now_[r].operations);
      most.words = std::max(most.words, now_[r].words);
      most.messages = std::max(most.messages, now_[r].messages);
      ranks_[r].operations += now_[r].operations;
      ranks_[r].words += now_[r].words;
      ranks_[r].messages += now_[r].messages;
      now_[r] = {};
    }
    const auto operations = static_cast<double>(most.operations);
    operations_in_turn_ += in_turn;
    cost_.path.operations += operations;
    cost_.path.words += Words(most.words);
    cost_.path.synchronisations += most.messages > 0 ? 1 : 0;
  }

  PathCost cost() const {
    TrsvCost cost = cost_;
    for (const Count& c : ranks_) {
      cost.words = std::max(cost.words, Words(c.words));
      cost.mean_words += static_cast<double>(c.words);
      cost.messages = std::max(cost.messages, Messages(c.messages));
      cost.work = std::max(cost.work, static_cast<double>(c.operations));
    }
    return {cost, operations_in_turn_};
  }

 private:
  const Machine& machine_;
  std::vector<Count> ranks_, now_;
  TrsvCost cost_;
  double operations_in_turn_ = 0;
};

constexpr double word_bytes = 8;

// An element of T is read once for its m operations; where the memory's rate is unknown, m times.
double seconds_per_operation(double work, std::int64_t columns, const Machine& machine) {
  const auto m = static_cast<double>(std::max<std::int64_t>(1, columns));
  const double element = seconds_per_element(machine, work / m);
  if (machine.memory_bytes_per_second <= 0) return element;
  return std::max(element / m, 2 / machine.flops_per_second);
}

double path_seconds(const PathCost& path, std::int64_t m, const Machine& machine) {
  return static_cast<double>(path.cost.path.synchronisations) *
             std::max(machine.latency_seconds, machine.waiting_seconds) +
         static_cast<double>(path.cost.path.words.value) * word_bytes / machine.bytes_per_second +
         path.operations_in_turn * seconds_per_operation(path.cost.work, m, machine);
}

// Where every panel has a rank of its own: half-step t has the visits (i, l), i + l = t, l <= i, of
// which all but the ends are of whole blocks, and receive. Panel l receives rows l, l + 1, .. but
// the first panel nothing.
PathCost cost_of_own_panels(const TrsvDecomposition& d, const Machine& machine) {
  const WavefrontSteps steps(d);
  const std::int64_t panels = steps.panels();
  TrsvCost cost;
  double operations_in_turn = 0;
  for (std::int64_t t = 0; t < steps.half_steps() && d.m > 0; ++t) {
    const std::int64_t first = std::max<std::int64_t>(0, t - panels + 1);
    const std::int64_t last = t / 2;
    std::int64_t operations = 0;
    std::int64_t words = 0;
    // blocks of another size are the first or the last, products the same between
    for (const std::int64_t l : {first, first + 1, last - 1, last}) {
      if (l < first || l > last) continue;
      const std::int64_t i = t - l;
      const WavefrontVisit v{t, l, steps.rows(i), i == l, true, l > 0};
      operations = std::max(operations, v.operations(steps.rows(l).size()) * d.m);
      if (v.receives) words = std::max(words, v.rows.size() * d.m);
    }
    // panel l is rank l's: so many of one host are at work
    const std::int64_t busy = std::min<std::int64_t>(last - first + 1, machine.ranks_together);
    const auto most = static_cast<double>(operations);
    operations_in_turn += taken_in_turn(most, most * static_cast<double>(busy), machine);
    cost.path.operations += most;
    cost.path.words += Words(words);
    cost.path.synchronisations += words > 0 ? 1 : 0;
  }
  std::int64_t rows = 0;  // from panel l's on
  for (std::int64_t l = panels - 1; l >= 0 && d.m > 0; --l) {
    const std::int64_t width = steps.rows(l).size();
    const std::int64_t below = rows;
    rows += width;
    const std::int64_t work = (width * (width + 1) / 2 + below * width) * d.m;
    cost.work = std::max(cost.work, static_cast<double>(work));
    if (l == 0) continue;
    cost.words = std::max(cost.words, Words(rows * d.m));
    cost.mean_words += static_cast<double>(rows * d.m);
    cost.messages = std::max(cost.messages, Messages(panels - l));
  }
  return {cost, operations_in_turn};
}

// Half-step by half-step.
PathCost cost_of_shared_panels(const TrsvDecomposition& d, const Machine& machine) {
  const WavefrontSteps steps(d);
  const auto busy = static_cast<int>(std::min<std::int64_t>(d.ranks, steps.panels()));
  std::vector<std::vector<WavefrontVisit>> visits;
  for (int c = 0; c < busy; ++c) visits.push_back(steps.visits(c));
  std::vector<std::size_t> next(visits.size());
  Tally tally(visits.size(), machine);
  for (std::int64_t t = 0; t < steps.half_steps() && d.m > 0; ++t) {
    for (std::size_t r = 0; r < visits.size(); ++r) {
      for (; next[r] < visits[r].size() && visits[r][next[r]].half_step == t; ++next[r]) {
        const WavefrontVisit& v = visits[r][next[r]];
        Tally::Count& count = tally.of(r);
        count.operations += v.operations(steps.rows(v.panel).size()) * d.m;
        if (!v.receives) continue;
        count.words += v.rows.size() * d.m;
        ++count.messages;
      }
    }
    tally.end_half_step();
  }
  return tally.cost();
}

PathCost wavefront_cost(const TrsvDecomposition& d, const Machine& machine) {
  const WavefrontSteps steps(d);
  PathCost path = steps.panels() <= d.ranks ? cost_of_own_panels(d, machine)
                                            : cost_of_shared_panels(d, machine);
  const std::int64_t own = (steps.panels() + d.ranks - 1) / d.ranks * d.block;
  path.cost.memory = path.cost.resident = Words((d.n + 2 * d.block + 2 * own) * d.m);
  return path;
}

// A triangle on a grid of square blocks, and the rows of one step.
class PlacedSteps {
 public:
  explicit PlacedSteps(const TrsvDecomposition& d) : d_(d), count_((d.n + d.step - 1) / d.step) {
    for (int r = 0; r < d.grid_rows; ++r) {
      for (int c = 0; c < d.grid_columns; ++c) {
        if (of_class(r, d.grid_rows, {0, d.n}) > 0 && of_class(c, d.grid_columns, {0, d.n}) > 0) {
          holders_.emplace_back(r, c);
        }
      }
    }
  }

  std::int64_t count() const { return count_; }
  // (row, column) in the grid of T as it is stored.
  const std::vector<std::pair<int, int>>& holders() const { return holders_; }

  // The rows of steps first .. end - 1.
  Range rows(std::int64_t first, std::int64_t end) const {
    if (first >= end) return {0, 0};
    if (d_.backward) return {(count_ - end) * d_.step, std::min(d_.n, (count_ - first) * d_.step)};
    return {first * d_.step, std::min(d_.n, end * d_.step)};
  }
  std::int64_t in(std::size_t holder, const Range& indices) const {
    return d_.transposed ? rows_of(holder, indices) : columns_of(holder, indices);
  }
  std::int64_t out(std::size_t holder, const Range& indices) const {
    return d_.transposed ? columns_of(holder, indices) : rows_of(holder, indices);
  }

  std::int64_t operations(std::size_t holder, const PartialSums& sums) const {
    const std::int64_t columns = in(holder, rows(sums.in.first, sums.in.second));
    const std::int64_t all = out(holder, rows(sums.out.first, sums.out.second));
    return columns * round_of({0, all}, sums.share, sums.shares).size();
  }

  std::size_t solver(std::int64_t step) const {
    const Range k = rows(step, step + 1);
    for (std::size_t h = 0; h < holders_.size(); ++h) {
      if (rows_of(h, k) == k.size() && columns_of(h, k) == k.size()) return h;
    }
    return static_cast<std::size_t>(k.begin / d_.step) % holders_.size();
  }

  // Elements of the triangle T(k, k) that a rank stores.
  std::int64_t triangle(std::size_t holder, std::int64_t step) const {
    const Range k = rows(step, step + 1);
    const auto [row, column] = holders_[holder];
    // where op(T) is lower triangular and transposed, or neither, T is lower triangular
    const bool lower = d_.backward == d_.transposed;
    std::int64_t words = 0;
    for (std::int64_t j = k.begin / d_.block; j * d_.block < k.end; ++j) {
      if (j % d_.grid_columns != column) continue;
      const Range across = cut(j, k);
      const Range rest = lower ? Range{across.end, k.end} : Range{k.begin, across.begin};
      words += across.size() * of_class(row, d_.grid_rows, rest);
      if (j % d_.grid_rows == row) words += across.size() * (across.size() + 1) / 2;
    }
    return words;
  }

 private:
  Range cut(std::int64_t block, const Range& k) const {
    return {std::max(block * d_.block, k.begin), std::min((block + 1) * d_.block, k.end)};
  }
  std::int64_t rows_of(std::size_t holder, const Range& indices) const {
    return of_class(holders_[holder].first, d_.grid_rows, indices);
  }
  std::int64_t columns_of(std::size_t holder, const Range& indices) const {
    return of_class(holders_[holder].second, d_.grid_columns, indices);
  }
  // Indices that a class of blocks has.
  std::int64_t of_class(int c, int classes, const Range& indices) const {
    const auto before = [&](std::int64_t end) {
      const std::int64_t round = d_.block * classes;
      return end / round * d_.block +
             std::clamp<std::int64_t>(end % round - c * d_.block, 0, d_.block);
    };
    return before(indices.end) - before(indices.begin);
  }

  TrsvDecomposition d_;
  std::int64_t count_;
  std::vector<std::pair<int, int>> holders_;
};

PathCost in_place_cost(const TrsvDecomposition& d, const Machine& machine) {
  const PlacedSteps steps(d);
  const std::size_t holders = steps.holders().size();
  Tally tally(holders, machine);
  std::vector<UpdateOrder> orders(holders, UpdateOrder(d));
  std::int64_t contributions = 0;
  bool moves_triangles = false;
  for (std::int64_t k = 0; k < steps.count() && d.m > 0; ++k) {
    const Range here = steps.rows(k, k + 1);
    const Range earlier = steps.rows(0, k);
    const Range later = steps.rows(k + 1, steps.count());
    const std::size_t solver = steps.solver(k);
    Tally::Count& solving = tally.of(solver);
    std::int64_t sums = 0;
    for (std::size_t h = 0; h < holders; ++h) {
      if (h == solver) continue;
      const std::int64_t triangle = steps.triangle(h, k);
      const std::int64_t rows = steps.in(h, earlier) > 0 ? steps.out(h, here) * d.m : 0;
      solving.words += triangle + rows;
      solving.messages += (triangle > 0 ? 1 : 0) + (rows > 0 ? 1 : 0);
      moves_triangles = moves_triangles || triangle > 0;
      sums += rows;
    }
    contributions = std::max(contributions, sums);
    solving.operations += here.size() * (here.size() + 1) / 2 * d.m;
    tally.end_half_step();
    for (std::size_t h = 0; h < holders && k + 1 < steps.count(); ++h) {
      Tally::Count& updating = tally.of(h);
      const std::int64_t columns = steps.in(h, here);
      if (h != solver && columns > 0 && steps.out(h, later) > 0) {
        updating.words += columns * d.m;
        ++updating.messages;
      }
      const UpdateOrder::Update update = orders[h].next(h == steps.solver(k + 1));
      for (const auto* due : {&update.awaited, &update.rest}) {
        for (const PartialSums& s : *due) updating.operations += steps.operations(h, s) * d.m;
      }
    }
    tally.end_half_step();
  }
  PathCost path = tally.cost();
  std::int64_t vectors = 0;
  for (std::size_t h = 0; h < holders; ++h) {
    vectors = std::max(vectors, steps.in(h, {0, d.n}) + steps.out(h, {0, d.n}));
  }
  path.cost.memory = path.cost.resident =
      Words(vectors * d.m + 2 * contributions + (moves_triangles ? 2 * d.step * d.step : 0) +
            2 * ((d.n / d.step + 1) / std::max<std::int64_t>(1, d.ranks) + 1) * d.step * d.m);
  return path;
}

}  // namespace

TrsvCost cost_of(const TrsvDecomposition& d, const Machine& machine) {
  if (d.scheme == TrsvScheme::in_place && d.grid_rows < 1) {
    throw Error("cost of a solve", "a layout that is no grid of squares",
                "look at the traffic of its execution");
  }
  PathCost path;
  if (d.n > 0) {
    path =
        d.scheme == TrsvScheme::wavefront ? wavefront_cost(d, machine) : in_place_cost(d, machine);
  }
  path.cost.mean_words /= d.ranks;
  path.cost.seconds = path_seconds(path, d.m, machine);
  return path.cost;
}

}  // namespace redblue
