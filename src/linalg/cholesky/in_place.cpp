// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky/in_place.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/number.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/copy_rows.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/plan/packed_triangle.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::conjugated;
using comm::Message;

namespace {

enum Tag { diagonal_tag, rows_tag, columns_tag };

// to(c, r) = the conjugate of from(r, c), column-major, in squares that stay in the cache.
template <class T>
void copy_transposed(const T* from, std::int64_t leading, std::int64_t rows, std::int64_t columns,
                     T* to) {
  constexpr std::int64_t side = 16;
  for (std::int64_t r = 0; r < rows; r += side) {
    for (std::int64_t c = 0; c < columns; c += side) {
      for (std::int64_t i = r; i < std::min(rows, r + side); ++i) {
        for (std::int64_t j = c; j < std::min(columns, c + side); ++j)
          to[j + i * columns] = conjugated(from[i + j * leading]);
      }
    }
  }
}

}  // namespace

template <class T>
CholeskyInPlace<T>::CholeskyInPlace(const CholeskyDecomposition& d, GridRanks grid, Rank me)
    : steps_(d), ranks_(std::move(grid)) {
  const auto place = place_of(ranks_, d.grid_columns, me);
  takes_part_ = place.has_value();
  if (!takes_part_) return;
  row_ = place->row;
  column_ = place->column;
  rows_ = steps_.down().size(row_);
  columns_ = steps_.across().size(column_);
  buffers_ = grid_buffers(d, rows_, columns_);
  together_ = buffers_.leading / d.block;
}

template <class T>
typename CholeskyInPlace<T>::Factors CholeskyInPlace<T>::factors(std::int64_t step,
                                                                 T* workspace) const {
  T* const first = workspace + buffers_.square + 2 * (buffers_.triangle + buffers_.sent) +
                   buffers_.received + buffers_.received_columns +
                   step / together_ % 2 * buffers_.factors;
  return {first, first + rows_ * buffers_.leading};
}

template <class T>
T* CholeskyInPlace<T>::triangle(std::int64_t step, T* workspace) const {
  return workspace + buffers_.square + step % 2 * buffers_.triangle;
}

template <class T>
T* CholeskyInPlace<T>::panel(std::int64_t step, T* workspace) const {
  if (together_ == 1) return factors(step, workspace).rows;
  T* const first = workspace + buffers_.square + 2 * buffers_.triangle;
  return solves(step) ? first + step % 2 * buffers_.sent : first + 2 * buffers_.sent;
}

template <class T>
T* CholeskyInPlace<T>::received_columns(T* workspace) const {
  return workspace + buffers_.square + 2 * (buffers_.triangle + buffers_.sent) + buffers_.received;
}

// What this rank needs of L(:, K): L(I_s, K) of its grid row, and of others their rows of J_q.
template <class T>
void CholeskyInPlace<T>::post(const Communicator& communicator, std::int64_t step, T* workspace,
                              Traffic& traffic) {
  const std::int64_t width = steps_.down().block_size(step);
  const int source = steps_.across().of_block(step);
  const auto receive = [&](int row, int tag, T* to, std::int64_t words) {
    if (words == 0) return;
    const Message message = Message::of<T>(rank_at(row, source), tag, {{0, words}});
    communicator.receive(to, message, receives_, traffic);
  };
  if (!solves(step)) {
    const Range rows = steps_.rows_needed(row_, column_, step);
    receive(row_, rows_tag, panel(step, workspace) + rows.begin * width, rows.size() * width);
  }
  T* next = received_columns(workspace);
  for (int s = 0; s < steps_.down().classes; ++s) {
    if (s == row_) continue;
    const std::int64_t words = steps_.height(steps_.columns_needed(row_, column_, s, step)) * width;
    receive(s, columns_tag, next, words);
    next += words;
  }
}

