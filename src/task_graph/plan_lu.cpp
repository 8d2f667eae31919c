// SPDX-License-Identifier: BSD-3-Clause
// linalg/lu/lu.cpp, linalg/lu/tournament.cpp and linalg/lu/pivot_rows.cpp, without their data.
#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <random>
#include <utility>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/doubling.hpp"
#include "decomposition/lu/pivot_columns.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/error.hpp"
#include "task_graph/planned_rank.hpp"
#include "task_graph/plans.hpp"

namespace redblue::task_graph {

namespace {

enum Tag { tournament_tag = 1, panel_tag, other_rows_tag, panel_reduce_tag };
enum RowsTag { reduce_tag = 16, shares_tag, chunks_tag, groups_tag, owner_tag };

// What all ranks know of the steps: how many pivots of each class of rows a step has, and how many
// rows of each class are active before it.
struct Steps {
  explicit Steps(const LuDecomposition& d, const std::vector<std::int64_t>& order)
      : rows{d.m, d.block, d.grid_rows * d.replicas},
        columns{d.n, d.block, d.grid_columns},
        panels{std::min(d.m, d.n), d.block, d.grid_columns},
        slices{d.grid_rows, d.replicas} {
    std::vector<std::int64_t> active;
    for (int c = 0; c < rows.classes; ++c) active.push_back(rows.size(c));
    for (std::int64_t k = 0; k < panels.blocks(); ++k) {
      before.push_back(active);
      std::vector<std::int64_t>& here = pivots.emplace_back(active.size());
      for (std::int64_t i = k * d.block; i < k * d.block + panels.block_size(k); ++i) {
        const auto c =
            static_cast<std::size_t>(rows.of_block(order[static_cast<std::size_t>(i)] / d.block));
        ++here[c];
        --active[c];
      }
    }
    before.push_back(active);
  }

  CyclicClasses rows, columns, panels;
  PivotColumns slices;
  std::vector<std::vector<std::int64_t>> pivots, before;  // [step][class]
};

class LuRank {
 public:
  LuRank(const LuDecomposition& d, const Steps& steps, int me, RankActions& actions)
      : d_(d),
        all_(steps),
        my_row_(me / d.grid_columns),
        my_column_(me % d.grid_columns),
        replica_(my_row_ / d.grid_rows),
        row_(my_row_ % d.grid_rows),
        rank_(actions) {}

  void factor() {
    const std::int64_t count = all_.panels.blocks();
    if (count > 0 && step(0).panel) factor_panel(step(0));
    for (std::int64_t k = 0; k < count; ++k) {
      const Step s = step(k);
      if (!s.panel) {
        rank_.wait(sends(s));
        PlannedRank::Pending pending;
        rank_.receive(rank_in_row(replica_, s.column), panel_tag,
                      head(s) + active(k + 1, replica_) * chunk(s, replica_), pending);
        rank_.wait(pending);
      }
      for (int l = 0; l < d_.replicas; ++l) {
        if (l == replica_) continue;
        rank_.receive(rank_in_row(l, s.column), other_rows_tag,
                      active(k + 1, l) * chunk(s, replica_), receives_);
      }
      gather_pivot_rows(s);
      rank_.wait(receives_);
      update(s);
    }
    for (PlannedRank::Pending& pending : sends_) rank_.wait(pending);
  }

 private:
  struct Step {
    std::int64_t number, width;
    bool panel;
    int column;
    std::int64_t across;
  };

  Step step(std::int64_t number) const {
    Step s{};
    s.number = number;
    s.width = all_.panels.block_size(number);
    s.column = all_.panels.of_block(number);
    s.panel = s.column == my_column_;
    const std::int64_t trailing = s.panel ? all_.columns.position(number) + s.width
                                          : all_.columns.before(my_column_, number + 1);
    s.across = all_.columns.size(my_column_) - trailing;
    return s;
  }
  int rank_at(int row, int column) const { return row * d_.grid_columns + column; }
  int rank_in_row(int replica, int column) const {
    return rank_at(row_ + replica * d_.grid_rows, column);
  }
  int rank_in_column(int replica, int row) const {
    return rank_at(replica * d_.grid_rows + row, my_column_);
  }
  // Of this grid row's rows that a replica owns, those that are no pivots before the step.
  std::int64_t active(std::int64_t step, int replica) const {
    return all_.before[static_cast<std::size_t>(step)]
                      [static_cast<std::size_t>(row_ + replica * d_.grid_rows)];
  }
  std::int64_t chunk(const Step& s, int replica) const {
    return round_of({0, s.width}, replica, d_.replicas).size();
  }
  static std::int64_t head(const Step& s) { return s.width + s.width * (s.width + 1) / 2; }
  PlannedRank::Pending& sends(const Step& s) {
    return sends_[static_cast<std::size_t>(s.number % 2)];
  }

  void factor_panel(const Step& s) {
    rank_.wait(sends(s));
    if (d_.replicas > 1) reduce_panel(s);
    find_pivots(s);
    rank_.solve(s.width, active(s.number + 1, replica_));
    send_panel(s);
  }

