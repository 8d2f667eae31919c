// SPDX-License-Identifier: BSD-3-Clause
// A kernel of one's own, and how little data any execution of it moves.
//   bound examples/distances.c
#include <cstdio>
#include <redblue/analysis.hpp>
#include <redblue/error.hpp>
#include <redblue/schedule.hpp>

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: bound examples/distances.c\n"), 2;
  redblue::BoundRequest request;
  request.file = argv[1];
  request.sizes = {{"N", 100}, {"M", 50}, {"S", 256}};  // S words of fast memory
  const redblue::BoundReport report = redblue::lower_bounds(request);

  for (const redblue::LowerBound& bound : report.bounds) {
    std::printf("%-12s %7.0f words = %-18s %s\n", bound.method.c_str(), bound.value.value_or(0),
                bound.leading.text().c_str(),
                bound.proved() ? "proved" : "if what it assumes holds");
  }
  const redblue::LowerBound& best = report.bounds[report.best];
  std::printf("The strongest that assumes nothing is by %s:\n  %s\n", best.method.c_str(),
              best.expression.text().c_str());
  std::printf("It holds for %s.\n",
              best.holds_where.empty() ? "all sizes" : best.holds_for.c_str());
  for (const redblue::Condition& c : best.ledger) {
    const bool proved = c.status == redblue::Condition::Status::proved;
    std::printf("  %s: %s\n", proved ? "proved" : "assumed", c.condition.c_str());
  }

  // No execution moves less. The program as it is written, with the best use of the fast memory:
  const redblue::MemoryTraffic moved = *redblue::replay_program(request).belady;
  std::printf("As written it moves %lld words.\n", static_cast<long long>(moved.moved()));

  const double formula = best.expression.at({{"N", 100}, {"M", 50}, {"S", 256}});
  const bool right = best.proved() && best.holds_at(request.sizes) && formula <= *best.value + 1 &&
                     *best.value > 0 && *best.value <= static_cast<double>(moved.moved());
  return right ? 0 : 1;
} catch (const redblue::Error& error) {
  std::fprintf(stderr, "bound: %s\n", error.what());
  return 2;
}
