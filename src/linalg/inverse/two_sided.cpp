// SPDX-License-Identifier: BSD-3-Clause
#include <complex>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/inverse/sweeps.hpp"

namespace redblue::linalg::inverse {

namespace {

// Memory that a step's messages are sent from, which stays untouched in the next step.
template <class T>
struct TwoSidedPanels {
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
  TwoSidedPanels(const Place& place, std::int64_t step, T* memory) {
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

  void step(std::int64_t k, const TwoSidedPanels<T>& at);

 private:
  enum Message { row_of_a = 4, diagonal, to_the_right, below_and_above };

  void solve_diagonal(const TwoSidedPanels<T>& at);
  void take_diagonal(const TwoSidedPanels<T>& at, bool whole);
  void solve_row(const TwoSidedPanels<T>& at);
  void solve_column(const TwoSidedPanels<T>& at);
  void send_column(const TwoSidedPanels<T>& at);
  void receive(const TwoSidedPanels<T>& at);
  void update(const TwoSidedPanels<T>& at);
  void update_diagonal(std::int64_t j, std::int64_t before, const TwoSidedPanels<T>& at);

  std::int64_t columns_after(int c) const { return steps_.across.after(c, k_); }
  bool updates(int r, int c) const {
    return steps_.rows_after(r, k_) > 0 &&
           (steps_.columns_before(c, k_) > 0 || columns_after(c) > 0);
  }
  bool updates_behind(int r, int c) const {
    return steps_.rows_after(r, k_) > 0 && columns_after(c) > 0;
  }
  // Words of L(i, k), and of A(i, k) where they are needed, for a rank.
  std::int64_t left_words(int r, int c) const {
    return steps_.rows_after(r, k_) * width_ * (columns_after(c) > 0 ? 2 : 1);
  }
  std::vector<comm::Run> runs(int r, int c, const CyclicClasses& positions,
                              std::int64_t first) const;

  const Place& place_;
  const InverseSteps& steps_;
  View<T> a_;
  View<const T> l_;
  StepMessages& messages_;
  std::int64_t k_ = 0;
  std::int64_t width_ = 0;
};

// at.triangle = L(k, k), at.square = C(k, k) = L(k, k)^-1 A(k, k) L(k, k)'^-1; both go to the ranks
// of the grid column that have rows behind, L(k, k) to those of the grid row.
template <class T>
void TwoSidedSolve<T>::solve_diagonal(const TwoSidedPanels<T>& at) {
  const std::int64_t row = steps_.down.position(k_);
  const std::int64_t column = steps_.across.position(k_);
  copy_out(l_.at(row, column), width_, width_, at.triangle);
  const View<T> block = a_.at(row, column);
  block.for_each(width_, width_, [&](std::int64_t r, std::int64_t c, const T& x) {
    if (r < c) return;
    at.square[r + c * width_] = r == c ? T(std::real(x)) : x;
    at.square[c + r * width_] = r == c ? T(std::real(x)) : comm::conjugated(x);
  });
  lapack::solve({lapack::Side::left, 'L', 'N', false}, width_, width_, at.triangle, width_,
                at.square, width_);
  lapack::solve({lapack::Side::right, 'L', 'C', false}, width_, width_, at.triangle, width_,
                at.square, width_);
  for (std::int64_t c = 0; c < width_; ++c) {
    at.square[c + c * width_] = std::real(at.square[c + c * width_]);
    for (std::int64_t r = c + 1; r < width_; ++r) {
      at.square[c + r * width_] = comm::conjugated(at.square[r + c * width_]);
    }
  }
  block.for_each(width_, width_, [&](std::int64_t r, std::int64_t c, T& x) {
    if (r >= c) x = at.square[r + c * width_];
  });
  const std::int64_t words = pack_triangle(at.triangle, width_, width_, false, at.sent);
  pack_triangle(at.square, width_, width_, false, at.sent + words);
  for (int c = 0; c < steps_.across.classes; ++c) {
    if (c == place_.column || steps_.columns_before(c, k_) == 0) continue;
    messages_.send(place_.at(place_.row, c), diagonal, at.sent, {{0, words}});
  }
  for (int r = 0; r < steps_.down.classes; ++r) {
    if (r == place_.row || steps_.rows_after(r, k_) == 0) continue;
    messages_.send(place_.at(r, place_.column), diagonal, at.sent, {{0, 2 * words}});
  }
}

template <class T>
void TwoSidedSolve<T>::take_diagonal(const TwoSidedPanels<T>& at, bool whole) {
  const std::int64_t words = width_ * (width_ + 1) / 2;
  messages_.receive(place_.at(steps_.down.of_block(k_), steps_.across.of_block(k_)), diagonal,
                    at.sent, {{0, whole ? 2 * words : words}});
  messages_.await();
  unpack_triangle(at.sent, width_, false, at.triangle);
  if (!whole) return;
  unpack_triangle(at.sent + words, width_, false, at.square);
  for (std::int64_t c = 0; c < width_; ++c) {
    for (std::int64_t r = c + 1; r < width_; ++r) {
      at.square[c + r * width_] = comm::conjugated(at.square[r + c * width_]);
    }
  }
}

// C(k, j) = L(k, k)^-1 A(k, j) for j < k, which goes along the grid column.
template <class T>
void TwoSidedSolve<T>::solve_row(const TwoSidedPanels<T>& at) {
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  if (before == 0) return;
  if (!place_.owns_column(k_)) take_diagonal(at, false);
  const View<T> row = a_.at(steps_.down.position(k_), 0);
  copy_out(row, width_, before, at.row);
  lapack::solve({lapack::Side::left, 'L', 'N', false}, width_, before, at.triangle, width_, at.row,
                width_);
  copy_in(at.row, width_, before, row);
  for (int r = 0; r < steps_.down.classes; ++r) {
    if (r == place_.row || steps_.rows_after(r, k_) == 0) continue;
    messages_.send(place_.at(r, place_.column), row_of_a, at.row, {{0, width_ * before}});
  }
}

// at.left = L(i, k) and A(i, k) L(k, k)'^-1 - L(i, k) C(k, k) / 2 for i > k; in place, that less
// L(i, k) C(k, k) / 2 once more.
template <class T>
void TwoSidedSolve<T>::solve_column(const TwoSidedPanels<T>& at) {
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

// Where the blocks behind k that are of row class r and of column class c stand in a panel, 2 width
// high, of all those behind k of one of the two, which begins with index `first` of its class.
template <class T>
std::vector<comm::Run> TwoSidedSolve<T>::runs(int r, int c, const CyclicClasses& positions,
                                              std::int64_t first) const {
  std::vector<comm::Run> result;
  for (const std::int64_t b : steps_.common_blocks(r, c, steps_.count() - 1)) {
    if (b <= k_) continue;
    comm::append(result, {2 * width_ * (positions.position(b) - first),
                          2 * width_ * positions.block_size(b)});
  }
  return result;
}

// The panel along the grid row; its conjugate transposed to the ranks with its rows as columns.
template <class T>
void TwoSidedSolve<T>::send_column(const TwoSidedPanels<T>& at) {
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
    const std::vector<comm::Run> shared = runs(place_.row, c, steps_.down, first);
    if (shared.empty()) continue;
    for (int r = 0; r < steps_.down.classes; ++r) {
      if (r == place_.row && c == place_.column) continue;
      if (updates_behind(r, c)) {
        messages_.send(place_.at(r, c), below_and_above, turned, shared);
      }
    }
  }
}

// What this rank has not made itself.
template <class T>
void TwoSidedSolve<T>::receive(const TwoSidedPanels<T>& at) {
  const int column = steps_.across.of_block(k_);
  const std::int64_t before = steps_.columns_before(place_.column, k_);
  if (!place_.owns_row(k_) && before > 0) {
    messages_.receive(place_.at(steps_.down.of_block(k_), place_.column), row_of_a, at.row,
                      {{0, width_ * before}});
  }
  if (!place_.owns_column(k_)) {
    messages_.receive(place_.at(place_.row, column), to_the_right, at.left,
                      {{0, left_words(place_.row, place_.column)}});
  }
  const std::int64_t first = steps_.columns_until(place_.column, k_);
  for (int r = 0; r < steps_.down.classes && updates_behind(place_.row, place_.column); ++r) {
    const std::vector<comm::Run> shared = runs(r, place_.column, steps_.across, first);
    if (shared.empty()) continue;
    if (r != place_.row || !place_.owns_column(k_)) {
      messages_.receive(place_.at(r, column), below_and_above, at.right, shared);
      continue;
    }
    const std::vector<comm::Run> own =
        runs(r, place_.column, steps_.down, steps_.rows_until(r, k_));
    // the same blocks, in fewer or more runs
    std::vector<T> words;
    for (const comm::Run& x : own) {
      words.insert(words.end(), at.turned + x.offset, at.turned + x.offset + x.length);
    }
    const T* next = words.data();
    for (const comm::Run& x : shared) {
      std::copy_n(next, x.length, at.right + x.offset);
      next += x.length;
    }
  }
  messages_.await();
}

// The block on the diagonal of block column j, whose lower triangle alone is stored.
template <class T>
void TwoSidedSolve<T>::update_diagonal(std::int64_t j, std::int64_t before,
                                       const TwoSidedPanels<T>& at) {
  const std::int64_t size = steps_.across.block_size(j);
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  const std::int64_t row = steps_.down.position(j);
  const std::int64_t column = steps_.across.position(j);
  blas::gemm(size, size, 2 * width_, T(1),
             {at.left + row - steps_.rows_until(place_.row, k_), rows},
             {at.right + 2 * width_ * (column - before), 2 * width_}, T(0), at.scratch, size);
  a_.at(row, column).for_each(size, size, [&](std::int64_t r, std::int64_t c, T& x) {
    if (r < c) return;
    x -= at.scratch[r + c * size];
    if (r == c) x = std::real(x);
  });
}

// A(i, j) -= L(i, k) A(k, j) for j < k, and for j > k what the two panels make.
template <class T>
void TwoSidedSolve<T>::update(const TwoSidedPanels<T>& at) {
  constexpr std::int64_t joined = 4;  // block columns that make one large product
  const std::int64_t rows = steps_.rows_after(place_.row, k_);
  const std::int64_t first = steps_.rows_until(place_.row, k_);
  const std::int64_t before = steps_.columns_until(place_.column, k_);
  subtract(a_.at(first, 0), rows, steps_.columns_before(place_.column, k_), width_, at.left,
           at.row);
  const auto add = [&](std::int64_t row, std::int64_t end, std::int64_t column,
                       std::int64_t columns) {
    if (end <= row) return;
    const View<T> c = a_.at(row, column);
    const blas::Factor<T> left{at.left + row - first, rows, c.transposed ? 'T' : 'N'};
    const blas::Factor<T> right{at.right + 2 * width_ * (column - before), 2 * width_,
                                c.transposed ? 'T' : 'N'};
    if (c.transposed) {
      blas::gemm(columns, end - row, 2 * width_, T(-1), right, left, T(1), c.data, c.leading);
    } else {
      blas::gemm(end - row, columns, 2 * width_, T(-1), left, right, T(1), c.data, c.leading);
    }
  };
  const std::int64_t apart = steps_.across.classes;
  std::int64_t begin = k_ + 1 + (place_.column - (k_ + 1) % apart + apart) % apart;
  for (; begin < steps_.count(); begin += joined * apart) {
    const std::int64_t last =
        begin + std::min(joined - 1, (steps_.count() - 1 - begin) / apart) * apart;
    const std::int64_t below = steps_.rows_until(place_.row, last);
    const std::int64_t column = steps_.across.position(begin);
    add(below, first + rows, column, steps_.columns_until(place_.column, last) - column);
    for (std::int64_t j = begin; j <= last; j += apart) {
      add(steps_.rows_until(place_.row, j), below, steps_.across.position(j),
          steps_.across.block_size(j));
      if (place_.owns_row(j)) update_diagonal(j, before, at);
    }
  }
}

template <class T>
void TwoSidedSolve<T>::step(std::int64_t k, const TwoSidedPanels<T>& at) {
  k_ = k;
  width_ = steps_.down.block_size(k);
  const bool row = place_.owns_row(k);
  const bool column = place_.owns_column(k);
  const bool rows_left = steps_.rows_after(place_.row, k) > 0;
  if (row && column) solve_diagonal(at);
  if (column && rows_left) {
    if (!row) take_diagonal(at, true);
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
std::int64_t two_sided_words(const Place& place) {
  return TwoSidedPanels<T>::words(place);
}

template <class T>
void solve_on_both_sides(const comm::Communicator& communicator, const Place& place,
                         const View<T>& a, const View<const T>& l, T* memory, Traffic& traffic) {
  if (!place.inside()) return;
  StepMessages messages(communicator, traffic);
  TwoSidedSolve<T> solve(place, a, l, messages);
  for (std::int64_t k = 0; k < place.steps.count(); ++k) {
    messages.begin_step();
    solve.step(k, TwoSidedPanels<T>(place, k, memory));
  }
  messages.finish();
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                               \
  template std::int64_t two_sided_words<T>(const Place&);                                    \
  template void solve_on_both_sides(const comm::Communicator&, const Place&, const View<T>&, \
                                    const View<const T>&, T*, Traffic&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_INSTANTIATE(float)
REDBLUE_INSTANTIATE(double)
REDBLUE_INSTANTIATE(std::complex<float>)
REDBLUE_INSTANTIATE(std::complex<double>)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg::inverse
