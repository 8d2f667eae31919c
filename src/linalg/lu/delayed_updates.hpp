// SPDX-License-Identifier: BSD-3-Clause
// Delayed rank-k updates of an LU factorization's trailing matrix (linalg/lu/lu.hpp):
//
//   A_l(R, J) -= L(R, D) U(D, J)
//
// D are the pivots of the last steps, each step's chunk K_l. When D is large enough, one
// multiplication and one pass over the matrix do the updates of all these steps. A panel's columns
// and pivots' rows get theirs before they are used.
#pragma once

#include <cstdint>
#include <vector>

#include "linalg/blas/blas.hpp"
#include "linalg/lu/active_rows.hpp"

namespace redblue::linalg {

template <class T>
class DelayedUpdates {
 public:
  // Of a matrix with columns `leading` words apart; |D| is at most `most` pivots. Nothing is
  // delayed if that is 0.
  DelayedUpdates(std::int64_t leading, std::int64_t columns, std::int64_t most)
      : leading_(leading), columns_(columns), most_(most) {}

  std::int64_t workspace() const { return most_ * (leading_ + columns_); }
  void start(T* workspace);

  // Whether D has room for so many more pivots.
  bool room_for(std::int64_t pivots) const { return pivots_ + pivots <= most_; }

  // A_l(R, J') -= L(R, D) U(D, J') for some columns J'; rows: R, as stored now.
  void apply(const std::vector<ActiveRows::RowRun>& rows, std::int64_t first, std::int64_t columns,
             T* a) const;
  // The same for rows P that were taken out of the matrix: lower_rows(), called before their gaps
  // are closed, gives L(P, D); apply_to() does rows -= L(P, D) U(D, J'), rows being A_l(P, J').
  std::vector<T> lower_rows(const std::vector<std::int64_t>& places) const;
  void apply_to(std::int64_t count, const std::vector<T>& lower, std::int64_t first,
                std::int64_t columns, T* rows) const;
  void close_gaps(const ActiveRows& active);

  // Adds a step's pivots to D: L(R, K_l), for each run of rows, and U(K_l, J), J the columns from
  // `first` on.
  void add(const std::vector<ActiveRows::RowRun>& rows, const std::vector<blas::Factor<T>>& lower,
           std::int64_t pivots, std::int64_t first, const blas::Factor<T>& upper);
  void clear() { pivots_ = 0; }

 private:
  std::int64_t leading_, columns_, most_;
  std::int64_t pivots_ = 0;
  T *lower_ = nullptr, *upper_ = nullptr;
};

}  // namespace redblue::linalg
