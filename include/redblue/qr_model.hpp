// SPDX-License-Identifier: BSD-3-Clause
// How a QR factorization is shared among ranks, and what it moves. Arithmetic only: no MPI.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/layout.hpp"
#include "redblue/machine.hpp"
#include "redblue/units.hpp"

namespace redblue {

// A of m x n, rows dealt out over the rows of a grid of ranks and columns over its columns. Panels
// of at most `block` columns, none across a border of two blocks of columns, are factored one after
// the other by the ranks of one grid column [demmel2012], and applied to what is behind them.
struct QrDecomposition {
  std::int64_t m = 0;
  std::int64_t n = 0;
  int ranks = 1;  // of the communicator; those outside the grid idle
  std::int64_t block = 1;
  Cyclic down, across;
  std::vector<Rank> places;  // of grid position (r, c) at [r * grid_columns() + c]
  bool in_place = false;     // the matrix stays where the caller has it

  int grid_rows() const { return down.processes; }
  int grid_columns() const { return across.processes; }
  std::string name() const;
};

// The grid and block for a matrix that may be moved to where it is factored. Throws Error for a
// negative size, ranks < 1, block < 1, and where nothing fits in options.memory, naming the least
// that would do. options.replicas and options.exchange are not used. O(ranks * steps * grid rows).
QrDecomposition choose_qr(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options);

// In the caller's layout: in place where its blocks of columns are wide enough for the BLAS and
// moving the matrix to a better grid and back would cost more by the objective.
QrDecomposition choose_qr(const BlockCyclic& layout, int ranks, const FactorOptions& options);

// Exact, worst rank: words and messages of the factorization proper (redistribution comes on top),
// multiplications; memory with buffers. O(panels * (grid rows + grid columns)^2).
Cost cost_of(const QrDecomposition& decomposition, const Machine& machine);

// Words that the busiest rank receives at least in any algorithm that finds R with either
// Householder vectors or Q's first n columns (docs/algorithms/qr.md, lemmas 1 to 3), where ranks
// store of A before, and of R and V (or Q) after, what they do here, and nothing else before.
// Assumed: the messages' pattern is fixed, and words are differentiable functions of A's elements
// almost everywhere, so that one carries no more than one number. Holds for real and complex
// elements; 0 where one row of ranks has all rows. O(min(m, n) * grid rows * grid columns).
double lower_bound(const QrDecomposition& decomposition);
// The same for the ranks of this layout.
double qr_lower_bound(const BlockCyclic& layout);

}  // namespace redblue
