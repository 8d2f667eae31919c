// SPDX-License-Identifier: BSD-3-Clause
// What two-sided solves and two-sided products share: both add products of two panels, twice as
// deep as a block, to a part of the lower triangle of a Hermitian (symmetric) matrix.
#pragma once

#include <algorithm>
#include <cstdint>

#include "comm/number.hpp"
#include "linalg/inverse/grid.hpp"

namespace redblue::linalg::inverse {

// The upper half of a Hermitian square from its lower one.
template <class T>
void complete_square(T* square, std::int64_t order) {
  for (std::int64_t c = 0; c < order; ++c) {
    square[c + c * order] = std::real(square[c + c * order]);
    for (std::int64_t r = c + 1; r < order; ++r) {
      square[c + r * order] = comm::conjugated(square[r + c * order]);
    }
  }
}
// The lower half of a square takes its place in the matrix.
template <class T>
void copy_in_lower(const T* square, std::int64_t order, const View<T>& view) {
  view.for_each(order, order, [square, order](std::int64_t r, std::int64_t c, T& x) {
    if (r >= c) x = square[r + c * order];
  });
}

// Receives L(k, k) and, where `square` is not null, a Hermitian square behind it: their lower
// halves, by columns.
template <class T>
void receive_diagonal(StepMessages& messages, Rank from, int tag, std::int64_t order, T* packed,
                      T* triangle, T* square) {
  const std::int64_t words = order * (order + 1) / 2;
  messages.receive(from, tag, packed, {{0, square == nullptr ? words : 2 * words}});
  messages.await();
  unpack_triangle(packed, order, false, triangle);
  if (square == nullptr) return;
  unpack_triangle(packed + words, order, false, square);
  complete_square(square, order);
}

// A(i, j) += alpha left(i) right(j) for this rank's blocks i >= j of a range of block numbers;
// blocks on the diagonal are Hermitian. left(row) and right(column): the factors from a local row
// and column on, `depth` deep. `scratch`: the words of a block.
template <class T, class Left, class Right>
class LowerUpdate {
 public:
  LowerUpdate(const Place& place, const View<T>& a, std::int64_t depth, T alpha, Left left,
              Right right, T* scratch)
      : place_(place),
        steps_(place.steps),
        a_(a),
        depth_(depth),
        alpha_(alpha),
        left_(left),
        right_(right),
        scratch_(scratch) {}

  void of_blocks(std::int64_t first, std::int64_t end) const {
    constexpr std::int64_t joined = 4;  // block columns that make one large product
    const std::int64_t apart = steps_.across.classes;
    const std::int64_t rows_end = steps_.rows_before(place_.row, end);
    std::int64_t begin = first + (place_.column - first % apart + apart) % apart;
    for (; begin < end; begin += joined * apart) {
      const std::int64_t last = begin + std::min(joined - 1, (end - 1 - begin) / apart) * apart;
      const std::int64_t below = steps_.rows_until(place_.row, last);
      const std::int64_t column = steps_.across.position(begin);
      add(below, rows_end, column, steps_.columns_until(place_.column, last) - column);
      for (std::int64_t j = begin; j <= last; j += apart) {
        add(steps_.rows_until(place_.row, j), below, steps_.across.position(j),
            steps_.across.block_size(j));
        if (place_.owns_row(j)) add_diagonal(j);
      }
    }
  }

 private:
  void add(std::int64_t row, std::int64_t end, std::int64_t column, std::int64_t columns) const {
    if (end <= row) return;
    add_product<T>(a_.at(row, column), end - row, columns, depth_, alpha_, left_(row),
                   right_(column));
  }
  void add_diagonal(std::int64_t j) const {
    const std::int64_t size = steps_.across.block_size(j);
    const std::int64_t row = steps_.down.position(j);
    const std::int64_t column = steps_.across.position(j);
    blas::gemm<T>(size, size, depth_, alpha_, left_(row), right_(column), T(0), scratch_, size);
    a_.at(row, column).for_each(size, size, [&](std::int64_t r, std::int64_t c, T& x) {
      if (r < c) return;
      x += scratch_[r + c * size];
      if (r == c) x = std::real(x);
    });
  }

  const Place& place_;
  const InverseSteps& steps_;
  View<T> a_;
  std::int64_t depth_;
  T alpha_;
  Left left_;
  Right right_;
  T* scratch_;
};

}  // namespace redblue::linalg::inverse
