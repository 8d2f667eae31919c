// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/inverse/sweeps.hpp"
#include "linalg/inverse/two_sided.hpp"

namespace redblue::linalg::inverse {

namespace {

// Memory that a step's messages are sent from, which stays untouched in the next step.
template <class T>
struct ProductPanels {
  T* column;    // A(i, k), i > k: rows x width
  T* row;       // L(k, j)^T, then W(k, j)^T, j < k: columns x 2 width
  T* turned;    // W(k, j)'^T above L(k, j)'^T: 2 width x columns
  T* sent;      // L(k, k), then A(k, k), packed
  T* left;      // as `turned`, of block rows j < k: 2 width x rows
  T* triangle;  // L(k, k): width x width
  T* square;    // A(k, k): likewise, whole
  T* scratch;   // rows x width, width x columns, or a block

  static std::int64_t words(const Place& place) {
    return place.inside() ? 2 * of_step(place) + unsent(place) : 0;
  }
  ProductPanels(const Place& place, std::int64_t step, T* memory) {
    const std::int64_t block = place.steps.down.block;
    T* next = memory + step % 2 * of_step(place);
    const auto take = [&next](std::int64_t words) { return std::exchange(next, next + words); };
    column = take(block * rows_of(place));
    row = take(2 * block * columns_of(place));
    turned = take(2 * block * columns_of(place));
    sent = take(block * (block + 1));
    next = memory + 2 * of_step(place);
    left = take(2 * block * rows_of(place));
    triangle = take(block * block);
    square = take(block * block);
    scratch = next;
  }

 private:
  static std::int64_t rows_of(const Place& place) { return place.steps.down.size(place.row); }
  static std::int64_t columns_of(const Place& place) {
    return place.steps.across.size(place.column);
  }
  static std::int64_t of_step(const Place& place) {
    const std::int64_t block = place.steps.down.block;
    return block * (rows_of(place) + 4 * columns_of(place) + block + 1);
  }
  static std::int64_t unsent(const Place& place) {
    const std::int64_t block = place.steps.down.block;
    return block *
           (2 * rows_of(place) + 2 * block + std::max({rows_of(place), columns_of(place), block}));
  }
};

template <class T>
class TwoSidedProduct {
 public:
  TwoSidedProduct(const Place& place, const View<T>& a, const View<const T>& l,
                  StepMessages& messages)
      : place_(place), steps_(place.steps), a_(a), l_(l), messages_(messages) {}

  void step(std::int64_t k, const ProductPanels<T>& at);

 private:
  void multiply_diagonal(const ProductPanels<T>& at);
  void multiply_column(const ProductPanels<T>& at);
  void multiply_row(const ProductPanels<T>& at);
  void send_row(const ProductPanels<T>& at);
  void receive(const ProductPanels<T>& at);
  void update(const ProductPanels<T>& at);

  bool updates(int r, int c) const {
    return steps_.columns_before(c, k_) > 0 &&
           (steps_.rows_before(r, k_) > 0 || steps_.rows_after(r, k_) > 0);
  }
  // Words of L(k, j), and of W(k, j) where they are needed, for a rank.
  std::int64_t row_words(int r, int c) const {
    return steps_.columns_before(c, k_) * width_ * (steps_.rows_before(r, k_) > 0 ? 2 : 1);
  }
  // Blocks before k that are of row class r and of column class c.
  std::vector<std::int64_t> common_blocks(int r, int c) const {
    return steps_.common_blocks(r, c, 0, k_);
  }

