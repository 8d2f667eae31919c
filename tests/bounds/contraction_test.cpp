// SPDX-License-Identifier: BSD-3-Clause
// Values used once are looked through (docs/methods/contraction.md): programs with them have the
// bound of their plain form, and no replay moves less. The lemma itself is tried on all sets of a
// small graph by tests/methods/lemmas_test.py.
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
  const char* leading;
};

const Case cases[] = {
    {"product",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) {\n"
     "  double p = A[i][k] * B[k][j]; C[i][j] += p; }",
     "2*n^3/sqrt(S)"},
    {"sum_of_one_row",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { double s = 0;\n"
     "  for (int k = 0; k < n; k++) { double a = A[i][k]; double b = B[k][j]; double p = a * b;\n"
     "    s += p; } C[i][j] = s; }",
     "2*n^3/sqrt(S)"},
    {"two_products",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) {\n"
     "  double p = A[i][k] * B[k][j]; double q = p * D[i][j]; C[i][j] += q; }",
     "2*sqrt(2)*n^3/sqrt(S)"},
    {"used_twice_by_one",
     "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) {\n"
     "  double d = A[i][k] - B[k][j]; double q = d * d + A[i][k]; C[i][j] += d * q; }",
     "2*n^3/sqrt(S)"},
    {"elimination",
     "for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++) { A[i][k] /= A[k][k];\n"
     "  for (int j = k + 1; j < n; j++) { double u = A[i][k] * A[k][j]; A[i][j] -= u; } }",
     "2*n^3/(3*sqrt(S))"},
};

std::string file_of(const Case& one) {
  const std::string path = test::temporary_folder() + "redblue_contraction_" + one.name + ".c";
  std::ofstream(path) << "void f(int n, double A[n][n], double B[n][n], double C[n][n], "
                         "double D[n][n]) {\n"
                      << one.body << "\n}\n";
  return path;
}

TEST(Contraction, BoundsAreThoseOfThePlainForm) {
  for (const Case& one : cases) {
    const BoundReport report = lower_bounds({file_of(one), "", {}, {}});
    EXPECT_EQ(report.bounds[report.best].leading, one.leading) << one.name;
  }
}

TEST(Contraction, NoReplayMovesLess) {
  for (const Case& one : cases) {
    int above_compulsory = 0;
    const BoundedProgram program(BoundRequest{file_of(one), "", {}, {}});
    for (const std::int64_t n : {4, 7}) {
      const cdag::Graph graph = cdag::source_graph({file_of(one), "", {}, {{"n", n}}});
      for (const std::int64_t s : {6, 9, 12}) {
        const std::int64_t best = test::cheapest_replay(graph, s, {s, 2 * s});
        for (const LowerBound& bound : program.at({{"n", n}, {"S", s}}).bounds) {
          if (!bound.proved()) continue;
          EXPECT_LE(*bound.value, static_cast<double>(best))
              << one.name << " n=" << n << " S=" << s << " " << bound.expression;
          above_compulsory += bound.method != "compulsory" && *bound.value > 0 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(above_compulsory, 0) << one.name;
  }
}

}  // namespace
}  // namespace redblue
