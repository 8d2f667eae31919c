// SPDX-License-Identifier: BSD-3-Clause
// Which rank multiplies what, for matrices in the caller's layouts.
#pragma once

#include <string>
#include <vector>

#include "linalg/gemm/multiplication.hpp"
#include "redblue/gemm.hpp"

namespace redblue::linalg {

struct Placement {
  std::string name;  // "grid 2 x 2 x 1", "C in place"
  std::vector<Domain> domains;
  double seconds = 0;          // predicted, in one step
  double network_seconds = 0;  // the messages' part of these
  Messages messages;           // in one step, to the busiest rank
  std::int64_t words = 0;      // received by the busiest rank; beyond 64 ranks, of C on average
  bool always = true;          // whatever the memory limit, this is one of the ways
};

// What the prediction needs beside the machine.
struct Rates {
  double element_words = 1;        // an element's size in words of 8 bytes
  double flops = 1;                // of a multiplication, against a real one
  bool shared_processors = false;  // more ranks than processors: the sum of the work counts
};

// The domains of a decomposition, cuboid r on rank r.
std::vector<Domain> domains_of(const std::vector<Cuboid>& cuboids);

// From the domains that leave an operand in place: groups of `size` or a few more ranks with the
// same indices on one of its sides take each other's indices on the other side, too, and share
// those of the third dimension, each keeping what it owns of the operand that has them. For both
// sides.
std::vector<std::vector<Domain>> in_groups(const std::vector<Domain>& in_place, Operand stays,
                                           const layout::Arrangement& a,
                                           const layout::Arrangement& b,
                                           const layout::Arrangement& c, std::int64_t size);

// Ways to multiply, the fastest by prediction first; to make words small, those first that move
// within a few percent of the least. They are: the decomposition choose_gemm finds without a
// memory limit and the one it finds within options.memory, its cuboids on the ranks that hold most
// of what they need (up to 64 ranks; any order beyond), and, for each operand of which every rank
// holds one block or block-cyclic part, the multiplication that leaves this operand where it lies
// and fetches or adds up the others; to make words small, also in groups, up to 64 ranks. Never
// empty. O(ranks^2) up to 64 ranks, O(ranks) beyond, times a matrix's blocks on a rank.
std::vector<Placement> placements(const GemmShape& shape, const layout::Arrangement& a,
                                  const layout::Arrangement& b, const layout::Arrangement& c,
                                  const GemmOptions& options, const Rates& rates);

// Cuts the domains' k into steps, where buffers need not be small: large enough for the BLAS and
// for messages to cost little, small enough for buffers to stay warm. Where C stays in place, a
// step is the k that one rank of a grid row has of A and one of a grid column has of B, and each
// rank starts at another step [cannon1969]: nothing needs to be packed, and no rank must serve all
// others at once.
void cut_into_steps(Placement& placement, const layout::Arrangement& a,
                    const layout::Arrangement& b, const Machine& machine);

// For each row of a square table, the column assigned to it so that the sum of the entries is
// largest (the Hungarian method). O(n^3).
std::vector<int> best_assignment(const std::vector<std::vector<std::int64_t>>& gain);

}  // namespace redblue::linalg
