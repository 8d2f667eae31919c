// SPDX-License-Identifier: BSD-3-Clause
// Copies of what steps read, and tiles that wait: the same values, the same bits, less traffic.
#include "schedule/late/late_tiles.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <random>
#include <set>

#include "cdag/program_graph.hpp"
#include "frontend/read.hpp"
#include "redblue/pebble.hpp"
#include "redblue/schedule.hpp"
#include "schedule/emitted.hpp"
#include "schedule/late/step_copies.hpp"
#include "schedule/order.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/ordering.hpp"
#include "schedule/search/search.hpp"
#include "schedule/traffic/streamed.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

constexpr const char* sanitized = "-fsanitize=address,undefined -fno-sanitize-recover=all";

// The file of a function on an n x n array, whose region has this text.
std::string file_of(const std::string& name, const std::string& region,
                    const std::string& parameters = "int n, double D[n][n]") {
  const std::string file = temporary_folder() + "redblue_late_" + name + ".c";
  std::ofstream(file) << "#include <math.h>\nvoid f(" << parameters << ") {\n#pragma scop\n"
                      << region << "\n#pragma endscop\n}\n";
  return file;
}

constexpr const char* three_loops =
    "for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) ";

program::Program read(const std::string& file) {
  BoundRequest request;
  request.file = file;
  return frontend::read(request);
}

const std::string& floyd_warshall() {
  static const std::string file = REDBLUE_SOURCE_DIR "/kernels/floyd-warshall.c";
  return file;
}

struct Case {
  std::string name, file;
};

std::vector<Case> cases() {
  const auto in_loops = [](const std::string& name, const std::string& statement,
                           const std::string& parameters = "int n, double D[n][n]") {
    return Case{name, file_of(name, three_loops + statement, parameters)};
  };
  return {
      {"floyd_warshall", floyd_warshall()},
      // Every way back is shorter than none: what a step finds is not what it leaves.
      in_loops("negative_cycles", "D[i][j] = fmin(D[i][j], D[i][k] + D[k][j] - 1.75);"),
      in_loops("choice",
               "D[i][j] = D[i][j] < D[i][k] + D[k][j] - 1.75 ? D[i][j]"
               " : D[i][k] + D[k][j] - 1.75;"),
      in_loops("closure", "D[i][j] = D[i][j] | (D[i][k] & D[k][j]);", "int n, int D[n][n]"),
      // No update that may run in any order: sums, whose order decides on the last bits.
      in_loops("sums", "D[i][j] = 0.5 * D[i][j] - 0.125 * D[i][k] * D[k][j];"),
      in_loops("diagonal", "D[i][j] = 0.5 * D[i][j] + 0.25 * D[i][k] * D[k][j] * D[k][k];"),
      in_loops("transposed", "D[j][i] = fmax(D[j][i], D[k][i] * D[j][k]);"),
      {"factorization",
       file_of("factorization",
               "for (int k = 0; k < n; k++) {\n"
               "  for (int i = k + 1; i < n; i++) D[i][k] = D[i][k] / D[k][k];\n"
               "  for (int i = k + 1; i < n; i++)\n"
               "    for (int j = k + 1; j < n; j++) D[i][j] -= D[i][k] * D[k][j];\n}")},
      {"from_one",
       file_of("from_one",
               "for (int k = 1; k <= n; k++) for (int i = 1; i <= n; i++)"
               " for (int j = 1; j <= n; j++)\n    D[i][j] = fmin(D[i][j], D[i][k] + D[k][j]);",
               "int n, double D[n + 1][n + 1]")},
      {"three_dimensions",
       file_of("three_dimensions",
               std::string(three_loops) + "for (int l = 0; l < 3; l++)\n    D[i][j][l] = 0.5 * "
                                          "D[i][j][l] + 0.25 * D[i][k][l] * D[k][j][l];",
               "int n, double D[n][n][3]")},
  };
}

class LateTiles : public testing::TestWithParam<Case> {};

