// SPDX-License-Identifier: BSD-3-Clause
// linalg/gemm/multiplication.cpp in the native layout, without its data.
#include <algorithm>
#include <utility>
#include <vector>

#include "decomposition/ownership.hpp"
#include "task_graph/planned_rank.hpp"
#include "task_graph/plans.hpp"

namespace redblue::task_graph {

namespace {

enum Tag { a_tag, b_tag, c_tag };

// Words from rank to rank, of one matrix in one piece: a round of A or B, a panel of C.
class Transfers {
 public:
  explicit Transfers(int ranks)
      : ranks_(ranks),
        to_(static_cast<std::size_t>(ranks)),
        from_(static_cast<std::size_t>(ranks)) {}

  void add(int from, int to, std::int64_t words) {
    if (from == to || words == 0) return;
    const int turn = (to - from + ranks_) % ranks_;
    add(to_[static_cast<std::size_t>(from)], turn, words);
    add(from_[static_cast<std::size_t>(to)], turn, words);
  }

  // The messages of one rank under way.
  struct Moving {
    std::vector<PlannedRank::Pending> receives;
    PlannedRank::Pending sends;
  };

  // As comm::Transfer does it: `at_a_time` receives and all sends are posted; each receive that is
  // waited for makes room for one more. In turn t to the rank t after, from the rank t before.
  Moving start(int me, int tag, std::size_t at_a_time, PlannedRank& rank) const {
    Moving moving;
    while (moving.receives.size() < at_a_time && post(me, tag, rank, moving)) {
    }
    for (const auto& [turn, words] : to_[static_cast<std::size_t>(me)]) {
      rank.send((me + turn) % ranks_, tag, words, moving.sends);
    }
    return moving;
  }
  void finish(int me, int tag, PlannedRank& rank, Moving moving) const {
    for (std::size_t r = 0; r < moving.receives.size(); ++r) {
      rank.wait(moving.receives[r]);
      post(me, tag, rank, moving);
    }
    rank.wait(moving.sends);
  }

 private:
  using Turns = std::vector<std::pair<int, std::int64_t>>;  // and words, ascending

  static void add(Turns& turns, int turn, std::int64_t words) {
    auto at = std::lower_bound(turns.begin(), turns.end(), std::pair<int, std::int64_t>(turn, 0));
    if (at == turns.end() || at->first != turn) at = turns.insert(at, {turn, 0});
    at->second += words;
  }
  // The next receive, where there is one more.
  bool post(int me, int tag, PlannedRank& rank, Moving& moving) const {
    const auto& incoming = from_[static_cast<std::size_t>(me)];
    if (moving.receives.size() == incoming.size()) return false;
    const auto& [turn, words] = incoming[moving.receives.size()];
    moving.receives.emplace_back();
    rank.receive((me - turn + ranks_) % ranks_, tag, words, moving.receives.back());
    return true;
  }

  int ranks_;
  std::vector<Turns> to_, from_;  // of each rank
};

using Pieces = std::vector<Transfers>;

// A and B: every rank that needs a cell gets what others own of it, in the round in which it does.
Pieces inputs(const Decomposition& d, const std::vector<Cuboid>& cuboids,
              const std::vector<Cell>& cells, Operand operand) {
  Pieces rounds(static_cast<std::size_t>(d.rounds), Transfers(d.ranks));
  for (const Cell& cell : cells) {
    for (const int to : cell.needers) {
      const Range& k = cuboids[static_cast<std::size_t>(to)].k;
      const std::int64_t round = round_index(k, k_range(cell.block, operand).begin, d.rounds);
      for (std::size_t o = 0; o < cell.needers.size(); ++o) {
        rounds[static_cast<std::size_t>(round)].add(cell.needers[o], to, cell.share(o));
      }
    }
  }
  return rounds;
}

// C: every rank that contributes to a cell sends its owners what they own of it.
Pieces outputs(const Decomposition& d, const std::vector<Cuboid>& cuboids,
               const std::vector<Cell>& cells) {
  Pieces panels(static_cast<std::size_t>(d.panels), Transfers(d.ranks));
  for (const Cell& cell : cells) {
    const Range& j = cuboids[static_cast<std::size_t>(cell.needers.front())].j;
    const std::int64_t panel = round_index(j, cell.block.columns.begin, d.panels);
    for (const int from : cell.needers) {
      for (std::size_t o = 0; o < cell.needers.size(); ++o) {
        panels[static_cast<std::size_t>(panel)].add(from, cell.needers[o], cell.share(o));
      }
    }
  }
  return panels;
}

}  // namespace

Execution planned(const Decomposition& d) {
  const std::vector<Cuboid> cuboids = d.cuboids();
  const Ownership owned = ownership(d, cuboids);
  const Pieces a = inputs(d, cuboids, owned.a, Operand::a);
  const Pieces b = inputs(d, cuboids, owned.b, Operand::b);
  const Pieces c = outputs(d, cuboids, owned.c);
  Execution execution;
  execution.command = "gemm " + std::to_string(d.shape.m) + " x " + std::to_string(d.shape.n) +
                      " x " + std::to_string(d.shape.k) + " on " + std::to_string(d.ranks) +
                      " ranks: " + d.name();
  execution.ranks.resize(static_cast<std::size_t>(d.ranks));
  constexpr auto all = static_cast<std::size_t>(-1);
  constexpr std::size_t contributions = 2;
  for (int r = 0; r < d.ranks; ++r) {
    const auto me = static_cast<std::size_t>(r);
    PlannedRank rank(execution.ranks[me]);
    const Cuboid& box = cuboids[me];
    for (std::int64_t p = 0; p < d.panels; ++p) {
      const std::int64_t columns =
          d.panels == 1 ? box.j.size() : round_of(box.j, p, d.panels).size();
      for (std::int64_t s = 0; s < d.rounds; ++s) {
        const Transfers& of_a = a[static_cast<std::size_t>(s)];
        const Transfers& of_b = b[static_cast<std::size_t>(s)];
        Transfers::Moving moving_a = of_a.start(r, a_tag, all, rank);
        Transfers::Moving moving_b = of_b.start(r, b_tag, all, rank);
        of_a.finish(r, a_tag, rank, std::move(moving_a));
        of_b.finish(r, b_tag, rank, std::move(moving_b));
        if (!box.empty()) rank.multiply(box.i.size(), columns, round_of(box.k, s, d.rounds).size());
      }
      const Transfers& of_c = c[static_cast<std::size_t>(p)];
      of_c.finish(r, c_tag, rank, of_c.start(r, c_tag, contributions, rank));
    }
  }
  return execution;
}

double planned_actions(const Decomposition& d) {
  const double p = d.ranks;
  // a rank exchanges with those of its grid rows and columns; any bisection is small
  const double partners =
      d.kind == Decomposition::Kind::grid ? d.grid[0] + d.grid[1] + d.grid[2] : p / 2;
  return p * 4 * partners * static_cast<double>(d.rounds * d.panels);
}

}  // namespace redblue::task_graph