  const Place& place_;
  const InverseSteps& steps_;
  View<T> a_;
  View<const T> l_;
  StepMessages& messages_;
  std::int64_t k_ = 0;
  std::int64_t width_ = 0;
};

// at.triangle = L(k, k), at.square = A(k, k); in place, L(k, k)' A(k, k) L(k, k).
template <class T>
void TwoSidedProduct<T>::multiply_diagonal(const ProductPanels<T>& at) {
  const std::int64_t row = steps_.down.position(k_);
  const std::int64_t column = steps_.across.position(k_);
  copy_out(l_.at(row, column), width_, width_, at.triangle);
  copy_out(a_.at(row, column), width_, width_, at.square);
  complete_square(at.square, width_);
  std::copy_n(at.square, width_ * width_, at.scratch);
  lapack::multiply({lapack::Side::left, 'L', 'C', false}, width_, width_, at.triangle, width_,
                   at.scratch, width_);
  lapack::multiply({lapack::Side::right, 'L', 'N', false}, width_, width_, at.triangle, width_,
                   at.scratch, width_);
  complete_square(at.scratch, width_);
  copy_in_lower(at.scratch, width_, a_.at(row, column));
}

// at.column = A(i, k), i > k, which goes along the grid row; in place, A(i, k) L(k, k).
template <class T>
void TwoSidedProduct<T>::multiply_column(const ProductPanels<T>& at) {
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  const View<T> here = a_.at(steps_.rows_until(place_.row, k_), steps_.across.position(k_));
  copy_out(here, rows, width_, at.column);
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column || steps_.columns_before(c, k_) == 0) continue;
    messages_.send(place_.at(place_.row, c), to_the_right, at.column, {{0, rows * width_}});
  }
  std::copy_n(at.column, rows * width_, at.scratch);
  lapack::multiply({lapack::Side::right, 'L', 'N', false}, rows, width_, at.triangle, width_,
                   at.scratch, rows);
  copy_in(at.scratch, rows, width_, here);
}

// at.row = L(k, j) and W(k, j) = A(k, j) + A(k, k) L(k, j) / 2, j < k; in place,
// L(k, k)' (2 W(k, j) - A(k, j)).
template <class T>
void TwoSidedProduct<T>::multiply_row(const ProductPanels<T>& at) {
  const std::int64_t columns = steps_.columns_before(place_.column, k_);
  const View<T> here = a_.at(steps_.down.position(k_), 0);
  l_.at(steps_.down.position(k_), 0)
      .for_each(width_, columns,
                [&](std::int64_t r, std::int64_t c, const T& x) { at.row[c + r * columns] = x; });
  copy_out(here, width_, columns, at.scratch);
  blas::gemm<T>(width_, columns, width_, T(1) / T(2), {at.square, width_}, {at.row, columns, 'T'},
                T(1), at.scratch, width_);
  here.for_each(width_, columns, [&](std::int64_t r, std::int64_t c, const T& x) {
    T& w = at.scratch[r + c * width_];
    at.row[c + (width_ + r) * columns] = w;
    w = w + w - x;
  });
  lapack::multiply({lapack::Side::left, 'L', 'C', false}, width_, columns, at.triangle, width_,
                   at.scratch, width_);
  copy_in(at.scratch, width_, columns, here);
}

// The panel along the grid column; its conjugate transposed to the ranks with its columns as rows.
template <class T>
void TwoSidedProduct<T>::send_row(const ProductPanels<T>& at) {
  const std::int64_t columns = steps_.columns_before(place_.column, k_);
  for (int r = 0; r < steps_.down.classes; ++r) {
    if (r == place_.row || !updates(r, place_.column)) continue;
    messages_.send(place_.at(r, place_.column), row_panel, at.row,
                   {{0, row_words(r, place_.column)}});
  }
  for (std::int64_t c = 0; c < columns; ++c) {
    T* const turned = at.turned + 2 * width_ * c;
    for (std::int64_t e = 0; e < width_; ++e) {
      turned[e] = comm::conjugated(at.row[c + (width_ + e) * columns]);
      turned[width_ + e] = comm::conjugated(at.row[c + e * columns]);
    }
  }
  for (int r = 0; r < steps_.down.classes; ++r) {
    const std::vector<comm::Run> shared =
        runs_of(common_blocks(r, place_.column), steps_.across, 2 * width_);
    if (shared.empty()) continue;
    for (int c = 0; c < steps_.across.classes; ++c) {
      if ((r == place_.row && c == place_.column) || !steps_.updates_before(r, c, k_)) continue;
      messages_.send(place_.at(r, c), below_and_above, at.turned, shared);
    }
  }
}

