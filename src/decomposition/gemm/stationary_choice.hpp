// SPDX-License-Identifier: BSD-3-Clause
// The choice among decompositions that keep A and B where they are.
#pragma once

#include <optional>

#include "decomposition/gemm/candidates.hpp"

namespace redblue {

// Of those whose busiest rank computes at most `work_limit`, the one within the memory that moves
// least, in as few rounds as the memory allows. Only with a memory limit, for a multiple of 4
// ranks.
std::optional<Candidate> stationary_candidate(const GemmPlanRequest& request, double work_limit);

// The least memory with which there is one.
std::optional<Words> least_stationary_memory(const GemmPlanRequest& request, double work_limit);

}  // namespace redblue
