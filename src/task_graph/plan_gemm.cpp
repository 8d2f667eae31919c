// SPDX-License-Identifier: BSD-3-Clause
// linalg/gemm/multiplication.cpp and doubling_multiplication.cpp in the native layout, without
// their data.
#include <algorithm>
#include <utility>
#include <vector>

#include "decomposition/doubling.hpp"
#include "decomposition/ownership.hpp"
#include "decomposition/stationary.hpp"
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

// The messages of a matrix in one piece: all at once, or by doubling in stages, one after the
// other.
using Stages = std::vector<Transfers>;
using Pieces = std::vector<Stages>;

Pieces no_messages(const Decomposition& d, std::int64_t pieces) {
  const auto [gi, gj, gk] = d.grid;
  const bool staged = d.exchange == Exchange::doubling;
  const std::size_t stages = staged ? doubling_stages(std::max({gi, gj, gk})).size() : 1;
  return Pieces(static_cast<std::size_t>(pieces), Stages(stages, Transfers(d.ranks)));
}

// linalg/gemm/line_exchange.cpp: what is gathered of a cell, or added up in it.
void add_stages(const Cell& cell, bool contributions, Stages& piece) {
  const auto members = static_cast<std::int64_t>(cell.needers.size());
  const auto needer = [&cell, members](std::int64_t t) {
    return cell.needers[static_cast<std::size_t>((t + members) % members)];
  };
  const std::vector<DoublingStage> stages = doubling_stages(members);
  for (std::size_t s = 0; s < stages.size(); ++s) {
    const auto [distance, blocks] = stages[s];
    for (std::int64_t t = 0; t < members; ++t) {
      if (contributions) {
        const std::int64_t words = block_words(cell.begins, t, blocks);
        piece[stages.size() - 1 - s].add(needer(t - distance), needer(t), words);
      } else {
        const std::int64_t words = block_words(cell.begins, t + distance, blocks);
        piece[s].add(needer(t + distance), needer(t), words);
      }
    }
  }
}

// A and B: every rank that needs a cell gets what others own of it, in the round in which it does.
Pieces inputs(const Decomposition& d, const std::vector<Cuboid>& cuboids,
              const std::vector<Cell>& cells, Operand operand) {
  Pieces rounds = no_messages(d, d.rounds);
  for (const Cell& cell : cells) {
    if (d.exchange == Exchange::doubling) {
      const Range& k = cuboids[static_cast<std::size_t>(cell.needers.front())].k;
      const std::int64_t round = round_index(k, k_range(cell.block, operand).begin, d.rounds);
      add_stages(cell, false, rounds[static_cast<std::size_t>(round)]);
      continue;
    }
    for (const int to : cell.needers) {
      const Range& k = cuboids[static_cast<std::size_t>(to)].k;
      const std::int64_t round = round_index(k, k_range(cell.block, operand).begin, d.rounds);
      for (std::size_t o = 0; o < cell.needers.size(); ++o) {
        rounds[static_cast<std::size_t>(round)].front().add(cell.needers[o], to, cell.share(o));
      }
    }
  }
  return rounds;
}

// C: every rank that contributes to a cell sends its owners what they own of it.
Pieces outputs(const Decomposition& d, const std::vector<Cuboid>& cuboids,
               const std::vector<Cell>& cells) {
  const std::int64_t count = d.panels * d.reductions;
  Pieces pieces = no_messages(d, count);
  for (const Cell& cell : cells) {
    const Range& j = cuboids[static_cast<std::size_t>(cell.needers.front())].j;
    Stages& piece =
        pieces[static_cast<std::size_t>(round_index(j, cell.block.columns.begin, count))];
    if (d.exchange == Exchange::doubling) {
      add_stages(cell, true, piece);
      continue;
    }
    for (const int from : cell.needers) {
      for (std::size_t o = 0; o < cell.needers.size(); ++o) {
        piece.front().add(from, cell.needers[o], cell.share(o));
      }
    }
  }
  return pieces;
}

constexpr auto all = static_cast<std::size_t>(-1);
constexpr std::size_t contributions = 2;

