// SPDX-License-Identifier: BSD-3-Clause
// Symmetric rank-2k updates and products with a symmetric matrix in parallel: triangle blocks as in
// redblue/syrk_model.hpp, what they move, the bound. Arithmetic only: no MPI.
#pragma once

#include <optional>

#include "redblue/syrk_model.hpp"

namespace redblue {

enum class SymmetricKernel {
  syr2k,  // C (n x n, one triangle) = A B' + B A', A and B n x k
  symm    // C (n x k) = A B, A n x n, one triangle stored, B n x k
};

// The triangle blocks that move least of a rank-k update of twice the columns: both kernels have
// two n x k matrices where that has one. Throws Error like choose_syrk and, naming the words it
// takes, where that is more than request.memory.
TriangleDecomposition choose_symmetric(SymmetricKernel kernel, const SyrkPlanRequest& request);

// Exact words and messages received, every element owned by one of the ranks that need it: of syr2k
// A and B as of choose_syrk's A, C as its C; of symm A as its C, B and C as its A. Memory is at
// most what the run takes. O(ranks + the members of one
// replica * row blocks of each * members that share one).
Cost cost_of(SymmetricKernel kernel, const TriangleDecomposition& decomposition,
             const Machine& machine);

// Words that ranks must receive on average, so the busiest too, where no rank forms more products
// than this decomposition's busiest. See redblue/lower_bound.hpp.
double lower_bound(SymmetricKernel kernel, const TriangleDecomposition& decomposition,
                   std::optional<Words> memory = {});

}  // namespace redblue
