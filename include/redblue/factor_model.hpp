// SPDX-License-Identifier: BSD-3-Clause
// How Cholesky and LU factorizations, and solves with triangular matrices, are shared among ranks,
// and what they move.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/machine.hpp"

namespace redblue {

// The factorizations' layouts cut the matrix into square blocks, dealt out cyclically.

// Row block I of a Cholesky factorization is block rows I, I + row_blocks, I + 2 row_blocks, ..
// Block (i, j), i >= j, is stored by the member with the pair of row blocks (i mod row_blocks, j
// mod row_blocks), so that a rank's updates need only the rows of its row blocks (the triangle
// blocks of redblue/triangle.hpp, in each step of a right-looking factorization). Each replica has
// a copy of the matrix and subtracts its part of every step's columns from it; the copies are added
// up where columns are to be eliminated. rank = replica * pairs.size() + member; ranks behind the
// last idle.
struct CholeskyDecomposition {
  std::int64_t n = 0;
  int ranks = 1;
  std::int64_t block = 1;
  int row_blocks = 1;
  std::vector<std::vector<int>> row_blocks_of;          // as in TriangleDecomposition, one replica
  std::vector<std::vector<std::pair<int, int>>> pairs;  // likewise
  int replicas = 1;
  // Not 0: the matrix stays in the caller's layout, dealt out in these blocks over such a grid of
  // ranks, without row blocks and pairs. For an upper triangle the grid is the transposed one.
  int grid_rows = 0;
  int grid_columns = 0;

  bool in_place() const { return grid_rows > 0; }
  std::string name() const;
};

// Every replica is a grid of grid_rows x grid_columns ranks with a copy of the matrix, from which
// it subtracts its part of every step's pivots; the copies are added up where they are needed. The
// matrix before and after is stored block-cyclically over replicas * grid_rows rows of ranks, rank
// = row * grid_columns + column. Ranks behind the last idle.
struct LuDecomposition {
  std::int64_t m = 0;
  std::int64_t n = 0;
  int ranks = 1;
  std::int64_t block = 1;
  int grid_rows = 1;
  int grid_columns = 1;
  int replicas = 1;
  // How the pivots' rows, solved for, get to all ranks of a grid column.
  Exchange exchange = Exchange::direct;

  std::string name() const;
};

// op(T) X = B for a triangular T of order n and m columns of B. Grids of ranks hold op(T), in
// square blocks dealt out cyclically over grid_rows x grid_columns of them; each of the `replicas`
// grids solves for some columns of X. rank = (replica * grid_rows + row) * grid_columns + column,
// ranks behind the last idle.
//
// Usually T stays where it is, and sums and solutions move. With `rhs_in_place` B and X, dealt out
// on the one grid in the same blocks as T, stay instead, and blocks of T move: plans do this for
// callers whose T and B lie like that, where it moves no more words than B's way to other ranks and
// back.
struct TrsmDecomposition {
  std::int64_t n = 0;
  std::int64_t m = 0;
  int ranks = 1;
  std::int64_t block = 1;
  int grid_rows = 1;
  int grid_columns = 1;
  int replicas = 1;
  bool backward = false;  // op(T) is upper triangular: the last rows are solved first
  bool rhs_in_place = false;
  // With rhs_in_place, on a square grid: op(T)' lies there as B does, so that each block of op(T)
  // is at the rank opposite.
  bool transposed_grid = false;

  std::string name() const;
};

// How op(T) X = B with few columns of B, down to a vector, is solved.
//   in_place   T stays in the caller's layout; rows are solved for in steps of many, each by one
//              rank, to which its triangle of T comes.
//   wavefront  [solomonik2016, Algorithm 2] with column panels of op(T) dealt out cyclically: sums
//              of row blocks travel from rank to rank.
enum class TrsvScheme { in_place, wavefront };

struct TrsvDecomposition {
  TrsvScheme scheme = TrsvScheme::in_place;
  std::int64_t n = 0;
  std::int64_t m = 1;  // columns of B
  int ranks = 1;
  std::int64_t block = 1;  // in place: of T's squares; wavefront: columns of a panel
  std::int64_t step = 1;   // in place: rows solved for at a time; wavefront: as block
  // In place: the grid of T as it is stored, rank = row * grid_columns + column; 0 x 0: a layout
  // that is no grid of squares.
  int grid_rows = 0;
  int grid_columns = 0;
  bool transposed = false;  // op is not none
  bool backward = false;    // op(T) is upper triangular: the last rows are solved first