TEST_P(LateTiles, AreLegalAndComputeTheSameBits) {
  const program::Program program = read(GetParam().file);
  const auto copied = schedule::with_step_copies(program);
  ASSERT_TRUE(copied);
  for (const std::int64_t side : {2, 16}) {
    const auto tiles = schedule::late_tiles(*copied, side);
    ASSERT_TRUE(tiles) << side;
    EXPECT_TRUE(tiles->times.domain().is_equal(schedule::instances(copied->program)));
    EXPECT_TRUE(schedule::respects(tiles->times, schedule::conflicts(copied->program)));
    const isl::union_map own = schedule::without_copies(*copied, tiles->times);
    EXPECT_TRUE(own.domain().is_equal(schedule::instances(program)));
    // Without the copies only where no step reads what it changes later, as in a factorization.
    EXPECT_EQ(schedule::respects(own, schedule::conflicts(program)),
              GetParam().name == "factorization");
    const std::string code = schedule::code(*tiles);
    EXPECT_EQ(code.find("stage"), std::string::npos) << code;
    EXPECT_EQ(difference_within(0, GetParam().file, code, {0, 1, 2, 7, 8, 33, 131}, sanitized), "")
        << side << "\n"
        << code;
  }
}

INSTANTIATE_TEST_SUITE_P(Programs, LateTiles, testing::ValuesIn(cases()),
                         [](const auto& one) { return one.param.name; });

TEST(StepCopies, AreOfWhatAStepFindsAndLeaves) {
  const auto copied = schedule::with_step_copies(read(floyd_warshall()));
  ASSERT_TRUE(copied);
  std::set<std::string> sources;
  for (const program::Statement& s : copied->program.statements) sources.insert(s.source);
  EXPECT_EQ(sources,
            (std::set<std::string>{"D[i][j] = fmin(D[i][j], D_ik_before[k][i] + D_kj_before[k][j])",
                                   "D[i][j] = fmin(D[i][j], D_ik_before[k][i] + D_kj_after[k][j])",
                                   "D[i][j] = fmin(D[i][j], D_ik_after[k][i] + D_kj_before[k][j])",
                                   "D[i][j] = fmin(D[i][j], D_ik_after[k][i] + D_kj_after[k][j])",
                                   "D_ik_before[k][i] = D[i][k]", "D_ik_after[k][i] = D[i][k]",
                                   "D_kj_before[k][j] = D[k][j]", "D_kj_after[k][j] = D[k][j]"}));
}

TEST(StepCopies, NeedAnArrayThatStepsReadAndChange) {
  for (const char* kernel : {"gemm", "jacobi-2d", "seidel-2d", "nussinov", "heat-3d", "durbin"}) {
    EXPECT_FALSE(schedule::with_step_copies(
        read(std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + kernel + ".c")))
        << kernel;
  }
  // A loop that goes down, one in steps of two, and an element that no subscript's name reaches.
  const std::string statement = "D[i][j] = fmin(D[i][j], D[i][k] + D[k][j]);";
  for (const std::string& loops :
       {std::string("for (int k = n - 1; k >= 0; k--) for (int i = 0; i < n; i++)"
                    " for (int j = 0; j < n; j++) "),
        std::string("for (int k = 0; k < n; k++) for (int i = 0; i < n; i += 2)"
                    " for (int j = 0; j < n; j++) ")})
    EXPECT_FALSE(schedule::with_step_copies(read(file_of("loops", loops + statement))));
}

// On the program's graph the order is a game of pebbles, and no bound is above what it moves.
TEST(LateTiles, AreNotBelowBounds) {
  BoundRequest request;
  request.file = floyd_warshall();
  const program::Program program = frontend::read(request);
  const auto copied = schedule::with_step_copies(program);
  ASSERT_TRUE(copied);
  request.sizes = {{"N", 18}};
  const cdag::Graph graph = cdag::program_graph(program, request.sizes);
  for (const std::int64_t words : {16, 64}) {
    request.sizes["S"] = words;
    const BoundReport report = lower_bounds(request);
    const program::Sizes sizes = {{"N", 18}};
    for (const std::int64_t side : {3, 6}) {
      const schedule::Plan plan = {{}, {}, {}, schedule::late_tiles(*copied, side)};
      const cdag::Order order = schedule::order_of(graph, program, plan, sizes);
      const cdag::Replayed replayed =
          cdag::replay(graph, order, words, cdag::Replacement::belady, true);
      EXPECT_EQ(cdag::play(graph, cdag::red_blue_white(words), replayed.moves).moved(),
                replayed.moved());
      const std::int64_t streamed =
          schedule::moved_lru(schedule::sized_order(program, plan).at(sizes), words,
                              std::numeric_limits<std::int64_t>::max());
      for (const LowerBound& bound : report.bounds) {
        if (!bound.proved()) continue;
        EXPECT_LE(*bound.value, static_cast<double>(replayed.moved())) << bound.expression;
        EXPECT_LE(*bound.value, static_cast<double>(streamed)) << bound.expression;
      }
    }
  }
}

