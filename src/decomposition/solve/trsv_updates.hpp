// SPDX-License-Identifier: BSD-3-Clause
// In which order a rank adds up what it contributes to the rows of a triangular solve in place.
//
// Steps count in the order of solving: X(k) is the solution of step k, S(u) the rank's sum for the
// rows of step u, complete when op(T)(u, i) X(i) is added for all i < u. Between the solves of
// steps u - 1 and u, X(u - 1) having come, a rank adds what is awaited, S(u)'s last products, sends
// S(u), and adds the rest; the solver of u puts its rest off until it has solved.
//
// by_rows, for op(T) = T: op(T)(j, u - 1) X(u - 1) for all later j: the columns of T from the
// diagonal on, each in one piece.
//
// by_columns, for op(T) = T': the products above would read a strip of rows of T, a short piece of
// each of its columns. Instead, whole columns of T times all of X that is known. Steps are in
// windows of g, in which every rank has columns; with window w = floor(u / g), and two windows
// ahead so that there is work while others solve:
//
//   share u mod g of S(window w + 2) += op(T)(window w + 2, i) X(i)    for all i before window w
//   S(j) += op(T)(j, u - 1) X(u - 1)               for the j to the end of two windows after u -
//   1's
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "redblue/factor_model.hpp"

namespace redblue {

// S(out) += op(T)(out, in) X(in), for one of `shares` equal parts of the rank's indices in `out`.
struct PartialSums {
  using Steps = std::pair<std::int64_t, std::int64_t>;  // first .. second - 1
  Steps in, out;
  std::int64_t share = 0;
  std::int64_t shares = 1;
};

class UpdateOrder {
 public:
  struct Update {
    std::vector<PartialSums> awaited, rest;
  };

  explicit UpdateOrder(const TrsvDecomposition& d);

  // Of one rank, after step 0, 1, .. count - 2 in turn. `solves`: the rank solves the next step.
  Update next(bool solves);

 private:
  Update by_rows(bool solves);
  Update by_columns(bool solves);

  std::int64_t count_;           // of steps
  std::int64_t window_ = 0;      // steps; 0: by rows
  std::int64_t known_ = 0;       // u: X(0) .. X(u - 1) are known
  std::int64_t multiplied_ = 0;  // X of earlier steps has been multiplied as far as is due
  std::vector<PartialSums> put_off_;
};

}  // namespace redblue
