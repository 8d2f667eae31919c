// SPDX-License-Identifier: BSD-3-Clause
// What a decomposition costs, and which of two costs is better.
#pragma once

#include <vector>

#include "decomposition/ownership.hpp"
#include "redblue/cost.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/machine.hpp"

namespace redblue {

// latency * messages + bytes of doubles / bandwidth + 2 flops per multiplication / flop rate.
double predicted_seconds(const Cost& cost, const Machine& machine);

// The public choices (task_graph/choice.cpp) with times as above instead of those of critical
// paths. `native`: whether matrices may lie as the plan wants them.
Decomposition choose_gemm_by_cost(const GemmPlanRequest& request, bool native = true);
CholeskyDecomposition choose_cholesky_by_cost(std::int64_t n, int ranks,
                                              const FactorOptions& options);
LuDecomposition choose_lu_by_cost(std::int64_t m, std::int64_t n, int ranks,
                                  const FactorOptions& options);
TrsmDecomposition choose_trsm_by_cost(std::int64_t n, std::int64_t m, int ranks,
                                      const FactorOptions& options);

// Words beside their lower bound; 1 where both are 0.
double ratio_of(Words words, double bound);

// By the objective first, then by the other, then by messages.
bool better(const Cost& a, const Cost& b, Objective objective);

// Whether a few words more are taken for fewer messages: where words are to be few, on few ranks;
// of more, each has so little that words count.
bool weighs_messages(Objective objective, int ranks);

// Whether a few words more, up to a tenth of the fewest, save at least half of the messages.
bool saves_messages(const Cost& cost, const Cost& of_fewest_words);

}  // namespace redblue
