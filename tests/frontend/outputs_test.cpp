// SPDX-License-Identifier: BSD-3-Clause
// Which final values a program's outputs are: what may be read after it, and nothing else.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using Names = std::vector<std::string>;

std::string file_with(const std::string& source, const std::string& suffix) {
  const std::string path = temporary_folder() + "redblue_outputs_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + suffix;
  std::ofstream(path) << source;
  return path;
}

// The report says what is an output, and the graph has as many as are stored.
void expect_outputs(const std::string& source, const Names& outputs, const Names& dead,
                    std::int64_t stored, const std::string& suffix = ".c") {
  BoundRequest request{file_with(source, suffix), "", {}, {{"N", 5}}};
  const BoundReport report = lower_bounds(request);
  EXPECT_EQ(report.outputs, outputs) << source;
  EXPECT_EQ(report.dead, dead) << source;
  EXPECT_EQ(cdag::source_graph(request).outputs(), stored) << source;
}

// A function with an input x, an array p of its own and an output y.
std::string function(const std::string& declaration, const std::string& after,
                     const std::string& before = "", const std::string& type = "void") {
  return "void init(double *); void print(double *); void done(void); void free(void *);\n"
         "void *malloc(unsigned long); double p_global[5]; double *kept;\n" +
         type + " f(int N, double x[N], double y[N]) {\n" + declaration + "\n" + before +
         "\n#pragma scop\n  for (int i = 0; i < N; i++) p[i] = x[i] * x[i];\n"
         "  for (int i = 0; i < N; i++) y[i] = p[i] + 1;\n#pragma endscop\n" +
         after + "\n}\n";
}

TEST(Outputs, ArraysThatDieWithTheFunctionAreDead) {
  for (const char* own :
       {"double p[N];", "double p[5];", "float p[N];", "double *p = malloc(N * sizeof(double));",
        "double *p; p = (double *)malloc(N * sizeof *p);"}) {
    expect_outputs(function(own, ""), {"y"}, {"p"}, 5);
    expect_outputs(function(own, "y[0] = x[0];"), {"y"}, {"p"}, 5);
  }
  expect_outputs(function("double *p = malloc(N * sizeof(double));", "free(p);"), {"y"}, {"p"}, 5);
}

TEST(Outputs, StorageThatOutlivesTheFunctionIsRead) {
  for (const char* lasting : {"static double p[5];", "extern double p[5];", "double *p = p_global;",
                              "double *p = p_global; p = malloc(8 * N);"}) {
    expect_outputs(function(lasting, ""), {"p", "y"}, {}, 10);
  }
}

TEST(Outputs, WhatTheFunctionReadsAfterTheRegion) {
  const std::string own = "double p[N];";
  for (const char* reader :
       {"print(p);", "kept = p;", "print(&p[0]);", "for (int i = 0; i < N; i++) y[0] += p[i];",
        "for (int i = 0; i < N; i++) print(&p[i]);", "if (x[0] > 0) y[0] = p[1];",
        "while (y[0] < p[1]) y[0] += 1;"}) {
    expect_outputs(function(own, reader), {"p", "y"}, {}, 10);
  }
  expect_outputs(function(own, "return p;", "", "double *"), {"p", "y"}, {}, 10);
  expect_outputs(function(own, "return p[N - 1];", "", "double"), {"p[N - 1]", "y"}, {}, 6);
  expect_outputs(function(own, "y[0] = p[1] + p[2];"), {"part of p", "y"}, {}, 7);
  expect_outputs(function(own, "for (int i = 1; i < N; i++) y[0] += p[i];"), {"part of p", "y"}, {},
                 9);
}

TEST(Outputs, WhatIsOverwrittenFirstIsDead) {
  const std::string own = "double p[N];";
  expect_outputs(function(own, "for (int i = 0; i < N; i++) p[i] = 0;\n  print(p);"), {"y"}, {"p"},
                 5);
  expect_outputs(function(own, "for (int i = 0; i < N; i++) p[i] += 1;\n  print(p);"), {"p", "y"},
                 {}, 10);
  expect_outputs(function(own, "p[0] = 0;\n  y[1] = p[0];"), {"y"}, {"p"}, 5);
}

