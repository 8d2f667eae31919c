// SPDX-License-Identifier: BSD-3-Clause
// Parallel loops inside of the loops that a band has inside it: legal, the same bits, less traffic.
#include "schedule/interchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "schedule/emitted.hpp"
#include "schedule/inside/nests_inside.hpp"
#include "schedule/kernel_program.hpp"
#include "schedule/order.hpp"
#include "schedule/search/code.hpp"
#include "schedule/search/judge.hpp"
#include "schedule/search/tile_model.hpp"
#include "schedule/search/tuning.hpp"
#include "schedule/some_tiles.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

program::Program written(const std::string& name, const std::string& text) {
  const std::string file = temporary_folder() + "redblue_" + name + ".c";
  std::ofstream(file) << text;
  return read(file);
}

// Of all nests, also those that have loops in order from the start: attention as in the source.
std::vector<schedule::Nest> changed(const program::Program& program) {
  std::vector<schedule::Nest> result;
  for (const auto& all : {schedule::nests(program), schedule::nests_inside(program)}) {
    for (const schedule::Nest& nest : all) {
      if (auto next = schedule::parallel_loops_inside(nest)) result.push_back(std::move(*next));
      const auto in_order = [](const schedule::Band& band) { return band.in_order > 0; };
      if (std::any_of(nest.bands.begin(), nest.bands.end(), in_order)) result.push_back(nest);
    }
  }
  return result;
}

void expect_legal_and_same(const program::Program& program, const std::string& file) {
  const auto all = changed(program);
  ASSERT_FALSE(all.empty());
  for (const schedule::Nest& nest : all) {
    const program::Program stored = schedule::privatised(program, nest.families);
    for (const auto& tiles : {some_tiles(nest), std::vector<schedule::Tiles>(nest.bands.size())}) {
      const isl::union_map times = schedule::times(nest, tiles);
      EXPECT_TRUE(times.domain().is_equal(schedule::instances(program)));
      EXPECT_TRUE(schedule::respects(times, schedule::conflicts(stored)));
    }
  }
  for (const schedule::Nest& nest : {all.front(), all.back()}) {
    const isl::union_map times = schedule::times(nest, some_tiles(nest));
    const std::string code =
        schedule::code(program, times, schedule::needed(program, times, nest.families));
    for (const int size : {1, 2, 5}) EXPECT_EQ(difference(file, code, size), "");
  }
}

TEST(ParallelLoopsInside, AreLegalAndComputeTheSame) {
  for (const char* name : {"convolution", "doitgen"})
    expect_legal_and_same(read(kernel(name)), kernel(name));
}

// Projections, which isl tiles, and attention, which runs as in the source: its rows are parallel.
TEST(ParallelLoopsInside, OfLoopsAsInTheSource) {
  const program::Program program = written(
      "attention",
      "void f(int N, int H, double x[N][H][H], double w[H][H][H], double q[N][H],\n"
      "       double score[N][N], double sum[N], double out[N][H]) {\n#pragma scop\n"
      "  for (int l = 0; l < N; l++)\n    for (int p = 0; p < H; p++) {\n      q[l][p] = 0;\n"
      "      for (int g = 0; g < H; g++)\n"
      "        for (int r = 0; r < H; r++) q[l][p] += x[l][g][r] * w[g][r][p];\n    }\n"
      "  for (int l = 0; l < N; l++) {\n    sum[l] = 1;\n    for (int m = 0; m < N; m++) {\n"
      "      score[l][m] = 0;\n"
      "      for (int p = 0; p < H; p++) score[l][m] += q[l][p] * q[m][p];\n"
      "      sum[l] += score[l][m] * score[l][m];\n    }\n    for (int p = 0; p < H; p++) {\n"
      "      out[l][p] = 0;\n"
      "      for (int m = 0; m < N; m++) out[l][p] += score[l][m] / sum[l] * q[m][p];\n    }\n"
      "  }\n#pragma endscop\n}\n");
  const auto nests = schedule::nests(program);
  EXPECT_TRUE(std::any_of(nests.begin(), nests.end(), [](const schedule::Nest& nest) {
    return nest.outermost == schedule::Nest::Outermost::one_by_one && nest.bands.size() == 2;
  }));
  expect_legal_and_same(program, temporary_folder() + "redblue_attention.c");
}

// The first step of the sum is where an element begins, the last one where it is halved, also where
// the sum is empty.
TEST(ParallelLoopsInside, StatementsBesideTheInnerLoopsRunAtItsEnds) {
  const std::string text =
      "void f(int N, int M, double A[N][M][M], double x[N]) {\n#pragma scop\n"
      "  for (int i = 0; i < N; i++) {\n    x[i] = 1;\n"
      "    for (int j = 0; j < M; j++)\n      for (int k = 0; k <= j; k++) x[i] += A[i][j][k];\n"
      "    x[i] /= 2;\n  }\n#pragma endscop\n}\n";
  const program::Program program = written("ends", text);
  const std::string file = temporary_folder() + "redblue_ends.c";
  for (const schedule::Nest& nest : changed(program)) {
    const isl::union_map times = schedule::times(nest, some_tiles(nest));
    EXPECT_TRUE(schedule::respects(times, schedule::conflicts(program)));
    const std::string code = schedule::code(program, times, {});
    for (const int size : {1, 7}) EXPECT_EQ(difference(file, code, size), "");
  }
}

// A dense layer whose sums run over two indices: rows and columns in tiles, of which a step of the
// sum touches a row and a column.
TEST(ParallelLoopsInside, SumsOverSeveralIndicesMoveAsMuchAsMatrices) {
  const auto layer = [](const std::string& extents, const std::string& sums,
                        const std::string& at) {
    return "void f(int N, int M, double A[N]" + extents + ", double B[N]" + extents +
           ", double C[N][N]) {\n#pragma scop\n  for (int i = 0; i < N; i++)\n"
           "    for (int j = 0; j < N; j++)\n" +
           sums + "        C[i][j] += A[i]" + at + " * B[j]" + at + ";\n#pragma endscop\n}\n";
  };
  const program::Program nested = written(
      "nested",
      layer("[M][M]", "      for (int m = 0; m < M; m++)\n        for (int h = 0; h < M; h++)\n",
            "[m][h]"));
  constexpr std::int64_t s = 256, n = 48, m = 24;
  const program::Sizes sizes = {{"N", n}, {"M", m}};
  const schedule::Replayed silent = [](double) {};
  const schedule::Judge judge(nested, sizes, s, cdag::Replacement::lru, silent,
                              schedule::Judge::How::streamed);
  const auto least = [&](const std::vector<schedule::Nest>& nests) {
    std::int64_t result = judge.cost(schedule::own_order(nested));
    for (const schedule::Nest& nest : nests) {
      schedule::Tuning tuning(judge, {nest, std::vector<schedule::Tiles>(nest.bands.size())});
      tuning.choose_tilings(s, 0.7, 1e9);
      result = std::min(result, tuning.cost());
      const auto model = schedule::TileModel::of(nested, nest, sizes);
      if (model) result = std::min(result, judge.cost({nest, model->best(s)}));
    }
    return result;
  };
  const std::int64_t with = least(changed(nested));
  EXPECT_LT(3 * with, 2 * least(schedule::nests(nested)));
  // Tiles of 13 x 13 elements of C, of which half are loaded for each step of the sum.
  const double products = static_cast<double>(n * n * m * m);
  EXPECT_LT(static_cast<double>(with), 1.2 * products * 2 / std::sqrt(0.7 * s) + 3.0 * n * n);
}

}  // namespace
}  // namespace redblue::test