  void reduce_panel(const Step& s) {
    PlannedRank::Pending arriving, sending;
    for (int turn = 1; turn < d_.replicas; ++turn) {
      const int other = (replica_ + turn) % d_.replicas;
      const int peer = rank_in_row(other, my_column_);
      rank_.receive(peer, panel_reduce_tag, active(s.number, replica_) * s.width, arriving);
      rank_.send(peer, panel_reduce_tag, active(s.number, other) * s.width, sending);
    }
    rank_.wait(arriving);
    rank_.wait(sending);
  }

  // Partial pivoting on so many rows of the panel.
  void eliminate(std::int64_t rows, std::int64_t width) {
    const auto m = static_cast<double>(std::max(rows, width));
    const auto n = static_cast<double>(std::min(rows, width));
    rank_.compute(n * n * (m - n / 3), 2 * m * n);
  }

  void find_pivots(const Step& s) {
    eliminate(active(s.number, replica_), s.width);
    const int ranks = all_.rows.classes;
    const int butterfly = static_cast<int>(std::bit_floor(static_cast<unsigned>(ranks)));
    const std::int64_t words = s.width + s.width * s.width;
    PlannedRank::Pending sending, arriving;
    const auto send = [&](int to) {
      rank_.send(rank_at(to, my_column_), tournament_tag, words, sending);
    };
    const auto receive = [&](int from) {
      rank_.receive(rank_at(from, my_column_), tournament_tag, words, arriving);
      rank_.wait(arriving);
    };
    if (my_row_ >= butterfly) {
      send(my_row_ - butterfly);
      receive(my_row_ - butterfly);
      rank_.wait(sending);
      return;
    }
    if (my_row_ + butterfly < ranks) {
      receive(my_row_ + butterfly);
      eliminate(2 * s.width, s.width);
    }
    for (int bit = 1; bit < butterfly; bit *= 2) {
      send(my_row_ ^ bit);
      receive(my_row_ ^ bit);
      rank_.wait(sending);
      eliminate(2 * s.width, s.width);
    }
    if (my_row_ + butterfly < ranks) {
      send(my_row_ + butterfly);
      rank_.wait(sending);
    }
  }

  void send_panel(const Step& s) {
    for (int turn = 1; turn <= d_.grid_columns; ++turn) {
      const int c = (my_column_ + turn) % d_.grid_columns;
      for (int l = 0; l < d_.replicas; ++l) {
        const std::int64_t words = active(s.number + 1, replica_) * chunk(s, l);
        if (l != replica_) {
          rank_.send(rank_in_row(l, c), other_rows_tag, words, sends(s));
        } else if (c != my_column_) {
          rank_.send(rank_in_row(l, c), panel_tag, head(s) + words, sends(s));
        }
      }
    }
  }

  // Pivots of the step in a grid row.
  std::int64_t share(const Step& s, int row) const {
    std::int64_t count = 0;
    for (int c = row; c < all_.rows.classes; c += d_.grid_rows) {
      count += all_.pivots[static_cast<std::size_t>(s.number)][static_cast<std::size_t>(c)];
    }
    return count;
  }
  std::int64_t slice(const Step& s, int replica, int row) const {
    return all_.slices.slice(s.across, replica, row).size();
  }

  void gather_pivot_rows(const Step& s) {
    if (d_.replicas == 1) {
      if (d_.exchange == Exchange::doubling) {
        const auto words = [&](int r) { return share(s, r) * s.across; };
        PlannedRank::Pending passed_on;
        allgather_by_doubling(shares_tag, words, passed_on);
        rank_.wait(passed_on);
      } else {
        exchange_shares(s, false);
      }
      rank_.solve(s.width, s.across);
      return;
    }
    reduce_over_replicas(s);
    exchange_shares(s, true);
    rank_.solve(s.width, slice(s, replica_, row_));
    exchange_chunks(s);
    allgather_groups(s);
  }

  void reduce_over_replicas(const Step& s) {
    const std::int64_t own = share(s, row_);
    for (int l = 0; l < d_.replicas; ++l) {
      if (l == replica_) continue;
      rank_.send(rank_in_column(l, row_), reduce_tag, own * all_.slices.of_replica(s.across, l),
                 sends(s));
      rank_.receive(rank_in_column(l, row_), reduce_tag,
                    own * all_.slices.of_replica(s.across, replica_), rows_receives_);
    }
    rank_.wait(rows_receives_);
  }

  void exchange_shares(const Step& s, bool slices) {
    const auto columns_for = [&](int r) { return slices ? slice(s, replica_, r) : s.across; };
    for (int r = 0; r < d_.grid_rows; ++r) {
      if (r == row_) continue;
      rank_.send(rank_in_column(replica_, r), shares_tag, share(s, row_) * columns_for(r),
                 sends(s));
    }
    for (int turn = 1; turn < d_.grid_rows; ++turn) {
      const int r = (row_ + turn) % d_.grid_rows;
      rank_.receive(rank_in_column(replica_, r), shares_tag, share(s, r) * columns_for(row_),
                    rows_receives_);
    }
    rank_.wait(rows_receives_);
  }

