// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/symmetric/triangle_shares.hpp"

#include <algorithm>
#include <utility>

namespace redblue {

std::vector<ReplicaShare> replica_shares(const TriangleDecomposition& d, std::size_t member) {
  const auto replicas = static_cast<std::size_t>(d.replicas);
  std::vector<ReplicaShare> result(replicas);
  std::int64_t each = 0;                         // of pairs off the diagonal
  std::vector<std::int64_t> more(replicas + 1);  // by how much a replica gets more than the last
  OutputShares shares(d.replicas);
  Cell cell;
  for (const auto& [i, j] : d.pairs[member]) {
    cell.block = {d.rows(i), d.rows(j)};
    const std::int64_t size = cell.block.size();
    if (size == 0) continue;
    if (i == j) {
      shares.share(cell);
      for (std::size_t l = 0; l < replicas; ++l) {
        result[l].owned += cell.share(l);
        result[l].counted += counted(cell, cell.begins[l + 1]) - counted(cell, cell.begins[l]);
      }
      continue;
    }
    each += size / d.replicas;
    const auto first = static_cast<std::size_t>(shares.first_with_more(size));
    const std::size_t last = first + static_cast<std::size_t>(size % d.replicas);
    ++more[first];
    --more[std::min(last, replicas)];
    if (last > replicas) {
      ++more[0];
      --more[last - replicas];
    }
  }
  std::int64_t extra = 0;
  for (std::size_t l = 0; l < replicas; ++l) {
    extra += more[l];
    result[l].owned += each + extra;
    result[l].counted += each + extra;
  }
  return result;
}

// Cell by cell of each rank, with a mark on the peers already seen instead of lists of them.
std::vector<std::int64_t> peers_of(const std::vector<Cell>& cells, std::size_t ranks, Moved way) {
  using Place = std::pair<const Cell*, std::size_t>;  // which of its needers
  std::vector<std::vector<Place>> places(ranks);
  for (const Cell& cell : cells) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      places[static_cast<std::size_t>(cell.needers[t])].emplace_back(&cell, t);
    }
  }
  std::vector<std::int64_t> result(ranks);
  std::vector<std::size_t> seen_by(ranks, ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    seen_by[r] = r;
    for (const auto& [cell, t] : places[r]) {
      if (way == Moved::to_owners && cell->share(t) == 0) continue;
      for (std::size_t o = 0; o < cell->needers.size(); ++o) {
        std::size_t& seen = seen_by[static_cast<std::size_t>(cell->needers[o])];
        if (seen == r || (way == Moved::to_needers && cell->share(o) == 0)) continue;
        seen = r;
        ++result[r];
      }
    }
  }
  return result;
}

}  // namespace redblue
