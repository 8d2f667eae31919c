// The rows an LU factorization has still to eliminate, in the storage of one rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decomposition/cyclic_classes.hpp"

namespace redblue::linalg {

// A rank's rows are those of some classes, `stride` apart, one segment of its storage after the
// other. Within a segment, active rows stand first; pivots leave gaps that the last rows close.
class ActiveRows {
 public:
  // The classes first, first + stride, ... of the rows.
  ActiveRows(const CyclicClasses& rows, int first, int stride);

  void reset();  // all are active

  int segments() const { return static_cast<int>(active_.size()); }
  std::int64_t extent() const { return extent_; }  // of the storage
  std::int64_t leading() const { return std::max<std::int64_t>(1, column_stride(extent_)); }
  std::int64_t start(int segment) const { return starts_[static_cast<std::size_t>(segment)]; }
  // Numbers in the matrix, in the order of storage.
  const std::vector<std::int64_t>& rows(int segment) const {
    return active_[static_cast<std::size_t>(segment)];
  }
  std::int64_t count(int segment) const { return static_cast<std::int64_t>(rows(segment).size()); }
  // Where the active rows of each segment stand in storage.
  struct Span {
    std::int64_t start, count;
  };
  std::vector<Span> spans() const;

  // Of any row of the matrix: its class, and whether it is stored here.
  int class_of(std::int64_t row) const { return rows_.of_block(row / rows_.block); }
  bool holds(std::int64_t row) const { return class_of(row) % stride_ == first_; }
  // Where in its class, at first.
  std::int64_t position(std::int64_t row) const {
    return rows_.position(row / rows_.block) + row % rows_.block;
  }
  // Where an active row is now.
  std::int64_t place(std::int64_t row) const {
    return places_[static_cast<std::size_t>(start(class_of(row) / stride_) + position(row))];
  }

  // Takes the pivots stored here out of the active rows; close_gaps() then does so in a column.
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
  std::vector<std::int64_t> places_;  // of rows, by where they were at first
  std::vector<Move> moves_;
};

}  // namespace redblue::linalg
