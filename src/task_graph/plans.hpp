// SPDX-License-Identifier: BSD-3-Clause
// What every rank does in an algorithm's execution, before it runs: who sends what to whom in which
// step, as the executors of linalg/ do it, in words of doubles. The words and messages of every
// rank are those of the run. What is computed are the multiplications of the BLAS and LAPACK calls;
// packing and copies are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "decomposition/solve/trsm.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/machine.hpp"
#include "task_graph/execution.hpp"
#include "task_graph/timeline.hpp"

namespace redblue::task_graph {

// In the native layout, without overlap. O(cells * ranks that need one + ranks^2).
Execution planned(const Decomposition& decomposition);

// The factorization proper, as cost_of() has it: between its own layout and its own layout.
// O(steps * messages of a step), here and below.
Execution planned(const CholeskyDecomposition& decomposition);

// `order`: original rows, in the order in which they become pivots; of LuPlan's pivots the rows
// that become rows 0, 1, ... Empty: an order as good as random, always the same.
Execution planned(const LuDecomposition& decomposition, std::vector<std::int64_t> order = {});

Execution planned(const TrsmDecomposition& decomposition);

// What bringing matrices to where a plan has them, and the result back, takes, where they lie
// evenly on all ranks before and after: a latency and the words of the rank that holds most, each
// time.
double moving_seconds(const CholeskyDecomposition& decomposition, const Machine& machine);
double moving_seconds(const LuDecomposition& decomposition, const Machine& machine);
double moving_seconds(const TrsmDecomposition& decomposition, const Machine& machine,
                      Triangles triangles = Triangles::brought);

// About how many actions a plan has; before it is made.
double planned_actions(const Decomposition& decomposition);
double planned_actions(const CholeskyDecomposition& decomposition);
double planned_actions(const LuDecomposition& decomposition);
double planned_actions(const TrsmDecomposition& decomposition);

// Timelines of more actions than this take longer than a user of `plan` waits.
constexpr double few_actions = 5e5;

// The seconds of the plan's timeline, all waiting in it; nothing where it has too many actions.
template <class D>
std::optional<double> seconds_of_plan(const D& decomposition, const Machine& machine) {
  if (planned_actions(decomposition) > few_actions) return std::nullopt;
  return timeline(planned(decomposition), machine).seconds;
}

}  // namespace redblue::task_graph
