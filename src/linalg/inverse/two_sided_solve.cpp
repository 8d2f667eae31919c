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
struct SolvePanels {
  T* left;      // L(i, k), then A(i, k), for i > k: rows x 2 width
  T* turned;    // A(i, k)' above L(i, k)': 2 width x rows
  T* right;     // the same of j > k: 2 width x columns
  T* row;       // A(k, j), j < k: width x columns
  T* sent;      // L(k, k), then C(k, k), packed
  T* triangle;  // L(k, k): width x width
  T* square;    // C(k, k): likewise, whole
  T* scratch;   // rows x width, or a block

  static std::int64_t words(const Place& place) {
    return place.inside() ? 2 * of_step(place) + unsent(place) : 0;
  }
  SolvePanels(const Place& place, std::int64_t step, T* memory) {
    const std::int64_t block = place.steps.down.block;
    T* next = memory + step % 2 * of_step(place);
    const auto take = [&next](std::int64_t words) { return std::exchange(next, next + words); };
    left = take(2 * block * rows_of(place));
    turned = take(2 * block * rows_of(place));
    right = take(2 * block * place.steps.across.size(place.column));
    row = take(block * place.steps.across.size(place.column));
    sent = take(block * (block + 1));
    next = memory + 2 * of_step(place);
    triangle = take(block * block);
    square = take(block * block);
    scratch = next;
  }

 private:
  static std::int64_t rows_of(const Place& place) { return place.steps.down.size(place.row); }
  static std::int64_t of_step(const Place& place) {
    const std::int64_t block = place.steps.down.block;
    return block * (4 * rows_of(place) + 3 * place.steps.across.size(place.column) + block + 1);
  }
  static std::int64_t unsent(const Place& place) {
    const std::int64_t block = place.steps.down.block;
    return block * (2 * block + std::max(rows_of(place), block));
  }
};

template <class T>
class TwoSidedSolve {
 public:
  TwoSidedSolve(const Place& place, const View<T>& a, const View<const T>& l,
                StepMessages& messages)
      : place_(place), steps_(place.steps), a_(a), l_(l), messages_(messages) {}

  void step(std::int64_t k, const SolvePanels<T>& at);

 private:
  void solve_diagonal(const SolvePanels<T>& at);
  void solve_row(const SolvePanels<T>& at);
  void solve_column(const SolvePanels<T>& at);
  void send_column(const SolvePanels<T>& at);
  void receive(const SolvePanels<T>& at);
  void update(const SolvePanels<T>& at);

  bool updates(int r, int c) const {
    return steps_.rows_after(r, k_) > 0 &&
           (steps_.columns_before(c, k_) > 0 || steps_.columns_after(c, k_) > 0);
  }
  // Words of L(i, k), and of A(i, k) where they are needed, for a rank.
  std::int64_t left_words(int r, int c) const {
    return steps_.rows_after(r, k_) * width_ * (steps_.columns_after(c, k_) > 0 ? 2 : 1);
  }
  // Blocks behind k that are of row class r and of column class c.
  std::vector<std::int64_t> common_blocks(int r, int c) const {
    return steps_.common_blocks(r, c, k_ + 1, steps_.count());
  }

  const Place& place_;
  const InverseSteps& steps_;
  View<T> a_;
  View<const T> l_;
  StepMessages& messages_;
  std::int64_t k_ = 0;
  std::int64_t width_ = 0;
};

// at.triangle = L(k, k), at.square = C(k, k) = L(k, k)^-1 A(k, k) L(k, k)'^-1.
template <class T>
void TwoSidedSolve<T>::solve_diagonal(const SolvePanels<T>& at) {
  const std::int64_t row = steps_.down.position(k_);
  const std::int64_t column = steps_.across.position(k_);
  copy_out(l_.at(row, column), width_, width_, at.triangle);
  const View<T> block = a_.at(row, column);
  copy_out(block, width_, width_, at.square);
  complete_square(at.square, width_);
  lapack::solve({lapack::Side::left, 'L', 'N', false}, width_, width_, at.triangle, width_,
                at.square, width_);
  lapack::solve({lapack::Side::right, 'L', 'C', false}, width_, width_, at.triangle, width_,
                at.square, width_);
  complete_square(at.square, width_);
  copy_in_lower(at.square, width_, block);
}

// C(k, j) = L(k, k)^-1 A(k, j) for j < k, which goes along the grid column.
template <class T>
void TwoSidedSolve<T>::solve_row(const SolvePanels<T>& at) {
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  if (before == 0) return;
  if (!place_.owns_column(k_)) receive_diagonal(messages_, place_, k_, at, false);
  const View<T> row = a_.at(steps_.down.position(k_), 0);
  copy_out(row, width_, before, at.row);
  lapack::solve({lapack::Side::left, 'L', 'N', false}, width_, before, at.triangle, width_, at.row,
                width_);
  copy_in(at.row, width_, before, row);
  for (int r = 0; r < steps_.down.classes; ++r) {
    if (r == place_.row || steps_.rows_after(r, k_) == 0) continue;
    messages_.send(place_.at(r, place_.column), row_panel, at.row, {{0, width_ * before}});
  }
}

// at.left = L(i, k) and A(i, k) L(k, k)'^-1 - L(i, k) C(k, k) / 2 for i > k; in place, that less
// L(i, k) C(k, k) / 2 once more.
template <class T>
void TwoSidedSolve<T>::solve_column(const SolvePanels<T>& at) {
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  const std::int64_t first = steps_.rows_until(place_.row, k_);
  const std::int64_t column = steps_.across.position(k_);
  const View<T> here = a_.at(first, column);
  T* const of_a = at.left + rows * width_;
  copy_out(l_.at(first, column), rows, width_, at.left);
  copy_out(here, rows, width_, of_a);
  lapack::solve({lapack::Side::right, 'L', 'C', false}, rows, width_, at.triangle, width_, of_a,
                rows);
  blas::gemm(rows, width_, width_, T(-1) / T(2), {at.left, rows}, {at.square, width_}, T(0),
             at.scratch, rows);
  for (std::int64_t e = 0; e < rows * width_; ++e) of_a[e] += at.scratch[e];
  for (std::int64_t e = 0; e < rows * width_; ++e) at.scratch[e] += of_a[e];
  copy_in(at.scratch, rows, width_, here);
}