// L(J_q, K)' of the rows of J_q in I_s.
template <class T>
void CholeskyInPlace<T>::own_columns(std::int64_t step, const Factors& at) const {
  const std::int64_t width = steps_.down().block_size(step);
  const Range blocks = steps_.columns_needed(row_, column_, row_, step);
  for (std::int64_t b = blocks.begin; b < blocks.end; b += steps_.both().classes) {
    const T* from = at.rows + steps_.down().position(b) * buffers_.leading;
    T* to = at.columns + steps_.across().position(b) * buffers_.leading;
    copy_rows(width, steps_.down().block_size(b), from, buffers_.leading, to, buffers_.leading);
  }
}

// L(I_s, K)' of these rows, where it does not lie there, to where update() takes it.
template <class T>
void CholeskyInPlace<T>::keep_rows(std::int64_t step, const Range& rows, T* workspace) const {
  if (together_ == 1) return;
  const std::int64_t width = steps_.down().block_size(step);
  const std::int64_t leading = buffers_.leading;
  copy_rows(width, rows.size(), panel(step, workspace) + rows.begin * width, width,
            factors(step, workspace).rows + first_of(step) + rows.begin * leading, leading);
}

// What came, to where update() takes it.
template <class T>
void CholeskyInPlace<T>::unpack(std::int64_t step, T* workspace) const {
  const std::int64_t width = steps_.down().block_size(step);
  const std::int64_t leading = buffers_.leading;
  Factors at = factors(step, workspace);
  at.rows += first_of(step);
  at.columns += first_of(step);
  if (!solves(step)) keep_rows(step, steps_.rows_needed(row_, column_, step), workspace);
  own_columns(step, at);
  const T* next = received_columns(workspace);
  for (int s = 0; s < steps_.down().classes; ++s) {
    if (s == row_) continue;
    const Range blocks = steps_.columns_needed(row_, column_, s, step);
    for (std::int64_t b = blocks.begin; b < blocks.end; b += steps_.both().classes) {
      const std::int64_t count = steps_.across().block_size(b);
      copy_rows(width, count, next, width, at.columns + steps_.across().position(b) * leading,
                leading);
      next += count * width;
    }
  }
}

// L(K, K) = chol(A(K, K)) at its owner. Broadcast to the ranks of its grid column with rows below.
template <class T>
std::int64_t CholeskyInPlace<T>::factor_diagonal(const Communicator& communicator,
                                                 std::int64_t step, const LocalHalf<T>& a,
                                                 T* workspace, Traffic& traffic) {
  const std::int64_t width = steps_.down().block_size(step);
  const int owner = steps_.down().of_block(step);
  const std::vector<comm::Run> whole = {{0, width * (width + 1) / 2}};
  T* const packed = triangle(step, workspace);
  if (owner != row_) {
    if (!steps_.needs_diagonal(row_, step)) return 0;
    std::vector<MPI_Request> arriving;
    communicator.receive(packed, Message::of<T>(rank_at(owner, column_), diagonal_tag, whole),
                         arriving, traffic);
    Communicator::wait_briefly(arriving);
    unpack_triangle(packed, width, !a.upper, workspace);
    return 0;
  }
  T* const square = a.at(steps_.down().position(step), steps_.across().position(step));
  const std::int64_t info = lapack::cholesky(a.triangle(), width, square, a.leading);
  const bool needed = steps_.down().classes > 1 && step + 1 < steps_.count();
  if (needed) pack_triangle(square, a.leading, width, !a.upper, packed);
  for (int s = 0; s < steps_.down().classes; ++s) {
    if (!steps_.needs_diagonal(s, step)) continue;
    communicator.send(packed, Message::of<T>(rank_at(s, column_), diagonal_tag, whole),
                      sends_[static_cast<std::size_t>(step % 2)], traffic);
  }
  return info == 0 ? 0 : step * steps_.down().block + info;
}

