// SPDX-License-Identifier: BSD-3-Clause
// Parts of programs that processors may compute without receiving anything: their graphs fall into
// as many pieces at least.
#include "bounds/busiest/apart.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bounds/busiest/small_program.hpp"
#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"

namespace redblue {
namespace {

using cdag::Graph;
using cdag::Vertex;
using test::index;

// Of the vertices and inputs, where those are together that a read connects.
std::int64_t connected_parts(const Graph& graph) {
  std::vector<bool> seen(index(graph.size()), false);
  std::int64_t parts = 0;
  for (Vertex first = 0; first < graph.size(); ++first) {
    if (seen[index(first)]) continue;
    ++parts;
    std::vector<Vertex> open = {first};
    seen[index(first)] = true;
    while (!open.empty()) {
      const Vertex v = open.back();
      open.pop_back();
      for (const auto& next : {graph.operands(v), graph.readers(v)}) {
        for (const Vertex u : next) {
          if (seen[index(u)]) continue;
          seen[index(u)] = true;
          open.push_back(u);
        }
      }
    }
  }
  return parts;
}

TEST(Apart, RowsNeedReceiveNothing) {
  const test::SmallProgram rows{"apart_rows",
                                "int N, double A[N][N]",
                                "for (int i = 0; i < N; i++) for (int j = 1; j < N; j++)\n"
                                "  A[i][j] = A[i][j-1] + A[i][j];\n",
                                {{"N", 4}}};
  const BoundReport report = lower_bounds(test::request_of(rows, 2));
  ASSERT_EQ(report.separate_parts.size(), 1U);
  EXPECT_EQ(report.separate_parts.front().loop, "i");
  EXPECT_EQ(report.separate_parts.front().value, 4);
  EXPECT_TRUE(report.separate_parts.front().alike);
}

TEST(Apart, PartsOfKernelsAreConnectedByNoRead) {
  for (const std::string name :
       {"softmax", "adi-sweep", "vertical-advection", "horizontal-diffusion"}) {
    BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + name + ".c", "", {}, {}};
    const BoundedProgram program(request);
    for (const std::string& p : program.parameters()) request.sizes[p] = 6;
    const std::int64_t connected = connected_parts(cdag::source_graph(request));
    request.sizes["S"] = 1000;
    const BoundReport report = program.at(request.sizes, 2);
    ASSERT_EQ(report.separate_parts.size(), 1U) << name;
    EXPECT_TRUE(report.separate_parts.front().alike) << name;
    EXPECT_GE(report.separate_parts.front().value, 4) << name;
    EXPECT_LE(report.separate_parts.front().value, connected) << name;
  }
}

}  // namespace
}  // namespace redblue
