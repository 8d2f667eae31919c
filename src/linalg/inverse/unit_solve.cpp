// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/inverse/sweeps.hpp"

namespace redblue::linalg::inverse {

namespace {

// L goes from below the diagonal of the matrix to the copy; zeros take its place.
template <class T>
void move_triangle(const Place& place, const View<T>& matrix, const View<T>& copy) {
  const InverseSteps& steps = place.steps;
  const std::int64_t rows = steps.down.size(place.row);
  for (std::int64_t k = place.column; k < steps.count(); k += steps.across.classes) {
    const std::int64_t column = steps.across.position(k);
    const std::int64_t below = steps.rows_until(place.row, k);
    const std::int64_t columns = steps.across.block_size(k);
    const auto move = [&](std::int64_t first, std::int64_t c) {
      T* from = &matrix(first, column + c);
      std::copy_n(from, rows - first, &copy(first, column + c));
      std::fill_n(from, rows - first, T(0));
    };
    for (std::int64_t c = 0; c < columns; ++c) {
      move(place.owns_row(k) ? steps.down.position(k) + c + 1 : below, c);
    }
  }
}

template <class T>
class Solution {
 public:
  Solution(const Place& place, const View<T>& matrix, const View<T>& copy, StepMessages& messages)
      : place_(place), steps_(place.steps), matrix_(matrix), copy_(copy), messages_(messages) {}

  void step(std::int64_t k, const Panels<T>& at);

 private:
  void take_triangle(const Panels<T>& at);
  void solve_column(const Panels<T>& at);
  void send_row(const Panels<T>& at);

  const Place& place_;
  const InverseSteps& steps_;
  View<T> matrix_, copy_;
  StepMessages& messages_;
  std::int64_t k_ = 0;
  std::int64_t width_ = 0;
};

// at.square = L(k, k), without its diagonal of ones, at all ranks of the grid column.
template <class T>
void Solution<T>::take_triangle(const Panels<T>& at) {
  const std::int64_t words = width_ * (width_ - 1) / 2;
  if (words == 0) return;
  if (place_.owns_row(k_)) {
    copy_out(copy_.at(steps_.down.position(k_), steps_.across.position(k_)), width_, width_,
             at.square);
    pack_triangle(at.square, width_, width_, true, at.triangle);
    for (int r = 0; r < steps_.down.classes; ++r) {
      if (r == place_.row || steps_.down.size(r) == 0) continue;
      messages_.send(place_.at(r, place_.column), triangle_tag, at.triangle, {{0, words}});
    }
  } else if (steps_.down.size(place_.row) > 0) {
    messages_.receive(place_.at(steps_.down.of_block(k_), place_.column), triangle_tag, at.triangle,
                      {{0, words}});
    messages_.await();
    unpack_triangle(at.triangle, width_, true, at.square);
  }
}

// at.column = X(:, k), which goes along the grid row.
template <class T>
void Solution<T>::solve_column(const Panels<T>& at) {
  const std::int64_t rows = steps_.down.size(place_.row);
  if (rows == 0) return;
  const View<T> column = matrix_.at(0, steps_.across.position(k_));
  lapack::solve({lapack::Side::right, 'L', 'N', true}, rows, width_, at.square, width_, column.data,
                column.leading);
  copy_out(column, rows, width_, at.column);
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column || steps_.columns_before(c, k_) == 0) continue;
    messages_.send(place_.at(place_.row, c), column_tag, at.column, {{0, width_ * rows}});
  }
}

// at.row = L(k, j) for j < k, which goes along the grid column.
template <class T>
void Solution<T>::send_row(const Panels<T>& at) {
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  if (before == 0) return;
  copy_out(copy_.at(steps_.down.position(k_), 0), width_, before, at.row);
  for (int r = 0; r < steps_.down.classes; ++r) {
    if (r == place_.row || steps_.down.size(r) == 0) continue;
    messages_.send(place_.at(r, place_.column), row_tag, at.row, {{0, width_ * before}});
  }
}

template <class T>
void Solution<T>::step(std::int64_t k, const Panels<T>& at) {
  k_ = k;
  width_ = steps_.down.block_size(k);
  const std::int64_t rows = steps_.down.size(place_.row);
  const std::int64_t before = steps_.columns_before(place_.column, k);
  if (place_.owns_row(k)) send_row(at);
  if (place_.owns_column(k)) {
    take_triangle(at);
    solve_column(at);
  }
  if (!steps_.updates_solution(place_.row, place_.column, k)) return;
  if (!place_.owns_column(k)) {
    messages_.receive(place_.at(place_.row, steps_.across.of_block(k)), column_tag, at.column,
                      {{0, width_ * rows}});
  }
  if (!place_.owns_row(k)) {
    messages_.receive(place_.at(steps_.down.of_block(k), place_.column), row_tag, at.row,
                      {{0, width_ * before}});
  }
  messages_.await();
  subtract(matrix_, rows, before, width_, at.column, at.row);
}

}  // namespace

template <class T>
void solve_with_unit_triangle(const comm::Communicator& communicator, const Place& place,
                              const View<T>& matrix, T* copy, T* memory, Traffic& traffic) {
  if (!place.inside()) return;
  const View<T> triangle{copy, std::max<std::int64_t>(1, place.steps.down.size(place.row))};
  move_triangle(place, matrix, triangle);
  StepMessages messages(communicator, traffic);
  Solution<T> solution(place, matrix, triangle, messages);
  const std::int64_t count = place.steps.count();
  for (std::int64_t k = count - 1; k >= 0; --k) {
    messages.begin_step();
    solution.step(k, Panels<T>(place, k, memory));
  }
  messages.finish();
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                    \
  template void solve_with_unit_triangle(const comm::Communicator&, const Place&, const View<T>&, \
                                         T*, T*, Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg::inverse
