// SPDX-License-Identifier: BSD-3-Clause
// Two-sided solves and products of matrices in the caller's layouts, as
// linalg/inverse/placed_inverse.hpp has inverses.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "linalg/inverse/placed_inverse.hpp"

namespace redblue::linalg {

struct TwoSidedSetup {
  InverseKernel kernel = InverseKernel::two_sided_solve;  // or two_sided_product
  Triangle triangle = Triangle::lower;
  Layout a, factor;  // square, of one size
  FactorOptions options;
};

template <class T>
class PlacedTwoSided {
 public:
  // Local.
  PlacedTwoSided(const comm::Communicator& communicator, const TwoSidedSetup& setup);

  const InverseDecomposition& decomposition() const { return decomposition_; }
  std::string name() const;
  std::int64_t workspace() const { return buffers_offset_ + buffers_; }

  void execute(const comm::Communicator& communicator, T* a, const T* factor, T* workspace,
               FactorTraffic& traffic);

 private:
  bool stay(const comm::Communicator& communicator, const InverseRequest& request);

  TwoSidedSetup setup_;
  InverseDecomposition decomposition_;
  CallerGrid grid_, factor_grid_;
  inverse::Place place_;  // for the lower triangle, or the transposed of the upper one
  std::optional<comm::Transfer<T>> in_, factor_in_, out_;  // none: all stays
  std::int64_t factor_offset_ = 0;
  std::int64_t buffers_offset_ = 0;
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
