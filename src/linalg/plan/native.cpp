// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/plan/native.hpp"

#include <algorithm>

namespace redblue::linalg {

using layout::IndexSet;
using layout::Patch;

namespace {

// The patches of an owned part: the rest of its first column, whole columns, the start of its last
// column.
void append_patches(std::vector<Patch>& patches, const OwnedPart& part) {
  const std::int64_t rows = part.rows.size();
  for (std::int64_t e = part.begin; e < part.end;) {
    const std::int64_t row = e % rows;
    const std::int64_t column = part.columns.begin + e / rows;
    const bool whole = row == 0 && part.end - e >= rows;
    const std::int64_t columns = whole ? (part.end - e) / rows : 1;
    const std::int64_t length = whole ? rows : std::min(rows - row, part.end - e);
    patches.push_back(layout::dense_patch(
        IndexSet(Range{part.rows.begin + row, part.rows.begin + row + length}),
        IndexSet(Range{column, column + columns}), part.offset + e - part.begin));
    e += length * columns;
  }
}

}  // namespace

std::vector<OwnedPart> owned_parts(const std::vector<Cell>& cells, Rank rank) {
  std::vector<OwnedPart> parts;
  std::int64_t offset = 0;
  for (const Cell& cell : cells) {
    const auto found = std::lower_bound(cell.needers.begin(), cell.needers.end(), rank.value);
    if (found == cell.needers.end() || *found != rank.value) continue;
    const auto position = static_cast<std::size_t>(found - cell.needers.begin());
    if (cell.share(position) == 0) continue;
    parts.push_back({cell.block.rows, cell.block.columns, cell.begins[position],
                     cell.begins[position + 1], offset});
    offset += cell.share(position);
  }
  return parts;
}

std::vector<Patch> patches_of(const std::vector<OwnedPart>& parts) {
  std::vector<Patch> patches;
  for (const OwnedPart& part : parts) append_patches(patches, part);
  return patches;
}

layout::Arrangement native_arrangement(const std::vector<Cell>& cells, int ranks, std::int64_t rows,
                                       std::int64_t columns, std::optional<Range> some) {
  layout::Arrangement result{rows, columns, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(ranks), 0);
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const Cell& cell = cells[c];
    const auto number = static_cast<std::int64_t>(c);
    const bool wanted = !some || (some->begin <= number && number < some->end);
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      const auto rank = static_cast<std::size_t>(cell.needers[t]);
      const OwnedPart part = {cell.block.rows, cell.block.columns, cell.begins[t],
                              cell.begins[t + 1], offsets[rank]};
      if (wanted) append_patches(result.of_rank[rank], part);
      offsets[rank] += cell.share(t);
    }
  }
  return result;
}

}  // namespace redblue::linalg