// What this rank has not made itself.
template <class T>
void TwoSidedProduct<T>::receive(const ProductPanels<T>& at) {
  const int row = steps_.down.of_block(k_);
  const std::int64_t below = steps_.rows_after(place_.row, k_);
  if (!place_.owns_row(k_)) {
    messages_.receive(place_.at(row, place_.column), row_panel, at.row,
                      {{0, row_words(place_.row, place_.column)}});
  }
  if (!place_.owns_column(k_) && below > 0) {
    messages_.receive(place_.at(place_.row, steps_.across.of_block(k_)), to_the_right, at.column,
                      {{0, below * width_}});
  }
  const bool before = steps_.updates_before(place_.row, place_.column, k_);
  for (int c = 0; c < steps_.across.classes && before; ++c) {
    const std::vector<std::int64_t> blocks = common_blocks(place_.row, c);
    if (blocks.empty()) continue;
    if (c != place_.column || !place_.owns_row(k_)) {
      messages_.receive(place_.at(row, c), below_and_above, at.left,
                        runs_of(blocks, steps_.down, 2 * width_));
      continue;
    }
    for (const std::int64_t b : blocks) {
      std::copy_n(at.turned + 2 * width_ * steps_.across.position(b),
                  2 * width_ * steps_.down.block_size(b),
                  at.left + 2 * width_ * steps_.down.position(b));
    }
  }
  messages_.await();
}

// A(i, j) += A(i, k) L(k, j) for i > k, and for i < k what the two panels make.
template <class T>
void TwoSidedProduct<T>::update(const ProductPanels<T>& at) {
  const std::int64_t below = steps_.rows_after(place_.row, k_);
  const std::int64_t columns = steps_.columns_before(place_.column, k_);
  add_product<T>(a_.at(steps_.rows_until(place_.row, k_), 0), below, columns, width_, T(1),
                 {at.column, below}, {at.row, columns, 'T'});
  const auto left = [&](std::int64_t row) {
    return blas::Factor<T>{at.left + 2 * width_ * row, 2 * width_, 'T'};
  };
  const auto right = [&](std::int64_t column) {
    return blas::Factor<T>{at.row + column, columns, 'T'};
  };
  LowerUpdate(place_, a_, 2 * width_, T(1), left, right, at.scratch).of_blocks(0, k_);
}

template <class T>
void TwoSidedProduct<T>::step(std::int64_t k, const ProductPanels<T>& at) {
  k_ = k;
  width_ = steps_.down.block_size(k);
  const bool row = place_.owns_row(k);
  const bool column = place_.owns_column(k);
  const bool rows_behind = steps_.rows_after(place_.row, k) > 0;
  const bool columns_before = steps_.columns_before(place_.column, k) > 0;
  if (row && column) {
    multiply_diagonal(at);
    send_diagonal(messages_, place_, k, at, Square::along_the_row);
  } else if ((row && columns_before) || (column && rows_behind)) {
    receive_diagonal(messages_, place_, k, at, row);
  }
  if (column && rows_behind) multiply_column(at);
  if (row && columns_before) {
    multiply_row(at);
    send_row(at);
  }
  if (!updates(place_.row, place_.column)) return;
  receive(at);
  update(at);
}

}  // namespace

template <class T>
std::int64_t two_sided_product_words(const Place& place) {
  return ProductPanels<T>::words(place);
}

template <class T>
void multiply_on_both_sides(const comm::Communicator& communicator, const Place& place,
                            const View<T>& a, const View<const T>& l, T* memory, Traffic& traffic) {
  run_steps<ProductPanels<T>>(communicator, place, memory, traffic, [&](StepMessages& messages) {
    return TwoSidedProduct<T>(place, a, l, messages);
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                                  \
  template std::int64_t two_sided_product_words<T>(const Place&);                               \
  template void multiply_on_both_sides(const comm::Communicator&, const Place&, const View<T>&, \
                                       const View<const T>&, T*, Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg::inverse
