// SPDX-License-Identifier: BSD-3-Clause
// Multiplications that move neither A nor B of the ranks that own them: half of the ranks own A
// alone, the other half B, and all an even share of C (docs/algorithms/gemm.md, "Near the least
// memory").
//
// i and j are halved, which makes four quarters of the (i, j) plane with a quarter of the ranks
// each. In quarters (0, 0) and (1, 1) a rank keeps a block A(I, K) in its place, receives B(K, J_t)
// for the columns J_t of one round t after the other and sends its contributions to C(I, J_t); in
// the two others it keeps B(K, J), receives A(I_t, K) and sends C(I_t, J). So the blocks that are
// kept cover A once and B once. A quarter is cut into strips of I (or J), each strip's ranks cut k.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ownership.hpp"
#include "redblue/cost.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/machine.hpp"

namespace redblue {

// Whether a rank of such a decomposition keeps its part of A (else of B).
bool keeps_a(const Decomposition& decomposition, int rank);

// One per rank, disjoint, covering everything where none is empty.
std::vector<Cuboid> stationary_cuboids(const Decomposition& decomposition);

// What each rank of `cuboids` multiplies in a round.
std::vector<Cuboid> cuboids_in_round(const Decomposition& decomposition,
                                     const std::vector<Cuboid>& cuboids, std::int64_t round);

// A and B: one cell per rank that keeps it. C: `cells_in_round` cells for each round.
Ownership stationary_ownership(const Decomposition& decomposition,
                               const std::vector<Cuboid>& cuboids);
std::size_t cells_in_round(const Decomposition& decomposition);

// Words of an operand that one rank sends another in a round, in one message.
struct Sending {
  int from = 0;
  int to = 0;
  std::int64_t words = 0;
};
std::vector<Sending> sendings(const Decomposition& decomposition,
                              const std::vector<Cuboid>& cuboids, const Ownership& ownership,
                              Operand operand, std::int64_t round);

// Words of the busiest rank and its memory, exact; without messages. O(ranks).
Cost stationary_words(const Decomposition& decomposition);

// All that cost_of() says. O(ranks^2).
Cost stationary_cost(const Decomposition& decomposition, const Machine& machine);

}  // namespace redblue
