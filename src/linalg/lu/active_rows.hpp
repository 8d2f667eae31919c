// SPDX-License-Identifier: BSD-3-Clause
// The active rows of an LU factorization, those that have not been pivots, in one rank's storage.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decomposition/cyclic_classes.hpp"

namespace redblue::linalg {

// A rank stores the rows of some classes, `stride` apart: one section for each, one after another.
// Active rows come first in a section: where a pivot leaves a gap, the section's last active row
// moves into it.
class ActiveRows {
 public:
  // The classes first, first + stride, ... of the rows.
  ActiveRows(const CyclicClasses& rows, int first, int stride);

  void reset();  // all are active

  int sections() const { return static_cast<int>(active_.size()); }
  std::int64_t extent() const { return extent_; }  // of the storage
  std::int64_t leading() const { return std::max<std::int64_t>(1, column_stride(extent_)); }
  std::int64_t start(int section) const { return starts_[static_cast<std::size_t>(section)]; }
  // The active rows of a section: their numbers in the matrix, in the order of storage.
  const std::vector<std::int64_t>& rows(int section) const {
    return active_[static_cast<std::size_t>(section)];
  }
  std::int64_t count(int section) const { return static_cast<std::int64_t>(rows(section).size()); }
  // Active rows that are contiguous in storage: one run for each section.
  struct RowRun {
    std::int64_t start, count;
  };
  std::vector<RowRun> runs() const;

  // Of any row of the matrix: its class, and whether it is one of this rank's.
  int class_of(std::int64_t row) const { return rows_.of_block(row / rows_.block); }
  bool holds(std::int64_t row) const { return class_of(row) % stride_ == first_; }
  // Its number within its class.
  std::int64_t position(std::int64_t row) const {
    return rows_.position(row / rows_.block) + row % rows_.block;
  }
  // The row of the storage in which an active row is now.
  std::int64_t storage_row(std::int64_t row) const {
    return places_[static_cast<std::size_t>(start(class_of(row) / stride_) + position(row))];
  }

  // R = R \ P: takes this rank's pivots out of the active rows. close_gaps() then moves a column's
  // elements accordingly.
  void retire(const std::vector<std::int64_t>& pivots);
  template <class T>
  void close_gaps(T* column) const {
    for (const Move& m : moves_) column[m.to] = column[m.from];
  }

 private:
  struct Move {
    std::int64_t from, to;
  };
  CyclicClasses rows_;
  int first_, stride_;
  std::int64_t extent_ = 0;
  std::vector<std::int64_t> starts_;
  std::vector<std::vector<std::int64_t>> active_;
  std::vector<std::int64_t> places_;  // storage row of each row, by its first storage row
  std::vector<Move> moves_;
};

}  // namespace redblue::linalg