// L(I_s > k, K) = A(I_s > k, K) L(K, K)'^-1, also to where update() takes it.
template <class T>
void CholeskyInPlace<T>::solve_panel(std::int64_t step, const LocalHalf<T>& a, T* workspace) const {
  const std::int64_t width = steps_.down().block_size(step);
  const std::int64_t count = steps_.down().after(row_, step);
  if (count == 0) return;
  const bool owns = steps_.down().of_block(step) == row_;
  const std::int64_t column = steps_.across().position(step);
  const T* const square = owns ? a.at(steps_.down().position(step), column) : workspace;
  const std::int64_t leading = owns ? a.leading : width;
  const std::int64_t first = rows_ - count;
  T* const stored = a.at(first, column);
  T* const packed = panel(step, workspace) + first * width;
  if (a.upper) {
    lapack::solve({lapack::Side::left, 'U', 'C', false}, width, count, square, leading, stored,
                  a.leading);
    copy_rows(width, count, stored, a.leading, packed, width);
  } else {
    lapack::solve({lapack::Side::right, 'L', 'C', false}, count, width, square, leading, stored,
                  a.leading);
    copy_transposed(stored, a.leading, count, width, packed);
  }
  keep_rows(step, {first, rows_}, workspace);
}

// L(I_s, K) to the ranks of this grid row, and its rows of J_q to the other ranks of grid column q.
template <class T>
void CholeskyInPlace<T>::send_panel(const Communicator& communicator, std::int64_t step,
                                    T* workspace, Traffic& traffic) {
  const std::int64_t width = steps_.down().block_size(step);
  std::vector<MPI_Request>& sends = sends_[static_cast<std::size_t>(step % 2)];
  const T* const packed = panel(step, workspace);
  const int others = steps_.across().classes;
  for (int turn = 1; turn <= others; ++turn) {  // the next step's column first
    const int q = (column_ + turn) % others;
    const Range rows = steps_.rows_needed(row_, q, step);
    if (q != column_ && rows.size() > 0) {
      const comm::Run run{rows.begin * width, rows.size() * width};
      communicator.send(packed, Message::of<T>(rank_at(row_, q), rows_tag, {run}), sends, traffic);
    }
    for (int s = 0; s < steps_.down().classes; ++s) {
      const Range blocks = steps_.columns_needed(s, q, row_, step);
      if (s == row_ || blocks.size() == 0) continue;
      std::vector<comm::Run> runs;
      for (std::int64_t b = blocks.begin; b < blocks.end; b += steps_.both().classes) {
        comm::append(runs,
                     {steps_.down().position(b) * width, steps_.down().block_size(b) * width});
      }
      communicator.send(packed, Message::of<T>(rank_at(s, q), columns_tag, runs), sends, traffic);
    }
  }
}

// The step's columns are solved for, and its panel is on its way.
template <class T>
std::int64_t CholeskyInPlace<T>::prepare(const Communicator& communicator, std::int64_t step,
                                         const LocalHalf<T>& a, T* workspace, Traffic& traffic) {
  Communicator::wait(sends_[static_cast<std::size_t>(step % 2)]);  // of two steps before
  post(communicator, step, workspace, traffic);
  if (!solves(step)) return 0;
  const std::int64_t info = factor_diagonal(communicator, step, a, workspace, traffic);
  solve_panel(step, a, workspace);
  send_panel(communicator, step, workspace, traffic);
  return info;
}

// A(rows, columns) -= L(rows, G) L(columns, G)', by positions in this rank's classes.
template <class T>
void CholeskyInPlace<T>::subtract(const LocalHalf<T>& a, const Factors& at, std::int64_t depth,
                                  const Range& rows, const Range& columns) const {
  if (rows.size() <= 0 || columns.size() <= 0) return;
  const std::int64_t leading = buffers_.leading;
  blas::Factor<T> left = {at.rows + rows.begin * leading, leading, 'C'};
  blas::Factor<T> right = {at.columns + columns.begin * leading, leading, 'N'};
  T* const c = a.at(rows.begin, columns.begin);
  if (a.upper) {
    std::swap(left.op, right.op);
    blas::gemm(columns.size(), rows.size(), depth, T(-1), right, left, T(1), c, a.leading);
  } else {
    blas::gemm(rows.size(), columns.size(), depth, T(-1), left, right, T(1), c, a.leading);
  }
}

