// SPDX-License-Identifier: BSD-3-Clause
// Every loop order of every kernel: legal as a pebbling, not below a bound, and the C emitted for
// it computes the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>

#include "cdag/program_graph.hpp"
#include "frontend/read.hpp"
#include "kernel_names.hpp"
#include "redblue/pebble.hpp"
#include "redblue/schedule.hpp"
#include "schedule/emitted.hpp"
#include "schedule/inside/nests_inside.hpp"
#include "schedule/nests.hpp"
#include "schedule/order.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/search/search.hpp"
#include "schedule/some_tiles.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

std::string source(const std::string& kernel) {
  return REDBLUE_SOURCE_DIR "/kernels/" + kernel + ".c";
}

class Nests : public testing::TestWithParam<std::string> {};

// Of each kernel; the first ones differ most. All of them with REDBLUE_ALL_NESTS in the
// environment.
std::size_t most_nests() {
  return std::getenv("REDBLUE_ALL_NESTS") != nullptr ? 1'000'000 : 4;
}

// A program on a small graph, what it must move there, and its loop orders, found once.
struct Subject {
  BoundRequest request;
  program::Program program;
  program::Sizes sizes;
  cdag::Graph graph;
  std::vector<std::pair<std::int64_t, BoundReport>> reports;  // by size of the fast memory
};

Subject subject(const std::string& kernel) {
  Subject s;
  s.request.file = source(kernel);
  s.program = frontend::read(s.request);
  for (const std::int64_t n : {2, 3, 4, 5, 7, 9, 12}) {
    if (s.graph.size() > 700) break;
    for (const std::string& p : s.program.parameters) s.sizes[p] = n;
    s.graph = cdag::program_graph(s.program, s.sizes);
  }
  BoundRequest sized = s.request;
  sized.sizes = s.sizes;
  for (const std::int64_t words : {s.graph.most_operands() + 2, std::int64_t{32}}) {
    sized.sizes["S"] = words;
    s.reports.emplace_back(words, lower_bounds(sized));
  }
  return s;
}

void expect_same_results(const Subject& s, const schedule::Nest& nest) {
  const isl::union_map times = schedule::times(nest, some_tiles(nest));
  const auto families = schedule::needed(s.program, times, nest.families);
  ASSERT_TRUE(
      schedule::respects(times, schedule::conflicts(schedule::privatised(s.program, families))));
  EXPECT_EQ(difference(s.request.file, schedule::code(s.program, times, families), 7), "");
}

void expect_legal_and_bounded(const Subject& s, const schedule::Nest& nest) {
  const auto tiles = some_tiles(nest);
  const cdag::Order order =
      schedule::order_of(s.graph, s.program, schedule::times(nest, tiles), s.sizes);
  for (const auto& [words, report] : s.reports) {
    const cdag::Replayed replayed =
        cdag::replay(s.graph, order, words, cdag::Replacement::belady, true);
    EXPECT_EQ(cdag::play(s.graph, cdag::red_blue_white(words), replayed.moves).moved(),
              replayed.moved());
    for (const LowerBound& bound : report.bounds) {
      if (!bound.proved()) continue;
      EXPECT_LE(*bound.value, static_cast<double>(replayed.moved())) << bound.expression;
    }
  }
  const auto tile = schedule::tiles_of(s.graph, s.program, order,
                                       schedule::tile_coordinates(nest, tiles), s.sizes);
  const schedule::Explicit moved = schedule::replay_tiles(s.graph, order, tile);
  // With the fast memory the tiles use, Belady's choice is at least as good.
  EXPECT_LE(cdag::replay(s.graph, order, moved.words).moved(), moved.moved());
}

