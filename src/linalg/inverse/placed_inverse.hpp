// SPDX-License-Identifier: BSD-3-Clause
// Inverses of matrices in the caller's layouts: on the caller's grid where that is one of square
// blocks and moves no more, else on one of redblue's own, to which the matrix goes and from which
// it comes back (redistribution).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/inverse/grid.hpp"
#include "linalg/solve/solve.hpp"
#include "redblue/inverse.hpp"

namespace redblue::linalg {

struct InverseSetup {
  InverseKernel kernel = InverseKernel::triangle;
  Triangle triangle = Triangle::lower;  // not of lu
  bool unit = false;                    // of triangle
  Layout layout;                        // square
  FactorOptions options;
};

// The layout of a decomposition's grid.
BlockCyclic own_layout(const InverseDecomposition& decomposition, Rank me);

// The decomposition that leaves the matrix on the caller's grid, where that costs no more than
// going `elsewhere` and back.
std::optional<InverseDecomposition> on_caller_grid(const std::optional<CallerGrid>& grid,
                                                   const InverseDecomposition& elsewhere,
                                                   const FactorOptions& options);

template <class T>
class PlacedInverse {
 public:
  // Local.
  PlacedInverse(const comm::Communicator& communicator, const InverseSetup& setup);

  const InverseDecomposition& decomposition() const { return decomposition_; }
  bool in_place() const { return !in_; }
  std::string name() const;
  std::int64_t workspace() const { return buffers_offset_ + buffers_; }

  // LAPACK's info, the same on every rank: 0, or one plus the index of the first zero on the
  // diagonal; the matrix is as it was then. `pivots`: of lu, LuPlan's; else null.
  std::int64_t execute(comm::Communicator& communicator, T* a,
                       const std::vector<std::int64_t>* pivots, T* workspace,
                       FactorTraffic& traffic);

 private:
  void choose_grid(const comm::Communicator& communicator);
  std::int64_t first_zero(comm::Communicator& communicator, const T* matrix) const;
  void invert(const comm::Communicator& communicator, T* matrix, T* workspace, Traffic& traffic);
  // A = X P: column i of X becomes column rows[i].
  void leave_with_columns(const comm::Communicator& communicator, const T* matrix,
                          const std::vector<std::int64_t>& rows, T* a, T* workspace,
                          Traffic& traffic);

  InverseSetup setup_;
  Rank me_;
  InverseDecomposition decomposition_;
  CallerGrid grid_;
  inverse::Place place_;
  layout::Arrangement on_grid_, placed_at_;
  std::optional<comm::Transfer<T>> in_, out_;  // none: the matrix stays in the caller's layout
  std::int64_t copy_offset_ = 0;               // of lu: L, then the result's columns
  std::int64_t buffers_offset_ = 0;
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
