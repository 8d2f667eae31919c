// SPDX-License-Identifier: BSD-3-Clause
#include "layout/arrangement.hpp"

#include <algorithm>
#include <utility>

namespace redblue::layout {

namespace {

Arrangement of(const BlockCyclic& layout, int ranks) {
  Arrangement result{layout.rows, layout.columns, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  std::vector<IndexSet> rows;
  std::vector<IndexSet> columns;
  for (int r = 0; r < layout.down.processes; ++r) {
    rows.push_back(local_indices(layout.down, r, layout.first_row, layout.rows));
  }
  for (int c = 0; c < layout.across.processes; ++c) {
    columns.push_back(local_indices(layout.across, c, layout.first_column, layout.columns));
  }
  auto rank = layout.ranks.begin();
  for (const IndexSet& r : rows) {
    for (const IndexSet& c : columns) {
      if (!r.empty() && !c.empty()) {
        result.of_rank[static_cast<std::size_t>(rank->value)].push_back({r, c, 0, layout.leading});
      }
      ++rank;
    }
  }
  return result;
}

Arrangement of(const BlockGrid& layout, int ranks) {
  Arrangement result{layout.row_cuts.back(), layout.column_cuts.back(), {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  std::vector<std::int64_t> used(static_cast<std::size_t>(ranks));
  auto owner = layout.owners.begin();
  for (std::size_t j = 0; j + 1 < layout.column_cuts.size(); ++j) {
    const IndexSet columns(Range{layout.column_cuts[j], layout.column_cuts[j + 1]});
    for (std::size_t i = 0; i + 1 < layout.row_cuts.size(); ++i, ++owner) {
      const IndexSet rows(Range{layout.row_cuts[i], layout.row_cuts[i + 1]});
      if (rows.empty() || columns.empty()) continue;
      const auto rank = static_cast<std::size_t>(owner->value);
      result.of_rank[rank].push_back(dense_patch(rows, columns, used[rank]));
      used[rank] += rows.size() * columns.size();
    }
  }
  return result;
}

}  // namespace

std::int64_t extent(const Patch& patch) {
  if (patch.size() == 0) return 0;
  const auto last = [](const IndexSet& set) {
    const Interval& end = set.intervals().back();
    return end.position + end.end - end.begin - 1;
  };
  const IndexSet& fast = patch.row_major ? patch.columns : patch.rows;
  const IndexSet& slow = patch.row_major ? patch.rows : patch.columns;
  return patch.offset + last(slow) * patch.leading + last(fast) + 1;
}

std::int64_t count(const Patch& patch, Part part) {
  if (part == Part::all) return patch.size();
  std::int64_t total = 0;
  for (const Interval& c : patch.columns.intervals()) {
    for (const Interval& r : patch.rows.intervals()) {
      for (std::int64_t column = c.begin; column < c.end; ++column) {
        total += beside_diagonal(r.begin, r.end - r.begin, column, part == Part::lower).size();
      }
    }
  }
  return total;
}

std::int64_t Arrangement::words_on(Rank rank, Part part) const {
  std::int64_t total = 0;
  for (const Patch& p : of_rank[static_cast<std::size_t>(rank.value)]) total += count(p, part);
  return total;
}

Arrangement arrangement(const Layout& layout, int ranks) {
  return std::visit([ranks](const auto& l) { return of(l, ranks); }, layout);
}

Arrangement transposed(Arrangement arrangement) {
  std::swap(arrangement.rows, arrangement.columns);
  for (std::vector<Patch>& patches : arrangement.of_rank) {
    for (Patch& p : patches) {
      std::swap(p.rows, p.columns);
      p.row_major = !p.row_major;
    }
  }
  return arrangement;
}

Arrangement restricted(Arrangement arrangement, const Range& columns) {
  for (std::vector<Patch>& patches : arrangement.of_rank) {
    for (Patch& p : patches) p.columns = within(p.columns, columns);
    std::erase_if(patches, [](const Patch& p) { return p.columns.empty(); });
  }
  return arrangement;
}

Patch dense_patch(const IndexSet& rows, const IndexSet& columns, std::int64_t offset) {
  return {rows.dense(), columns.dense(), offset, std::max<std::int64_t>(1, rows.size())};
}

std::optional<StoredBlock> stored_block(const std::vector<Patch>& local, const Patch& wanted) {
  for (const Patch& p : local) {
    const std::vector<OverlapInterval> rows = shared(p.rows, wanted.rows);
    const std::vector<OverlapInterval> columns = shared(p.columns, wanted.columns);
    if (rows.size() != 1 || columns.size() != 1) continue;
    if (rows[0].length != wanted.rows.size() || columns[0].length != wanted.columns.size()) {
      continue;
    }
    const std::int64_t offset = p.row_major ? columns[0].from + p.leading * rows[0].from
                                            : rows[0].from + p.leading * columns[0].from;
    return StoredBlock{p.offset + offset, p.leading, p.row_major};
  }
  return std::nullopt;
}

std::optional<StoredBlock> stored_whole(const Arrangement& of) {
  if (of.of_rank.size() != 1) return std::nullopt;
  const std::vector<Patch>& own = of.of_rank.front();
  if (std::ranges::any_of(own, &Patch::conjugated)) return std::nullopt;
  if (of.rows == 0 || of.columns == 0) return std::nullopt;
  return stored_block(own,
                      dense_patch(IndexSet(Range{0, of.rows}), IndexSet(Range{0, of.columns})));
}

std::optional<StoredBlock> stored_by_columns(const Arrangement& of) {
  const std::optional<StoredBlock> whole = stored_whole(of);
  return whole && !whole->row_major ? whole : std::nullopt;
}

std::int64_t count_shared(const std::vector<Patch>& local, const Patch& wanted) {
  std::int64_t count = 0;
  for (const Patch& p : local) {
    const std::int64_t rows = count_shared(p.rows, wanted.rows);
    if (rows > 0) count += rows * count_shared(p.columns, wanted.columns);
  }
  return count;
}

std::int64_t count_shared(const std::vector<Patch>& local, const std::vector<Patch>& wanted) {
  std::int64_t count = 0;
  for (const Patch& p : wanted) count += count_shared(local, p);
  return count;
}

}  // namespace redblue::layout