TEST_P(Nests, AreLegalAndNoBoundExceedsThemAndTheirCodeComputesTheSame) {
  const Subject s = subject(GetParam());
  std::size_t done = 0;
  for (const schedule::Nest& nest : schedule::nests(s.program)) {
    // Loops that are left as written are among the last.
    if (done++ >= most_nests() && nest.outermost == schedule::Nest::Outermost::together) continue;
    SCOPED_TRACE(GetParam());
    expect_legal_and_bounded(s, nest);
    expect_same_results(s, nest);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Nests, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return as_test_name(kernel.param); });

// Blocks of the smallest planes, whatever they move.
TEST(TriangleBlocks, AreLegalAndTheirCodeComputesTheSame) {
  for (const char* kernel : {"syrk", "syr2k", "covariance", "correlation"}) {
    SCOPED_TRACE(kernel);
    BoundRequest request;
    request.file = source(kernel);
    const program::Program program = frontend::read(request);
    const auto loops = schedule::pair_loops(program);
    ASSERT_TRUE(loops);
    program::Sizes sizes;
    for (const std::string& p : program.parameters) sizes[p] = 23;
    const cdag::Graph graph = cdag::program_graph(program, sizes);
    const auto all = schedule::triangle_blocks(program, *loops, sizes, 300, 10);
    ASSERT_GE(all.size(), 2);
    for (const schedule::TriangleBlocks& blocks : all) {
      const schedule::Plan plan = {{}, {}, blocks};
      const cdag::Order order = schedule::order_of(graph, program, plan, sizes);
      const cdag::Replayed replayed =
          cdag::replay(graph, order, 64, cdag::Replacement::belady, true);
      EXPECT_EQ(cdag::play(graph, cdag::red_blue_white(64), replayed.moves).moved(),
                replayed.moved());
      for (const int size : {1, 2, 7, 23}) {
        EXPECT_EQ(difference(request.file, schedule::code(program, blocks), size), "");
      }
    }
  }
}

TEST(TriangleBlocks, NeedPairsThatAreWorkedOnByThemselves) {
  for (const char* kernel : {"gemm", "cholesky", "lu", "trmm", "symm", "jacobi-2d", "nussinov"}) {
    BoundRequest request;
    request.file = source(kernel);
    EXPECT_FALSE(schedule::pair_loops(frontend::read(request))) << kernel;
  }
}

// 57 pieces of two rows, eight of them in a block, read 57 * 16 rows; squares of 11 x 11 would read
// at least 1,113 for 6,555 pairs.
TEST(TriangleBlocks, MoveLessThanSquares) {
  ScheduleRequest request;
  request.program.file = source("syrk");
  request.program.sizes = {{"N", 114}, {"M", 24}, {"S", 138}};
  request.effort = 10;
  const TiledSchedule tiled = tiled_schedule(request);
  ASSERT_TRUE(tiled.triangles);
  EXPECT_EQ(tiled.triangles->pieces, 57);
  EXPECT_EQ(tiled.triangles->touched, 8);
  EXPECT_LE(tiled.tiled.belady->moved(), 57 * 16 * 24 + 2 * 6555);
}

// Einstein summations and layers are programs like those of files: C is emitted for them, too.
TEST(TiledSchedule, CodeOfEinsumsComputesTheSame) {
  for (const char* text :
       {"T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il", "ij,ij->", "conv(X:nchw, F:kcrs, 2)",
        "Z = attention(Q:hlp, K:hmp, V:hmv); layernorm(Z:hlv, v)"}) {
    BoundRequest request;
    request.einsum = text;
    const program::Program program = frontend::read(request);
    const std::string original = temporary_folder() + "redblue_einsum.c";
    std::ofstream(original) << program.region.text;
    std::size_t done = 0;
    for (const schedule::Nest& nest : schedule::nests(program)) {
      if (done++ == 1) break;
      const isl::union_map times = schedule::times(nest, some_tiles(nest));
      const auto families = schedule::needed(program, times, nest.families);
      EXPECT_EQ(difference(original, schedule::code(program, times, families), 5), "") << text;
    }
  }
}

