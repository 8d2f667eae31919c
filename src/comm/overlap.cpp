// SPDX-License-Identifier: BSD-3-Clause
#include "comm/overlap.hpp"

#include <algorithm>
#include <utility>

namespace redblue::comm {

using layout::OverlapInterval;
using layout::Part;
using layout::Patch;

namespace {

Range hull(const layout::IndexSet& set) {
  return {set.intervals().front().begin, set.intervals().back().end};
}

// Which of many patches may share rows with another.
class RowIndex {
 public:
  explicit RowIndex(const std::vector<Patch>& patches) {
    for (std::size_t p = 0; p < patches.size(); ++p) {
      if (patches[p].rows.empty()) continue;
      rows_.push_back({hull(patches[p].rows), p});
      longest_ = std::max(longest_, rows_.back().first.size());
    }
    std::sort(rows_.begin(), rows_.end(),
              [](const auto& a, const auto& b) { return a.first.begin < b.first.begin; });
  }

  // Places of the patches, ascending.
  void find(const layout::IndexSet& rows, std::vector<std::size_t>& found) const {
    found.clear();
    if (rows.empty()) return;
    const Range wanted = hull(rows);
    auto next = std::partition_point(rows_.begin(), rows_.end(), [&](const auto& r) {
      return r.first.begin + longest_ <= wanted.begin;
    });
    for (; next != rows_.end() && next->first.begin < wanted.end; ++next) {
      if (next->first.end > wanted.begin) found.push_back(next->second);
    }
    std::sort(found.begin(), found.end());
  }

 private:
  std::vector<std::pair<Range, std::size_t>> rows_;
  std::int64_t longest_ = 0;
};

}  // namespace

std::int64_t words_of(const std::vector<Overlap>& overlaps, Part part) {
  std::int64_t total = 0;
  for_each_block(overlaps, part, [&total](const OverlapBlock& b) { total += b.length * b.lines; });
  return total;
}

std::vector<Overlap> find_overlaps(const std::vector<Patch>& from, const std::vector<Patch>& to,
                                   Part part) {
  const bool over_gaps = part == Part::all;
  std::vector<Overlap> result;
  const RowIndex index(to);
  std::vector<std::size_t> candidates;
  for (const Patch& f : from) {
    index.find(f.rows, candidates);
    for (const std::size_t candidate : candidates) {
      const Patch& t = to[candidate];
      std::vector<OverlapInterval> along = shared(f.rows, t.rows, over_gaps);
      if (along.empty()) continue;
      std::vector<OverlapInterval> across = shared(f.columns, t.columns, over_gaps);
      if (across.empty()) continue;
      if (f.row_major) along.swap(across);
      // the sender's lines are contiguous in t, too, when both are stored in the same direction
      const bool alike = f.row_major == t.row_major;
      result.push_back({std::move(along), std::move(across), f.offset, f.leading, t.offset,
                        alike ? 1 : t.leading, alike ? t.leading : 1, !f.row_major,
                        f.conjugated != t.conjugated});
      if (!over_gaps && words_of({result.back()}, part) == 0) result.pop_back();
    }
  }
  return result;
}

}  // namespace redblue::comm
