// SPDX-License-Identifier: BSD-3-Clause
// Steps that wait for each other load their inputs again, and no schedule moves less
// (docs/methods/phases.md; the schedule that halves the loads of powers of a matrix is in
// tests/methods/lemmas_test.py).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "bounds/cheapest_replay.hpp"
#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue {
namespace {

struct Case {
  const char* name;
  const char* body;
  const char* leading;  // empty: steps may overlap without limit
};

const Case cases[] = {
    {"powers",
     "for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j]; "
     "}\nfor (int i = 0; i < n; i++) x[i] = y[i];",
     "T*n^2/2"},
    {"with_norm",
     "for (int i = 0; i < n; i++) { y[i] = 0; for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j]; "
     "}\ndouble s = 0; for (int i = 0; i < n; i++) s += y[i] * y[i];\n"
     "for (int i = 0; i < n; i++) x[i] = y[i] / s;",
     "T*n^2"},
    {"rows_alone",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j];", ""},
};

BoundRequest request_of(const Case& one) {
  const std::string path = test::temporary_folder() + "redblue_phases_" + one.name + ".c";
  std::ofstream(path) << "void f(int n, int T, double A[n][n], double x[n], double y[n]) {\n"
                         "for (int t = 0; t < T; t++) {\n"
                      << one.body << "\n}\n}\n";
  return {path, "", {}, {}};
}

const LowerBound* by_phases(const BoundReport& report) {
  for (const LowerBound& bound : report.bounds)
    if (bound.method == "phases") return &bound;
  return nullptr;
}

TEST(Phases, InputsAreLoadedAgain) {
  for (const Case& one : cases) {
    const BoundReport report = lower_bounds(request_of(one));
    const LowerBound* bound = by_phases(report);
    ASSERT_EQ(bound != nullptr, one.leading[0] != '\0') << one.name;
    if (bound == nullptr) continue;
    EXPECT_TRUE(bound->proved());
    EXPECT_TRUE(bound->recomputation);
    EXPECT_EQ(bound->leading.text().rfind(one.leading, 0), 0U) << one.name << " " << bound->leading;
  }
}

TEST(Phases, NoReplayMovesLess) {
  for (const Case& one : cases) {
    if (one.leading[0] == '\0') continue;
    int above_zero = 0;
    BoundRequest request = request_of(one);
    for (const std::int64_t n : {5, 8}) {
      request.sizes = {{"n", n}, {"T", 6}};
      const cdag::Graph graph = cdag::source_graph(request);
      for (const std::int64_t s : {6, 16, 40}) {
        request.sizes["S"] = s;
        const std::int64_t best = test::cheapest_replay(graph, s, {s, 3 * s});
        const BoundReport report = lower_bounds(request);
        EXPECT_LE(*by_phases(report)->value, static_cast<double>(best)) << one.name << n << s;
        above_zero += *by_phases(report)->value > 0 ? 1 : 0;
      }
    }
    EXPECT_GT(above_zero, 2) << one.name;
  }
}

}  // namespace
}  // namespace redblue
