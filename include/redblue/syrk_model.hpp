// SPDX-License-Identifier: BSD-3-Clause
// Symmetric rank-k updates and products in parallel: triangle blocks, what they move, the bound.
//
// The rows of a symmetric n x n matrix are cut into row blocks. A rank that has some of them can
// form the products of any two, so that ranks share all pairs of row blocks while each needs only a
// fraction of the rows ([aldaas2023, section 5.2]; here for every number of ranks).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/machine.hpp"
#include "redblue/units.hpp"

namespace redblue {

// C (n x n, one triangle) = A (n x k) A^T.
struct SyrkShape {
  std::int64_t n = 0;
  std::int64_t k = 0;
};

// A way to share the multiplications C(i,j) += A(i,k) A(j,k), i >= j. There are several replicas of
// C, each for a part of k. Rank r is member r % m of replica r / m, m members each; the members of
// all replicas have the same row blocks and pairs. Ranks behind the last replica idle.
struct TriangleDecomposition {
  SyrkShape shape;
  int ranks = 1;
  int replicas = 1;                             // parts into which k is cut
  int row_blocks = 1;                           // into which the rows are cut
  std::vector<std::vector<int>> row_blocks_of;  // of each member, ascending
  // Of each member the pairs (i, j), i >= j, of its row blocks whose products it forms. Ascending.
  std::vector<std::vector<std::pair<int, int>>> pairs;
  std::int64_t rounds = 1;  // each rank works through its columns of A in this many pieces

  std::string name() const;  // "k cut 16 ways", "13 triangle blocks of 4/13 of the rows"
  int ranks_used() const { return replicas * static_cast<int>(row_blocks_of.size()); }
  Range rows(int row_block) const;
  Range columns(int replica) const;
};

struct SyrkPlanRequest {
  SyrkShape shape;
  int ranks = 1;
  std::optional<Words> memory;  // per rank, everything the run holds; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
};

struct SyrkPlanReport {
  TriangleDecomposition decomposition;
  Cost cost;
  double lower_bound = 0;
  double ratio = 0;                       // cost.words / lower_bound; 1 when both are 0
  std::vector<Alternative> alternatives;  // "1D", "2D", "3D": k, the rows or both cut
};

// The decomposition that moves least (or is predicted to be fastest) among those whose busiest rank
// multiplies at most 1.3 times an even share, or the least any here does; where ranks would idle,
// words are weighed with how much more that leaves the others to do. Throws Error for a
// negative size, ranks < 1 and too little memory, naming the least that would do. About a
// second for 1,000 ranks, under a minute for 10,000.
TriangleDecomposition choose_syrk(const SyrkPlanRequest& request);

// The same with its cost and the alternatives beside it.
SyrkPlanReport plan_syrk(const SyrkPlanRequest& request);

// Exact cost: words and messages received by the worst rank, every element owned by one of the
// ranks that need it, shares as even as they can be.
Cost cost_of(const TriangleDecomposition& decomposition, const Machine& machine);

// Words that ranks must receive on average, so the busiest too, when the work below the diagonal of
// C is spread evenly, within `memory` words each: at least [aldaas2023, Theorem 1] and n^2 k /
// (sqrt(2) P sqrt(M)) less what is owned, for every shape. See redblue/lower_bound.hpp.
//
// (The theorem's proof, through its Lemma 6, gives V sqrt(2/c) elements of A for c of C, a little
// less than its statement in two of three cases.)
double syrk_lower_bound(const SyrkShape& shape, int ranks, std::optional<Words> memory = {});

}  // namespace redblue
