// SPDX-License-Identifier: BSD-3-Clause
// Times of the analyses. They depend on the machine and what else it does: `ctest -L perf` runs
// them, `make check` does not.
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

TEST(Speed, TenMillionVerticesAreBuiltAndReplayed) {
  const double start = now();
  const cdag::Graph graph = cdag::make_graph("matmul:215,215,215");
  EXPECT_GT(cdag::replay(graph, cdag::natural_order(graph), 1024).moved(), 0);
  EXPECT_LT(now() - start, 30);
}

TEST(Speed, OneWavefrontOfAMillionVertices) {
  for (const char* description : {"stencil:1000,1000", "diamond:1000,1000", "stencil:30,180,180"}) {
    const cdag::Graph graph = cdag::make_graph(description);
    const double start = now();
    EXPECT_GT(cdag::minimum_wavefront(graph, graph.size() / 2), 100);
    // Lines take about a second, the plane about six.
    EXPECT_LT(now() - start, graph.most_operands() > 3 ? 30 : 10) << description;
  }
}

TEST(Speed, ProgramsOfAMillionInstances) {
  const double start = now();
  const cdag::Graph graph = cdag::source_graph(
      {REDBLUE_SOURCE_DIR "/kernels/gemm.c", "", {}, {{"NI", 100}, {"NJ", 100}, {"NK", 100}}});
  EXPECT_EQ(graph.size() - graph.inputs(), 100 * 100 * 101);
  EXPECT_LT(now() - start, 20);
}

// Pairs of statements are many; the work grows with those that exchange values.
TEST(Speed, BoundsOfFortyStatements) {
  const std::string file = temporary_folder() + "redblue_forty_statements.c";
  std::ofstream out(file);
  out << "void f(int N, int M, double A[N][N], double B[N][N], double C[N][N]) {\n#pragma scop\n"
         "for (int t = 0; t < M; t++) {\n";
  for (int s = 0; s < 40; ++s) {
    const char from = "ABC"[s % 3], to = "ABC"[(s + 1) % 3];
    out << "for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n  " << to
        << "[i][j] = " << from << "[i][j] + " << from << "[i - 1][j];\n";
  }
  out << "}\n#pragma endscop\n}\n";
  out.close();
  BoundRequest request;
  request.file = file;
  const double start = now();
  EXPECT_EQ(lower_bounds(request).statements.size(), 40U);
  EXPECT_LT(now() - start, 20);
}

}  // namespace
}  // namespace redblue::test