TiledSchedule tiled(const std::string& kernel, const std::map<std::string, std::int64_t>& sizes) {
  ScheduleRequest request;
  request.program.file = source(kernel);
  request.program.sizes = sizes;
  request.effort = 20;
  return tiled_schedule(request);
}

// What `bench/random_programs` found: programs whose every order once went wrong as C.
void expect_orders_compute_the_same(const std::string& name, const std::string& text) {
  const std::string file = temporary_folder() + "redblue_" + name + ".c";
  std::ofstream(file) << text;
  BoundRequest request;
  request.file = file;
  const program::Program program = frontend::read(request);
  const std::string sanitized = "-fsanitize=address,undefined -fno-sanitize-recover=all";
  std::size_t moved = 0;
  for (const schedule::Nest& nest : schedule::nests(program)) {
    const isl::union_map times = schedule::times(nest, some_tiles(nest));
    const auto families = schedule::needed(program, times, nest.families);
    const std::string code = schedule::code(program, times, families);
    moved += code.find("malloc") == std::string::npos ? 0 : 1;
    for (const int size : {0, 1, 6}) EXPECT_EQ(difference(file, code, size, sanitized), "") << code;
  }
  EXPECT_GT(moved, 0U);
}

// Loops that go down from another counter, or begin at -1, have iterators below 0; new storage
// begins where they do.
TEST(TiledSchedule, NewStorageHoldsIteratorsBelowZero) {
  expect_orders_compute_the_same(
      "below_zero",
      "void f(int N, double A[N + 2][N + 2], double B[N + 2][N + 2]) {\n#pragma scop\n"
      "  for (int i = -1; i < N; i++)\n    for (int j = i; j >= 0; j--) {\n"
      "      double s = 0;\n      for (int k = 0; k < N; k++) s += A[i + 1][k] * B[k][j];\n"
      "      A[i + 1][j] = 0.5 * s;\n    }\n#pragma endscop\n}\n");
}

// A row that every step writes anew gets storage of its own, by step. Where the source has the
// array's elements in one row, A[i*n + j], it stays where it is.
TEST(TiledSchedule, FlatArraysGetNoNewStorage) {
  const auto moved = [](const std::string& name, const std::string& array, const std::string& row,
                        const std::string& element) {
    const std::string file = temporary_folder() + "redblue_" + name + ".c";
    std::ofstream(file) << "void f(int n, double A[n][n], double " << array
                        << ") {\n#pragma scop\n  for (int i = 0; i < n; i++) {\n"
                           "    for (int j = 0; j < n; j++) "
                        << row << " = A[i][j];\n    for (int j = 0; j < n; j++) A[i][j] = 2 * "
                        << row
                        << ";\n  }\n  for (int i = 0; i < n; i++)\n"
                           "    for (int j = 0; j < n; j++) "
                        << element << " = A[j][i];\n#pragma endscop\n}\n";
    BoundRequest request;
    request.file = file;
    const auto all = schedule::families(frontend::read(request));
    return std::count_if(all.begin(), all.end(),
                         [](const schedule::Family& f) { return f.array == "B" && f.moved(); });
  };
  EXPECT_GT(moved("rows", "B[n + 3][n + 3]", "B[1][j]", "B[i][j]"), 0);
  EXPECT_EQ(moved("flat_rows", "B[(n + 3) * (n + 3)]", "B[n + 3 + j]", "B[i * (n + 3) + j]"), 0);
}

// Counters declared before the region, whose loops declare their own: no warning says that they are
// unused.
TEST(TiledSchedule, CountersOfTheFileStayUsed) {
  const std::string file = temporary_folder() + "redblue_old_counters.c";
  std::ofstream(file) << "void f(int N, double A[N]) {\n  int i;\n#pragma scop\n"
                         "  for (i = 1; i < N; i++) A[i] += A[i - 1];\n#pragma endscop\n}\n";
  BoundRequest request;
  request.file = file;
  const program::Program program = frontend::read(request);
  const schedule::Nest nest = schedule::nests(program).front();
  const std::string code = schedule::code(program, schedule::times(nest, some_tiles(nest)), {});
  EXPECT_NE(code.find("(void)i;"), std::string::npos) << code;
}

