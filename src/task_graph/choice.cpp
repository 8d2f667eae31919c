// SPDX-License-Identifier: BSD-3-Clause
// The choices of gemm_model.hpp and factor_model.hpp: by words as decomposition/ makes them, by
// time among several of those by their critical paths.
#include <algorithm>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "decomposition/cost.hpp"
#include "decomposition/solve/trsm.hpp"
#include "redblue/error.hpp"
#include "redblue/factor_model.hpp"
#include "redblue/gemm_model.hpp"
#include "task_graph/plans.hpp"

namespace redblue {

namespace {

constexpr double quick = 1e5;  // actions, of one plan
constexpr int few_ranks = 1024;

std::int64_t order_of(const CholeskyDecomposition& d) {
  return d.n;
}
std::int64_t order_of(const LuDecomposition& d) {
  return std::min(d.m, d.n);
}
std::int64_t order_of(const TrsmDecomposition& d) {
  return d.n;
}

// The fastest plan of those that are offered, the way of the matrices to it and back included.
// `choose(ranks, options)`: the choice by cost.
template <class Choose>
class Fastest {
 public:
  using Plan = std::invoke_result_t<Choose, int, const FactorOptions&>;

  // Throws Error where nothing fits in the memory.
  Fastest(int ranks, const FactorOptions& options, Choose choose)
      : ranks_(ranks), options_(options), choose_(choose), best_(choose(ranks, options)) {}

  Plan take() {
    if (options_.objective == Objective::words || ranks_ > few_ranks) return std::move(best_);
    offer_all(ranks_, {0.5, 2, 4}, quick);
    if (!waits_for_messages()) return std::move(best_);
    // fewer steps, on fewer and fewer ranks: larger and larger blocks
    for (int used = ranks_; used > 0; used /= 2)
      offer_all(used, used == ranks_ ? larger : any_size, quick / 10);
    return std::move(best_);
  }

 private:
  using Factors = std::vector<double>;
  static inline const Factors larger = {8, 16, 32, 64, 128}, any_size = {2, 4, 8, 16, 32, 64, 128};

  // Whether latencies make up a tenth of the time or more, those of the way there and back too.
  bool waits_for_messages() const {
    const std::int64_t messages = cost_of(best_, options_.machine).messages.value + 2;
    return 10 * static_cast<double>(messages) * options_.machine.latency_seconds > least_;
  }

  // With blocks of the usual size and of so many times that, chosen by time and by words.
  void offer_all(int used, const Factors& factors, double most_actions) {
    constexpr bool has_exchange = std::is_same_v<Plan, LuDecomposition>;
    for (const Objective objective : {Objective::seconds, Objective::words}) {
      FactorOptions changed = options_;
      changed.objective = objective;
      for (const Exchange exchange : {Exchange::direct, Exchange::doubling}) {
        if (options_.exchange.value_or(exchange) != exchange) continue;
        if (exchange == Exchange::doubling && !has_exchange) continue;
        changed.exchange = exchange;
        changed.block = options_.block;
        const std::optional<Plan> usual = chosen(used, changed);
        if (!usual) continue;
        offer(*usual, most_actions);
        if (options_.block) continue;
        for (const double factor : factors) {
          const auto block = static_cast<std::int64_t>(factor * static_cast<double>(usual->block));
          if (block < 1 || (factor > 4 && block >= 2 * order_of(*usual))) continue;
          changed.block = block;
          if (const auto other = chosen(used, changed)) offer(*other, most_actions);
        }
      }
    }
  }

  std::optional<Plan> chosen(int used, const FactorOptions& options) const {
    try {
      Plan plan = choose_(used, options);
      plan.ranks = ranks_;
      return plan;
    } catch (const Error&) {  // it does not fit in the memory
      return std::nullopt;
    }
  }

  void offer(const Plan& plan, double most_actions) {
    if (task_graph::planned_actions(plan) > most_actions) return;
    const double seconds =
        task_graph::timeline(task_graph::planned(plan), options_.machine).seconds +
        task_graph::moving_seconds(plan, options_.machine);
    if (seconds > least_) return;  // of equal ones the last: on the fewest ranks
    best_ = plan;
    least_ = seconds;
  }

  int ranks_;
  const FactorOptions& options_;
  Choose choose_;
  Plan best_;
  double least_ = std::numeric_limits<double>::infinity();
};

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
            if (d.kind != Decomposition::Kind::grid && ranks < request.ranks) continue;
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
  const auto choose = [n](int used, const FactorOptions& o) {
    return choose_cholesky_by_cost(n, used, o);
  };
  return Fastest(ranks, options, choose).take();
}

LuDecomposition choose_lu(std::int64_t m, std::int64_t n, int ranks, const FactorOptions& options) {
  const auto choose = [m, n](int used, const FactorOptions& o) {
    return choose_lu_by_cost(m, n, used, o);
  };
  return Fastest(ranks, options, choose).take();
}

TrsmDecomposition choose_trsm(std::int64_t n, std::int64_t m, int ranks,
                              const FactorOptions& options) {
  const auto choose = [n, m](int used, const FactorOptions& o) {
    return choose_trsm_by_cost(n, m, used, o);
  };
  return Fastest(ranks, options, choose).take();
}

double seconds_of(const CholeskyDecomposition& d, const Machine& machine) {
  if (d.in_place()) {
    Cost waited = cost_of(d, machine);
    const int each = d.grid_rows > 1 ? 2 : 1;
    waited.messages = Messages(each * CyclicClasses{d.n, d.block, 1}.blocks());
    return predicted_seconds(waited, machine);
  }
  return task_graph::seconds_of_plan(d, machine).value_or(cost_of(d, machine).seconds) +
         task_graph::moving_seconds(d, machine);
}

double seconds_of(const TrsmDecomposition& d, Triangles triangles, const Machine& machine) {
  if (d.rhs_in_place) {
    Cost waited = cost_of(d, machine);
    // blocks of T come a step ahead; of X there is one message a step
    waited.messages = Messages(CyclicClasses{d.n, d.block, d.grid_rows}.blocks());
    return predicted_seconds(waited, machine);
  }
  return task_graph::seconds_of_plan(d, machine).value_or(cost_of(d, machine).seconds) +
         task_graph::moving_seconds(d, machine, triangles);
}

}  // namespace redblue
