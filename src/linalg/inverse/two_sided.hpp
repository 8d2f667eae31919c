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

// Messages of a step.
enum TwoSidedMessage { row_panel = 4, diagonal, to_the_right, below_and_above };

// The diagonal's L(k, k), and a Hermitian square behind it, as lower halves packed in at.sent. One
// of a step's two directions needs both: ranks of the grid row that have columns before k, or ranks
// of the grid column that have rows behind it.
enum class Square { along_the_row, down_the_column };
template <class Panels>
void send_diagonal(StepMessages& messages, const Place& place, std::int64_t k, const Panels& at,
                   Square square) {
  const InverseSteps& steps = place.steps;
  const std::int64_t order = steps.down.block_size(k);
  const std::int64_t half = pack_triangle(at.triangle, order, order, false, at.sent);
  const std::int64_t both = half + pack_triangle(at.square, order, order, false, at.sent + half);
  for (int c = 0; c < steps.across.classes; ++c) {
    if (c == place.column || steps.columns_before(c, k) == 0) continue;
    messages.send(place.at(place.row, c), diagonal, at.sent,
                  {{0, square == Square::along_the_row ? both : half}});
  }
  for (int r = 0; r < steps.down.classes; ++r) {
    if (r == place.row || steps.rows_after(r, k) == 0) continue;
    messages.send(place.at(r, place.column), diagonal, at.sent,
                  {{0, square == Square::down_the_column ? both : half}});
  }
}
template <class Panels>
void receive_diagonal(StepMessages& messages, const Place& place, std::int64_t k, const Panels& at,
                      bool with_square) {
  const InverseSteps& steps = place.steps;
  const std::int64_t order = steps.down.block_size(k);
  const std::int64_t half = order * (order + 1) / 2;
  messages.receive(place.at(steps.down.of_block(k), steps.across.of_block(k)), diagonal, at.sent,
                   {{0, with_square ? 2 * half : half}});
  messages.await();
  unpack_triangle(at.sent, order, false, at.triangle);
  if (!with_square) return;
  unpack_triangle(at.sent + half, order, false, at.square);
  complete_square(at.square, order);
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
