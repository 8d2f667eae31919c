// SPDX-License-Identifier: BSD-3-Clause
// linalg/cholesky/cholesky.cpp, without its data.
#include <algorithm>
#include <utility>

#include "decomposition/cholesky/cholesky.hpp"
#include "task_graph/planned_rank.hpp"
#include "task_graph/plans.hpp"

namespace redblue::task_graph {

namespace {

enum Tag { diagonal_tag, reduce_tag, panel_tag };

class CholeskyRank {
 public:
  CholeskyRank(const CholeskyDecomposition& d, const CholeskySteps& steps, int me,
               RankActions& actions)
      : decomposition_(d),
        steps_(steps),
        me_(me),
        replica_(me / steps.members()),
        member_(me % steps.members()),
        rank_(actions) {}

  void factor() {
    if (replica_ >= steps_.replicas()) return;
    if (steps_.count() == 0) return;
    prepare(0);
    for (std::int64_t k = 0; k < steps_.count(); ++k) {
      rank_.wait(receives_[k % 2]);
      if (k + 1 < steps_.count()) {
        update(k, true);
        prepare(k + 1);
      }
      update(k, false);
    }
    for (PlannedRank::Pending& sends : sends_) rank_.wait(sends);
  }

 private:
  void prepare(std::int64_t step) {
    rank_.wait(sends_[step % 2]);
    for (const int p : steps_.needed(member_, step)) {
      const int source = steps_.solver(p, step);
      const std::int64_t columns = steps_.chunk(step, replica_).size();
      if (source == me_) continue;
      rank_.receive(source, panel_tag + p, steps_.rows().after(p, step) * columns,
                    receives_[step % 2]);
    }
    if (steps_.replicas() > 1) reduce_panel(step);
    factor_diagonal(step);
    solve_panel(step);
  }

  void reduce_panel(std::int64_t step) {
    const int q = steps_.rows().of_block(step);
    PlannedRank::Pending arriving;
    for (int p = 0; p < decomposition_.row_blocks; ++p) {
      const std::int64_t words = steps_.panel_words(p, step);
      if (words == 0 || steps_.owner(p, q) != member_) continue;
      if (steps_.home(p, step) != replica_) {
        rank_.send(steps_.solver(p, step), reduce_tag, words, sends_[step % 2]);
        continue;
      }
      for (int l = 0; l < steps_.replicas(); ++l) {
        if (l != replica_) rank_.receive(steps_.rank_at(l, member_), reduce_tag, words, arriving);
      }
    }
    rank_.wait(arriving);
  }

  void factor_diagonal(std::int64_t step) {
    const int q = steps_.rows().of_block(step);
    const std::int64_t width = steps_.rows().block_size(step);
    const std::vector<int> solvers = steps_.panel_ranks(step);
    if (steps_.solver(q, step) == me_) {
      const auto n = static_cast<double>(width);
      rank_.compute(n * n * n / 3, n * n);
      for (const int r : solvers) {
        rank_.send(r, diagonal_tag, width * width, sends_[step % 2]);
      }
    } else if (std::binary_search(solvers.begin(), solvers.end(), me_)) {
      PlannedRank::Pending arriving;
      rank_.receive(steps_.solver(q, step), diagonal_tag, width * width, arriving);
      rank_.wait(arriving);
    }
  }

  void solve_panel(std::int64_t step) {
    const int q = steps_.rows().of_block(step);
    for (int turn = 0; turn < decomposition_.row_blocks; ++turn) {
      const int p = (q + 1 + turn) % decomposition_.row_blocks;
      const std::int64_t count = steps_.rows().after(p, step);
      if (count == 0 || steps_.solver(p, step) != me_) continue;
      rank_.solve(steps_.rows().block_size(step), count);
      const std::vector<int> needers = steps_.needers(p, step);
      for (int l = 0; l < steps_.replicas(); ++l) {
        for (const int m : needers) {
          const int peer = steps_.rank_at(l, m);
          if (peer == me_) continue;
          rank_.send(peer, panel_tag + p, count * steps_.chunk(step, l).size(), sends_[step % 2]);
        }
      }
    }
  }

  void update(std::int64_t step, bool ahead) {
    const std::int64_t width = steps_.chunk(step, replica_).size();
    for (const auto& pair : decomposition_.pairs[static_cast<std::size_t>(member_)]) {
      for (const CholeskySteps::Update& u : steps_.updates(pair, step, ahead)) {
        if (u.triangle) {
          const auto n = static_cast<double>(u.down.size());
          const auto k = static_cast<double>(width);
          rank_.compute(n * (n + 1) * k, n * k + n * n);
        } else {
          rank_.multiply(u.down.size(), u.across.size(), width);
        }
      }
    }
  }

  const CholeskyDecomposition& decomposition_;
  const CholeskySteps& steps_;
  int me_, replica_, member_;
  PlannedRank rank_;
  PlannedRank::Pending receives_[2], sends_[2];  // by step mod 2
};

}  // namespace

Execution planned(const CholeskyDecomposition& d) {
  Execution execution;
  execution.command =
      "cholesky " + std::to_string(d.n) + " on " + std::to_string(d.ranks) + " ranks: " + d.name();
  execution.ranks.resize(static_cast<std::size_t>(d.ranks));
  const CholeskySteps steps(d);
  for (std::size_t r = 0; r < execution.ranks.size(); ++r) {
    CholeskyRank(d, steps, static_cast<int>(r), execution.ranks[r]).factor();
  }
  return execution;
}

double planned_actions(const CholeskyDecomposition& d) {
  double touched = 0;
  for (const auto& blocks : d.row_blocks_of) touched += static_cast<double>(blocks.size());
  return static_cast<double>(d.n) / static_cast<double>(d.block) *
         (3 * touched * d.replicas + 4 * d.ranks);
}

}  // namespace redblue::task_graph
