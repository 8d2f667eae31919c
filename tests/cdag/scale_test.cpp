// SPDX-License-Identifier: BSD-3-Clause
// Ten million vertices; tests/perf says how long they take.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <limits>

#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

TEST(Scale, TenMillionVerticesAreBuiltAndReplayed) {
  if (REDBLUE_SANITIZED) GTEST_SKIP() << "sanitizers take several times the memory";
  const Graph graph = make_graph("matmul:215,215,215");
  ASSERT_GE(graph.size(), 10'000'000);
  const Replayed cost = replay(graph, natural_order(graph), 1024);
  EXPECT_GT(cost.moved(), 2LL * 215 * 215 * 215 / 32);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  EXPECT_LT(usage.ru_maxrss, 4LL * 1024 * 1024) << "KiB";
  RecordProperty("kilobytes", std::to_string(usage.ru_maxrss));
}

TEST(Scale, OneWavefrontOfAMillionVertices) {
  for (const char* description : {"stencil:1000,1000", "diamond:1000,1000", "stencil:30,180,180"}) {
    const Graph graph = make_graph(description);
    ASSERT_GE(graph.size(), 1'000'000 * (REDBLUE_SANITIZED ? 0 : 1));
    const std::int64_t size = minimum_wavefront(graph, graph.size() / 2);
    EXPECT_GT(size, 100);
  }
}

TEST(Scale, ProgramsOfAMillionInstances) {
  const Graph graph = source_graph(
      {REDBLUE_SOURCE_DIR "/kernels/gemm.c", "", {}, {{"NI", 100}, {"NJ", 100}, {"NK", 100}}});
  EXPECT_EQ(graph.size() - graph.inputs(), 100 * 100 * 101);
}

TEST(Scale, GoodUpperBoundsForAMillionVertices) {
  if (REDBLUE_SANITIZED) GTEST_SKIP() << "sanitizers take several minutes";
  const Graph graph = make_graph("matmul:100,100,100");
  ScheduleSearch search;
  search.seconds = std::numeric_limits<double>::infinity();
  search.vertices = 30 * std::int64_t{graph.size()};
  const Schedule schedule = good_schedule(graph, 256, search);
  // Within a third of 2 n^3 / sqrt(S) + n^2.
  EXPECT_LT(schedule.cost.moved(), 4 * (2 * 1'000'000 / 16 + 10'000) / 3);
}

}  // namespace
}  // namespace redblue::test
