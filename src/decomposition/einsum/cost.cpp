// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/cost.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "decomposition/einsum/rank_costs.hpp"

namespace redblue {

namespace {

using einsum::TensorCell;

// Ranks, ascending.
class Peers {
 public:
  void add(const std::vector<int>& ranks) {
    if (std::includes(all_.begin(), all_.end(), ranks.begin(), ranks.end())) return;
    std::vector<int> both;
    both.reserve(all_.size() + ranks.size());
    std::set_union(all_.begin(), all_.end(), ranks.begin(), ranks.end(), std::back_inserter(both));
    all_ = std::move(both);
  }
  std::int64_t count() const { return static_cast<std::int64_t>(all_.size()); }

 private:
  std::vector<int> all_;
};

// What a rank has to do with a tensor in one round.
struct Use {
  std::int64_t size = 0;   // of what it needs
  std::int64_t owned = 0;  // of that
  std::int64_t words = 0;  // received
  std::int64_t cells = 0;
  std::int64_t targets = 0;  // of a result: what it owns and others add to in this round
  bool shared = false;
  std::int64_t sources = 0;  // whom it receives from
};

// Places in memory beside what is owned, for the largest of all rounds: a box, its cells where it
// comes in several, and contributions of others.
struct Places {
  std::int64_t box = 0, cells = 0, incoming = 0;

  void add(const Use& use, bool is_result) {
    const bool in_place = !use.shared && use.cells <= 1;  // computed or used where it is
    if (in_place && use.sources == 0) return;
    if (!in_place) box = std::max(box, use.size);
    if (use.cells > 1) cells = std::max(cells, use.size);
    if (is_result)
      incoming = std::max(incoming, std::min<std::int64_t>(2, use.sources) * use.targets);
  }
  std::int64_t words() const { return box + cells + incoming; }
};

// The uses of all ranks, in one round after another, of a tensor.
struct Uses {
  std::int64_t rounds;
  bool is_result;
  std::vector<Use> all;
  std::vector<Peers> peers;  // off the grid, where a rank may meet another in several cells

