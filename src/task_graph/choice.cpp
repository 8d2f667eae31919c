// SPDX-License-Identifier: BSD-3-Clause
// The choices of gemm_model.hpp and factor_model.hpp: by words as decomposition/ makes them, by
// time among several of those by their critical paths.
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "decomposition/cost.hpp"
#include "redblue/error.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/gemm_model.hpp"
#include "task_graph/plans.hpp"

namespace redblue {

namespace {

constexpr double quick = 1e5;  // actions, of one plan
constexpr int few_ranks = 1024;

// The fastest of `choose(options)` with this and other block sizes and objectives.
template <class Choose>
auto fastest(int ranks, const FactorOptions& options, Choose choose) {
  auto best = choose(options);
  constexpr bool has_exchange = std::is_same_v<decltype(best), LuDecomposition>;
  if (options.objective == Objective::words || ranks > few_ranks) return best;
  double least = std::numeric_limits<double>::infinity();
  const auto offer = [&](FactorOptions changed) {
    try {
      const auto candidate = choose(changed);
      if (task_graph::planned_actions(candidate) > quick) return;
      const double seconds =
          task_graph::timeline(task_graph::planned(candidate), options.machine).seconds;
      if (seconds < least) {
        best = candidate;
        least = seconds;
      }
    } catch (const Error&) {  // it does not fit in the memory
    }
  };
  for (const Objective objective : {Objective::seconds, Objective::words}) {
    FactorOptions changed = options;
    changed.objective = objective;
    const std::int64_t usual = choose(changed).block;
    for (const Exchange exchange : {Exchange::direct, Exchange::doubling}) {
      if (options.exchange.value_or(exchange) != exchange) continue;
      if (exchange == Exchange::doubling && !has_exchange) continue;
      changed.exchange = exchange;
      changed.block = options.block;
      offer(changed);
      if (options.block) continue;
      for (const std::int64_t block : {usual / 2, 2 * usual, 4 * usual}) {
        if (block < 1) continue;
        changed.block = block;
        offer(changed);
      }
    }
  }
  return best;
}

// Of a multiplication, with fewer and fewer of the ranks: the best ones by words, and by time with
// and without latencies, which the critical path counts once where messages are under way together.
std::vector<Decomposition> to_be_timed(const GemmPlanRequest& request) {
  std::vector<Decomposition> result;
  for (int ranks = request.ranks; ranks > 0; ranks /= 2) {
    GemmPlanRequest changed = request;
    changed.ranks = ranks;
    for (const Exchange exchange : {Exchange::direct, Exchange::doubling}) {
      if (request.exchange.value_or(exchange) != exchange) continue;
      changed.exchange = exchange;
      for (const Objective objective : {Objective::words, Objective::seconds}) {
        for (const bool latencies : {true, false}) {
          if (objective == Objective::words && !latencies) continue;
          changed.objective = objective;
          changed.machine = request.machine;
          if (!latencies) changed.machine.latency_seconds = 0;
          try {
            Decomposition d = choose_gemm_by_cost(changed);
            if (d.kind == Decomposition::Kind::bisection && ranks < request.ranks) continue;
            d.ranks = request.ranks;
            result.push_back(std::move(d));
          } catch (const Error&) {  // it does not fit in the memory
          }
        }
      }
    }
  }
  return result;
}

}  // namespace

Decomposition choose_gemm(const GemmPlanRequest& request) {
  Decomposition best = choose_gemm_by_cost(request);
  if (request.objective == Objective::words || request.ranks > few_ranks ||
      task_graph::planned_actions(best) > quick)
    return best;
  double least = task_graph::timeline(task_graph::planned(best), request.machine).seconds;
  for (Decomposition& d : to_be_timed(request)) {
    if (task_graph::planned_actions(d) > quick) continue;
    const double seconds = task_graph::timeline(task_graph::planned(d), request.machine).seconds;
    if (seconds < least) {
      best = std::move(d);
      least = seconds;
    }
  }
  return best;
}

CholeskyDecomposition choose_cholesky(std::int64_t n, int ranks, const FactorOptions& options) {
  return fastest(ranks, options,
                 [&](const FactorOptions& o) { return choose_cholesky_by_cost(n, ranks, o); });
}

LuDecomposition choose_lu(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options) {
  return fastest(ranks, options,
                 [&](const FactorOptions& o) { return choose_lu_by_cost(m, n, ranks, o); });
}

TrsmDecomposition choose_trsm(std::int64_t n, std::int64_t m, int ranks,
                              const FactorOptions& options) {
  return fastest(ranks, options,
                 [&](const FactorOptions& o) { return choose_trsm_by_cost(n, m, ranks, o); });
}

}  // namespace redblue
