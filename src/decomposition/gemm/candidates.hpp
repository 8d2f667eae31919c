// SPDX-License-Identifier: BSD-3-Clause
// The decompositions among which one is chosen.
#pragma once

#include <optional>
#include <vector>

#include "redblue/gemm_model.hpp"

namespace redblue {

struct Candidate {
  Decomposition decomposition;
  Cost cost;
};

// The candidates, and the most work their busiest rank may have (whatever the memory).
struct Candidates {
  std::vector<Decomposition> bisections;  // all that are even enough
  std::optional<Candidate> grid;          // the best one within the memory
  std::optional<Candidate> bisection;
  std::optional<Candidate> stationary;
  double work_limit = 0;
};

// `native`: whether matrices may lie as a plan wants them. Throws Error for requests that have no
// plan whatever the memory.
Candidates candidates(const GemmPlanRequest& request, bool native = true);

// All grids within the work limit that fit the memory, in every exchange that the request allows.
std::vector<Candidate> even_grids(const GemmPlanRequest& request, double work_limit);

// Exact where that takes less than a second.
Cost counted_cost(const Decomposition& decomposition, const GemmPlanRequest& request);

}  // namespace redblue
