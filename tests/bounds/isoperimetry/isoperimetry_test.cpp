// SPDX-License-Identifier: BSD-3-Clause
// Bounds of stencils against schedules made for them and against loops whose bounds are known.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

#include "redblue/analysis.hpp"
#include "redblue/pebble.hpp"

namespace redblue {
namespace {

std::string source(const std::string& name, const std::string& text) {
  const auto path =
      std::filesystem::temp_directory_path() / ("redblue-isoperimetry-" + name + ".c");
  std::ofstream(path) << text;
  return path.string();
}

double proved(const BoundRequest& request) {
  const BoundReport report = lower_bounds(request);
  return report.bounds[report.best].value.value_or(0);
}

const LowerBound* by_isoperimetry(const BoundReport& report) {
  for (const LowerBound& bound : report.bounds) {
    if (bound.method == "isoperimetry") return &bound;
  }
  return nullptr;
}

// A longest common subsequence's table, walked in bands of rows: of a row read by the next band
// alone each element is stored and loaded once.
TEST(Isoperimetry, BandsOfATableComeWithinTwiceTheBound) {
  constexpr int n = 512;
  constexpr int band = 31;
  constexpr std::int64_t s = 34;
  const std::string file = source("table",
                                  "void f(int N, double A[N][N]) {\n"
                                  "#pragma scop\n"
                                  "for (int i = 1; i < N; i++) for (int j = 1; j < N; j++)\n"
                                  "  A[i][j] = A[i-1][j] + A[i][j-1] + A[i-1][j-1];\n"
                                  "#pragma endscop\n}\n");
  const BoundRequest request{file, "", {}, {{"N", n}, {"S", s}}};
  const cdag::Graph graph = cdag::source_graph(request);
  ASSERT_EQ(graph.size(), std::int64_t{n - 1} * (n - 1) + 2 * n - 1);
  // Instances come in program order; columns within a band, bands one after the other.
  std::vector<cdag::Vertex> instances;
  for (const cdag::Vertex v : cdag::natural_order(graph)) instances.push_back(v);
  ASSERT_EQ(instances.size(), static_cast<std::size_t>(n - 1) * (n - 1));
  std::vector<cdag::Vertex> order;
  for (int first = 0; first < n - 1; first += band) {
    for (int j = 0; j < n - 1; ++j) {
      for (int i = first; i < std::min(first + band, n - 1); ++i)
        order.push_back(instances[static_cast<std::size_t>(i * (n - 1) + j)]);
    }
  }
  const double moved = static_cast<double>(cdag::replay(graph, order, s).moved());
  const double bound = proved(request);
  EXPECT_LE(bound, moved);
  EXPECT_LE(moved, 2 * bound);
}

// Sums over values of another statement: each stands for one place, so nothing is lost.
TEST(Isoperimetry, StepsThroughOtherStatements) {
  const BoundReport report = lower_bounds({REDBLUE_SOURCE_DIR "/kernels/fdtd-2d.c", "", {}, {}});
  const LowerBound* bound = by_isoperimetry(report);
  ASSERT_NE(bound, nullptr);
  EXPECT_TRUE(bound->proved());
  EXPECT_FALSE(bound->recomputation);
  EXPECT_EQ(bound->segment, "5*S");
  EXPECT_EQ(bound->statement, "S3");
}

// Three sweeps per time step are one lattice, too: the bound per instance is that of one sweep.
TEST(Isoperimetry, RingsOfSweeps) {
  const std::string file =
      source("ring",
             "void f(int N, int T, double A[N], double B[N], double C[N]) {\n"
             "#pragma scop\n"
             "for (int t = 0; t < T; t++) {\n"
             "  for (int i = 1; i < N - 1; i++) B[i] = A[i-1] + A[i] + A[i+1];\n"
             "  for (int i = 1; i < N - 1; i++) C[i] = B[i-1] + B[i] + B[i+1];\n"
             "  for (int i = 1; i < N - 1; i++) A[i] = C[i-1] + C[i] + C[i+1];\n"
             "}\n"
             "#pragma endscop\n}\n");
  std::map<std::string, double> large = {{"N", 1e7}, {"T", 1e7}, {"S", 1024}};
  const BoundReport three = lower_bounds({file, "", {}, {}});
  const BoundReport two = lower_bounds({REDBLUE_SOURCE_DIR "/kernels/jacobi-1d.c", "", {}, {}});
  const double of_three = three.bounds[three.best].leading.at(large);
  const double of_two = two.bounds[two.best].leading.at(large);
  EXPECT_NEAR(of_three / of_two, 1.5, 1e-9);
}

// Values that nobody reads and that are no outputs, and reads of constants at the boundary, must
// not count: bounds of small and thin domains stay below what a schedule moves.
TEST(Isoperimetry, ThinDomains) {
  for (const std::string kernel : {"jacobi-1d", "jacobi-2d", "seidel-2d"}) {
    BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + kernel + ".c", "", {}, {}};
    for (const auto& [n, t] : {std::pair{6, 40}, {10, 8}, {40, 3}}) {
      if (kernel != "jacobi-1d" && n == 40) continue;
      request.sizes = {{"N", n}, {"T", t}};
      const cdag::Graph graph = cdag::source_graph(request);
      for (const std::int64_t s : {12}) {
        if (s <= graph.most_operands()) continue;
        request.sizes["S"] = s;
        const double moved = static_cast<double>(
            std::min(cdag::replay(graph, cdag::natural_order(graph), s).moved(),
                     cdag::replay(graph, cdag::greedy_order(graph, s), s).moved()));
        for (const LowerBound& bound : lower_bounds(request).bounds)
          EXPECT_LE(*bound.value, moved) << kernel << " " << n << " " << t << " " << s;
      }
    }
  }
}

// Sweeps over one to three arrays in a ring, some of which read themselves, too, with random
// offsets: no schedule beats a bound.
TEST(Isoperimetry, NoScheduleOfRandomSweepsBeatsABound) {
  std::mt19937 random(11);
  int above_zero = 0;
  for (int trial = 0; trial < 16; ++trial) {
    const std::size_t arrays = 1 + random() % 3;
    const std::string names = "ABC";
    std::string sweeps, parameters;
    for (std::size_t a = 0; a < arrays; ++a) {
      const auto read = [&](std::size_t from) {
        return std::string(1, names[from]) + "[i+(" +
               std::to_string(static_cast<int>(random() % 5) - 2) + ")]";
      };
      const std::size_t to = (a + 1) % arrays;
      std::string sum = read(a) + " + " + read(a) + " + " + read(a);
      if (arrays > 1 && random() % 3 == 0) sum += std::string(" + ") + names[to] + "[i]";
      sweeps +=
          "for (int i = 2; i < N - 2; i++) " + std::string(1, names[to]) + "[i] = " + sum + ";\n";
      parameters += std::string(", double ") + names[a] + "[N]";
    }
    BoundRequest request{source("random", "void f(int N, int T" + parameters +
                                              ") {\n#pragma scop\nfor (int t = 0; t < T; t++) {\n" +
                                              sweeps + "}\n#pragma endscop\n}\n"),
                         "",
                         {},
                         {}};
    request.sizes = {{"N", 40 + random() % 30}, {"T", 8 + random() % 12}};
    const cdag::Graph graph = cdag::source_graph(request);
    for (const std::int64_t s : {6, 9}) {
      if (s <= graph.most_operands()) continue;
      request.sizes["S"] = s;
      const double moved = static_cast<double>(
          std::min(cdag::replay(graph, cdag::natural_order(graph), s).moved(),
                   cdag::replay(graph, cdag::greedy_order(graph, s), s).moved()));
      for (const LowerBound& bound : lower_bounds(request).bounds) {
        if (!bound.proved()) continue;
        EXPECT_LE(*bound.value, moved) << sweeps << bound.method << " " << s;
        above_zero += bound.method == "isoperimetry" && *bound.value > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(above_zero, 5);
}

// Stencils with values of their own on the way have bounds that grow with the steps, and no
// schedule beats them: Lemma 7.
TEST(Isoperimetry, ValuesOnTheWay) {
  const std::string programs[] = {
      "for (int i = 1; i < N - 1; i++) { double c = A[i]; double l = A[i - 1] - c;\n"
      "  B[i] = c + l * l + A[i + 1]; }\n"
      "for (int i = 1; i < N - 1; i++) A[i] = B[i];",
      "for (int i = 1; i < N - 1; i++) { double s = 0;\n"
      "  for (int a = -1; a <= 1; a++) s += A[i + a];\n"
      "  B[i] = s; }\n"
      "for (int i = 1; i < N - 1; i++) A[i] = B[i];",
      "for (int i = 1; i < N - 1; i++) { B[i] = 0;\n"
      "  for (int a = 0; a < 3; a++) B[i] += A[i + a - 1]; }\n"
      "for (int i = 1; i < N - 1; i++) A[i] = B[i];"};
  for (const std::string& body : programs) {
    BoundRequest request{
        source("own",
               "void f(int N, int T, double A[N], double B[N]) {\nfor (int t = 0; t < T; "
               "t++) {\n" +
                   body + "\n}\n}\n"),
        "",
        {},
        {}};
    EXPECT_NE(
        lower_bounds(request).bounds.at(lower_bounds(request).best).leading.text().find("N*T"),
        std::string::npos)
        << body;
    int above_zero = 0;
    for (const auto& [n, t] : {std::pair{50, 30}, {80, 20}}) {
      request.sizes = {{"N", n}, {"T", t}};
      const cdag::Graph graph = cdag::source_graph(request);
      for (const std::int64_t s : {6, 9}) {
        request.sizes["S"] = s;
        const double moved = static_cast<double>(
            std::min(cdag::replay(graph, cdag::natural_order(graph), s).moved(),
                     cdag::replay(graph, cdag::greedy_order(graph, s), s).moved()));
        for (const LowerBound& bound : lower_bounds(request).bounds) {
          if (!bound.proved()) continue;
          EXPECT_LE(*bound.value, moved) << body << bound.method << " " << s;
          above_zero += bound.method == "isoperimetry" && *bound.value > 0 ? 1 : 0;
        }
      }
    }
    EXPECT_GT(above_zero, 0) << body;
  }
}

}  // namespace
}  // namespace redblue
