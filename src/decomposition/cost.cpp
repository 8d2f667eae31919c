// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/cost.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "decomposition/doubling.hpp"
#include "decomposition/stationary.hpp"

namespace redblue {

namespace {

// What one rank receives and stores.
struct RankCost {
  std::int64_t words = 0;
  std::int64_t owned = 0;
  std::int64_t owned_c = 0;
  std::int64_t stages = 0;   // by doubling: in which it receives something
  std::int64_t staging = 0;  // by doubling: the most contributions that it receives in one
  std::set<std::pair<int, std::int64_t>> sources;       // (operand and peer, round)
  std::set<std::pair<int, std::int64_t>> contributors;  // (peer, panel)
  bool shares_a = false;
  bool shares_b = false;

  std::int64_t peers() const {
    std::set<int> different;
    for (const auto& [peer, panel] : contributors) different.insert(peer);
    return static_cast<std::int64_t>(different.size());
  }
};

// What the t-th of those that need a cell receives of it by doubling.
void add_stages(const Cell& cell, std::size_t t, bool contributions, RankCost& rank) {
  const auto me = static_cast<std::int64_t>(t);
  for (const DoublingStage& s : doubling_stages(static_cast<std::int64_t>(cell.needers.size()))) {
    const std::int64_t first = contributions ? me : me + s.distance;
    const std::int64_t words = block_words(cell.begins, first, s.blocks);
    rank.words += words;
    if (words > 0) ++rank.stages;
    if (contributions) rank.staging = std::max(rank.staging, words);
  }
}

// `pieces`: rounds for A and B, panels or reductions for C.
void add_cells(const std::vector<Cuboid>& cuboids, const std::vector<Cell>& cells, Operand operand,
               std::int64_t pieces, Exchange exchange, std::vector<RankCost>& ranks) {
  const int peers = static_cast<int>(ranks.size());
  for (const Cell& cell : cells) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankCost& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      const std::int64_t share = cell.share(t);
      rank.owned += share;
      if (operand == Operand::a) rank.shares_a = rank.shares_a || cell.needers.size() > 1;
      if (operand == Operand::b) rank.shares_b = rank.shares_b || cell.needers.size() > 1;
      if (operand == Operand::c) rank.owned_c += share;
      if (exchange == Exchange::doubling) {
        add_stages(cell, t, operand == Operand::c, rank);
        continue;
      }
      if (operand == Operand::c) {
        rank.words += share * static_cast<std::int64_t>(cell.needers.size() - 1);
        if (share == 0) continue;
        for (const int other : cell.needers) {
          const Range& j = cuboids[static_cast<std::size_t>(cell.needers[t])].j;
          if (other != cell.needers[t]) {
            rank.contributors.insert({other, round_index(j, cell.block.columns.begin, pieces)});
          }
        }
        continue;
      }
      rank.words += cell.block.size() - share;
      for (std::size_t o = 0; o < cell.needers.size(); ++o) {
        if (o == t || cell.share(o) == 0) continue;
        const int code = cell.needers[o] + (operand == Operand::a ? 0 : peers);
        const Range& k = cuboids[static_cast<std::size_t>(cell.needers[t])].k;
        rank.sources.insert({code, round_index(k, k_range(cell.block, operand).begin, pieces)});
      }
    }
  }
}

// At most so many words come from one rank at a time, sent directly, of C's `rows` x `panel`.
std::int64_t contribution(const RankCost& rank, std::int64_t rows, std::int64_t panel,
                          const Decomposition& d) {
  if (d.panels * d.reductions == 1) return rank.owned_c;
  return std::min(rank.owned_c, ceil_div(rows * ceil_div(panel, d.reductions), rank.peers() + 1));
}

}  // namespace

double ratio_of(Words words, double bound) {
  if (words.value == 0 && bound == 0) return 1;
  return static_cast<double>(words.value) / bound;
}

double predicted_seconds(const Cost& cost, const Machine& machine) {
  constexpr double word_bytes = 8;
  return static_cast<double>(cost.messages.value) * machine.latency_seconds +
         static_cast<double>(cost.words.value) * word_bytes / machine.bytes_per_second +
         2 * cost.work / machine.flops_per_second;
}

bool better(const Cost& a, const Cost& b, Objective objective) {
  const auto words = [](const Cost& c) { return static_cast<double>(c.words.value); };
  if (objective == Objective::words) {
    return std::tuple(words(a), a.seconds, a.messages) <
           std::tuple(words(b), b.seconds, b.messages);
  }
  return std::tuple(a.seconds, words(a), a.messages) < std::tuple(b.seconds, words(b), b.messages);
}

Cost cost_of(const Decomposition& decomposition, const Machine& machine) {
  if (decomposition.kind == Decomposition::Kind::stationary)
    return stationary_cost(decomposition, machine);
  const std::vector<Cuboid> cuboids = decomposition.cuboids();
  std::vector<RankCost> ranks(cuboids.size());
  const Ownership owned = ownership(decomposition, cuboids);
  for (const Operand operand : {Operand::a, Operand::b, Operand::c}) {
    add_cells(cuboids, owned.of(operand), operand,
              operand == Operand::c ? decomposition.panels * decomposition.reductions
                                    : decomposition.rounds,
              decomposition.exchange, ranks);
  }
  Cost cost;
  for (std::size_t r = 0; r < ranks.size(); ++r) {
    const RankCost& rank = ranks[r];
    const Cuboid& box = cuboids[r];
    const std::int64_t slab = ceil_div(box.k.size(), decomposition.rounds);
    std::int64_t memory = rank.owned;
    std::int64_t slabs = 0;
    if (rank.shares_a) slabs += slab * box.i.size();
    if (rank.shares_b) slabs += slab * box.j.size();
    std::int64_t received = 0;
    if (rank.owned_c != box.i.size() * box.j.size() || !rank.contributors.empty() ||
        rank.staging > 0) {
      const std::int64_t panel = ceil_div(box.j.size(), decomposition.panels);
      memory += box.i.size() * panel;
      received = rank.staging + std::min<std::int64_t>(2, rank.peers()) *
                                    contribution(rank, box.i.size(), panel, decomposition);
    }
    cost.words = std::max(cost.words, Words(rank.words));
    cost.mean_words += static_cast<double>(rank.words) / decomposition.ranks;
    cost.messages = std::max(
        cost.messages,
        Messages(static_cast<std::int64_t>(rank.sources.size() + rank.contributors.size()) +
                 rank.stages));
    cost.memory = std::max(cost.memory, Words(memory + std::max(slabs, received)));
    cost.resident = std::max(cost.resident, Words(memory + received));
    cost.work = std::max(cost.work, box.volume());
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

bool weighs_messages(Objective objective, int ranks) {
  constexpr int few_ranks = 64;
  return objective == Objective::words && ranks <= few_ranks;
}

bool saves_messages(const Cost& cost, const Cost& of_fewest_words) {
  constexpr std::int64_t most_words = 110, most_messages = 50;  // per cent of those
  return 100 * cost.words.value <= most_words * of_fewest_words.words.value &&
         100 * cost.messages.value <= most_messages * of_fewest_words.messages.value;
}

}  // namespace redblue
