// SPDX-License-Identifier: BSD-3-Clause
// linalg/solve/substitution.cpp, without its data.
#include <utility>

#include "decomposition/solve/trsm.hpp"
#include "task_graph/planned_rank.hpp"
#include "task_graph/plans.hpp"

namespace redblue::task_graph {

namespace {

enum Tag { sums_tag = 4, diagonal_tag, solution_tag };

class TrsmRank {
 public:
  TrsmRank(const TrsmDecomposition& d, const TrsmSteps& steps, int me, RankActions& actions)
      : steps_(steps),
        first_(me / (d.grid_rows * d.grid_columns) * d.grid_rows * d.grid_columns),
        row_(me / d.grid_columns % d.grid_rows),
        column_(me % d.grid_columns),
        rank_(actions) {}

  void execute() {
    if (steps_.columns().size() == 0) return;
    PlannedRank::Pending earlier;
    for (std::int64_t s = 0; s < steps_.count(); ++s) {
      const std::int64_t b = steps_.block(s);
      const bool diagonal = steps_.across().of_block(b) == column_;
      rank_.wait(earlier);
      std::swap(earlier, sends_);
      if (steps_.down().of_block(b) == row_) {
        if (steps_.contributes(column_, b)) send_sums(b);
        if (diagonal && steps_.chunks() > 1) send_diagonal(b);
        const int chunk = steps_.chunk_of(column_, b);
        if (chunk >= 0) solve(b, chunk);
      }
      if (diagonal && steps_.left(row_, b) > 0) update(b);
    }
    rank_.wait(earlier);
    rank_.wait(sends_);
  }

 private:
  int rank_at(int row, int column) const { return first_ + row * steps_.across().classes + column; }

  void send_sums(std::int64_t block) {
    const std::int64_t width = steps_.down().block_size(block);
    for (int c = 0; c < steps_.chunks(); ++c) {
      const int solver = steps_.solver(block, c);
      if (solver == column_) continue;
      rank_.send(rank_at(row_, solver), sums_tag, width * steps_.chunk(c).size(), sends_);
    }
  }

  void send_diagonal(std::int64_t block) {
    const std::int64_t width = steps_.down().block_size(block);
    for (int c = 1; c < steps_.chunks(); ++c) {
      rank_.send(rank_at(row_, steps_.solver(block, c)), diagonal_tag, width * (width + 1) / 2,
                 sends_);
    }
  }

  void solve(std::int64_t block, int c) {
    const std::int64_t width = steps_.down().block_size(block);
    const std::int64_t columns = steps_.chunk(c).size();
    const int diagonal = steps_.across().of_block(block);
    for (int q = 0; q < steps_.across().classes; ++q) {
      if (!steps_.contributes(q, block) || q == column_) continue;
      rank_.receive(rank_at(row_, q), sums_tag, width * columns, receives_);
    }
    if (diagonal != column_) {
      rank_.receive(rank_at(row_, diagonal), diagonal_tag, width * (width + 1) / 2, receives_);
    }
    rank_.wait(receives_);
    rank_.solve(width, columns);
    for (int k = 0; k < steps_.down().classes; ++k) {
      if (steps_.left(k, block) == 0 || (k == row_ && diagonal == column_)) continue;
      rank_.send(rank_at(k, diagonal), solution_tag + c, width * columns, sends_);
    }
  }

  void update(std::int64_t block) {
    const std::int64_t width = steps_.down().block_size(block);
    const int row = steps_.down().of_block(block);
    for (int c = 0; c < steps_.chunks(); ++c) {
      const int solver = steps_.solver(block, c);
      if (solver == column_ && row == row_) continue;
      rank_.receive(rank_at(row, solver), solution_tag + c, width * steps_.chunk(c).size(),
                    receives_);
    }
    rank_.wait(receives_);
    rank_.multiply(steps_.left(row_, block), steps_.columns().size(), width);
  }

  const TrsmSteps& steps_;
  int first_, row_, column_;
  PlannedRank rank_;
  PlannedRank::Pending receives_, sends_;
};

}  // namespace

Execution planned(const TrsmDecomposition& d) {
  Execution execution;
  execution.command = "trsm " + std::to_string(d.n) + " x " + std::to_string(d.m) + " on " +
                      std::to_string(d.ranks) + " ranks: " + d.name();
  execution.ranks.resize(static_cast<std::size_t>(d.ranks));
  const int grid = d.grid_rows * d.grid_columns;
  for (int replica = 0; replica < d.replicas; ++replica) {
    const TrsmSteps steps(d, replica);
    for (int r = replica * grid; r < (replica + 1) * grid; ++r) {
      TrsmRank(d, steps, r, execution.ranks[static_cast<std::size_t>(r)]).execute();
    }
  }
  return execution;
}

double planned_actions(const TrsmDecomposition& d) {
  const double steps = static_cast<double>(d.n) / static_cast<double>(d.block);
  return steps * d.replicas * (d.grid_columns * 3.0 * (d.grid_columns + d.grid_rows)) + d.ranks;
}

}  // namespace redblue::task_graph