  std::string name() const;
};

struct FactorOptions {
  std::optional<std::int64_t> block;  // none: chosen
  std::optional<int> replicas;        // of Cholesky and LU; none: chosen
  // Words a rank may hold beside the caller's arrays: matrices, copies and buffers; none:
  // unlimited.
  std::optional<Words> memory;
  Objective objective = Objective::words;
  Machine machine;
  // Of LU. None: direct where words are made small, either where time is.
  std::optional<Exchange> exchange = std::nullopt;
};

// All of these throw Error for a negative size, ranks < 1, block < 1, and where nothing fits in the
// memory, naming the least that would do. The caller's layout may need more than they know of; the
// plans then say so. A further replica is used only if it saves at least the n^2 / (2 ranks)
// words that it stores.
//
// With Objective::seconds, the time of a choice is that of its critical path where that takes no
// more than about a tenth of a second to find (some hundred ranks); else messages, words and flops
// of the busiest rank, one after the other. Block sizes around the usual one are compared then, and
// where messages' latencies make up a tenth of the time or more, larger ones up to the whole matrix
// on all ranks, half of them, a quarter and so on. What bringing matrices there and back takes
// where all ranks have as much of them counts.
//
// With Objective::words, Cholesky and LU on at most 64 ranks take up to a tenth more words than the
// fewest where that at least halves the messages; LU of the plans on the same grid.
CholeskyDecomposition choose_cholesky(std::int64_t n, int ranks, const FactorOptions& options);

// Exact, worst rank: words and messages of the factorization proper (redistribution comes on top),
// multiplications; memory with buffers, those of redistribution from and to evenly spread layouts
// among them. O(n / block * ranks * row blocks of a rank).
Cost cost_of(const CholeskyDecomposition& decomposition, const Machine& machine);

// Replicas must save at least the m n / ranks words that a matrix has farther to go to them.
LuDecomposition choose_lu(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options);

// Of the factorization proper, worst rank. Pivots are taken to come up in an order as good as
// random: words are what the busiest rank is then expected to receive, all else is exact. Seconds
// are no less than what panels take one after the other. O(min(m, n) / block * ranks).
Cost cost_of(const LuDecomposition& decomposition, const Machine& machine);

// Bringing T to its grids counts.
TrsmDecomposition choose_trsm(std::int64_t n, std::int64_t m, int ranks,
                              const FactorOptions& options);

// Exact, worst rank: words and messages of the solve proper, from B to X where they lie on the
// grids. O(n / block * ranks).
Cost cost_of(const TrsmDecomposition& decomposition, const Machine& machine);

// Costs of a solve with few right-hand sides, along its critical path too: half-step by half-step,
// the most that any rank does or receives in it, added up. An operation is a multiplication with
// its subtraction, or a division.
struct TrsvPath {
  std::int64_t synchronisations = 0;  // S: half-steps in which some rank receives
  double operations = 0;              // F
  Words words;                        // W, received
};
struct TrsvCost : Cost {
  TrsvPath path;
};

// For T in `layout_block` squares (1: any layout) that `holders` of the ranks store, or, as a
// wavefront, in panels of the library's own choice. The step (panel) is options.block, or the one
// for which latency times synchronisations (in place, where a step has several messages: times a
// solver's messages) plus the time for the operations, both along the critical path, is least:
// synchronisations fall with it, operations grow [solomonik2016, Theorem 7.2: their product is at
// least of order n^2]. T's words are taken to come as fast as those of messages.
struct TrsvRequest {
  TrsvScheme scheme = TrsvScheme::in_place;
  std::int64_t n = 0;
  std::int64_t m = 1;
  int ranks = 1;
  std::int64_t layout_block = 64;
  int grid_rows = 1;
  int grid_columns = 1;
  FactorOptions options;
};
TrsvDecomposition choose_trsv(const TrsvRequest& request);

// Exact, worst rank, of the solve proper. O(n / step * ranks * (step / block + 1)^2) in place,
// O((n / block) * min(ranks, n / block)) for wavefronts. Throws Error for a layout that is no grid
// of squares.
TrsvCost cost_of(const TrsvDecomposition& decomposition, const Machine& machine);

// The paper's leading terms for one panel per rank, p = n / b: F = 2 n b, W = 2 n, S = 2 n / b, so
// that F S = 4 n^2 for every b.
struct TrsvLeadingTerms {
  double operations = 0;
  double words = 0;
  double synchronisations = 0;
};
TrsvLeadingTerms leading_terms(const TrsvDecomposition& decomposition);

}  // namespace redblue
