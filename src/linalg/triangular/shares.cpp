// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/triangular/shares.hpp"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"

namespace redblue::linalg::triangular {

using layout::Arrangement;
using layout::IndexSet;
using layout::Patch;

namespace {

// Whether every rank stores one patch at most.
bool in_single_patches(const Arrangement& x) {
  return std::all_of(x.of_rank.begin(), x.of_rank.end(),
                     [](const std::vector<Patch>& patches) { return patches.size() <= 1; });
}

std::optional<Sharing> in_place(const Matrices& m, bool b_stays) {
  const Arrangement& stays = b_stays ? m.b : m.t;
  if (!in_single_patches(stays)) return std::nullopt;
  Sharing result{{}, b_stays ? "B in place" : "T in place"};
  for (const std::vector<Patch>& patches : stays.of_rank) {
    Share& share = result.of_rank.emplace_back();
    for (const Patch& p : patches) {
      share.rows = p.rows.dense();
      share.depth = b_stays ? IndexSet(Range{0, m.t.columns}) : p.columns.dense();
      share.columns = b_stays ? p.columns.dense() : IndexSet(Range{0, m.b.columns});
    }
  }
  return result;
}

struct Grid {
  int rows, depth, columns;
};

Sharing on_grid(const Matrices& m, const Grid& g) {
  constexpr std::int64_t largest_block = 64;
  const std::int64_t n = m.t.rows;
  const std::int64_t block = suitable_block(n, std::max(g.rows, g.depth), largest_block, 4);
  Sharing result{{},
                 std::to_string(g.rows) + " x " + std::to_string(g.depth) + " x " +
                     std::to_string(g.columns) + " classes of " + std::to_string(block)};
  result.of_rank.resize(m.t.of_rank.size());
  const auto indices = [&](int classes, int c) {
    return layout::local_indices({block, 0, classes, block}, c, 0, n).dense();
  };
  auto share = result.of_rank.begin();
  for (int r = 0; r < g.rows; ++r) {
    for (int d = 0; d < g.depth; ++d) {
      for (int c = 0; c < g.columns; ++c, ++share) {
        *share = {indices(g.rows, r), indices(g.depth, d),
                  IndexSet(round_of({0, m.b.columns}, c, g.columns))};
      }
    }
  }
  return result;
}

// About what a rank of the grid receives where nothing is where it is needed.
double estimate(const Matrices& m, const Grid& g) {
  const auto n = static_cast<double>(m.t.rows);
  const auto columns = static_cast<double>(m.b.columns);
  const double ranks = static_cast<double>(g.rows) * g.depth * g.columns;
  return n * n / 2 / (g.rows * g.depth) + n * columns / (g.depth * g.columns) +
         n * columns / ranks * g.depth;
}

// Those that may be best, by the estimate.
std::vector<Grid> promising_grids(const Matrices& m) {
  constexpr std::size_t compared = 6;
  const auto ranks = static_cast<int>(m.t.of_rank.size());
  std::vector<std::pair<double, Grid>> all;
  for (int rows = 1; rows <= ranks; ++rows) {
    for (int depth = 1; depth <= ranks / rows; ++depth) {
      const int columns = ranks / (rows * depth);
      if (std::int64_t{4} * rows * depth * columns < std::int64_t{3} * ranks) continue;
      if (columns > std::max<std::int64_t>(1, m.b.columns)) continue;
      const Grid g{rows, depth, columns};
      all.emplace_back(estimate(m, g), g);
    }
  }
  const auto few = static_cast<std::ptrdiff_t>(std::min(compared, all.size()));
  std::partial_sort(all.begin(), all.begin() + few, all.end(),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Grid> result;
  for (auto g = all.begin(); g != all.begin() + few; ++g) result.push_back(g->second);
  return result;
}

// Multiplications of a rank.
double work_of(const Matrices& m, const Share& share) {
  std::int64_t elements = 0;
  for (const layout::Interval& d : share.depth.intervals()) {
    const std::int64_t above = count_below(share.rows, (d.begin + d.end) / 2);
    elements += (d.end - d.begin) * (m.lower ? share.rows.size() - above : above);
  }
  return static_cast<double>(elements) * static_cast<double>(share.columns.size());
}

std::int64_t overlap(const Patch& own, const IndexSet& rows, const IndexSet& columns) {
  const std::int64_t down = count_shared(own.rows, rows);
  return down == 0 ? 0 : down * count_shared(own.columns, columns);
}

// Of B, and of contributions to C.
std::int64_t words_of_b_and_c(const Matrices& m, const Sharing& sharing, std::size_t rank) {
  const Share& share = sharing.of_rank[rank];
  std::int64_t words = share.empty() ? 0 : share.depth.size() * share.columns.size();
  for (const Patch& own : m.b.of_rank[rank]) {
    if (!share.empty()) words -= overlap(own, share.depth, share.columns);
    for (std::size_t q = 0; q < sharing.of_rank.size(); ++q) {
      const Share& other = sharing.of_rank[q];
      if (q != rank && !other.empty()) words += overlap(own, other.rows, other.columns);
    }
  }
  return words;
}

// About what a rank receives, half of T's blocks counting.
double about_received(const Matrices& m, const Sharing& sharing, std::size_t rank) {
  const Share& share = sharing.of_rank[rank];
  std::int64_t of_t = share.empty() ? 0 : share.rows.size() * share.depth.size();
  for (const Patch& own : m.t.of_rank[rank]) {
    if (!share.empty()) of_t -= overlap(own, share.rows, share.depth);
  }
  return static_cast<double>(of_t) / 2 + static_cast<double>(words_of_b_and_c(m, sharing, rank));
}

struct Judged {
  double words = 0;
  double work = 0;
};

// Of the busiest of some ranks.
Judged judged(const Matrices& m, const Sharing& sharing) {
  constexpr std::size_t looked_at = 16;
  const std::size_t ranks = sharing.of_rank.size();
  const std::size_t apart = (ranks + looked_at - 1) / looked_at;
  Judged most;
  for (std::size_t r = 0; r < ranks; r += apart) {
    most.words = std::max(most.words, about_received(m, sharing, r));
    most.work = std::max(most.work, work_of(m, sharing.of_rank[r]));
  }
  return most;
}

}  // namespace

std::int64_t count_below(const IndexSet& set, std::int64_t index) {
  const auto& intervals = set.intervals();
  const auto next =
      std::partition_point(intervals.begin(), intervals.end(),
                           [index](const layout::Interval& i) { return i.begin < index; });
  if (next == intervals.begin()) return 0;
  const layout::Interval& last = *(next - 1);
  return last.position + std::min(index, last.end) - last.begin;
}

std::int64_t words_received(const Matrices& m, const Sharing& sharing, std::size_t rank) {
  const Share& share = sharing.of_rank[rank];
  std::int64_t words = words_of_b_and_c(m, sharing, rank);
  if (share.empty()) return words;
  words += count(Patch{share.rows, share.depth}, m.part());
  for (const Patch& own : m.t.of_rank[rank]) {
    words -=
        count(Patch{intersection(own.rows, share.rows), intersection(own.columns, share.depth)},
              m.part());
  }
  return words;
}

double busiest_work(const Matrices& m, const Sharing& sharing) {
  double most = 0;
  for (const Share& s : sharing.of_rank) {
    if (s.empty()) continue;
    most = std::max(most, static_cast<double>(count(Patch{s.rows, s.depth}, m.part())) *
                              static_cast<double>(s.columns.size()));
  }
  return most;
}

Sharing choose_sharing(const Matrices& m) {
  constexpr double slack = 1.25;  // how much more work than the least the busiest rank may have
  std::vector<std::pair<Judged, Sharing>> all;
  const auto offer = [&](Sharing sharing) {
    const Judged how = judged(m, sharing);
    all.emplace_back(how, std::move(sharing));
  };
  for (const bool b_stays : {true, false}) {
    if (auto sharing = in_place(m, b_stays)) offer(*std::move(sharing));
  }
  for (const Grid& g : promising_grids(m)) offer(on_grid(m, g));
  double least_work = std::numeric_limits<double>::infinity();
  for (const auto& [how, sharing] : all) least_work = std::min(least_work, how.work);
  const auto key = [&](const Judged& how) {
    return std::pair(how.work > slack * least_work, how.words);
  };
  const auto best = std::min_element(all.begin(), all.end(), [&](const auto& a, const auto& b) {
    return key(a.first) < key(b.first);
  });
  return std::move(best->second);
}

}  // namespace redblue::linalg::triangular
