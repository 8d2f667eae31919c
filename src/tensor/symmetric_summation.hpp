// SPDX-License-Identifier: BSD-3-Clause
// A matrix times its own transpose, as a summation: one triangle by the kernels of SYRK, the other
// copied from it.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "decomposition/einsum/chain/symmetric.hpp"
#include "redblue/einsum_plan.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::tensor {

template <class T>
class SymmetricSummation {
 public:
  // `plan` has its symmetric part. Collective.
  SymmetricSummation(MPI_Comm communicator, Rank rank, const EinsumChainReport& plan,
                     const EinsumOptions& options);

  // What a rank owns of the operand or the result, in the step's indices. O(its lines).
  std::vector<EinsumPart> parts(bool of_result, Rank rank) const;

  Words memory() const;  // without the result

  // Allocates nothing.
  void execute(T alpha, const T* a, T beta, T* result, EinsumTraffic& traffic);

 private:
  // From a rank's array of the triangle to its array of the result.
  struct Copy {
    std::int64_t from = 0, length = 0, to = 0;
  };

  EinsumShape step_;
  einsum::SymmetricProduct product_;
  Ownership ownership_;
  SyrkPlan<T> syrk_;
  std::vector<T> triangle_;
  std::vector<Copy> copies_;
};

}  // namespace redblue::tensor
