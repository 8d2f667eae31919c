// SPDX-License-Identifier: BSD-3-Clause
// What triangle blocks cost.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "decomposition/cost.hpp"
#include "decomposition/symmetric/triangle.hpp"
#include "decomposition/symmetric/triangle_shares.hpp"

namespace redblue {

namespace {

struct RankCost {
  std::int64_t words = 0;
  std::int64_t owned = 0;                    // storage
  std::vector<std::pair<int, int>> sources;  // of A: (peer, round), each once or repeatedly
  std::vector<int> contributors;             // likewise
  bool shares_a = false;
  std::int64_t largest = 0;  // contribution of one peer to its part of C
};

// How many different values there are.
template <class T>
std::int64_t different(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

void add_inputs(const TriangleDecomposition& d, const std::vector<Cell>& cells,
                std::vector<RankCost>& ranks) {
  for (const Cell& cell : cells) {
    const std::int64_t rows = cell.block.rows.size();
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankCost& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      rank.owned += cell.share(t);
      rank.words += cell.block.size() - cell.share(t);
      rank.shares_a = rank.shares_a || cell.needers.size() > 1;
      for (std::size_t o = 0; o < cell.needers.size() && d.rounds > 1; ++o) {
        if (o == t || cell.share(o) == 0) continue;
        const std::int64_t first = cell.block.columns.begin + cell.begins[o] / rows;
        const std::int64_t last = cell.block.columns.begin + (cell.begins[o + 1] - 1) / rows;
        for (auto round = round_index(cell.block.columns, first, d.rounds);
             round <= round_index(cell.block.columns, last, d.rounds); ++round) {
          rank.sources.emplace_back(cell.needers[o], static_cast<int>(round));
        }
      }
    }
  }
}

// Of each rank, how many messages of A it receives.
std::vector<std::int64_t> sources_of(const TriangleDecomposition& d, const std::vector<Cell>& cells,
                                     std::vector<RankCost>& ranks) {
  if (d.rounds == 1) return peers_of(cells, ranks.size(), Moved::to_needers);
  std::vector<std::int64_t> result;
  for (RankCost& rank : ranks) {
    result.push_back(different(rank.sources));
    rank.sources = {};
  }
  return result;
}

void add_outputs(const TriangleDecomposition& d, std::vector<RankCost>& ranks) {
  for_each_output(d, [&ranks](const Cell& cell) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankCost& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      const std::int64_t share = counted(cell, cell.begins[t + 1]) - counted(cell, cell.begins[t]);
      rank.owned += cell.share(t);
      rank.words += share * static_cast<std::int64_t>(cell.needers.size() - 1);
      if (cell.needers.size() > 1) rank.largest += share;
      for (const int other : cell.needers) {
        if (share > 0 && other != cell.needers[t]) rank.contributors.push_back(other);
      }
    }
  });
}

// Multiplications of one rank of a replica, per column of A, and the size of its pairs.
struct Faces {
  std::int64_t work = 0;
  std::int64_t storage = 0;
  std::int64_t rows = 0;  // of its row blocks
};

// Of every member.
std::vector<Faces> faces(const TriangleDecomposition& d) {
  std::vector<std::int64_t> height;
  for (int p = 0; p < d.row_blocks; ++p) height.push_back(d.rows(p).size());
  const auto rows = [&height](int p) { return height[static_cast<std::size_t>(p)]; };
  std::vector<Faces> result(d.row_blocks_of.size());
  for (std::size_t member = 0; member < result.size(); ++member) {
    Faces& f = result[member];
    for (const int p : d.row_blocks_of[member]) f.rows += rows(p);
    for (const auto& [i, j] : d.pairs[member]) {
      const std::int64_t size = rows(i) * rows(j);
      f.storage += size;
      f.work += i == j ? rows(i) * (rows(i) + 1) / 2 : size;
    }
  }
  return result;
}

// Adds a rank's cost to that of the busiest.
void add_rank(const TriangleDecomposition& d, const RankCost& rank, std::int64_t sources,
              std::int64_t contributors, std::size_t member, int replica, const Faces& face,
              Cost& cost) {
  const std::int64_t columns = d.columns(replica).size();
  std::int64_t slab = 0;
  if (rank.shares_a || d.row_blocks_of[member].size() > 1) {
    slab = face.rows * ((columns + d.rounds - 1) / d.rounds);
  }
  const std::int64_t contributions = std::min<std::int64_t>(2, contributors) * rank.largest;
  const std::int64_t resident = rank.owned + (d.replicas > 1 ? face.storage : 0);
  cost.words = std::max(cost.words, Words(rank.words));
  cost.mean_words += static_cast<double>(rank.words) / d.ranks;
  cost.messages = std::max(cost.messages, Messages(sources + contributors));
  cost.resident = std::max(cost.resident, Words(resident + contributions));
  cost.memory = std::max(cost.memory, Words(resident + std::max(slab, contributions)));
  cost.work = std::max(cost.work, static_cast<double>(face.work) * static_cast<double>(columns));
}

// Where replicas are alike: A's part of one of each width stands for all.
Cost cost_of_alike(const TriangleDecomposition& d, const std::vector<Faces>& face) {
  struct Layer {
    std::vector<RankCost> members;
    std::vector<std::int64_t> sources;
  };
  std::map<std::int64_t, Layer> of_width;
  for (int l = 0; l < d.replicas; ++l) {
    Layer& replica = of_width[d.columns(l).size()];
    if (!replica.members.empty()) continue;
    replica.members.resize(d.row_blocks_of.size());
    const std::vector<Cell> cells = inputs_of_replica(d, l);
    add_inputs(d, cells, replica.members);
    replica.sources = sources_of(d, cells, replica.members);
  }
  Cost cost;
  for (std::size_t m = 0; m < d.row_blocks_of.size(); ++m) {
    const std::vector<ReplicaShare> shares = replica_shares(d, m);
    for (int l = 0; l < d.replicas; ++l) {
      const ReplicaShare& share = shares[static_cast<std::size_t>(l)];
      const Layer& replica = of_width.at(d.columns(l).size());
      RankCost rank = replica.members[m];
      rank.owned += share.owned;
      rank.words += share.counted * (d.replicas - 1);
      if (d.replicas > 1) rank.largest = share.counted;
      const std::int64_t contributors = share.counted > 0 ? d.replicas - 1 : 0;
      add_rank(d, rank, replica.sources[m], contributors, m, l, face[m], cost);
    }
  }
  return cost;
}

}  // namespace

Cost cost_of(const TriangleDecomposition& d, const Machine& machine) {
  const std::vector<Faces> face = faces(d);
  Cost cost;
  if (replicas_are_alike(d)) {
    cost = cost_of_alike(d, face);
  } else {
    const auto members = d.row_blocks_of.size();
    std::vector<RankCost> ranks(static_cast<std::size_t>(d.ranks_used()));
    const std::vector<Cell> cells = inputs(d);
    add_inputs(d, cells, ranks);
    const std::vector<std::int64_t> sources = sources_of(d, cells, ranks);
    add_outputs(d, ranks);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::size_t member = r % members;
      const std::int64_t contributors = different(ranks[r].contributors);
      add_rank(d, ranks[r], sources[r], contributors, member, static_cast<int>(r / members),
               face[member], cost);
    }
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

}  // namespace redblue
