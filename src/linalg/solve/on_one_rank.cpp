// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solve/on_one_rank.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "comm/number.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/plan/caller_layouts.hpp"

namespace redblue::linalg {

using layout::StoredBlock;

namespace {

// op(T) X = B of columns, or of rows X' op'(T) = B' where X is stored by rows; nothing where BLAS
// has no such operation.
std::optional<lapack::TriangularForm> form(const Pass& pass, bool by_rows, bool conjugate) {
  lapack::TriangularForm result;
  result.triangle = pass.triangle == Triangle::lower ? 'L' : 'U';
  result.unit = pass.unit;
  if (!by_rows) {
    if (conjugate) return std::nullopt;
    result.op = letter(pass.op);
    return result;
  }
  result.side = lapack::Side::right;
  if (pass.op == Op::conjugate_transpose || (conjugate && pass.op != Op::none)) return std::nullopt;
  result.op = letter(pass.op == Op::transpose ? Op::none
                     : conjugate              ? Op::conjugate_transpose
                                              : Op::transpose);
  return result;
}

// Columns of right-hand sides, wherever they are stored.
struct Columns {
  std::int64_t down, across;  // words from a row to the next, from a column to the next
  explicit Columns(const StoredBlock& x)
      : down(x.row_major ? x.leading : 1), across(x.row_major ? 1 : x.leading) {}
};

template <class T>
void permute(const layout::Arrangement& of, const StoredBlock& at,
             const std::vector<std::int64_t>& rows, bool before, T* x) {
  const Columns step(at);
  std::vector<T> column(rows.size());
  for (std::int64_t c = 0; c < of.columns; ++c) {
    T* const first = x + c * step.across;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto here = static_cast<std::int64_t>(i);
      if (before) {
        column[i] = first[rows[i] * step.down];
      } else {
        column[static_cast<std::size_t>(rows[i])] = first[here * step.down];
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i)
      first[static_cast<std::int64_t>(i) * step.down] = column[i];
  }
}

template <class T>
void scale(const layout::Arrangement& of, const StoredBlock& at, T alpha, T* x) {
  if (alpha == T(1)) return;
  const Columns step(at);
  for (std::int64_t c = 0; c < of.columns; ++c) {
    for (std::int64_t r = 0; r < of.rows; ++r) {
      T& value = x[r * step.down + c * step.across];
      value = alpha == T(0) ? T(0) : alpha * value;
    }
  }
}

}  // namespace

std::optional<OnOneRank> on_one_rank(const SolveSetup& setup, int ranks) {
  if (ranks != 1) return std::nullopt;
  const auto t = layout::stored_by_columns(arrangement_of(setup.triangles, Op::none, ranks));
  const auto x = layout::stored_whole(setup.rhs);
  if (!t || !x) return std::nullopt;
  for (const Pass& pass : setup.passes) {
    if (!form(pass, x->row_major, setup.conjugate_rhs)) return std::nullopt;
  }
  return OnOneRank{*t, *x};
}

template <class T>
void solve_on_one_rank(const SolveSetup& setup, const OnOneRank& at, T alpha, const T* triangles,
                       T* b, const typename PlacedSolve<T>::RowOrder& order) {
  const layout::Arrangement& of = setup.rhs;
  T* const x = b + at.rhs.offset;
  scale(of, at.rhs, alpha, x);
  if (alpha == T(0)) return;
  const auto reorder = [&](bool before) {
    if (order.rows != nullptr && order.before == before)
      permute(of, at.rhs, *order.rows, before, x);
  };
  reorder(true);
  const bool by_rows = at.rhs.row_major;
  for (const Pass& pass : setup.passes) {
    lapack::solve(*form(pass, by_rows, setup.conjugate_rhs), by_rows ? of.columns : of.rows,
                  by_rows ? of.rows : of.columns, triangles + at.triangles.offset,
                  at.triangles.leading, x, at.rhs.leading);
  }
  reorder(false);
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                          \
  template void solve_on_one_rank(const SolveSetup&, const OnOneRank&, T, const T*, T*, \
                                  const PlacedSolve<T>::RowOrder&);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_FOR_ALL_NUMBERS(REDBLUE_INSTANTIATE)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::linalg
