// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "comm/number.hpp"
#include "linalg/inverse/sweeps.hpp"

namespace redblue::linalg::inverse {

namespace {

template <class T>
class Squaring {
 public:
  Squaring(const Place& place, const View<T>& matrix, StepMessages& messages)
      : place_(place), steps_(place.steps), matrix_(matrix), messages_(messages) {}

  void step(std::int64_t k, const Panels<T>& at);

 private:
  void take_row(const Panels<T>& at);
  void send_row(const Panels<T>& at);
  void receive_rows(const Panels<T>& at);
  void update(std::int64_t first, std::int64_t last, const Panels<T>& at);
  void add(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
           const Panels<T>& at);

  const Place& place_;
  const InverseSteps& steps_;
  View<T> matrix_;
  StepMessages& messages_;
  std::int64_t k_ = 0;
  std::int64_t width_ = 0;
};

// at.row = L(k, j) for j <= k; zeros take its place.
template <class T>
void Squaring<T>::take_row(const Panels<T>& at) {
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  const View<T> row = matrix_.at(steps_.down.position(k_), 0);
  copy_out(row, width_, before, at.row);
  clear(row, width_, before);
  if (!place_.owns_column(k_)) return;
  T* diagonal = at.row + width_ * before;
  row.at(0, before).for_each(width_, width_, [&](std::int64_t r, std::int64_t c, T& x) {
    diagonal[r + c * width_] = r < c ? T(0) : x;
    if (r >= c) x = T(0);
  });
}

template <class T>
void Squaring<T>::send_row(const Panels<T>& at) {
  const std::int64_t columns = steps_.columns_until(place_.column, k_);
  for (int r = 0; r < steps_.down.classes; ++r) {
    const std::vector<comm::Run> shared =
        runs_of(steps_.common_blocks(r, place_.column, 0, k_ + 1), steps_.across, width_);
    for (int c = 0; c < steps_.across.classes; ++c) {
      if (!steps_.updates_square(r, c, k_)) continue;
      if (c != place_.column) {
        if (!shared.empty()) messages_.send(place_.at(r, c), other_tag, at.row, shared);
      } else if (r != place_.row) {
        messages_.send(place_.at(r, c), row_tag, at.row, {{0, width_ * columns}});
      }
    }
  }
}

template <class T>
void Squaring<T>::receive_rows(const Panels<T>& at) {
  const int owner = steps_.down.of_block(k_);
  if (!place_.owns_row(k_)) {
    messages_.receive(place_.at(owner, place_.column), row_tag, at.row,
                      {{0, width_ * steps_.columns_until(place_.column, k_)}});
  }
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column) continue;
    const std::vector<comm::Run> shared =
        runs_of(steps_.common_blocks(place_.row, c, 0, k_ + 1), steps_.down, width_);
    if (!shared.empty()) messages_.receive(place_.at(owner, c), other_tag, at.other, shared);
  }
  messages_.await();
  for (const std::int64_t b : steps_.common_blocks(place_.row, place_.column, 0, k_ + 1)) {
    std::copy_n(at.row + width_ * steps_.across.position(b), width_ * steps_.down.block_size(b),
                at.other + width_ * steps_.down.position(b));
  }
  // the stored transposed of C(i, j) is L(k, j)^T times the conjugate of L(k, i)
  if (!matrix_.transposed) return;
  const std::int64_t words = width_ * steps_.rows_until(place_.row, k_);
  for (std::int64_t e = 0; e < words; ++e) at.other[e] = comm::conjugated(at.other[e]);
}

// C += L(k, :)' L(k, :) for these local rows and columns.
template <class T>
void Squaring<T>::add(std::int64_t row, std::int64_t rows, std::int64_t column,
                      std::int64_t columns, const Panels<T>& at) {
  const View<T> c = matrix_.at(row, column);
  const T* const left = at.other + width_ * row;
  const T* const right = at.row + width_ * column;
  if (matrix_.transposed) {
    blas::gemm(columns, rows, width_, T(1), {right, width_, 'T'}, {left, width_}, T(1), c.data,
               c.leading);
  } else {
    blas::gemm(rows, columns, width_, T(1), {left, width_, 'C'}, {right, width_}, T(1), c.data,
               c.leading);
  }
}

// The blocks of C on and below the diagonal in this rank's block columns first .. last.
template <class T>
void Squaring<T>::update(std::int64_t first, std::int64_t last, const Panels<T>& at) {
  const std::int64_t below = steps_.rows_until(place_.row, last);
  const std::int64_t begin = steps_.across.position(first);
  add(below, steps_.rows_until(place_.row, k_) - below, begin,
      steps_.columns_until(place_.column, last) - begin, at);
  for (std::int64_t j = first; j <= last; j += steps_.across.classes) {
    const std::int64_t column = steps_.across.position(j);
    const std::int64_t columns = steps_.across.block_size(j);
    const std::int64_t row = steps_.rows_until(place_.row, j);
    add(row, below - row, column, columns, at);
    if (!place_.owns_row(j)) continue;
    const View<T> square = matrix_.at(steps_.down.position(j), column);
    const T* const factor = at.other + width_ * steps_.down.position(j);
    blas::rank_k(true, matrix_.transposed ? 'U' : 'L', columns, width_, T(1), {factor, width_, 'C'},
                 T(1), square.data, square.leading);
  }
}

template <class T>
void Squaring<T>::step(std::int64_t k, const Panels<T>& at) {
  constexpr std::int64_t joined = 4;  // block columns that make one large product
  k_ = k;
  width_ = steps_.down.block_size(k);
  if (place_.owns_row(k) && steps_.columns_until(place_.column, k) > 0) {
    take_row(at);
    send_row(at);
  }
  if (!steps_.updates_square(place_.row, place_.column, k)) return;
  receive_rows(at);
  const std::int64_t apart = steps_.across.classes;
  for (std::int64_t first = place_.column; first <= k; first += joined * apart) {
    const std::int64_t last = first + std::min(joined - 1, (k - first) / apart) * apart;
    update(first, last, at);
  }
}

}  // namespace

template <class T>
void square_triangle(const comm::Communicator& communicator, const Place& place,
                     const View<T>& matrix, T* memory, Traffic& traffic) {
  run_steps<Panels<T>>(communicator, place, memory, traffic, [&](StepMessages& messages) {
    return Squaring<T>(place, matrix, messages);
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                               \
  template void square_triangle(const comm::Communicator&, const Place&, const View<T>&, T*, \
                                Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg::inverse