  std::size_t at(int rank, std::int64_t round) const {
    return static_cast<std::size_t>(rank * rounds + round);
  }
};

// Whom the ranks receive from, off the grid. A rank that needs a cell in two rounds stands twice.
void add_peers(const TensorCell& cell, Uses& uses) {
  const std::vector<int>& who = cell.shares.needers;
  std::vector<int> others;
  for (std::size_t t = 0; t < who.size(); ++t) {
    const std::int64_t share = cell.shares.share(t);
    if (uses.is_result && share == 0) continue;
    others.clear();
    std::set<std::int64_t> rounds_of_others;
    for (std::size_t o = 0; o < who.size(); ++o) {
      if (o == t || (!uses.is_result && cell.shares.share(o) == 0)) continue;
      const bool elsewhere = uses.is_result && cell.rounds[o] != cell.rounds[t];
      if (!elsewhere && (others.empty() || others.back() != who[o])) others.push_back(who[o]);
      if (!elsewhere) continue;
      const std::size_t then = uses.at(who[t], cell.rounds[o]);
      uses.peers[then].add({who[o]});
      if (rounds_of_others.insert(cell.rounds[o]).second) uses.all[then].targets += share;
    }
    uses.peers[uses.at(who[t], cell.rounds[t])].add(others);
  }
}

void add_cell(const TensorCell& cell, bool is_grid, Uses& uses) {
  const std::vector<int>& who = cell.shares.needers;
  const auto others = static_cast<std::int64_t>(who.size()) - 1;
  const std::int64_t size = cell.shares.block.size();
  std::int64_t owners = 0;
  for (std::size_t t = 0; t < who.size(); ++t) owners += cell.shares.share(t) > 0 ? 1 : 0;
  for (std::size_t t = 0; t < who.size(); ++t) {
    Use& use = uses.all[uses.at(who[t], cell.rounds[t])];
    const std::int64_t share = cell.shares.share(t);
    ++use.cells;
    use.size += size;
    use.owned += share;
    use.targets += share;
    use.words += uses.is_result ? share * others : size - share;
    use.shared = use.shared || others > 0;
    if (!is_grid) continue;
    // on a grid no two cells have the same peers
    if (uses.is_result) use.sources += share > 0 ? others : 0;
    if (!uses.is_result) use.sources += owners - (share > 0 ? 1 : 0);
  }
  if (!is_grid) add_peers(cell, uses);
}

Uses uses_of(const std::vector<TensorCell>& cells, std::size_t ranks, std::int64_t rounds,
             bool is_result, bool is_grid) {
  Uses uses{rounds, is_result, {}, {}};
  uses.all.resize(ranks * static_cast<std::size_t>(rounds));
  if (!is_grid) uses.peers.resize(uses.all.size());
  for (const TensorCell& cell : cells) add_cell(cell, is_grid, uses);
  for (std::size_t u = 0; u < uses.peers.size(); ++u) uses.all[u].sources = uses.peers[u].count();
  return uses;
}

}  // namespace

double EinsumBox::products() const {
  double all = works ? 1 : 0;
  for (const Range& r : ranges) all *= static_cast<double>(r.size());
  return all;
}

namespace einsum {

RankCosts rank_costs(const EinsumShape& shape, const EinsumDecomposition& decomposition,
                     const std::vector<std::vector<TensorCell>>& cells,
                     const std::vector<bool>& from_elsewhere) {
  const std::size_t ranks = decomposition.boxes.size();
  const bool is_grid = decomposition.kind == EinsumDecomposition::Kind::grid;
  RankCosts costs{std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks),
                  std::vector<std::int64_t>(ranks), std::vector<std::int64_t>(ranks)};
  std::vector<std::int64_t> footprints(ranks);
  for (std::size_t a = 0; a < cells.size(); ++a) {
    const bool is_result = a + 1 == cells.size();
    const bool is_native = !from_elsewhere[a];
    const std::int64_t rounds = rounds_of(shape.tensors[a], decomposition);
    const Uses uses = uses_of(cells[a], ranks, rounds, is_result, is_grid);
    for (std::size_t r = 0; r < ranks; ++r) {
      Places places;
      std::int64_t size = 0;
      for (std::int64_t round = 0; round < rounds; ++round) {
        const Use& use = uses.all[uses.at(static_cast<int>(r), round)];
        size = std::max(size, use.size);
        if (!is_native) continue;
        costs.words[r] += use.words;
        costs.owned[r] += use.owned;
        costs.messages[r] += use.sources;
        places.add(use, is_result);
      }
      footprints[r] += size;
      costs.workspace[r] += places.words();
    }
  }
  for (std::size_t r = 0; r < ranks; ++r) {
    if (works(decomposition, r))
      costs.workspace[r] += local_workspace(shape.operands(), footprints[r]);
  }
  return costs;
}

Cost busiest(const RankCosts& costs, double work, const Machine& machine) {
  Cost cost;
  cost.work = work;
  for (std::size_t r = 0; r < costs.words.size(); ++r) {
    cost.words = std::max(cost.words, Words(costs.words[r]));
    cost.mean_words +=
        static_cast<double>(costs.words[r]) / static_cast<double>(costs.words.size());
    cost.messages = std::max(cost.messages, Messages(costs.messages[r]));
    cost.memory = std::max(cost.memory, Words(costs.owned[r] + costs.workspace[r]));
    cost.resident = cost.memory;
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

}  // namespace einsum

Cost cost_of(const EinsumShape& shape, const EinsumDecomposition& decomposition,
             const Machine& machine) {
  const std::vector<bool> none(shape.tensors.size(), false);
  return einsum::busiest(
      einsum::rank_costs(shape, decomposition, einsum::cells(shape, decomposition), none),
      decomposition.busiest_products(), machine);
}

}  // namespace redblue
