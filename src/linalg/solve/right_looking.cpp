// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solve/right_looking.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "linalg/blas/blas.hpp"
#include "linalg/blas/copy_rows.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/plan/packed_triangle.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { panel_tag = 4, solution_tag };

}  // namespace

layout::Arrangement rhs_in_place(const TrsmDecomposition& d, const GridRanks& grid, int ranks) {
  layout::Arrangement result{d.n, d.m, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  const TrsmSteps steps(d, 0);
  const CyclicClasses sides = rhs_columns(d);
  auto rank = grid.begin();
  for (int row = 0; row < d.grid_rows; ++row) {
    for (int column = 0; column < d.grid_columns; ++column, ++rank) {
      layout::IndexSet down = indices_of(steps.down(), row);
      layout::IndexSet across = indices_of(sides, column);
      if (down.empty() || across.empty()) continue;
      result.of_rank[static_cast<std::size_t>(*rank)].push_back(layout::dense_patch(down, across));
    }
  }
  return result;
}

template <class T>
RightLooking<T>::RightLooking(const TrsmDecomposition& d, GridRanks grid, Rank me)
    : steps_(d, 0), sides_(rhs_columns(d)), ranks_(std::move(grid)) {
  const auto place = place_of(ranks_, d.grid_columns, me);
  takes_part_ = place.has_value();
  opposite_ = d.transposed_grid;
  if (!takes_part_) return;
  row_ = place->row;
  column_ = place->column;
  rows_ = steps_.down().size(row_);
  columns_ = sides_.size(column_);
  // what the opposite rank's row needs is packed here
  const std::int64_t packed = opposite_ ? std::max(rows_, steps_.down().size(column_)) : rows_;
  buffers_ = right_looking_buffers(d, packed, columns_);
}

template <class T>
typename RightLooking<T>::Step RightLooking<T>::step(std::int64_t number) const {
  Step s;
  s.block = steps_.block(number);
  s.width = steps_.down().block_size(s.block);
  s.row = steps_.down().of_block(s.block);
  s.left = steps_.left(row_, s.block);
  s.solves = s.row == row_;
  const int column = opposite_ ? row_ : steps_.across().of_block(s.block);
  const int row = opposite_ ? s.row : row_;
  s.source = rank_at(row, column).value;
  s.stored = row == row_ && column == column_;
  return s;
}

template <class T>
typename RightLooking<T>::Panel RightLooking<T>::panel(int row, const Step& s) const {
  const std::int64_t left = steps_.left(row, s.block);
  const std::int64_t triangle = row == s.row ? s.width * (s.width + 1) / 2 : 0;
  return {steps_.backward() ? 0 : steps_.down().size(row) - left, left, triangle};
}

template <class T>
typename RightLooking<T>::Buffers RightLooking<T>::buffers(std::int64_t number,
                                                           T* workspace) const {
  T* const mine = workspace + buffers_.square + number % 2 * buffers_.of_step();
  T* const solved = mine + buffers_.panel + buffers_.packed;
  return {mine, solved - buffers_.panel, solved};
}

// op(T)(i, i), its triangle, and op(T)(j, i) behind it, to the ranks of a grid row. Broadcast.
template <class T>
void RightLooking<T>::send_panel(const Communicator& communicator, int row, const Step& s,
                                 const LocalTriangle<T>& t, T* packed,
                                 std::vector<MPI_Request>& sends, Traffic& traffic) const {
  const Panel p = panel(row, s);
  const std::int64_t column = steps_.across().position(s.block);
  T* next = packed;
  if (p.triangle > 0) {
    next = pack_triangle(t.at(steps_.down().position(s.block), column), t.leading, s.width,
                         t.lower(steps_.backward()), next);
  }
  const T* const below = t.at(p.first, column);
  const std::int64_t height = t.op == 'N' ? p.left : s.width;
  const std::int64_t across = t.op == 'N' ? s.width : p.left;
  copy_rows(height, across, below, t.leading, next, height);
  for (int q = 0; q < sides_.classes; ++q) {
    if ((row == row_ && q == column_) || sides_.size(q) == 0) continue;
    communicator.send(packed, Message::of<T>(rank_at(row, q), panel_tag, {{0, p.words(s.width)}}),
                      sends, traffic);
  }
}

// What this rank needs of others for a step, and its blocks of T to others.
template <class T>
void RightLooking<T>::post(const Communicator& communicator, std::int64_t number,
                           const LocalTriangle<T>& t, T* workspace, Traffic& traffic) {
  const Step s = step(number);
  const auto parity = static_cast<std::size_t>(number % 2);
  const Buffers at = buffers(number, workspace);
  Communicator::wait(sends_[parity]);  // of two steps before, from the same buffers
  const std::int64_t words = panel(row_, s).words(s.width);
  if (!s.stored && columns_ > 0 && words > 0) {
    communicator.receive(at.panel, Message::of<T>(Rank{s.source}, panel_tag, {{0, words}}),
                         receives_[parity], traffic);
  }
  const int served = opposite_ ? column_ : row_;
  const bool owns = opposite_ ? s.solves : steps_.across().of_block(s.block) == column_;
  if (owns && sides_.classes > 1 && panel(served, s).words(s.width) > 0) {
    send_panel(communicator, served, s, t, at.packed, sends_[parity], traffic);
  }
  if (s.left == 0 || s.solves || columns_ == 0) return;
  const Message solution =
      Message::of<T>(rank_at(s.row, column_), solution_tag, {{0, s.width * columns_}});
  communicator.receive(at.solved, solution, receives_[parity], traffic);
}

// X_q(i) = op(T)(i, i)^-1 B_q(i). Broadcast along the grid column.
template <class T>
void RightLooking<T>::solve(const Communicator& communicator, std::int64_t number,
                            const LocalTriangle<T>& t, T* x, T* workspace, Traffic& traffic) {
  const Step s = step(number);
  const auto parity = static_cast<std::size_t>(number % 2);
  const Buffers at = buffers(number, workspace);
  Communicator::wait_briefly(receives_[parity]);
  const bool lower = t.lower(steps_.backward());
  if (!s.stored) unpack_triangle(at.panel, s.width, lower, workspace);
  const T* const square =
      s.stored ? t.at(steps_.down().position(s.block), steps_.across().position(s.block))
               : workspace;
  T* const mine = x + steps_.down().position(s.block);
  lapack::solve({lapack::Side::left, lower ? 'L' : 'U', t.op, t.unit}, s.width, columns_, square,
                s.stored ? t.leading : s.width, mine, rows_);
  copy_rows(s.width, columns_, mine, rows_, at.solved, s.width);
  for (int k = 0; k < steps_.down().classes; ++k) {
    if (k == row_ || steps_.left(k, s.block) == 0) continue;
    communicator.send(at.solved,
                      Message::of<T>(rank_at(k, column_), solution_tag, {{0, s.width * columns_}}),
                      sends_[parity], traffic);
  }
}

// B_q(j) -= op(T)(j, i) X_q(i), j in these of the rows that are left.
template <class T>
void RightLooking<T>::update(const LocalTriangle<T>& t, const Step& s, const Buffers& at,
                             const Range& rows, T* x) const {
  if (rows.size() <= 0) return;
  const Panel p = panel(row_, s);
  const std::int64_t leading = s.stored ? t.leading : t.op == 'N' ? p.left : s.width;
  const T* const below =
      s.stored ? t.at(p.first, steps_.across().position(s.block)) : at.panel + p.triangle;
  blas::gemm(rows.size(), columns_, s.width, T(-1),
             {below + (t.op == 'N' ? rows.begin : rows.begin * leading), leading, t.op},
             {at.solved, s.width}, T(1), x + p.first + rows.begin, rows_);
}

template <class T>
void RightLooking<T>::execute(const Communicator& communicator, const LocalTriangle<T>& t, T* x,
                              T* workspace, Traffic& traffic) {
  if (!takes_part_ || steps_.count() == 0) return;
  post(communicator, 0, t, workspace, traffic);
  if (step(0).solves && columns_ > 0) solve(communicator, 0, t, x, workspace, traffic);
  for (std::int64_t i = 0; i < steps_.count(); ++i) {
    const bool more = i + 1 < steps_.count();
    if (more) post(communicator, i + 1, t, workspace, traffic);
    const Step s = step(i);
    if (s.left == 0 || columns_ == 0) continue;
    const Buffers at = buffers(i, workspace);
    Communicator::wait_briefly(receives_[static_cast<std::size_t>(i % 2)]);
    Range rest = {0, s.left};
    if (more && step(i + 1).solves) {
      const std::int64_t width = step(i + 1).width;
      const Range next = steps_.backward() ? Range{s.left - width, s.left} : Range{0, width};
      rest = steps_.backward() ? Range{0, s.left - width} : Range{width, s.left};
      update(t, s, at, next, x);
      solve(communicator, i + 1, t, x, workspace, traffic);
    }
    update(t, s, at, rest, x);
  }
  for (std::vector<MPI_Request>& sends : sends_) Communicator::wait(sends);
}

template class RightLooking<float>;
template class RightLooking<double>;
template class RightLooking<std::complex<float>>;
template class RightLooking<std::complex<double>>;

}  // namespace redblue::linalg