// Round by round: one matrix of A and B comes, the other is in its place, then C goes.
void add_stationary_rounds(const Decomposition& d, const std::vector<Cuboid>& cuboids,
                           const Ownership& owned, Execution& execution) {
  for (std::int64_t round = 0; round < d.rounds; ++round) {
    std::vector<Transfers> of(3, Transfers(d.ranks));
    for (const Operand o : {Operand::a, Operand::b, Operand::c}) {
      for (const Sending& s : sendings(d, cuboids, owned, o, round))
        of[static_cast<std::size_t>(o)].add(s.from, s.to, s.words);
    }
    const std::vector<Cuboid> now = cuboids_in_round(d, cuboids, round);
    for (int r = 0; r < d.ranks; ++r) {
      PlannedRank rank(execution.ranks[static_cast<std::size_t>(r)]);
      Transfers::Moving moving_a = of[0].start(r, a_tag, all, rank);
      Transfers::Moving moving_b = of[1].start(r, b_tag, all, rank);
      of[0].finish(r, a_tag, rank, std::move(moving_a));
      of[1].finish(r, b_tag, rank, std::move(moving_b));
      const Cuboid& box = now[static_cast<std::size_t>(r)];
      rank.multiply(box.i.size(), box.j.size(), box.k.size());
      of[2].finish(r, c_tag, rank, of[2].start(r, c_tag, contributions, rank));
    }
  }
}

}  // namespace

Execution planned(const Decomposition& d) {
  const std::vector<Cuboid> cuboids = d.cuboids();
  const Ownership owned = ownership(d, cuboids);
  Execution execution;
  execution.command = "gemm " + std::to_string(d.shape.m) + " x " + std::to_string(d.shape.n) +
                      " x " + std::to_string(d.shape.k) + " on " + std::to_string(d.ranks) +
                      " ranks: " + d.name();
  execution.ranks.resize(static_cast<std::size_t>(d.ranks));
  if (d.kind == Decomposition::Kind::stationary) {
    add_stationary_rounds(d, cuboids, owned, execution);
    return execution;
  }
  const Pieces a = inputs(d, cuboids, owned.a, Operand::a);
  const Pieces b = inputs(d, cuboids, owned.b, Operand::b);
  const Pieces c = outputs(d, cuboids, owned.c);
  for (int r = 0; r < d.ranks; ++r) {
    const auto me = static_cast<std::size_t>(r);
    PlannedRank rank(execution.ranks[me]);
    const Cuboid& box = cuboids[me];
    for (std::int64_t p = 0; p < d.panels; ++p) {
      const std::int64_t columns =
          d.panels == 1 ? box.j.size() : round_of(box.j, p, d.panels).size();
      for (std::int64_t s = 0; s < d.rounds; ++s) {
        const Stages& of_a = a[static_cast<std::size_t>(s)];
        const Stages& of_b = b[static_cast<std::size_t>(s)];
        for (std::size_t stage = 0; stage < of_a.size(); ++stage) {
          Transfers::Moving moving_a = of_a[stage].start(r, a_tag, all, rank);
          Transfers::Moving moving_b = of_b[stage].start(r, b_tag, all, rank);
          of_a[stage].finish(r, a_tag, rank, std::move(moving_a));
          of_b[stage].finish(r, b_tag, rank, std::move(moving_b));
        }
        if (!box.empty()) rank.multiply(box.i.size(), columns, round_of(box.k, s, d.rounds).size());
      }
      for (std::int64_t q = p * d.reductions; q < (p + 1) * d.reductions; ++q) {
        for (const Transfers& of_c : c[static_cast<std::size_t>(q)]) {
          of_c.finish(r, c_tag, rank, of_c.start(r, c_tag, contributions, rank));
        }
      }
    }
  }
  return execution;
}

double planned_actions(const Decomposition& d) {
  const double p = d.ranks;
  // a rank exchanges with those of its grid rows and columns; any bisection is small
  double partners = p / 2;
  if (d.kind == Decomposition::Kind::grid) {
    partners = 0;
    for (const int line : d.grid) {
      partners +=
          d.exchange == Exchange::direct ? line : static_cast<double>(count_doubling_stages(line));
    }
  }
  return p * 4 * (1 + partners) * static_cast<double>(d.rounds * d.panels * d.reductions);
}

}  // namespace redblue::task_graph