// A -= L(:, G) L(:, G)' in block columns number columns.begin .. end - 1 of this rank, on and below
// the diagonal, rows before `rows`. By halves: what is below the first half's triangle is one
// rectangle.
template <class T>
void CholeskyInPlace<T>::update(const LocalHalf<T>& a, const Factors& at, std::int64_t depth,
                                const Range& columns, std::int64_t rows) const {
  if (columns.size() <= 0 || depth == 0) return;
  const CyclicClasses& down = steps_.down();
  const auto block = [this](std::int64_t number) {
    return column_ + number * steps_.across().classes;
  };
  const auto position = [this](std::int64_t number) {
    return std::min(number * steps_.across().block, columns_);
  };
  if (columns.size() == 1) {
    const std::int64_t b = block(columns.begin);
    const Range across{position(columns.begin), position(columns.end)};
    const std::int64_t first = down.before(row_, b);
    if (down.of_block(b) == row_ && first < rows) {
      const blas::Factor<T> left = {at.rows + first * buffers_.leading, buffers_.leading, 'C'};
      blas::rank_k(true, a.triangle(), across.size(), depth, T(-1), left, T(1),
                   a.at(first, across.begin), a.leading);
    }
    subtract(a, at, depth, {down.before(row_, b + 1), rows}, across);
    return;
  }
  const std::int64_t middle = columns.begin + columns.size() / 2;
  const std::int64_t below = std::min(rows, down.before(row_, block(middle)));
  update(a, at, depth, {columns.begin, middle}, below);
  subtract(a, at, depth, {below, rows}, {position(columns.begin), position(middle)});
  update(a, at, depth, {middle, columns.end}, rows);
}

// The first of some block columns that still lack an update; they are this rank's, by number.
template <class T>
void CholeskyInPlace<T>::catch_up(const LocalHalf<T>& a, Delayed& update_of,
                                  std::int64_t until) const {
  Range& columns = update_of.columns;
  const std::int64_t end = std::min(until, columns.end);
  if (end <= columns.begin) return;
  update(a, update_of.factors, update_of.depth, {columns.begin, end}, rows_);
  columns.begin = end;
}

template <class T>
std::int64_t CholeskyInPlace<T>::factor(const Communicator& communicator, const LocalHalf<T>& a,
                                        T* workspace, Traffic& traffic) {
  if (!takes_part_ || steps_.count() == 0) return 0;
  // of this rank's block columns, the number of those before a block
  const auto before = [this](std::int64_t block) {
    return steps_.across().blocks_before(column_, block);
  };
  Delayed rest{};
  std::int64_t steps_left = 0;  // over which the rest is spread
  std::int64_t info = prepare(communicator, 0, a, workspace, traffic);
  for (std::int64_t k = 0; k + 1 < steps_.count(); ++k) {
    Communicator::wait_briefly(receives_);
    unpack(k, workspace);
    const Factors at = factors(k, workspace);
    const std::int64_t depth = first_of(k) + steps_.down().block;
    catch_up(a, rest, before(k + 2));
    update(a, at, depth, {before(k + 1), before(k + 2)}, rows_);
    const std::int64_t found = prepare(communicator, k + 1, a, workspace, traffic);
    if (info == 0) info = found;
    if ((k + 1) % together_ == 0) {
      rest = {at, depth, {before(k + 2), before(steps_.count())}};
      steps_left = std::max<std::int64_t>(1, together_ - 1);
    }
    if (steps_left == 0) continue;
    const std::int64_t share = (rest.columns.size() + steps_left - 1) / steps_left;
    catch_up(a, rest, rest.columns.begin + share);
    --steps_left;
  }
  for (std::vector<MPI_Request>& sends : sends_) Communicator::wait(sends);
  return info;
}

template class CholeskyInPlace<float>;
template class CholeskyInPlace<double>;
template class CholeskyInPlace<std::complex<float>>;
template class CholeskyInPlace<std::complex<double>>;

}  // namespace redblue::linalg
