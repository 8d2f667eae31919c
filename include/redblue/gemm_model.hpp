// SPDX-License-Identifier: BSD-3-Clause
// How P ranks share a matrix multiplication, what that moves, and what it must move at least.
// Arithmetic only: no MPI, no data.
//
// C (m x n) = A (m x k) * B (k x n): the iteration space is the box [0,m) x [0,n) x [0,k). Every
// rank computes one cuboid of it. A word is one matrix element.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "redblue/cost.hpp"
#include "redblue/machine.hpp"
#include "redblue/units.hpp"

namespace redblue {

struct GemmShape {
  std::int64_t m = 0;
  std::int64_t n = 0;
  std::int64_t k = 0;
};

enum class Operand { a, b, c };

// The multiplications C(i,j) += A(i,k) B(k,j) of one rank; empty when the rank is idle.
struct Cuboid {
  Range i, j, k;
  bool empty() const { return i.size() <= 0 || j.size() <= 0 || k.size() <= 0; }
  double volume() const {
    return static_cast<double>(i.size()) * static_cast<double>(j.size()) *
           static_cast<double>(k.size());
  }
  bool operator==(const Cuboid&) const = default;
};

// One cut of a bisection: `first` ranks take the lower part of axis 0 (i), 1 (j) or 2 (k), in
// proportion to their number. axis -1: the box is too small to cut, one rank works.
struct Cut {
  int axis = -1;
  int first = 0;
};

// A way to cut the iteration space among `ranks` ranks.
struct Decomposition {
  // stationary: half of the ranks keep a part of A in its place, half one of B, within little
  // memory.
  enum class Kind { grid, bisection, stationary };
  Kind kind = Kind::grid;
  GemmShape shape;
  int ranks = 1;
  std::array<int, 3> grid = {1, 1,
                             1};  // grid: parts along i, j, k; rank = (ki * gj + ji) * gi + ii
  std::vector<Cut> cuts;          // bisection: in preorder, a box of one rank has no entry
  int strips = 1;                 // stationary: in each quarter of the ranks
  std::int64_t rounds = 1;        // each rank works through its k range in this many pieces, or
                                  // where it is stationary through the range that B or A has not
  std::int64_t panels = 1;        // of columns, in which C is computed and added up one by one;
                                  // more than 1 only where k alone is cut
  std::int64_t reductions = 1;    // pieces of columns in which contributions to C are added up one
                                  // by one when all are there; more than 1 only without panels
  Exchange exchange = Exchange::direct;

  // "grid 2 x 2 x 1", "grid 2 x 2 x 512 by doubling", "bisection of 7 ranks" or
  // "stationary, 4 x 2 strips".
  std::string name() const;

  // One per rank, disjoint, covering the iteration space. O(ranks).
  std::vector<Cuboid> cuboids() const;
};

struct GemmPlanRequest {
  GemmShape shape;
  int ranks = 1;
  std::optional<Words> memory;  // per rank, everything the run holds; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
  // None: direct where words are made small, either where time is.
  std::optional<Exchange> exchange = std::nullopt;
};

struct GemmPlanReport {
  Decomposition decomposition;
  Cost cost;
  double lower_bound = 0;  // words received by some rank, at least (for even work over its ranks)
  double ratio = 0;        // cost.words / lower_bound; 1 when both are 0
  std::vector<Alternative> alternatives;
};

// Chooses a decomposition. Grids and, up to 1024 ranks, ratio bisections (searched exactly for
// small counts) compete, and within a memory limit stationary ones. Under 50 ms for 100,000 ranks.
// By time: as predicted by the critical paths of some decompositions, also of fewer ranks, while
// these are short; else by Cost::seconds. Throws Error for a negative size, a matrix of more than
// 10^18 elements, ranks < 1 or more than ten million, or memory below every schedule's need (the
// message names the least amount that would do).
Decomposition choose_gemm(const GemmPlanRequest& request);

// The same with predicted costs and the classical alternatives beside it.
GemmPlanReport plan_gemm(const GemmPlanRequest& request);

// Words against messages of the busiest rank: the decompositions with even work within the memory
// that no other one beats in both, those with fewest words first. Direct or by doubling, unless
// request.exchange says which. Throws Error like choose_gemm. [kwasniewski2019, section 6.3]
struct TradeOffPoint {
  Decomposition decomposition;
  Cost cost;
};
std::vector<TradeOffPoint> gemm_trade_off(const GemmPlanRequest& request);

// Exact cost of a decomposition. O(ranks * cells).
Cost cost_of(const Decomposition& decomposition, const Machine& machine);

// Words that ranks must receive on average, so the busiest too, when the work is spread evenly over
// them: memory-independent ([aldaas2022]: min x + y + z with xyz >= (mnk/P)^2 and each at least its
// matrix's P-th part, less the data a rank may own) or, with `memory`, within that: about
// 2 mnk / (P sqrt(M)) + M - (mn + mk + nk) / P. See redblue/lower_bound.hpp.
double gemm_lower_bound(const GemmShape& shape, int ranks, std::optional<Words> memory = {});

}  // namespace redblue
