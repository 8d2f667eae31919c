// SPDX-License-Identifier: BSD-3-Clause
// Chains that cross: programs have the leading terms worked out by hand, schedules come near them,
// and no replay, in whatever order, moves less than a bound.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <vector>

#include "analysis/formula_at.hpp"
#include "bounds/cheapest_replay.hpp"
#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::bounds {
namespace {

struct Case {
  const char* name;
  const char* body;
  const char* leading;    // empty: no such bound
  const char* statement;  // whose bound it is
};

// Rows j and i; neighbouring rows from below are in the corpus.
const std::vector<Case> cases = {
    {"pivot_row",
     "for (int j = 0; j < n; j++) for (int i = j + 1; i < m; i++) {\n"
     "  double c = A[j][j] / A[i][j]; double s = A[i][j] / A[j][j];\n"
     "  for (int k = j; k < n; k++) { double t = c * A[j][k] + s * A[i][k];\n"
     "    A[i][k] = c * A[i][k] - s * A[j][k]; A[j][k] = t; } }",
     "2*m*n^2/sqrt(S) - 2*n^3/(3*sqrt(S))", "S2+S3"},
    {"from_tables",
     "for (int j = 0; j < n; j++) for (int i = n; i < m; i++) for (int k = 0; k < n; k++) {\n"
     "  double t = C[j][i] * A[j][k] + D[j][i] * A[i][k];\n"
     "  A[i][k] = C[j][i] * A[i][k] - D[j][i] * A[j][k]; A[j][k] = t; }",
     "4*m*n^2/sqrt(S) - 4*n^3/sqrt(S)", "S0+S1"},
    // A reflection of two rows by one number: p = 1.
    {"one_number",
     "for (int j = 0; j < n; j++) for (int i = n; i < m; i++) for (int k = 0; k < n; k++) {\n"
     "  double t = A[j][k] + C[j][i] * A[i][k];\n"
     "  A[i][k] = A[i][k] - C[j][i] * A[j][k]; A[j][k] = t; }",
     "2*sqrt(2)*m*n^2/sqrt(S) - 2*sqrt(2)*n^3/sqrt(S)", "S0+S1"},
    // Both matrices turn by the same angles: one problem.
    {"two_matrices",
     "for (int j = 0; j < n; j++) for (int i = n; i < m; i++) {\n"
     "  for (int k = 0; k < n; k++) { double t = C[j][i] * A[j][k] + D[j][i] * A[i][k];\n"
     "    A[i][k] = C[j][i] * A[i][k] - D[j][i] * A[j][k]; A[j][k] = t; }\n"
     "  for (int k = 0; k < n; k++) { double t = C[j][i] * B[j][k] + D[j][i] * B[i][k];\n"
     "    B[i][k] = C[j][i] * B[i][k] - D[j][i] * B[j][k]; B[j][k] = t; } }",
     "8*m*n^2/sqrt(S) - 8*n^3/sqrt(S)", "S0+S1+S3+S4"},
    // The angles are not the same for both statements: another problem.
    {"other_angles",
     "for (int j = 0; j < n; j++) for (int i = n; i < m; i++) for (int k = 0; k < n; k++) {\n"
     "  double t = C[j][i] * A[j][k] + C[j][i] * A[i][k];\n"
     "  A[i][k] = D[j][i] * A[i][k] - D[j][i] * A[j][k]; A[j][k] = t; }",
     "", ""},
};

std::string file_of(const Case& one) {
  const std::string path = test::temporary_folder() + "redblue_crossing_" + one.name + ".c";
  std::ofstream(path) << "void f(int m, int n, double A[m][n], double B[m][n], double C[n][m], "
                         "double D[n][m]) {\n"
                      << one.body << "\n}\n";
  return path;
}

bool crosses(const LowerBound& bound) {
  return std::any_of(bound.ledger.begin(), bound.ledger.end(), [](const Condition& c) {
    return c.condition.find("leaves one where its own statement") != std::string::npos;
  });
}

TEST(CrossingChains, LeadingTerms) {
  for (const Case& one : cases) {
    const BoundReport report = lower_bounds({file_of(one), "", {}, {}});
    const LowerBound& best = report.bounds[report.best];
    if (*one.leading == '\0') {
      EXPECT_TRUE(std::none_of(report.bounds.begin(), report.bounds.end(), crosses)) << one.name;
      continue;
    }
    EXPECT_TRUE(crosses(best)) << one.name;
    EXPECT_EQ(best.leading, one.leading) << one.name;
    EXPECT_EQ(best.statement, one.statement) << one.name;
  }
}

TEST(CrossingChains, NoReplayMovesLess) {
  int above_zero = 0;
  for (const Case& one : cases) {
    const BoundedProgram program(BoundRequest{file_of(one), "", {}, {}});
    for (const auto& [m, n] : {std::pair{9, 4}, std::pair{16, 7}, std::pair{24, 10}}) {
      const cdag::Graph graph = cdag::source_graph({file_of(one), "", {}, {{"m", m}, {"n", n}}});
      for (const std::int64_t s : {5, 6, 8, 12, 20}) {
        if (s <= graph.most_operands()) continue;
        const std::int64_t best = test::cheapest_replay(graph, s, {s / 2, s, 2 * s});
        for (const LowerBound& bound : program.at({{"m", m}, {"n", n}, {"S", s}}).bounds) {
          if (!bound.proved()) continue;
          EXPECT_LE(*bound.value, static_cast<double>(best))
              << one.name << " m=" << m << " n=" << n << " S=" << s << " " << bound.expression;
          above_zero += crosses(bound) && *bound.value > 0 ? 1 : 0;
        }
      }
    }
  }
  EXPECT_GT(above_zero, 20);
}

TEST(CrossingChains, NoFormulaIsMoreThanTheValue) {
  int compared = 0;
  for (const Case& one : cases) {
    const BoundedProgram program(BoundRequest{file_of(one), "", {}, {}});
    for (const std::int64_t s : {7, 16, 50}) {
      const test::SizeMap sizes = {{"m", 90}, {"n", 40}, {"S", s}};
      for (const LowerBound& bound : program.at(sizes).bounds) {
        if (!crosses(bound) || !bound.holds_at(sizes)) continue;
        EXPECT_LE(test::formula_at(bound.expression, sizes), *bound.value * (1 + 1e-9) + 1e-9)
            << one.name << " S=" << s;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 10);
}

// Two processors that take half of the columns each receive half of the tables, which begin in one
// memory or the other.
TEST(CrossingChains, ProcessorsReceiveNoMoreThanByColumns) {
  const std::int64_t m = 900, n = 300;
  const BoundedProgram program(BoundRequest{file_of(cases[1]), "", {}, {}});
  double most = 0;
  for (const LowerBound& bound : program.at({{"m", m}, {"n", n}, {"S", 1'000'000}}, 2).bounds)
    most = std::max(most, bound.busiest_value.value_or(0));
  EXPECT_LE(most, static_cast<double>((m - n) * n));
  const BoundReport many = program.at({{"m", m}, {"n", n}, {"S", 1'000'000}}, 64);
  EXPECT_TRUE(std::any_of(many.bounds.begin(), many.bounds.end(), [](const LowerBound& bound) {
    return bound.busiest_value.value_or(0) > 0 &&
           bound.busiest_provided.find("S0+S1") != std::string::npos;
  }));
}

// The rotations of the corpus' givens_rows.c in blocks of 16 by 16.
TEST(CrossingChains, BlocksComeNear) {
  const std::string folder = REDBLUE_SOURCE_DIR "/tests/programs/";
  const BoundReport report =
      lower_bounds({folder + "corpus/givens_rows.c", "", {}, {{"m", 256}, {"n", 128}, {"S", 300}}});
  const double bound = *report.bounds[report.best].value;
  const cdag::Graph graph =
      cdag::source_graph({folder + "givens-in-blocks.c", "", {}, {{"m", 256}, {"N", 8}}});
  const auto moved =
      static_cast<double>(cdag::replay(graph, cdag::natural_order(graph), 300).moved());
  EXPECT_LE(bound, moved);
  EXPECT_GE(bound, moved / 1.5);
}

}  // namespace
}  // namespace redblue::bounds
