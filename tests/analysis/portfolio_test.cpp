// SPDX-License-Identifier: BSD-3-Clause
// Other one-statement kernels: what is proved, what is assumed, and which method wins.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <map>
#include <string>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "temporary_folder.hpp"

namespace redblue {
namespace {

BoundReport bounds_of(const std::string& body) {
  const std::string path = test::temporary_folder() + "redblue_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".c";
  std::ofstream(path) << "void f(int N, int M, double A[N][N], double B[N][N], double C[N][N], "
                         "double x[N], double y[N]) {\n"
                      << body << "\n}\n";
  return lower_bounds({path, "", {}, {}});
}

const LowerBound& best(const BoundReport& r) {
  return r.bounds[r.best];
}

TEST(Portfolio, InitialisedAccumulation) {
  const BoundReport r = bounds_of(
      "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { C[i][j] = 0;\n"
      "for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j]; }");
  EXPECT_EQ(best(r).leading, "2*N^3/sqrt(S)");
  // N^2 versions start from a constant, N^2 are stored.
  EXPECT_EQ(best(r).expression, "2*N^3/sqrt(S)");
}

TEST(Portfolio, SymmetricUpdateCountsTheUnionOfItsImages) {
  const BoundReport r = bounds_of(
      "for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < M; k++)\n"
      "C[i][j] += A[i][k] * A[j][k];");
  EXPECT_EQ(best(r).leading, "sqrt(2)*M*N^2/(2*sqrt(S))");  // the symmetric inequality
  EXPECT_TRUE(best(r).proved());
  // that the images are disjoint in a segment is not assumed: in triangle blocks they are not
  EXPECT_EQ(r.best_assumed, r.best);
  for (const LowerBound& bound : r.bounds) EXPECT_TRUE(bound.proved()) << bound.expression;
}

TEST(Portfolio, MatrixVectorIsCompulsory) {
  const BoundReport r =
      bounds_of("for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) y[i] += A[i][j] * x[j];");
  EXPECT_EQ(best(r).method, "compulsory");
  EXPECT_EQ(best(r).expression, "M*N + 2*N + M");
}

TEST(Portfolio, WriteBeforeReadIsNoInput) {
  const BoundReport r = bounds_of("for (int i = 0; i < N; i++) { x[i] = y[i]; y[i] = x[i] + 1; }");
  EXPECT_EQ(best(r).expression, "3*N");  // loads y, stores x and y
}

TEST(Portfolio, TemporariesAreNoOutputs) {
  const BoundReport r = bounds_of("for (int i = 0; i < N; i++) { double t = y[i]; x[i] = t * t; }");
  EXPECT_EQ(best(r).expression, "2*N");
}

// Nothing is read or seen afterwards: no words, but a bound.
TEST(Portfolio, NothingMoves) {
  const BoundReport r = bounds_of("double t = 0; for (int i = 0; i < N; i++) t = 1.0;");
  ASSERT_EQ(r.bounds.size(), 1);
  EXPECT_EQ(best(r).expression, "0");
}

// The images of strided subscripts have holes no formula counts; the bound does without them.
TEST(Portfolio, StridedConvolution) {
  const std::string path = test::temporary_folder() + "redblue_strided.c";
  std::ofstream(path)
      << "void f(int C, int K, int H, int W, int R, double in[C][2*H+R][2*W+R], double "
         "w[K][C][R][R],"
         " double out[K][H][W]) {\nfor (int k = 0; k < K; k++) for (int h = 0; h < H; h++)\n"
         "for (int x = 0; x < W; x++) for (int c = 0; c < C; c++) for (int r = 0; r < R; r++)\n"
         "for (int q = 0; q < R; q++) out[k][h][x] += in[c][2*h+r][2*x+q] * w[k][c][r][q];\n}\n";
  BoundRequest request{path, "", {}, {}};
  request.small = {"R"};
  const BoundReport r = lower_bounds(request);
  EXPECT_EQ(best(r).leading, "2*C*H*K*R^2*W/(sqrt(R^2)*sqrt(S))");
  EXPECT_TRUE(best(r).proved());
}

// Two products that share one factor add up: by Cauchy, sqrt(A) (sqrt(B C) + sqrt(B' C')) is at
// most sqrt(A (B + B') (C + C')). Two that share both do not: the other's results alone are new.
TEST(Portfolio, StatementsThatShareInputs) {
  const std::string head =
      "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++)\n"
      "for (int k = 0; k < N; k++) {\nC[i][j] += A[i][k] * B[k][j];\n";
  const std::string path = test::temporary_folder() + "redblue_shared.c";
  const auto leading = [&](const std::string& second) {
    std::ofstream(path) << "void f(int N, double A[N][N], double B[N][N], double C[N][N],\n"
                           "double D[N][N], double E[N][N]) {\n"
                        << head << second << "}\n}\n";
    const BoundReport r = lower_bounds({path, "", {}, {}});
    EXPECT_TRUE(best(r).proved());
    return best(r).leading;
  };
  EXPECT_EQ(leading("D[i][j] += A[i][k] * E[k][j];\n"), "4*N^3/sqrt(S)");
  EXPECT_EQ(leading("D[i][j] += A[i][k] * B[k][j];\n"), "2*sqrt(2)*N^3/sqrt(S)");
}

// A triangle read from two sides: the rows of B beside it lie far apart but near the diagonal. Not
// so where each element is read twice on either side, or the rows' order is no chain's.
TEST(Portfolio, StatementsThatReadFromTwoSides) {
  const BoundReport r = lower_bounds({REDBLUE_SOURCE_DIR "/kernels/symm.c", "", {}, {}});
  EXPECT_EQ(best(r).statement, "S1+S2");
  EXPECT_EQ(best(r).leading, "2*M^2*N/sqrt(S)");
  EXPECT_TRUE(best(r).proved());
  const std::string path = test::temporary_folder() + "redblue_sides.c";
  const auto leading = [&](const std::string& inner) {
    std::ofstream(path) << "void f(int N, double A[N][N], double B[N][N], double C[N][N],\n"
                           "double D[N][N]) {\nfor (int i = 0; i < N; i++)\n"
                           "for (int j = 0; j < N; j++)\n"
                        << inner << "\n}\n";
    return best(lower_bounds({path, "", {}, {}})).leading;
  };
  const std::string both = "C[k][j] += B[i][j] * A[i][k]; C[i][j] += B[k][j] * A[i][k]; }";
  EXPECT_EQ(leading("for (int k = 0; k < i; k++) { " + both), "2*N^3/sqrt(S)");
  EXPECT_EQ(leading("for (int k = i - 1; k >= 0; k--) { " + both), "2*N^3/sqrt(S)");
  EXPECT_EQ(leading("for (int k = i + 1; k < N; k++) { " + both), "2*N^3/sqrt(S)");
  EXPECT_EQ(leading("for (int k = 0; k < N; k++) {\n"
                    "C[k][j] += B[i][j] * A[i][k]; D[i][j] += B[k][j] * A[i][k]; }"),
            "2*sqrt(2)*N^3/sqrt(S)");
}

// Modified Gram-Schmidt, columns short against S: a segment's set is whole along columns. Where the
// reduction that comes before the broadcast leaves out a row, it is no hourglass.
TEST(Portfolio, HourglassesNeedWholeSlices) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/gramschmidt.c", "", {}, {}};
  request.sizes = {{"M", 200}, {"N", 200}, {"S", 1024}};
  const BoundReport r = lower_bounds(request);
  EXPECT_EQ(best(r).method, "hourglass");
  EXPECT_TRUE(best(r).proved());
  EXPECT_GT(*best(r).value, 2 * 188'920);  // of the projections
  const auto has_neck = [](const std::string& first) {
    const BoundReport report = bounds_of(
        "for (int k = 0; k < N; k++) for (int j = 0; j < N; j++) {\nx[j] = 0;\n"
        "for (int i = " +
        first +
        "; i < M; i++) x[j] += B[k][i] * A[i][j];\n"
        "for (int i = 0; i < M; i++) A[i][j] -= B[k][i] * x[j];\n}");
    return std::any_of(report.bounds.begin(), report.bounds.end(),
                       [](const LowerBound& b) { return b.method == "hourglass"; });
  };
  EXPECT_TRUE(has_neck("0"));
  EXPECT_FALSE(has_neck("1"));
}

// Piece by piece in S: the ranges follow each other, and at their ends and between them the
// strongest bound is the one they name.
TEST(Portfolio, ByMemory) {
  for (const auto& [kernel, sizes, methods] :
       {std::tuple("gemm", std::map<std::string, std::int64_t>{{"NI", 40}, {"NJ", 50}, {"NK", 60}},
                   std::vector<std::string>{"projection", "compulsory"}),
        {"atax", {{"M", 40}, {"N", 50}}, {"wavefront", "compulsory"}},
        {"trisolv", {{"N", 60}}, {"compulsory"}}}) {
    BoundRequest request{std::string(REDBLUE_SOURCE_DIR "/kernels/") + kernel + ".c", "", {}, {}};
    const BoundedProgram program(request);
    const std::vector<MemoryRange> ranges = bounds_by_memory(program, sizes);
    std::vector<std::string> found;
    std::int64_t next = 8;
    for (const MemoryRange& range : ranges) {
      found.push_back(range.bound.method);
      EXPECT_EQ(range.from, next);
      std::vector<std::int64_t> looked = {range.from};
      if (range.to) looked.insert(looked.end(), {(range.from + *range.to) / 2, *range.to});
      for (const std::int64_t s : looked) {
        request.sizes = sizes;
        request.sizes["S"] = s;
        const BoundReport report = lower_bounds(request);
        EXPECT_EQ(report.bounds[report.best].expression, range.bound.expression) << kernel << s;
      }
      next = range.to.value_or(0) + 1;
    }
    EXPECT_EQ(found, methods) << kernel;
    EXPECT_FALSE(ranges.back().to);
  }
  EXPECT_THROW(bounds_by_memory(BoundedProgram({REDBLUE_SOURCE_DIR "/kernels/gemm.c", "", {}, {}}),
                                {{"NI", 4}}),
               Error);
}

// Scores of attention in a local array die: less than N^2 words need move, and not less than
// flash attention's bound allows (N = 4096, D = 64, S = 65536 > D^2).
TEST(Portfolio, AttentionWithLocalScores) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/tests/programs/corpus/attention.c", "", {}, {}};
  request.sizes = {{"N", 4096}, {"D", 64}, {"S", 65536}};
  const BoundReport report = lower_bounds(request);
  const double words = report.bounds[report.best].value.value_or(0);
  EXPECT_GE(words, 1e6);
  EXPECT_LE(words, 5.25e6);
}

// Pairs of statements are many; tests/perf says how long they take.
TEST(Portfolio, FortyStatements) {
  std::string sweeps = "for (int t = 0; t < M; t++) {\n";
  for (int s = 0; s < 40; ++s) {
    const std::string from = "ABC"[s % 3] + std::string("[i][j]"),
                      to = "ABC"[(s + 1) % 3] + std::string("[i][j]");
    sweeps += "for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n  " + to + " = " +
              from + " + " + "ABC"[s % 3] + "[i - 1][j];\n";
  }
  const BoundReport r = bounds_of(sweeps + "}");
  EXPECT_EQ(r.statements.size(), 40U);
  EXPECT_TRUE(best(r).proved());
}

// What is kept of a program from one question to the next changes no answer.
TEST(Portfolio, SizesAskedForBeforeChangeNothing) {
  for (const char* kernel : {"adi", "gramschmidt", "lu", "nussinov", "fdtd-2d"}) {
    const BoundRequest request{
        REDBLUE_SOURCE_DIR "/kernels/" + std::string(kernel) + ".c", "", {}, {}};
    const BoundedProgram asked(request), fresh(request);
    std::map<std::string, std::int64_t> small = {{"S", 12}}, large = {{"S", 1000}};
    for (const std::string& p : asked.parameters()) small[p] = 7, large[p] = 300;
    asked.at(small), asked.at({}), asked.at(large, 4);
    const BoundReport again = asked.at(large), once = fresh.at(large);
    ASSERT_EQ(again.bounds.size(), once.bounds.size()) << kernel;
    EXPECT_EQ(again.best, once.best) << kernel;
    EXPECT_EQ(again.gave_up.size(), once.gave_up.size()) << kernel;
    for (std::size_t b = 0; b < once.bounds.size(); ++b) {
      EXPECT_EQ(again.bounds[b].method, once.bounds[b].method) << kernel;
      EXPECT_EQ(again.bounds[b].value, once.bounds[b].value)
          << kernel << " " << once.bounds[b].method;
      EXPECT_EQ(again.bounds[b].expression, once.bounds[b].expression.text()) << kernel;
    }
  }
}

}  // namespace
}  // namespace redblue
