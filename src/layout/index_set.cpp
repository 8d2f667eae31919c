// SPDX-License-Identifier: BSD-3-Clause
#include "layout/index_set.hpp"

#include <algorithm>
#include <utility>

namespace redblue::layout {

namespace {

// Calls f(begin, end, in few, in many) for the stretches of indices in both; looks up in `many`.
template <class F>
void look_up(const std::vector<Interval>& few, const std::vector<Interval>& many, F f) {
  for (const Interval& x : few) {
    auto y = std::partition_point(many.begin(), many.end(),
                                  [&x](const Interval& i) { return i.end <= x.begin; });
    for (; y != many.end() && y->begin < x.end; ++y) {
      f(std::max(x.begin, y->begin), std::min(x.end, y->end), x, *y);
    }
  }
}

// Calls f(begin, end, in a, in b) for the stretches of indices in both sets.
template <class F>
void for_each_shared(const IndexSet& a, const IndexSet& b, F f) {
  if (a.intervals().size() <= b.intervals().size()) {
    look_up(a.intervals(), b.intervals(), f);
  } else {
    look_up(b.intervals(), a.intervals(),
            [&f](std::int64_t begin, std::int64_t end, const Interval& y, const Interval& x) {
              f(begin, end, x, y);
            });
  }
}

}  // namespace

std::shared_ptr<const std::vector<Interval>> IndexSet::none() {
  static const auto empty = std::make_shared<const std::vector<Interval>>();
  return empty;
}

IndexSet::IndexSet(std::vector<Interval> intervals) {
  std::erase_if(intervals, [](const Interval& i) { return i.begin >= i.end; });
  for (const Interval& i : intervals) size_ += i.end - i.begin;
  if (!intervals.empty()) {
    intervals_ = std::make_shared<const std::vector<Interval>>(std::move(intervals));
  }
}

IndexSet IndexSet::slice(std::int64_t begin, std::int64_t end) const {
  std::vector<Interval> result;
  std::int64_t number = 0;  // of the interval's first index in the set
  for (const Interval& i : intervals()) {
    const std::int64_t from = std::max(begin, number);
    const std::int64_t to = std::min(end, number + i.end - i.begin);
    if (from < to) result.push_back({i.begin + from - number, i.begin + to - number, from - begin});
    number += i.end - i.begin;
  }
  return IndexSet(std::move(result));
}

IndexSet dense_set(const std::vector<std::int64_t>& ascending) {
  std::vector<Interval> intervals;
  std::int64_t position = 0;
  for (const std::int64_t index : ascending) {
    if (!intervals.empty() && intervals.back().end == index) {
      ++intervals.back().end;
    } else {
      intervals.push_back({index, index + 1, position});
    }
    ++position;
  }
  return IndexSet(std::move(intervals));
}

IndexSet local_indices(const Cyclic& cyclic, int process, std::int64_t first, std::int64_t extent) {
  std::vector<Interval> result;
  const std::int64_t end = first + extent;
  for (std::int64_t index = first; index < end;) {
    const std::int64_t next = std::min(cyclic.block_end(index), end);
    const int owner = cyclic.owner(index);
    if (owner == process) result.push_back({index - first, next - first, cyclic.local(index)});
    // straight to the process's next block
    const int ahead = (process - owner - 1 + 2 * cyclic.processes) % cyclic.processes;
    index = next + ahead * cyclic.block;
  }
  if (cyclic.processes == 1 && !result.empty()) {
    return IndexSet(std::vector<Interval>{{0, extent, result.front().position}});
  }
  return IndexSet(std::move(result));
}

std::vector<OverlapInterval> shared(const IndexSet& from, const IndexSet& to, bool over_gaps) {
  std::vector<OverlapInterval> pieces;
  for_each_shared(from, to,
                  [&](std::int64_t begin, std::int64_t end, const Interval& x, const Interval& y) {
                    const OverlapInterval next = {x.position + begin - x.begin,
                                                  y.position + begin - y.begin, end - begin, begin};
                    if (!pieces.empty() && pieces.back().from + pieces.back().length == next.from &&
                        pieces.back().to + pieces.back().length == next.to &&
                        (over_gaps || pieces.back().index + pieces.back().length == begin)) {
                      pieces.back().length += next.length;
                    } else {
                      pieces.push_back(next);
                    }
                  });
  return pieces;
}

IndexSet within(const IndexSet& set, const Range& range) {
  std::vector<Interval> inside;
  for (const Interval& i : set.intervals()) {
    const std::int64_t begin = std::max(i.begin, range.begin);
    inside.push_back({begin, std::min(i.end, range.end), i.position + begin - i.begin});
  }
  return IndexSet(std::move(inside));
}

IndexSet intersection(const IndexSet& a, const IndexSet& b) {
  std::vector<Interval> both;
  std::int64_t position = 0;
  for_each_shared(a, b,
                  [&](std::int64_t begin, std::int64_t end, const Interval&, const Interval&) {
                    both.push_back({begin, end, position});
                    position += end - begin;
                  });
  return IndexSet(std::move(both));
}

IndexSet without(const IndexSet& set, const IndexSet& other) {
  std::vector<Interval> left;
  const std::vector<Interval>& taken = other.intervals();
  auto next = taken.begin();
  for (Interval i : set.intervals()) {
    while (next != taken.end() && next->end <= i.begin) ++next;
    for (auto t = next; t != taken.end() && t->begin < i.end; ++t) {
      left.push_back({i.begin, t->begin, i.position});  // may be empty
      const std::int64_t behind = std::max(i.begin, t->end);
      i.position += behind - i.begin;
      i.begin = behind;
    }
    left.push_back(i);
  }
  return IndexSet(std::move(left));
}

std::int64_t count_shared(const IndexSet& a, const IndexSet& b) {
  std::int64_t count = 0;
  for_each_shared(a, b,
                  [&count](std::int64_t begin, std::int64_t end, const Interval&, const Interval&) {
                    count += end - begin;
                  });
  return count;
}

}  // namespace redblue::layout