// A tile is brought in and out three times, copies go out once, and every tile and block meet a
// row and a column of copies: 2 n^3 / side + 6 n^2 + 4 n^2.
TEST(LateTiles, MoveARowAndAColumnForEveryTileAndBlock) {
  const std::int64_t n = 221, words = 400, side = 17;
  const program::Program program = read(floyd_warshall());
  const std::optional<schedule::Plan> plan = schedule::late_plan(program, {{"N", n}}, words);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->late->side, side);
  const auto moved =
      static_cast<double>(schedule::moved_lru(schedule::sized_order(program, *plan).at({{"N", n}}),
                                              words, std::numeric_limits<std::int64_t>::max()));
  const auto cube = static_cast<double>(n * n * n);
  EXPECT_LT(moved, 2 * cube / static_cast<double>(side) + 12.0 * static_cast<double>(n * n));
  EXPECT_GT(moved, 2 * cube / std::sqrt(static_cast<double>(words)));
}

TEST(LateTiles, AreFoundForCachesAndForExplicitMemory) {
  for (const auto replacement : {cdag::Replacement::lru, cdag::Replacement::belady}) {
    ScheduleRequest request;
    request.program.file = floyd_warshall();
    request.program.sizes = {{"N", 100}, {"S", 256}};
    request.replacement = replacement;
    request.effort = 3;
    const TiledSchedule found = tiled_schedule(request);
    ASSERT_TRUE(found.late);
    EXPECT_EQ(found.late->array, "D");
    EXPECT_EQ(found.late->copies.size(), 4U);
    EXPECT_LT(4 * found.tiled.lru->moved(), found.own.lru->moved());
    EXPECT_EQ(difference(floyd_warshall(), found.code, 40), "");
  }
}

// Random statements of this kind: subscripts, triangles, operations.
TEST(LateTiles, RandomProgramsComputeTheSameBits) {
  std::mt19937 random(7);
  const auto one_of = [&random](const std::vector<std::string>& all) {
    return all[random() % all.size()];
  };
  int compared = 0;
  for (int number = 0; number < 24; ++number) {
    const std::string i =
        one_of({"i = 0; i < n", "i = k; i < n", "i = k + 1; i < n", "i = 0; i <= k"});
    const std::string j = one_of({"j = 0; j < n", "j = i; j < n", "j = k; j < n", "j = 0; j < k"});
    const std::string own = one_of({"D[i][j]", "D[j][i]"});
    const std::string a = one_of({"D[i][k]", "D[k][i]", "D[k][k]", "D[i][i]"});
    const std::string b = one_of({"D[k][j]", "D[j][k]", "D[k][0]", "D[i][k]"});
    const std::string region =
        "for (int k = 0; k < n; k++) for (int " + i + "; i++) for (int " + j + "; j++)\n    " +
        one_of({own + " = fmin(" + own + ", " + a + " + " + b + " - 1.5);",
                own + " = 0.5 * " + own + " - 0.25 * " + a + " * " + b + ";",
                own + " = " + a + " < " + b + " ? " + own + " : 0.5 * (" + a + " + " + b + ");"});
    const std::string file = file_of("random", region);
    const auto copied = schedule::with_step_copies(read(file));
    if (!copied) continue;
    const auto tiles = schedule::late_tiles(*copied, 2 + static_cast<int>(random() % 5));
    if (!tiles) continue;
    ++compared;
    EXPECT_EQ(difference_within(0, file, schedule::code(*tiles), {1, 9, 22}, sanitized), "")
        << region;
  }
  EXPECT_GT(compared, 8);
}

}  // namespace
}  // namespace redblue::test