  void exchange_chunks(const Step& s) {
    for (int l = 0; l < d_.replicas; ++l) {
      if (l == replica_) continue;
      rank_.send(rank_in_column(l, row_), chunks_tag, chunk(s, l) * slice(s, replica_, row_),
                 sends(s));
      rank_.receive(rank_in_column(l, row_), chunks_tag, chunk(s, replica_) * slice(s, l, row_),
                    rows_receives_);
    }
    gather_at_owner(s);
    rank_.wait(rows_receives_);
  }

  void gather_at_owner(const Step& s) {
    const int owner = all_.rows.of_block(s.number);
    const std::int64_t missing = s.width - chunk(s, owner / d_.grid_rows);
    if (owner != my_row_) {
      rank_.send(rank_at(owner, my_column_), owner_tag, missing * slice(s, replica_, row_),
                 sends(s));
      return;
    }
    for (int c = 0; c < all_.rows.classes; ++c) {
      if (c == my_row_) continue;
      rank_.receive(rank_at(c, my_column_), owner_tag,
                    missing * slice(s, c / d_.grid_rows, c % d_.grid_rows), rows_receives_);
    }
  }

  template <class OfRow>
  void allgather_by_doubling(int tag, OfRow words_of_row, PlannedRank::Pending& sending) {
    std::vector<std::int64_t> begins = {0};
    for (int r = 0; r < d_.grid_rows; ++r) begins.push_back(begins.back() + words_of_row(r));
    const auto rank = [this](std::int64_t row) {
      return rank_in_column(replica_, static_cast<int>((row + d_.grid_rows) % d_.grid_rows));
    };
    for (const DoublingStage& stage : doubling_stages(d_.grid_rows)) {
      rank_.receive(rank(row_ + stage.distance), tag,
                    block_words(begins, row_ + stage.distance, stage.blocks), rows_receives_);
      rank_.send(rank(row_ - stage.distance), tag, block_words(begins, row_, stage.blocks),
                 sending);
      rank_.wait(rows_receives_);
    }
  }

  void allgather_groups(const Step& s) {
    const std::int64_t height = chunk(s, replica_);
    if (d_.exchange == Exchange::doubling) {
      const auto words = [&](int r) { return height * all_.slices.group(s.across, r).size(); };
      allgather_by_doubling(groups_tag, words, sends(s));
      return;
    }
    for (int turn = 1; turn < d_.grid_rows; ++turn) {
      const int r = (row_ + turn) % d_.grid_rows;
      rank_.receive(rank_in_column(replica_, r), groups_tag,
                    height * all_.slices.group(s.across, r).size(), rows_receives_);
      rank_.send(rank_in_column(replica_, r), groups_tag,
                 height * all_.slices.group(s.across, row_).size(), sends(s));
    }
    rank_.wait(rows_receives_);
  }

  // The next panel first. Small steps are multiplied at once here, not delayed.
  void update(const Step& s) {
    std::int64_t rows = 0;
    for (int l = 0; l < d_.replicas; ++l) rows += active(s.number + 1, l);
    std::int64_t across = s.across;
    if (s.number + 1 < all_.panels.blocks() && step(s.number + 1).panel) {
      const Step next = step(s.number + 1);
      rank_.multiply(rows, next.width, chunk(s, replica_));
      factor_panel(next);
      across -= next.width;
    }
    rank_.multiply(rows, across, chunk(s, replica_));
  }

  const LuDecomposition& d_;
  const Steps& all_;
  int my_row_, my_column_, replica_, row_;
  PlannedRank rank_;
  PlannedRank::Pending receives_, rows_receives_;  // of the panel's rows, of the pivots' rows
  std::array<PlannedRank::Pending, 2> sends_;
};

}  // namespace

Execution planned(const LuDecomposition& d, std::vector<std::int64_t> order) {
  if (order.empty()) {
    order.resize(static_cast<std::size_t>(d.m));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), std::mt19937_64(1));
  }
  if (static_cast<std::int64_t>(order.size()) < std::min(d.m, d.n)) {
    throw Error("a plan of LU", "fewer pivots than columns", "give them all");
  }
  Execution execution;
  execution.command = "lu " + std::to_string(d.m) + " x " + std::to_string(d.n) + " on " +
                      std::to_string(d.ranks) + " ranks: " + d.name();
  execution.ranks.resize(static_cast<std::size_t>(d.ranks));
  const Steps steps(d, order);
  const int used = d.grid_rows * d.replicas * d.grid_columns;
  for (int r = 0; r < used; ++r) {
    LuRank(d, steps, r, execution.ranks[static_cast<std::size_t>(r)]).factor();
  }
  return execution;
}

double planned_actions(const LuDecomposition& d) {
  const double steps = static_cast<double>(std::min(d.m, d.n)) /
                       static_cast<double>(std::max<std::int64_t>(1, d.block));
  const double ranks = static_cast<double>(d.grid_rows) * d.grid_columns * d.replicas;
  return steps * ranks * (5.0 * d.grid_rows + 8.0 * d.replicas + 10);
}

}  // namespace redblue::task_graph
