// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/factor_outcome.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "cli/linalg/run_record.hpp"
#include "cli/output.hpp"

namespace redblue::cli {

std::string heading(const FactorOutcome& o, int ranks) {
  return fmt::format("{} on {} ranks: {}", o.title, ranks, o.decomposition);
}

void report(const FactorOutcome& o, const FactorTold& told, int ranks) {
  const double best = *std::min_element(o.seconds.begin(), o.seconds.end());
  const double gflops = 2e-9 * o.multiplications / best;
  const auto received = static_cast<double>(o.received);
  if (told.json) {
    Json json = {{"ranks", ranks},
                 {"decomposition", o.decomposition},
                 {"max_words_received", o.received},
                 {"mean_words_received", o.mean_received},
                 {"predicted_words", o.predicted.words.value},
                 {"redistributed_words", o.redistributed},
                 {"lower_bound", o.bound},
                 {"ratio", ratio_json(received, o.bound)},
                 {"messages", o.messages},
                 {"memory_words", o.memory},
                 {"type", told.type},
                 {"seconds", best},
                 {"gflops", gflops},
                 {"residual", !told.checked ? Json(nullptr) : Json(o.residual.value)},
                 {"checked", told.checked},
                 {"ok", !told.checked || o.residual.ok},
                 {"executions", o.seconds}};
    add_efficiency(json, o.efficiency);
    print_json(json);
    return;
  }
  fmt::print("{}\n", bold(heading(o, ranks)));
  fmt::print(
      "  {} words in {} messages (received, busiest rank; {} in the mean), predicted {}, bound {}, "
      "ratio {}\n",
      grouped(o.received), o.messages, grouped(o.mean_received), grouped(o.predicted.words.value),
      grouped(o.bound), ratio_text(received, o.bound));
  if (o.redistributed > 0)
    fmt::print("  {} words more from the caller's layout and back\n", grouped(o.redistributed));
  fmt::print("  {:.3g} s, {:.1f} GFLOP/s, {}\n", best, gflops,
             residual_text(told.checked, o.residual));
  print_efficiency(o.efficiency);
}

RunFacts facts_of(const FactorOutcome& o, const FactorTold& told, const Machine& machine) {
  return {o.title,
          o.decomposition,
          o.received,
          o.mean_received,
          o.messages,
          o.redistributed,
          o.memory,
          o.bound,
          o.seconds,
          o.efficiency,
          residual_text(told.checked, o.residual),
          machine};
}

}  // namespace redblue::cli