// The panel along the grid row; its conjugate transposed to the ranks with its rows as columns.
template <class T>
void TwoSidedSolve<T>::send_column(const SolvePanels<T>& at) {
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  const std::int64_t first = steps_.rows_until(place_.row, k_);
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column || !updates(place_.row, c)) continue;
    messages_.send(place_.at(place_.row, c), to_the_right, at.left,
                   {{0, left_words(place_.row, c)}});
  }
  T* const turned = at.turned;
  for (std::int64_t r = 0; r < rows; ++r) {
    for (std::int64_t e = 0; e < width_; ++e) {
      turned[e + 2 * width_ * r] = comm::conjugated(at.left[r + (width_ + e) * rows]);
      turned[width_ + e + 2 * width_ * r] = comm::conjugated(at.left[r + e * rows]);
    }
  }
  for (int c = 0; c < steps_.across.classes; ++c) {
    const std::vector<comm::Run> shared =
        runs_of(common_blocks(place_.row, c), steps_.down, 2 * width_, first);
    if (shared.empty()) continue;
    for (int r = 0; r < steps_.down.classes; ++r) {
      if (r == place_.row && c == place_.column) continue;
      if (steps_.updates_behind(r, c, k_)) {
        messages_.send(place_.at(r, c), below_and_above, turned, shared);
      }
    }
  }
}

// What this rank has not made itself.
template <class T>
void TwoSidedSolve<T>::receive(const SolvePanels<T>& at) {
  const int column = steps_.across.of_block(k_);
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  if (!place_.owns_row(k_) && before > 0) {
    messages_.receive(place_.at(steps_.down.of_block(k_), place_.column), row_panel, at.row,
                      {{0, width_ * before}});
  }
  if (!place_.owns_column(k_)) {
    messages_.receive(place_.at(place_.row, column), to_the_right, at.left,
                      {{0, left_words(place_.row, place_.column)}});
  }
  const std::int64_t first = steps_.columns_until(place_.column, k_);
  const bool behind = steps_.updates_behind(place_.row, place_.column, k_);
  for (int r = 0; r < steps_.down.classes && behind; ++r) {
    const std::vector<std::int64_t> blocks = common_blocks(r, place_.column);
    if (blocks.empty()) continue;
    if (r != place_.row || !place_.owns_column(k_)) {
      messages_.receive(place_.at(r, column), below_and_above, at.right,
                        runs_of(blocks, steps_.across, 2 * width_, first));
      continue;
    }
    const std::int64_t first_row = steps_.rows_until(r, k_);
    for (const std::int64_t b : blocks) {
      std::copy_n(at.turned + 2 * width_ * (steps_.down.position(b) - first_row),
                  2 * width_ * steps_.down.block_size(b),
                  at.right + 2 * width_ * (steps_.across.position(b) - first));
    }
  }
  messages_.await();
}

// A(i, j) -= L(i, k) A(k, j) for j < k, and for j > k what the two panels make.
template <class T>
void TwoSidedSolve<T>::update(const SolvePanels<T>& at) {
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  const std::int64_t first = steps_.rows_until(place_.row, k_);
  const std::int64_t before = steps_.columns_until(place_.column, k_);
  subtract(a_.at(first, 0), rows, steps_.columns_before(place_.column, k_), width_, at.left,
           at.row);
  const auto left = [&](std::int64_t row) { return blas::Factor<T>{at.left + row - first, rows}; };
  const auto right = [&](std::int64_t column) {
    return blas::Factor<T>{at.right + 2 * width_ * (column - before), 2 * width_};
  };
  LowerUpdate(place_, a_, 2 * width_, T(-1), left, right, at.scratch)
      .of_blocks(k_ + 1, steps_.count());
}

template <class T>
void TwoSidedSolve<T>::step(std::int64_t k, const SolvePanels<T>& at) {
  k_ = k;
  width_ = steps_.down.block_size(k);
  const bool row = place_.owns_row(k);
  const bool column = place_.owns_column(k);
  const bool rows_left = steps_.rows_after(place_.row, k) > 0;
  if (row && column) {
    solve_diagonal(at);
    send_diagonal(messages_, place_, k, at, Square::down_the_column);
  }
  if (column && rows_left) {
    if (!row) receive_diagonal(messages_, place_, k, at, true);
    solve_column(at);
    send_column(at);
  }
  if (row) solve_row(at);
  if (!updates(place_.row, place_.column)) return;
  receive(at);
  update(at);
}

}  // namespace

template <class T>
std::int64_t two_sided_solve_words(const Place& place) {
  return SolvePanels<T>::words(place);
}

template <class T>
void solve_on_both_sides(const comm::Communicator& communicator, const Place& place,
                         const View<T>& a, const View<const T>& l, T* memory, Traffic& traffic) {
  run_steps<SolvePanels<T>>(communicator, place, memory, traffic, [&](StepMessages& messages) {
    return TwoSidedSolve<T>(place, a, l, messages);
  });
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                               \
  template std::int64_t two_sided_solve_words<T>(const Place&);                              \
  template void solve_on_both_sides(const comm::Communicator&, const Place&, const View<T>&, \
                                    const View<const T>&, T*, Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg::inverse
