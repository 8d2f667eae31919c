// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric/symmetric_in_place.hpp"

#include <algorithm>
#include <utility>

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;
using layout::Patch;

namespace {

// Columns of C that are consecutive in its storage, as are the panel's rows for them, from row `at`
// on.
struct ColumnRun {
  Range columns;
  std::int64_t position, at;
  bool diagonal;  // the rank stores rows of these numbers, too
};

// The columns of a rank's patch, cut where they begin or cease to be rows of it, too.
std::vector<ColumnRun> column_runs(const Patch& local) {
  std::vector<ColumnRun> result;
  for (const layout::OverlapInterval& p : shared(local.columns, local.rows.dense(), false)) {
    result.push_back({{p.index, p.index + p.length}, p.from, p.to, true});
  }
  std::int64_t at = local.rows.size();
  const IndexSet more = without(local.columns, local.rows);
  for (const layout::Interval& i : more.intervals()) {
    result.push_back({{i.begin, i.end}, i.position, at, false});
    at += i.end - i.begin;
  }
  std::sort(result.begin(), result.end(), [](const ColumnRun& x, const ColumnRun& y) {
    return x.columns.begin < y.columns.begin;
  });
  return result;
}

bool follows(const ColumnRun& x, const ColumnRun& y) {
  return x.position + x.columns.size() == y.position && x.at + x.columns.size() == y.at;
}

}  // namespace

bool can_stay(const Arrangement& c) {
  return std::all_of(c.of_rank.begin(), c.of_rank.end(), [](const std::vector<Patch>& patches) {
    if (patches.empty()) return true;
    const auto& rows = patches.front().rows.intervals();
    return patches.size() == 1 &&
           (rows.empty() ||
            rows.back().position + rows.back().end - rows.back().begin - rows.front().position ==
                patches.front().rows.size());
  });
}

Arrangement panels_in_place(const Arrangement& c, std::int64_t k, const Range& columns) {
  Arrangement result{c.rows, k, {}};
  result.of_rank.resize(c.of_rank.size());
  const IndexSet across(columns);
  for (std::size_t r = 0; r < c.of_rank.size(); ++r) {
    for (const Patch& local : c.of_rank[r]) {
      const IndexSet rows = local.rows.dense();
      const IndexSet more = without(local.columns, local.rows).dense();
      const std::int64_t height = rows.size() + more.size();
      for (const auto& [part, offset] : {std::pair{rows, std::int64_t{0}}, {more, rows.size()}}) {
        Patch panel{part, across, offset, height};
        if (panel.size() > 0) result.of_rank[r].push_back(std::move(panel));
      }
    }
  }
  return result;
}

std::vector<SymmetricBlock> blocks_in_place(const Patch& local) {
  constexpr std::int64_t enough = 256;  // columns
  const IndexSet& rows = local.rows;
  const std::int64_t first = rows.empty() ? 0 : rows.intervals().front().position;
  // The number of the rank's rows above row `index` of C: the panel row of the first one from there
  // on.
  const auto before = [&rows](std::int64_t index) {
    return count_shared(rows, IndexSet(Range{0, index}));
  };
  std::vector<SymmetricBlock> blocks;
  // Adds C(rows i .. end - 1 of the panel, `columns` columns from those of s on), with its address.
  const auto add = [&](std::int64_t i, std::int64_t end, const ColumnRun& s, std::int64_t columns) {
    if (i == end || columns == 0) return;
    const std::int64_t down = first + i;
    const std::int64_t at =
        local.row_major ? s.position + down * local.leading : down + s.position * local.leading;
    blocks.push_back(
        {i, s.at, end - i, columns, {local.offset + at, local.leading, local.row_major}});
  };
  const std::vector<ColumnRun> all = column_runs(local);
  for (auto s = all.begin(); s != all.end();) {
    auto end = s;
    std::int64_t columns = 0;
    do {
      columns += end->columns.size();
      ++end;
    } while (end != all.end() && follows(*(end - 1), *end) && columns < enough);
    // One block below all joined columns; for each run, its triangle and what is between the two.
    const std::int64_t below = before((end - 1)->columns.end);
    add(below, rows.size(), *s, columns);
    for (auto t = s; t != end; ++t) {
      const std::int64_t behind = before(t->columns.end);
      if (t->diagonal) add(t->at, behind, *t, t->columns.size());
      add(behind, below, *t, t->columns.size());
    }
    s = end;
  }
  return blocks;
}

std::int64_t work_of(const std::vector<SymmetricBlock>& blocks) {
  std::int64_t work = 0;
  for (const SymmetricBlock& f : blocks) {
    work += f.i == f.j ? f.rows * (f.rows + 1) / 2 : f.rows * f.columns;
  }
  return work;
}

std::int64_t words_in_place(const Arrangement& c, const std::vector<Arrangement>& factors) {
  const std::int64_t k = factors.front().columns;
  const Arrangement panels = panels_in_place(c, k, {0, k});
  std::int64_t most = 0;
  for (std::size_t r = 0; r < c.of_rank.size(); ++r) {
    std::int64_t words = 0;
    for (const Patch& panel : panels.of_rank[r]) {
      for (const Arrangement& x : factors) {
        words += panel.size();
        for (const Patch& own : x.of_rank[r]) {
          words -= count_shared(own.rows, panel.rows) * own.columns.size();
        }
      }
    }
    most = std::max(most, words);
  }
  return most;
}

bool pays_in_place(const TriangleDecomposition& d, const Arrangement& c,
                   const std::vector<Arrangement>& factors) {
  if (!can_stay(c)) return false;
  // triangle blocks: a rank's panels come from, and its blocks of C go to, any ranks
  const auto n = static_cast<double>(d.shape.n);
  double rows = 0;
  for (const std::vector<int>& row_blocks : d.row_blocks_of) {
    double sum = 0;
    for (const int p : row_blocks) sum += static_cast<double>(d.rows(p).size());
    rows = std::max(rows, sum);
  }
  const double words =
      static_cast<double>(factors.size()) * rows * static_cast<double>(d.columns(0).size()) +
      n * n / 2 / static_cast<double>(d.row_blocks_of.size());
  const double elsewhere = 1 - 1.0 / static_cast<double>(c.of_rank.size());
  if (static_cast<double>(words_in_place(c, factors)) >= elsewhere * words) return false;
  constexpr double slack = 1.25;
  const double most = slack * cost_of(d, {}).work;
  return std::all_of(c.of_rank.begin(), c.of_rank.end(), [&](const std::vector<Patch>& patches) {
    return patches.empty() ||
           static_cast<double>(work_of(blocks_in_place(patches.front())) * d.shape.k) <= most;
  });
}

TriangleDecomposition shape_only(const SyrkShape& shape) {
  TriangleDecomposition d;
  d.shape = shape;
  return d;
}

}  // namespace redblue::linalg
