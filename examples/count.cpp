// SPDX-License-Identifier: BSD-3-Clause
// How often loops run, how much work there is and how much of it threads can share.
//   count examples/sum.c
#include <cstdio>
#include <redblue/counting.hpp>
#include <redblue/error.hpp>

int main(int argc, char** argv) try {
  if (argc != 2) return std::fprintf(stderr, "usage: count examples/sum.c\n"), 2;
  redblue::CountRequest request;
  request.file = argv[1];
  request.flags = {"-fopenmp"};
  request.sizes = {{"n", 1000}, {"p", 4}};  // p: threads
  const redblue::CountReport report = redblue::count(request);

  for (const redblue::CountedPlace& loop : report.loops) {
    std::printf(
        "line %d, loop over %s: %s iterations in the busiest thread, %s at n = 1000, p = 4\n",
        loop.line, loop.name.c_str(), loop.count.upper.text().c_str(),
        loop.count.upper_value.value_or("?").c_str());
  }
  std::printf("work %s, depth %s, efficiency %s, at most %s threads are of use\n",
              report.work.upper.text().c_str(), report.depth.text().c_str(),
              report.efficiency.text().c_str(), report.parallelism.text().c_str());
  for (const redblue::Condition& c : report.ledger) {
    const bool proved = c.status == redblue::Condition::Status::proved;
    std::printf("  %s: %s\n", proved ? "proved" : "assumed", c.condition.c_str());
  }

  // The program with a counter in every loop, compiled and run, at sizes of its own.
  request.sizes.clear();
  const redblue::CountCheck check = redblue::check_counts(request, {{"n", 999}, {"p", 2}});
  int equal = 0;
  for (const redblue::CheckedLoop& loop : check.loops) {
    equal += loop.verdict == redblue::CheckedLoop::Verdict::equal;
  }
  std::printf(
      "run with n = 999 and 2 threads: %d of %zu loops ran as often as their formulas say\n", equal,
      check.loops.size());
  return check.passed() && equal == 1 && report.loops[0].count.upper_value == "250" ? 0 : 1;
} catch (const redblue::Error& error) {
  std::fprintf(stderr, "count: %s\n", error.what());
  return 2;
}