TEST(Outputs, AnAddressGivenAwayIsReadThroughByCalls) {
  expect_outputs(function("double p[N];", "", "init(p);"), {"y"}, {"p"}, 5);
  expect_outputs(function("double p[N];", "done();", "init(p);"), {"p", "y"}, {}, 10);
  expect_outputs(function("double p[N];", "done();"), {"y"}, {"p"}, 5);
}

TEST(Outputs, ALoopAroundTheRegionReadsWhatStandsBeforeIt) {
  const auto repeated = [](const std::string& before) {
    return "void f(int N, int T, double x[N], double y[N]) {\n  double p[N];\n"
           "  for (int t = 0; t < T; t++) {\n" +
           before +
           "\n#pragma scop\n    for (int i = 0; i < N; i++) p[i] = x[i];\n"
           "    for (int i = 0; i < N; i++) y[i] = p[i];\n#pragma endscop\n  }\n}\n";
  };
  expect_outputs(repeated("y[0] = p[0];"), {"p", "y"}, {}, 10);
  expect_outputs(repeated("y[0] = 0;"), {"y"}, {"p"}, 5);
}

TEST(Outputs, ScalarsTheFunctionReturns) {
  const auto sum = [](const std::string& head, const std::string& tail) {
    return head + "\n  for (int i = 0; i < N; i++) s += x[i];\n" + tail + "\n}\n";
  };
  expect_outputs(sum("double f(int N, double x[N]) { double s = 0;", "  return s;"), {"s"}, {}, 1);
  expect_outputs(sum("double f(int N, double x[N]) { double s = 0;", "  return s / N;"), {"s"}, {},
                 1);
  expect_outputs(sum("double f(int N, double x[N]) { double s = 0;", "  return 1;"), {}, {"s"}, 0);
  expect_outputs(sum("void f(int N, double x[N], double s) {", ""), {}, {"s"}, 0);
  expect_outputs(sum("double s; void f(int N, double x[N]) {", ""), {"s"}, {}, 1);
  expect_outputs(sum("double f(int N, double x[N]) { double s = 0;\n#pragma scop",
                     "#pragma endscop\n  return s;"),
                 {"s"}, {}, 1);
  expect_outputs(sum("double f(int N, double x[N]) { double s = 0;\n#pragma scop",
                     "#pragma endscop\n  s = x[0]; return s;"),
                 {}, {"s"}, 0);
}

TEST(Outputs, WhatPythonReturns) {
  const auto sum = [](const std::string& tail) {
    return "def f(N, x, y):\n    s = 0.0\n    p = empty(N)\n    for i in range(N):\n"
           "        p[i] = x[i] + 1\n        s += p[i]\n        y[i] = p[i]\n" +
           tail;
  };
  expect_outputs(sum(""), {"y"}, {"p", "s"}, 5, ".py");
  expect_outputs(sum("    return s\n"), {"s", "y"}, {"p"}, 6, ".py");
  expect_outputs(sum("    return p, s / 2\n"), {"p", "s", "y"}, {}, 11, ".py");
  expect_outputs(sum("    return p[N - 1]\n"), {"p[(N - 1)]", "y"}, {"s"}, 6, ".py");
  expect_outputs(sum("    return norm(p)\n"), {"p", "y"}, {"s"}, 10, ".py");
}

// x is read, p and y are the caller's and written, q is the function's own.
const std::string with_own =
    "void f(int N, double x[N], double p[N], double y[N]) {\n  double q[N];\n"
    "  for (int i = 0; i < N; i++) { p[i] += x[i]; q[i] = 2 * p[i]; }\n"
    "  for (int i = 0; i < N; i++) y[i] = q[i] + p[i];\n}\n";

BoundReport expect_said(const Names& scratch, const Names& outputs, const Names& stored,
                        std::int64_t words) {
  BoundRequest request{file_with(with_own, ".c"), "", {}, {{"N", 5}, {"S", 4}}};
  request.scratch = scratch;
  request.outputs = outputs;
  BoundReport report = lower_bounds(request);
  EXPECT_EQ(report.outputs, stored);
  const cdag::Graph graph = cdag::source_graph(request);
  EXPECT_EQ(graph.outputs(), words);
  EXPECT_EQ(report.bounds[report.best].method, "compulsory");
  EXPECT_EQ(report.bounds[report.best].value, 10 + words) << "p and x are loaded all the same";
  return report;
}