// Sweeps over the points of one colour of a checkerboard: sets with remainders, on orders of which
// isl's scheduler gives up. What is found instead is legal, and its C computes the same.
TEST(TiledSchedule, RedAndBlackPointsHaveLegalOrders) {
  const std::string file = temporary_folder() + "redblue_checkerboard.c";
  std::ofstream(file) << R"(void checkerboard(int N, int T, double A[N][N]) {
#pragma scop
  for (int t = 0; t < T; t++)
    for (int c = 0; c < 2; c++)
      for (int i = 1; i < N - 1; i++)
        for (int j = 1; j < N - 1; j++)
          if ((i + j) % 2 == c)
            A[i][j] = 0.25 * (A[i-1][j] + A[i+1][j] + A[i][j-1] + A[i][j+1]);
#pragma endscop
}
)";
  Subject s;
  s.request.file = file;
  s.program = frontend::read(s.request);
  s.sizes = {{"N", 9}, {"T", 3}};
  s.graph = cdag::program_graph(s.program, s.sizes);
  const std::vector<schedule::Nest> all = schedule::nests(s.program);
  ASSERT_GE(all.size(), 1U);
  for (const schedule::Nest& nest : all) {
    expect_legal_and_bounded(s, nest);
    expect_same_results(s, nest);
  }
}

// How far the search is grows to its end, and not beyond by much.
TEST(TiledSchedule, TellsHowFarTheSearchIs) {
  ScheduleRequest request;
  request.program.file = source("gemm");
  request.program.sizes = {{"NI", 30}, {"NJ", 30}, {"NK", 30}, {"S", 100}};
  request.effort = 3;
  double last = 0, share = 0;
  std::int64_t reports = 0;
  request.progress = [&](const WorkDone& work) {
    EXPECT_GT(work.done, last);
    last = work.done;
    share = work.done / work.total;
    ++reports;
  };
  const TiledSchedule found = tiled_schedule(request);
  EXPECT_GT(reports, 10);
  EXPECT_GT(share, 0);
  EXPECT_LT(share, 1.5);
  request.progress = {};
  EXPECT_EQ(tiled_schedule(request).code, found.code);
}

// Words through a cache.
double through_cache(const std::string& kernel, const std::map<std::string, std::int64_t>& sizes,
                     double effort) {
  ScheduleRequest request;
  request.program.file = source(kernel);
  request.program.sizes = sizes;
  request.replacement = cdag::Replacement::lru;
  request.effort = effort;
  return static_cast<double>(tiled_schedule(request).tiled.lru->moved());
}

// A tile is some columns as a whole, which no loop of the band steps through: four columns of 40
// and the one that passes by fill 200 of 256 words. One column at a time meets 40 * 60 * 59 / 2.
TEST(TiledSchedule, ForCachesFillsTilesWithLoopsInsideThem) {
  const double moved = through_cache("gramschmidt", {{"M", 40}, {"N", 60}, {"S", 256}}, 10);
  const double read = 40.0 * 60 * 59 / 2 / 4, matrices = 2.0 * 40 * 60 + 60.0 * 61 / 2;
  EXPECT_LT(moved, 1.4 * (read + 2 * matrices));
}

// The matrix passes by once for each product at most; the vectors do not fit, their tiles do.
TEST(TiledSchedule, ForCachesKeepsTilesOfVectors) {
  EXPECT_LT(through_cache("bicg", {{"N", 300}, {"M", 300}, {"S", 128}}, 3), 2.1 * 300 * 300);
}

