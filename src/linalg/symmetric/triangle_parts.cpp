// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric/triangle_parts.hpp"

#include <utility>

#include "decomposition/symmetric/triangle.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;
using layout::Patch;

std::optional<TriangleMember> triangle_member(const TriangleDecomposition& d, std::size_t rank) {
  const std::size_t members = d.row_blocks_of.size();
  if (rank >= members * static_cast<std::size_t>(d.replicas)) return std::nullopt;
  return TriangleMember{rank % members, static_cast<int>(rank / members)};
}

IndexSet needed_rows(const TriangleDecomposition& d, std::size_t member) {
  std::vector<layout::Interval> rows;
  std::int64_t position = 0;
  for (const int p : d.row_blocks_of[member]) {
    const Range r = d.rows(p);
    rows.push_back({r.begin, r.end, position});
    position += r.size();
  }
  return IndexSet(std::move(rows));
}

Arrangement row_panels(const TriangleDecomposition& d, int ranks, std::int64_t round) {
  Arrangement result{d.shape.n, d.shape.k, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < result.of_rank.size(); ++r) {
    const auto place = triangle_member(d, r);
    if (!place) continue;
    const IndexSet columns(round_of(d.columns(place->replica), round, d.rounds));
    Patch panel = layout::dense_patch(needed_rows(d, place->member), columns);
    if (panel.size() > 0) result.of_rank[r].push_back(std::move(panel));
  }
  return result;
}

Arrangement pair_blocks(const TriangleDecomposition& d, int ranks) {
  Arrangement result{d.shape.n, d.shape.n, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  for (std::size_t r = 0; r < result.of_rank.size(); ++r) {
    const auto place = triangle_member(d, r);
    if (!place || d.columns(place->replica).size() == 0) continue;
    std::int64_t offset = 0;
    for (const auto& [i, j] : d.pairs[place->member]) {
      Patch block = layout::dense_patch(IndexSet(d.rows(i)), IndexSet(d.rows(j)), offset);
      if (block.size() == 0) continue;
      offset += block.size();
      result.of_rank[r].push_back(std::move(block));
    }
  }
  return result;
}

std::vector<SymmetricBlock> blocks_on_panel(const TriangleDecomposition& d, std::size_t rank,
                                            const std::vector<Patch>& pairs) {
  std::vector<SymmetricBlock> blocks;
  if (pairs.empty()) return blocks;
  const IndexSet rows = needed_rows(d, triangle_member(d, rank)->member);
  const auto at = [&rows](const IndexSet& part) { return shared(rows, part).front().from; };
  for (const Patch& pair : pairs) {
    const std::int64_t i = at(pair.rows);
    const std::int64_t j = at(pair.columns);
    blocks.push_back(
        {i, j, pair.rows.size(), pair.columns.size(), {pair.offset, pair.leading, false}, i == j});
  }
  return blocks;
}

}  // namespace redblue::linalg
