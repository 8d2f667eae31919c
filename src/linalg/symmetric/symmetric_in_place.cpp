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
  bool diagonal;   // the rank stores rows of these numbers, too
  std::int64_t j;  // where blocks count their J from: `at`, or among gathered rows
};

// The columns of a rank's patch, cut where they begin or cease to be rows of it, too.
std::vector<ColumnRun> column_runs(const Patch& local) {
  std::vector<ColumnRun> result;
  for (const layout::OverlapInterval& p : shared(local.columns, local.rows.dense(), false)) {
    result.push_back({{p.index, p.index + p.length}, p.from, p.to, true, p.to});
  }
  std::int64_t at = local.rows.size();
  const IndexSet more = without(local.columns, local.rows);
  for (const layout::Interval& i : more.intervals()) {
    result.push_back({{i.begin, i.end}, i.position, at, false, at});
    at += i.end - i.begin;
  }
  std::sort(result.begin(), result.end(), [](const ColumnRun& x, const ColumnRun& y) {
    return x.columns.begin < y.columns.begin;
  });
  return result;
}

bool follows(const ColumnRun& x, const ColumnRun& y) {
  return x.position + x.columns.size() == y.position && x.j + x.columns.size() == y.j;
}

// Cuts a rank's columns of C into blocks.
class ColumnCutter {
 public:
  ColumnCutter(const Patch& local, const std::vector<ColumnRun>& all)
      : local_(local),
        all_(all),
        first_(local.rows.empty() ? 0 : local.rows.intervals().front().position) {}

  // Of runs [from, to), which follow each other, the blocks on and below the diagonal in panel rows
  // up to `end`.
  void cut(std::size_t from, std::size_t to, std::int64_t end) {
    const std::int64_t below = before(all_[to - 1].columns.end);
    std::int64_t columns = 0;
    for (std::size_t t = from; t < to; ++t) columns += all_[t].columns.size();
    add(below, end, all_[from], columns, false);
    if (to - from > 1) {
      const std::size_t middle = (from + to) / 2;
      cut(from, middle, below);
      cut(middle, to, below);
    } else if (all_[from].diagonal) {
      add(all_[from].at, below, all_[from], columns, true);
    }
  }
  std::vector<SymmetricBlock> take() { return std::move(blocks_); }

 private:
  // The number of the rank's rows above row `index` of C: the panel row of the first one from there
  // on.
  std::int64_t before(std::int64_t index) const {
    return count_shared(local_.rows, IndexSet(Range{0, index}));
  }
  // C(rows i .. end - 1 of the panel, `columns` columns from those of s on), with its address.
  void add(std::int64_t i, std::int64_t end, const ColumnRun& s, std::int64_t columns,
           bool diagonal) {
    if (i >= end || columns == 0) return;
    const std::int64_t down = first_ + i;
    const std::int64_t at =
        local_.row_major ? s.position + down * local_.leading : down + s.position * local_.leading;
    blocks_.push_back({i,
                       s.j,
                       end - i,
                       columns,
                       {local_.offset + at, local_.leading, local_.row_major},
                       diagonal});
  }

  const Patch& local_;
  const std::vector<ColumnRun>& all_;
  std::int64_t first_;
  std::vector<SymmetricBlock> blocks_;
};

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

std::vector<Range> rows_of_columns(const Patch& local) {
  std::vector<Range> result;
  for (const ColumnRun& run : column_runs(local)) {
    const Range rows = {run.at, run.at + run.columns.size()};
    if (!result.empty() && result.back().end == rows.begin) {
      result.back().end = rows.end;
    } else {
      result.push_back(rows);
    }
  }
  return result;
}

std::vector<SymmetricBlock> blocks_in_place(const Patch& local, bool gathered) {
  std::vector<ColumnRun> all = column_runs(local);
  std::int64_t columns = 0;
  for (ColumnRun& run : all) {
    if (gathered) run.j = columns;
    columns += run.columns.size();
  }
  ColumnCutter cutter(local, all);
  for (std::size_t s = 0; s < all.size();) {
    std::size_t end = s + 1;
    while (end < all.size() && follows(all[end - 1], all[end])) ++end;
    cutter.cut(s, end, local.rows.size());
    s = end;
  }
  return cutter.take();
}

std::int64_t work_of(const std::vector<SymmetricBlock>& blocks) {
  std::int64_t work = 0;
  for (const SymmetricBlock& f : blocks) {
    work += f.diagonal ? f.rows * (f.rows + 1) / 2 : f.rows * f.columns;
  }
  return work;
}

std::int64_t words_to_receive(const std::vector<Patch>& panels,
                              const std::vector<Arrangement>& factors, std::size_t rank) {
  std::int64_t words = 0;
  for (const Patch& panel : panels) {
    for (const Arrangement& x : factors) {
      words += panel.size() - count_shared(x.of_rank[rank], panel);
    }
  }
  return words;
}

std::int64_t words_in_place(const Arrangement& c, const std::vector<Arrangement>& factors) {
  const std::int64_t k = factors.front().columns;
  const Arrangement panels = panels_in_place(c, k, {0, k});
  std::int64_t most = 0;
  for (std::size_t r = 0; r < c.of_rank.size(); ++r) {
    most = std::max(most, words_to_receive(panels.of_rank[r], factors, r));
  }
  return most;
}

double words_with_way(const TriangleDecomposition& d, std::size_t factors, std::size_t ranks) {
  // a rank's panels come from, and its blocks of C go to, any ranks
  const auto n = static_cast<double>(d.shape.n);
  double rows = 0;
  for (const std::vector<int>& row_blocks : d.row_blocks_of) {
    double sum = 0;
    for (const int p : row_blocks) sum += static_cast<double>(d.rows(p).size());
    rows = std::max(rows, sum);
  }
  const double words =
      static_cast<double>(factors) * rows * static_cast<double>(d.columns(0).size()) +
      n * n / 2 / static_cast<double>(d.row_blocks_of.size());
  return words * (1 - 1.0 / static_cast<double>(ranks));
}

bool pays_in_place(const TriangleDecomposition& d, const Arrangement& c,
                   const std::vector<Arrangement>& factors) {
  if (!can_stay(c)) return false;
  if (static_cast<double>(words_in_place(c, factors)) >=
      words_with_way(d, factors.size(), c.of_rank.size())) {
    return false;
  }
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
