// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solve/substitution.hpp"

#include <algorithm>
#include <complex>
#include <map>
#include <utility>

#include "comm/phases.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/plan/packed_triangle.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;
using layout::Interval;

namespace {

enum Tag { sums_tag = 4, diagonal_tag, solution_tag };

// The block rows of one rank with the same chunk of columns, stored as one array.
struct Group {
  std::vector<Interval> rows;
  std::int64_t height = 0;
  std::int64_t offset = 0;
};

std::map<int, Group> groups(const TrsmSteps& steps, int row, int column) {
  std::map<int, Group> result;
  for (std::int64_t b = row; b < steps.count(); b += steps.down().classes) {
    const int chunk = steps.chunk_of(column, b);
    if (chunk < 0) continue;
    Group& group = result[chunk];
    const std::int64_t begin = b * steps.down().block;
    const std::int64_t height = steps.down().block_size(b);
    group.rows.push_back({begin, begin + height, group.height});
    group.height += height;
  }
  std::int64_t offset = 0;
  for (auto& [chunk, group] : result) {
    group.offset = offset;
    offset += group.height * steps.chunk(chunk).size();
  }
  return result;
}

}  // namespace

layout::Arrangement rhs_arrangement(const TrsmDecomposition& d, const GridRanks& grid, int ranks) {
  layout::Arrangement result{d.n, d.m, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  auto rank = grid.begin();
  for (int replica = 0; replica < d.replicas; ++replica) {
    const TrsmSteps steps(d, replica);
    for (int row = 0; row < d.grid_rows; ++row) {
      for (int column = 0; column < d.grid_columns; ++column, ++rank) {
        for (auto& [chunk, group] : groups(steps, row, column)) {
          const Range columns = {steps.columns().begin + steps.chunk(chunk).begin,
                                 steps.columns().begin + steps.chunk(chunk).end};
          if (columns.size() == 0) continue;
          result.of_rank[static_cast<std::size_t>(*rank)].push_back(
              {layout::IndexSet(std::move(group.rows)), layout::IndexSet(columns), group.offset,
               group.height, false, false});
        }
      }
    }
  }
  return result;
}

template <class T>
Substitution<T>::Substitution(const TrsmDecomposition& d, GridRanks grid, Rank me) : steps_(d, 0) {
  const auto place = place_of(grid, d.grid_columns, me);
  if (!place) return;
  const int replica = place->row / d.grid_rows;  // the grids of all replicas, one below the other
  row_ = place->row % d.grid_rows;
  column_ = place->column;
  steps_ = TrsmSteps(d, replica);
  takes_part_ = steps_.columns().size() > 0;
  const auto first = grid.begin() + std::ptrdiff_t{replica} * d.grid_rows * d.grid_columns;
  ranks_.assign(first, first + std::ptrdiff_t{d.grid_rows} * d.grid_columns);
  stored_.resize(static_cast<std::size_t>(steps_.count() / d.grid_rows + 1));
  for (const auto& [chunk, group] : groups(steps_, row_, column_)) {
    for (const Interval& rows : group.rows) {
      const std::int64_t b = rows.begin / d.block;
      stored_[static_cast<std::size_t>(b / d.grid_rows)] = {group.offset + rows.position,
                                                            group.height, false};
    }
    storage_ += group.height * steps_.chunk(chunk).size();
  }
  const std::int64_t wide = steps_.columns().size();
  for (int c = 0; c < steps_.chunks(); ++c) {
    chunk_words_ = std::max(chunk_words_, d.block * steps_.chunk(c).size());
  }
  sums_words_ = steps_.down().size(row_) * wide;
  const std::int64_t twice = d.block * wide + d.block * (d.block + 1) / 2 + chunk_words_;
  workspace_ = sums_words_ + 2 * twice + (d.grid_columns - 1) * chunk_words_ + d.block * wide +
               d.block * d.block;
}

template <class T>
typename Substitution<T>::Buffers Substitution<T>::buffers(std::int64_t step, T* workspace) const {
  const std::int64_t block = steps_.down().block;
  const std::int64_t rows = block * steps_.columns().size();
  T* next = workspace + sums_words_;
  const auto take = [&next](std::int64_t words) { return std::exchange(next, next + words); };
  Buffers b[2];
  for (Buffers& x : b) {
    x.sums = take(rows);
    x.diagonal = take(block * (block + 1) / 2);
    x.solved = take(chunk_words_);
  }
  Buffers result = b[step % 2];
  result.others = take((steps_.across().classes - 1) * chunk_words_);
  result.panel = take(rows);
  result.square = take(block * block);
  return result;
}

// S_q(i) to the solvers, each its chunk of columns. Reduce along the grid row, of which solve()
// receives the parts.
template <class T>
void Substitution<T>::send_sums(const Communicator& communicator, std::int64_t block, const T* sums,
                                const Buffers& at, Traffic& traffic) {
  const comm::InPhase reduces(comm::Phase::reduce);
  const std::int64_t width = steps_.down().block_size(block);
  const std::int64_t height = steps_.down().size(row_);
  for (std::int64_t c = 0; c < steps_.columns().size(); ++c) {
    std::copy_n(sums + steps_.down().position(block) + c * height, width, at.sums + c * width);
  }
  for (int c = 0; c < steps_.chunks(); ++c) {
    const int solver = steps_.solver(block, c);
    if (solver == column_) continue;
    const Range chunk = steps_.chunk(c);
    communicator.send(at.sums,
                      Message::of<T>(rank_at(row_, solver), sums_tag,
                                     {{width * chunk.begin, width * chunk.size()}}),
                      sends_, traffic);
  }
}

// op(T)(i, i), as it is stored, to the solvers. Broadcast along the grid row.
template <class T>
void Substitution<T>::send_diagonal(const Communicator& communicator, std::int64_t block,
                                    const LocalTriangle<T>& t, const Buffers& at,
                                    Traffic& traffic) {
  const std::int64_t width = steps_.down().block_size(block);
  pack_triangle(t.at(steps_.down().position(block), steps_.across().position(block)), t.leading,
                width, t.lower(steps_.backward()), at.diagonal);
  for (int c = 1; c < steps_.chunks(); ++c) {
    communicator.send(at.diagonal,
                      Message::of<T>(rank_at(row_, steps_.solver(block, c)), diagonal_tag,
                                     {{0, width * (width + 1) / 2}}),
                      sends_, traffic);
  }
}

// X(i, Y) = op(T)(i, i)^-1 (B(i, Y) - sum over q of S_q(i, Y)). Broadcast to the ranks of grid
// column i mod columns that have rows still to be solved.
template <class T>
void Substitution<T>::solve(const Communicator& communicator, std::int64_t block, int c,
                            const LocalTriangle<T>& t, T* x, const Buffers& at, Traffic& traffic) {
  const std::int64_t width = steps_.down().block_size(block);
  const Range chunk = steps_.chunk(c);
  const int diagonal = steps_.across().of_block(block);
  const layout::StoredBlock own = stored_[static_cast<std::size_t>(block / steps_.down().classes)];
  const std::int64_t words = width * chunk.size();
  std::vector<const T*> contributions;
  for (int q = 0; q < steps_.across().classes; ++q) {
    if (!steps_.contributes(q, block)) continue;
    if (q == column_) {
      contributions.push_back(at.sums + width * chunk.begin);
      continue;
    }
    T* sums = at.others + (q < column_ ? q : q - 1) * chunk_words_;
    communicator.receive(sums, Message::of<T>(rank_at(row_, q), sums_tag, {{0, words}}), receives_,
                         traffic);
    contributions.push_back(sums);
  }
  const bool lower = t.lower(steps_.backward());
  const T* square = t.at(steps_.down().position(block), steps_.across().position(block));
  std::int64_t leading = t.leading;
  if (diagonal != column_) {
    communicator.receive(
        at.diagonal,
        Message::of<T>(rank_at(row_, diagonal), diagonal_tag, {{0, width * (width + 1) / 2}}),
        receives_, traffic);
  }
  Communicator::wait(receives_);
  if (diagonal != column_) {
    unpack_triangle(at.diagonal, width, lower, at.square);
    square = at.square;
    leading = width;
  }
  for (const T* sums : contributions) {
    for (std::int64_t e = 0; e < chunk.size(); ++e) {
      T* column = x + own.offset + e * own.leading;
      for (std::int64_t r = 0; r < width; ++r) column[r] -= sums[r + e * width];
    }
  }
  lapack::solve({lapack::Side::left, lower ? 'L' : 'U', t.op, t.unit}, width, chunk.size(), square,
                leading, x + own.offset, own.leading);
  for (std::int64_t e = 0; e < chunk.size(); ++e) {
    std::copy_n(x + own.offset + e * own.leading, width, at.solved + e * width);
  }
  for (int k = 0; k < steps_.down().classes; ++k) {
    if (steps_.left(k, block) == 0 || (k == row_ && diagonal == column_)) continue;
    communicator.send(at.solved,
                      Message::of<T>(rank_at(k, diagonal), solution_tag + c, {{0, words}}), sends_,
                      traffic);
  }
}

// S_q(j) += op(T)(j, i) X(i, :) for this rank's block rows j that are still to be solved, q = i mod
// columns. X(i, :) comes in chunks from the solvers.
template <class T>
void Substitution<T>::update(const Communicator& communicator, std::int64_t block,
                             const LocalTriangle<T>& t, bool first, T* sums, const Buffers& at,
                             Traffic& traffic) {
  const std::int64_t width = steps_.down().block_size(block);
  const int row = steps_.down().of_block(block);
  const std::int64_t left = steps_.left(row_, block);
  for (int c = 0; c < steps_.chunks(); ++c) {
    const Range chunk = steps_.chunk(c);
    const std::int64_t words = width * chunk.size();
    T* panel = at.panel + width * chunk.begin;
    const int solver = steps_.solver(block, c);
    if (solver == column_ && row == row_) {
      std::copy_n(at.solved, words, panel);
      continue;
    }
    communicator.receive(panel,
                         Message::of<T>(rank_at(row, solver), solution_tag + c, {{0, words}}),
                         receives_, traffic);
  }
  Communicator::wait(receives_);
  const std::int64_t begin = steps_.backward() ? 0 : steps_.down().size(row_) - left;
  blas::gemm(left, steps_.columns().size(), width, T(1),
             {t.at(begin, steps_.across().position(block)), t.leading, t.op}, {at.panel, width},
             first ? T(0) : T(1), sums + begin, steps_.down().size(row_));
}

template <class T>
void Substitution<T>::execute(const Communicator& communicator, const LocalTriangle<T>& t, T* x,
                              T* workspace, Traffic& traffic) {
  if (!takes_part_) return;
  std::vector<MPI_Request> earlier;  // sends of the step before
  bool first = true;
  for (std::int64_t s = 0; s < steps_.count(); ++s) {
    const std::int64_t b = steps_.block(s);
    const Buffers at = buffers(s, workspace);
    const bool diagonal = steps_.across().of_block(b) == column_;
    Communicator::wait(earlier);
    std::swap(earlier, sends_);
    if (steps_.down().of_block(b) == row_) {
      // X(i, Y) = op(T)(i, i)^-1 (B(i, Y) - sum over q of S_q(i, Y)), i = b
      if (steps_.contributes(column_, b)) send_sums(communicator, b, workspace, at, traffic);
      if (diagonal && steps_.chunks() > 1) send_diagonal(communicator, b, t, at, traffic);
      const int chunk = steps_.chunk_of(column_, b);
      if (chunk >= 0) solve(communicator, b, chunk, t, x, at, traffic);
    }
    if (diagonal && steps_.left(row_, b) > 0) {
      // S_q(j) += op(T)(j, i) X(i, :) for all j still to be solved
      update(communicator, b, t, first, workspace, at, traffic);
      first = false;
    }
  }
  Communicator::wait(earlier);
  Communicator::wait(sends_);
}

template class Substitution<float>;
template class Substitution<double>;
template class Substitution<std::complex<float>>;
template class Substitution<std::complex<double>>;

}  // namespace redblue::linalg
