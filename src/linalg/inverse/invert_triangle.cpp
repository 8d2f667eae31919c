// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/inverse/sweeps.hpp"

namespace redblue::linalg::inverse {

namespace {

template <class T>
class Inversion {
 public:
  Inversion(const Place& place, const View<T>& matrix, bool unit, StepMessages& messages)
      : place_(place), steps_(place.steps), matrix_(matrix), unit_(unit), messages_(messages) {}

  void step(std::int64_t k, const Panels<T>& at);

 private:
  void invert_diagonal(const Panels<T>& at);
  void solve_row(const Panels<T>& at);
  void send_row(const Panels<T>& at);
  void send_column(const Panels<T>& at);

  const Place& place_;
  const InverseSteps& steps_;
  View<T> matrix_;
  bool unit_;
  StepMessages& messages_;
  std::int64_t k_ = 0;
  std::int64_t width_ = 0;
};

// at.square = L(k, k), which goes along the grid row; at.inverted = X(k, k).
template <class T>
void Inversion<T>::invert_diagonal(const Panels<T>& at) {
  const View<T> block = matrix_.at(steps_.down.position(k_), steps_.across.position(k_));
  copy_out(block, width_, width_, at.square);
  const std::int64_t words = pack_triangle(at.square, width_, width_, false, at.triangle);
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column || steps_.columns_before(c, k_) == 0) continue;
    messages_.send(place_.at(place_.row, c), triangle_tag, at.triangle, {{0, words}});
  }
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t r = 0; r < width_; ++r) at.inverted[r + c * width_] = T(r == c ? 1 : 0);
  }
  lapack::solve({lapack::Side::left, 'L', 'N', unit_}, width_, width_, at.square, width_,
                at.inverted, width_);
  block.for_each(width_, width_, [&](std::int64_t r, std::int64_t c, T& x) {
    if (r > c || (r == c && !unit_)) x = at.inverted[r + c * width_];
  });
}

// at.row = X(k, j) for j <= k, as far as this rank has them.
template <class T>
void Inversion<T>::solve_row(const Panels<T>& at) {
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  const bool diagonal = place_.owns_column(k_);
  if (!diagonal && before > 0) {
    const std::int64_t words = width_ * (width_ + 1) / 2;
    messages_.receive(place_.at(place_.row, steps_.across.of_block(k_)), triangle_tag, at.triangle,
                      {{0, words}});
    messages_.await();
    unpack_triangle(at.triangle, width_, false, at.square);
  }
  if (before > 0) {
    const View<T> row = matrix_.at(steps_.down.position(k_), 0);
    copy_out(row, width_, before, at.row);
    lapack::solve({lapack::Side::left, 'L', 'N', unit_}, width_, before, at.square, width_, at.row,
                  width_);
    copy_in(at.row, width_, before, row);
  }
  if (diagonal) std::copy_n(at.inverted, width_ * width_, at.row + width_ * before);
}

template <class T>
void Inversion<T>::send_row(const Panels<T>& at) {
  const std::int64_t columns = steps_.columns_until(place_.column, k_);
  if (columns == 0) return;
  for (int r = 0; r < steps_.down.classes; ++r) {
    if (r == place_.row || steps_.rows_after(r, k_) == 0) continue;
    messages_.send(place_.at(r, place_.column), row_tag, at.row, {{0, width_ * columns}});
  }
}

// at.column = L(i, k) for i > k; zeros take its place.
template <class T>
void Inversion<T>::send_column(const Panels<T>& at) {
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  if (rows == 0) return;
  const View<T> column = matrix_.at(steps_.rows_until(place_.row, k_), steps_.across.position(k_));
  copy_out(column, rows, width_, at.column);
  clear(column, rows, width_);
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column || steps_.columns_until(c, k_) == 0) continue;
    messages_.send(place_.at(place_.row, c), column_tag, at.column, {{0, width_ * rows}});
  }
}

template <class T>
void Inversion<T>::step(std::int64_t k, const Panels<T>& at) {
  k_ = k;
  width_ = steps_.down.block_size(k);
  const bool updates = steps_.updates_inverse(place_.row, place_.column, k);
  const std::int64_t rows = steps_.rows_after(place_.row, k);
  const std::int64_t columns = steps_.columns_until(place_.column, k);
  if (place_.owns_row(k) && place_.owns_column(k)) invert_diagonal(at);
  if (place_.owns_column(k)) send_column(at);
  if (place_.owns_row(k)) {
    solve_row(at);
    send_row(at);
  }
  if (!updates) return;
  if (!place_.owns_row(k)) {
    messages_.receive(place_.at(steps_.down.of_block(k), place_.column), row_tag, at.row,
                      {{0, width_ * columns}});
  }
  if (!place_.owns_column(k)) {
    messages_.receive(place_.at(place_.row, steps_.across.of_block(k)), column_tag, at.column,
                      {{0, width_ * rows}});
  }
  messages_.await();
  subtract(matrix_.at(steps_.rows_until(place_.row, k), 0), rows, columns, width_, at.column,
           at.row);
}

}  // namespace

template <class T>
void invert_triangle(const comm::Communicator& communicator, const Place& place,
                     const View<T>& matrix, bool unit, T* memory, Traffic& traffic) {
  run_steps<Panels<T>>(communicator, place, memory, traffic, [&](StepMessages& messages) {
    return Inversion<T>(place, matrix, unit, messages);
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                     \
  template void invert_triangle(const comm::Communicator&, const Place&, const View<T>&, bool, T*, \
                                Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg::inverse
