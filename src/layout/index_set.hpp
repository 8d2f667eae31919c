// SPDX-License-Identifier: BSD-3-Clause
// Sets of row or column indices, each with its position in an array.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "redblue/layout.hpp"

namespace redblue::layout {

// Indices begin .. end-1 at positions position, position + 1, ...
struct Interval {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t position = 0;
};

// Ascending intervals at ascending positions. Copies share their intervals.
class IndexSet {
 public:
  IndexSet() = default;
  explicit IndexSet(std::vector<Interval> intervals);
  explicit IndexSet(const Range& range) : IndexSet({{range.begin, range.end, 0}}) {}

  const std::vector<Interval>& intervals() const { return *intervals_; }
  std::int64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  // The indices number begin .. end-1 of the set, at positions counted from 0.
  IndexSet slice(std::int64_t begin, std::int64_t end) const;
  // The same indices at positions counted from 0.
  IndexSet dense() const { return slice(0, size_); }

 private:
  std::shared_ptr<const std::vector<Interval>> intervals_ = none();
  std::int64_t size_ = 0;

  static std::shared_ptr<const std::vector<Interval>> none();
};

// Ascending indices, at positions counted from 0.
IndexSet dense_set(const std::vector<std::int64_t>& ascending);

// The indices among first .. first+extent-1 that process `process` stores, counted from `first`, at
// their positions in its local array. O(blocks of that process).
IndexSet local_indices(const Cyclic& cyclic, int process, std::int64_t first, std::int64_t extent);

// Consecutive indices index .. index+length-1 that are in both of two sets, at positions from ..
// from+length-1 of the one and to .. to+length-1 of the other.
struct OverlapInterval {
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::int64_t length = 0;
  std::int64_t index = 0;
};

// What two sets share, in ascending order. Intervals that follow each other in both sets' storage
// are joined; with `over_gaps`, also where there are indices between them (index then is the
// first). O(intervals of the smaller, times a logarithm, and of the result).
std::vector<OverlapInterval> shared(const IndexSet& from, const IndexSet& to,
                                    bool over_gaps = true);

// The indices in the range, at their positions in the set.
IndexSet within(const IndexSet& set, const Range& range);

// The indices in both, at positions counted from 0.
IndexSet intersection(const IndexSet& a, const IndexSet& b);

// The indices of `set` that are not in `other`, at their positions in the set.
IndexSet without(const IndexSet& set, const IndexSet& other);

// The number of indices in both.
std::int64_t count_shared(const IndexSet& a, const IndexSet& b);

}  // namespace redblue::layout