TEST(TiledSchedule, GemmIsNearItsBound) {
  const TiledSchedule t = tiled("gemm", {{"NI", 64}, {"NJ", 64}, {"NK", 64}, {"S", 256}});
  const double bound = 2.0 * 64 * 64 * 64 / 16;
  EXPECT_LT(static_cast<double>(t.tiled.belady->moved()), 1.7 * bound);
  EXPECT_GT(static_cast<double>(t.own.belady->moved()), 5 * bound);
  ASSERT_TRUE(t.tiled.tiles);
  EXPECT_LT(static_cast<double>(t.tiled.tiles->moved()), 1.8 * bound);
  EXPECT_TRUE(t.storage.empty());
}

TEST(TiledSchedule, SumsOfDoitgenGetStorageOfTheirOwn) {
  const TiledSchedule t = tiled("doitgen", {{"NQ", 10}, {"NR", 10}, {"NP", 30}, {"S", 128}});
  EXPECT_FALSE(t.storage.empty());
  EXPECT_EQ(difference(source("doitgen"), t.code, 9), "");
}

// sum[q][p], for one r after the other.
TEST(NestsInside, UseStorageAgainAtEveryStepOfTheLoopsAround) {
  BoundRequest request;
  request.file = source("doitgen");
  const program::Program program = frontend::read(request);
  bool found = false;
  for (const schedule::Nest& nest : schedule::nests_inside(program)) {
    const std::vector<schedule::Tiles> untiled(nest.bands.size());
    EXPECT_TRUE(
        schedule::respects(schedule::times(nest, untiled),
                           schedule::conflicts(schedule::privatised(program, nest.families))));
    for (const schedule::Family& f : nest.families)
      found = found || (f.array == "sum" && f.iterators == std::vector<int>{1});
  }
  EXPECT_TRUE(found);
}

TEST(TiledSchedule, StencilsAreSkewed) {
  const TiledSchedule t = tiled("jacobi-1d", {{"N", 600}, {"T", 100}, {"S", 64}});
  EXPECT_LT(t.tiled.belady->moved() * 4, t.own.belady->moved());
}

TEST(TiledSchedule, TheSameEffortGivesTheSameSchedule) {
  const std::map<std::string, std::int64_t> sizes = {{"M", 40}, {"N", 40}, {"S", 100}};
  EXPECT_EQ(tiled("syrk", sizes).code, tiled("syrk", sizes).code);
}

// Triangle blocks (Al Daas et al., section 5.2): C's pairs of rows are shared out among sets of c
// rows, one from each of c groups, so that a set's pairs need the set's rows of A only. They move
// less than N^2 M / sqrt S, which is therefore no lower bound, and more than what redblue proves.
TEST(Soundness, TriangleBlocksOfSyrkStayAboveTheProvedBound) {
  constexpr std::int64_t c = 13, n = c * c, m = 96, s = 100;
  BoundRequest request;
  request.file = source("syrk");
  request.sizes = {{"N", n}, {"M", m}};
  const cdag::Graph graph = cdag::source_graph(request);
  cdag::Order order = cdag::natural_order(graph);
  const auto block = [&](cdag::Vertex v) -> std::array<std::int64_t, 3> {
    const auto x = graph.coordinates(v);
    const std::int64_t i = x[0], j = x[1], k = x[2];
    const std::int64_t u = i / c, w = j / c, p = i % c, q = j % c;
    if (u == w) return {n + u, k, 0};  // within a group: its own small triangle
    std::int64_t slope = 0;
    while ((q + slope * (u - w) - p) % c != 0) ++slope;
    return {slope * c + ((p - slope * u) % c + c) % c, k, 0};
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](cdag::Vertex a, cdag::Vertex b) { return block(a) < block(b); });
  const double moved = static_cast<double>(cdag::replay(graph, order, s).moved());
  request.sizes["S"] = s;
  const BoundReport report = lower_bounds(request);
  EXPECT_LE(*report.bounds[report.best].value, moved);
  EXPECT_LT(moved, static_cast<double>(n * n * m) / 10);  // the claim
}

}  // namespace
}  // namespace redblue::test
