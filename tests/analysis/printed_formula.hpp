// SPDX-License-Identifier: BSD-3-Clause
// The formulas that are printed, against schedules: a formula must be a lower bound at every size
// for which it claims to be one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/formula_at.hpp"
#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {

// What was looked at, for tests that must not pass on nothing.
struct PrintedFormulas {
  int looked_at = 0;   // proved bounds at sizes
  int claimed = 0;     // of these, formulas that claim to hold there
  int above_zero = 0;  // of these, formulas that say something: not compulsory traffic, above 0
  int best_claimed = 0, best_looked_at = 0;  // likewise for the strongest bounds only

  PrintedFormulas& operator+=(const PrintedFormulas& more) {
    looked_at += more.looked_at;
    claimed += more.claimed;
    above_zero += more.above_zero;
    best_claimed += more.best_claimed;
    best_looked_at += more.best_looked_at;
    return *this;
  }
};

// Fewest words that any schedule known moves. Optima are proved ones.
struct FewestWords {
  std::int64_t once = 0;              // each value computed once: replays, or the optimum
  std::optional<std::int64_t> again;  // values may be computed again: the optimum
};

// `optimum_seconds`: for each exact search, of graphs small enough for one; none for 0.
inline FewestWords fewest_words(const cdag::Graph& graph, std::int64_t s, double optimum_seconds) {
  FewestWords fewest;
  fewest.once = cdag::replay(graph, cdag::natural_order(graph), s).moved();
  for (const std::int64_t window : {s / 2, s, 2 * s})
    fewest.once =
        std::min(fewest.once, cdag::replay(graph, cdag::greedy_order(graph, window), s).moved());
  constexpr cdag::Vertex most_vertices = 64;
  if (optimum_seconds <= 0 || graph.size() > most_vertices) return fewest;
  cdag::ExactOptions options;
  options.seconds = optimum_seconds;
  for (const bool recomputation : {false, true}) {
    options.recomputation = recomputation;
    const cdag::Exact exact = cdag::optimal_pebbling(graph, s, options);
    fewest.once = std::min(fewest.once, recomputation ? fewest.once : exact.upper);
    if (recomputation && exact.proved()) fewest.again = exact.upper;
  }
  return fewest;
}

// Every proved bound of `report`, its formula and its value if it has one, against `fewest` at
// these sizes (with S).
inline PrintedFormulas check_report(const BoundReport& report, const SizeMap& sizes,
                                    const FewestWords& fewest) {
  PrintedFormulas result;
  for (std::size_t b = 0; b < report.bounds.size(); ++b) {
    const LowerBound& bound = report.bounds[b];
    if (!bound.proved()) continue;
    const bool again = bound.recomputation && fewest.again;
    const auto most =
        static_cast<double>(again ? std::min(*fewest.again, fewest.once) : fewest.once);
    const std::string where = report.program + " " + text_of(sizes) + ": " + bound.method +
                              " on '" + bound.statement + "', " + bound.expression.text() +
                              " for " + (bound.holds_for.empty() ? "all sizes" : bound.holds_for);
    ++result.looked_at;
    result.best_looked_at += b == report.best ? 1 : 0;
    EXPECT_LE(bound.value.value_or(0), most) << where;
    if (!bound.holds_at(sizes)) continue;
    const double formula = formula_at(bound.expression, sizes);
    EXPECT_LE(formula, most * (1 + 1e-12)) << where;
    ++result.claimed;
    result.best_claimed += b == report.best ? 1 : 0;
    result.above_zero += formula > 0 && bound.method != "compulsory" ? 1 : 0;
  }
  return result;
}

// Whether no size is below that of the other.
inline bool no_smaller(const SizeMap& sizes, const SizeMap& other) {
  return std::all_of(other.begin(), other.end(),
                     [&](const auto& size) { return sizes.at(size.first) >= size.second; });
}

// Checks the formulas printed for a program at these sizes (of all parameters, without S) and fast
// memories: those printed when no sizes are given and those printed for these. Memories in which
// not all vertices can be computed are left out, and sizes with more vertices than `most_vertices`.
inline PrintedFormulas check_printed_formulas(BoundRequest request, const std::vector<SizeMap>& at,
                                              const std::vector<std::int64_t>& memories,
                                              double optimum_seconds = 0,
                                              cdag::Vertex most_vertices = 20'000) {
  request.sizes.clear();
  const BoundedProgram program(request);
  const BoundReport general = program.at({});
  PrintedFormulas result;
  std::vector<SizeMap> too_large;  // larger sizes give larger graphs
  for (const SizeMap& sizes : at) {
    if (std::any_of(too_large.begin(), too_large.end(),
                    [&](const SizeMap& other) { return no_smaller(sizes, other); }))
      continue;
    request.sizes = sizes;
    const cdag::Graph graph = cdag::source_graph(request);
    constexpr cdag::Vertex large = 20'000;  // looked at only where no smaller graph was
    if (graph.size() > (result.best_claimed > 0 ? std::min(large, most_vertices) : most_vertices)) {
      too_large.push_back(sizes);
      continue;
    }
    for (const std::int64_t s : memories) {
      if (s <= graph.most_operands()) continue;
      SizeMap all = sizes;
      all["S"] = s;
      const FewestWords fewest = fewest_words(graph, s, optimum_seconds);
      result += check_report(general, all, fewest);
      result += check_report(program.at(all), all, fewest);
    }
  }
  return result;
}

// Checks, without a graph and so at any sizes, that a formula printed for these claims no more than
// the bound's value, which rounds towards safety. Only a value's search for the best segment may
// miss a thousandth. Bounds of value 0 are not counted: where nothing need move, a formula that
// claims nothing is right.
inline PrintedFormulas check_formulas_by_values(const BoundedProgram& program, const SizeMap& sizes,
                                                std::int64_t units = 1) {
  PrintedFormulas result;
  const BoundReport report = program.at(sizes, units);
  for (const LowerBound& bound : report.bounds) {
    const int counted = *bound.value > 0 ? 1 : 0;
    result.looked_at += counted;
    if (!bound.holds_at(sizes)) continue;
    result.claimed += counted;
    const double formula = formula_at(bound.expression, sizes);
    const double slack = 1e-3 * std::abs(*bound.value) + 1e-6 * formula_at("S", sizes);
    EXPECT_LE(formula, *bound.value + slack + 1e-6)
        << report.program << " " << text_of(sizes) << " on " << units << ": " << bound.method
        << " on '" << bound.statement << "', " << bound.expression << " for " << bound.holds_for;
    result.above_zero += formula > 0 && bound.method != "compulsory" ? 1 : 0;
  }
  return result;
}

}  // namespace redblue::test