TEST(Outputs, TheUserOverrulesTheSource) {
  expect_said({}, {}, {"p", "y"}, 10);
  expect_said({"p"}, {}, {"y"}, 5);
  expect_said({"p", "y"}, {}, {}, 0);
  expect_said({}, {"q"}, {"p", "q", "y"}, 15);
  const BoundReport report = expect_said({"p"}, {"q"}, {"q", "y"}, 10);
  ASSERT_EQ(report.final_values.size(), 3U);
  EXPECT_EQ(report.final_values[0].array, "p");
  EXPECT_FALSE(report.final_values[0].output);
  EXPECT_EQ(report.final_values[0].elements, "");
  EXPECT_EQ(report.final_values[0].why, "--scratch");
  EXPECT_TRUE(report.final_values[1].output);
  EXPECT_EQ(report.final_values[1].elements, "q");
  EXPECT_EQ(report.final_values[1].why, "--output");
  EXPECT_EQ(report.final_values[2].why, "it outlives the function");
}

TEST(Outputs, TheReportSaysWhy) {
  const auto why = [](const std::string& after, const std::string& type = "void") {
    const BoundRequest request{
        file_with(function("double p[N];", after, "", type), ".c"), "", {}, {}};
    const FinalValues values = lower_bounds(request).final_values.at(0);
    EXPECT_EQ(values.array, "p");
    return values.why;
  };
  EXPECT_EQ(why(""), "it dies with the function, which does not read them");
  EXPECT_EQ(why("return p[N - 1];", "double"), "read after the region: p[N - 1]");
  EXPECT_NE(why("print(p);").find("read after the region: "), std::string::npos);
}

// What only the next item reads is none where nothing else is said.
TEST(Outputs, OfSummationsToo) {
  BoundRequest request;
  request.einsum = "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il";
  EXPECT_EQ(lower_bounds(request).outputs, (Names{"D"}));
  request.outputs = {"T"};
  EXPECT_EQ(lower_bounds(request).outputs, (Names{"D", "T"}));
}

TEST(Outputs, NamesThatTheProgramDoesNotWriteAreRefused) {
  const auto refusal = [](const Names& scratch, const Names& outputs) -> std::string {
    BoundRequest request{file_with(with_own, ".c"), "", {}, {}};
    request.scratch = scratch;
    request.outputs = outputs;
    try {
      lower_bounds(request);
    } catch (const Error& e) {
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(refusal({"z"}, {}), "--scratch z: f has no array 'z'; it writes p, q, y");
  EXPECT_EQ(refusal({}, {"x"}), "--output x: f never writes 'x'; it writes p, q, y");
  EXPECT_NE(refusal({"p"}, {"p"}).find("--scratch p: --output names 'p', too"), std::string::npos);
}

// Attention whose probabilities are the function's own: keeping rows of Q and O and streaming K
// and V moves fewer words than storing the probabilities would alone.
TEST(Outputs, AttentionNeedNotStoreItsProbabilities) {
  const std::string source = R"(
void attention(int N, int D, double Q[N][D], double K[N][D], double V[N][D], double O[N][D]) {
  double P[N][N];
#pragma scop
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      P[i][j] = 0;
      for (int k = 0; k < D; k++) P[i][j] += Q[i][k] * K[j][k];
    }
  for (int i = 0; i < N; i++)
    for (int k = 0; k < D; k++) {
      O[i][k] = 0;
      for (int j = 0; j < N; j++) O[i][k] += P[i][j] * V[j][k];
    }
#pragma endscop
}
)";
  const double n = 4096, d = 64, s = 65536;
  BoundRequest request{file_with(source, ".c"), "", {}, {{"N", 4096}, {"D", 64}, {"S", 65536}}};
  const double rows = std::floor((s - 3 * d) / (2 * d + 1));  // of Q and O, and a value of P each
  const double moved = 2 * n * d + std::ceil(n / rows) * 2 * n * d;
  for (const LowerBound& bound : lower_bounds(request).bounds) {
    if (bound.proved()) {
      EXPECT_LE(*bound.value, moved) << bound.method << " " << bound.statement;
    }
  }
}

}  // namespace
}  // namespace redblue::test
