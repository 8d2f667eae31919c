// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/lu/active_rows.hpp"

#include <algorithm>
#include <numeric>

namespace redblue::linalg {

ActiveRows::ActiveRows(const CyclicClasses& rows, int first, int stride)
    : rows_(rows), first_(first), stride_(stride) {
  for (int c = first; c < rows.classes; c += stride) {
    starts_.push_back(extent_);
    extent_ += rows.size(c);
  }
  active_.resize(starts_.size());
}

void ActiveRows::reset() {
  for (std::size_t s = 0; s < active_.size(); ++s) {
    active_[s].clear();
    for (std::int64_t b = first_ + static_cast<std::int64_t>(s) * stride_; b < rows_.blocks();
         b += rows_.classes) {
      for (std::int64_t i = 0; i < rows_.block_size(b); ++i) {
        active_[s].push_back(b * rows_.block + i);
      }
    }
  }
  places_.resize(static_cast<std::size_t>(extent_));
  std::iota(places_.begin(), places_.end(), 0);
}

std::vector<ActiveRows::RowRun> ActiveRows::runs() const {
  std::vector<RowRun> result;
  for (int s = 0; s < sections(); ++s) result.push_back({start(s), count(s)});
  return result;
}

void ActiveRows::retire(const std::vector<std::int64_t>& pivots) {
  std::vector<std::vector<std::int64_t>> gaps(active_.size());
  for (const std::int64_t p : pivots) {
    if (holds(p)) gaps[static_cast<std::size_t>(class_of(p) / stride_)].push_back(storage_row(p));
  }
  moves_.clear();
  for (std::size_t s = 0; s < active_.size(); ++s) {
    std::vector<std::int64_t>& rows = active_[s];
    std::sort(gaps[s].begin(), gaps[s].end());
    const std::int64_t left = starts_[s] + static_cast<std::int64_t>(rows.size() - gaps[s].size());
    const std::int64_t end = starts_[s] + static_cast<std::int64_t>(rows.size());
    auto gap = gaps[s].begin();
    for (std::int64_t from = left; from < end; ++from) {
      if (std::binary_search(gaps[s].begin(), gaps[s].end(), from)) continue;
      const std::int64_t row = rows[static_cast<std::size_t>(from - starts_[s])];
      rows[static_cast<std::size_t>(*gap - starts_[s])] = row;
      places_[static_cast<std::size_t>(starts_[s] + position(row))] = *gap;
      moves_.push_back({from, *gap});
      ++gap;
    }
    rows.resize(static_cast<std::size_t>(left - starts_[s]));
  }
}

}  // namespace redblue::linalg
