// SPDX-License-Identifier: BSD-3-Clause
// Traffic without a graph, held against replays of the graph.
#include <gtest/gtest.h>
#include <isl/map.h>
#include <isl/union_map.h>

#include <fstream>
#include <optional>

#include "cdag/program_graph.hpp"
#include "frontend/read.hpp"
#include "kernel_names.hpp"
#include "redblue/pebble.hpp"
#include "schedule/order.hpp"
#include "schedule/prediction/extrapolated.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/search/search.hpp"
#include "schedule/some_tiles.hpp"
#include "schedule/traffic/streamed.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

class Streamed : public testing::TestWithParam<std::string> {};

// The times followed by the statement's number: no two instances at one time, which the graph's
// order and isl's loops would put one after the other each in its way.
isl::union_map told_apart(const program::Program& program, const isl::union_map& times) {
  isl::union_map result = schedule::nothing();
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    const auto map = schedule::of_statement(times, program.statements[s].name);
    if (!map) continue;
    const auto last = static_cast<unsigned>(isl_map_dim(map->get(), isl_dim_out));
    isl_map* longer = isl_map_add_dims(map->copy(), isl_dim_out, 1);
    longer = isl_map_fix_si(longer, isl_dim_out, last, static_cast<int>(s));
    result = result.unite(isl::union_map(isl::manage(longer)));
  }
  return result;
}

struct Small {
  program::Program program;
  program::Sizes sizes;
  cdag::Graph graph;
};

// All parameters equal, the smallest with some hundred vertices.
Small small(const std::string& kernel) {
  BoundRequest request;
  request.file = REDBLUE_SOURCE_DIR "/kernels/" + kernel + ".c";
  Small result{frontend::read(request), {}, {}};
  for (const std::int64_t n : {2, 3, 4, 5, 7, 9, 12}) {
    if (result.graph.size() > 400) break;
    for (const std::string& p : result.program.parameters) result.sizes[p] = n;
    result.graph = cdag::program_graph(result.program, result.sizes);
  }
  return result;
}

void expect_equal(const Small& at, const schedule::Plan& plan) {
  const std::int64_t least = at.graph.most_operands() + 1;
  const std::vector<std::int64_t> words = {least, least + 3, 32, 100, 100'000};
  const isl::union_map times = told_apart(at.program, schedule::times(plan.nest, plan.tiles));
  const program::Program stored =
      schedule::privatised(at.program, schedule::needed(at.program, times, plan.nest.families));
  const cdag::Order order = schedule::order_of(at.graph, at.program, times, at.sizes);
  const auto streamed =
      schedule::streamed_lru(schedule::loop_program(stored, times, at.sizes), words);
  for (std::size_t w = 0; w < words.size(); ++w) {
    const cdag::Replayed replayed = cdag::replay(at.graph, order, words[w], cdag::Replacement::lru);
    EXPECT_EQ(streamed[w].loads, replayed.loads) << "S = " << words[w];
    EXPECT_EQ(streamed[w].stores, replayed.stores) << "S = " << words[w];
  }
}

TEST_P(Streamed, EqualsTheReplayOfTheGraph) {
  const Small at = small(GetParam());
  expect_equal(at, schedule::own_order(at.program));
}

INSTANTIATE_TEST_SUITE_P(Kernels, Streamed, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return as_test_name(kernel.param); });

// Skewed loops, storage of their own for values, triangles; kernels whose loops isl finds at once.
TEST(StreamedTiles, EqualTheReplayOfTheGraph) {
  int with_storage = 0, with_tiles = 0;
  for (const std::string kernel : {"gemm", "syrk", "trmm", "symm", "lu", "cholesky", "durbin",
                                   "doitgen", "jacobi-1d", "jacobi-2d", "seidel-2d", "atax"}) {
    SCOPED_TRACE(kernel);
    const Small at = small(kernel);
    std::size_t tried = 0;
    for (const schedule::Nest& nest : schedule::nests(at.program)) {
      if (++tried > 2) break;
      expect_equal(at, {nest, some_tiles(nest)});
      with_storage += nest.families.empty() ? 0 : 1;
      with_tiles += nest.bands.empty() ? 0 : 1;
    }
  }
  EXPECT_GT(with_storage, 2);
  EXPECT_GT(with_tiles, 10);
}

// What is predicted for a function's own order, which the file `name` holds.
std::optional<PredictedTraffic> predicted(const std::string& name, const std::string& text,
                                          const program::Sizes& sizes, std::int64_t s) {
  BoundRequest request;
  request.file = temporary_folder() + name;
  std::ofstream(request.file) << text;
  const program::Program program = frontend::read(request);
  return schedule::predicted_lru(schedule::sized_order(program, schedule::own_order(program)), 1,
                                 sizes, s);
}

// Also of arrays that no walk could hold.
TEST(Prediction, OfASweep) {
  for (const std::int64_t n : {20'000'000L, 5'000'000'000L}) {
    const auto sweep =
        predicted("sweep.c",
                  "void sweep(int N, double a[N], double b[N]) {\n#pragma scop\n"
                  "  for (int i = 0; i < N; i++) b[i] = 2 * a[i];\n#pragma endscop\n}\n",
                  {{"N", n}}, 100'000);
    ASSERT_TRUE(sweep);
    EXPECT_EQ(sweep->traffic.loads, n);
    EXPECT_EQ(sweep->traffic.stores, n);
  }
}

// The array fits at all sizes that are walked, and not at those asked for.
TEST(Prediction, NotWhereDistancesWillPassTheMemory) {
  const auto sums = predicted("sums.c",
                              "void sums(int T, int N, double a[N], double s[1]) {\n"
                              "#pragma scop\n  for (int t = 0; t < T; t++)\n"
                              "    for (int i = 0; i < N; i++) s[0] = s[0] * 0.5 + a[i];\n"
                              "#pragma endscop\n}\n",
                              {{"T", 300}, {"N", 170'000}}, 169'900);
  EXPECT_FALSE(sums);
}

}  // namespace
}  // namespace redblue::test
