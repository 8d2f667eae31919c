// SPDX-License-Identifier: BSD-3-Clause
// How inverses, from triangles and from factors, are shared among ranks, and what they move.
#pragma once

#include <cstdint>
#include <string>

#include "redblue/cost.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/machine.hpp"

namespace redblue {

enum class InverseKernel {
  triangle,  // L^-1 or U^-1 (LAPACK's trtri)
  square,    // L' L or U U' (lauum)
  cholesky,  // A^-1 = L'^-1 L^-1 or U^-1 U'^-1 (potri): the two above, one after the other
  lu,        // A^-1 = U^-1 L^-1 P (getri): U^-1 as above, then X L = U^-1, X P
  // A and the triangle on one grid:
  two_sided_solve,   // L^-1 A L'^-1 or U'^-1 A U^-1 (sygst, first type)
  two_sided_product  // L' A L or U A U' (sygst, second and third type)
};

// The matrix is cut into square blocks, dealt out cyclically to a grid of grid_rows x grid_columns
// ranks, where it stays: rank = row * grid_columns + column, ranks behind the last idle. Each step
// updates what one block of rows and one of columns make of the rest.
struct InverseDecomposition {
  InverseKernel kernel = InverseKernel::triangle;
  bool upper = false;  // the triangle that is inverted or squared; not of lu
  std::int64_t n = 0;
  int ranks = 1;
  std::int64_t block = 1;
  int grid_rows = 1;
  int grid_columns = 1;

  std::string name() const;
};

// What is asked for.
struct InverseRequest {
  InverseKernel kernel = InverseKernel::triangle;
  bool upper = false;
  std::int64_t n = 0;
  int ranks = 1;
};

// Throws Error like choose_trsm(). Of the options, block, memory, objective and machine count.
InverseDecomposition choose_inverse(const InverseRequest& request, const FactorOptions& options);

// Exact, worst rank: words and messages of the inversion proper (redistribution, and of lu the
// exchange of columns, come on top), multiplications. On a square grid of P ranks about n^2 / 2
// sqrt(P) words for a triangle. O(n / block * ranks).
Cost cost_of(const InverseDecomposition& decomposition, const Machine& machine);

}  // namespace redblue
