// SPDX-License-Identifier: BSD-3-Clause
// Which programs are stencils on staggered grids, and what that is worth.
#include "bounds/isoperimetry/staggered.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "bounds/isoperimetry/stencils.hpp"
#include "dataflow/dependences.hpp"
#include "frontend/read.hpp"
#include "redblue/analysis.hpp"
#include "temporary_folder.hpp"

namespace redblue::bounds {
namespace {

std::string file_of(const std::string& name, const std::string& parameters,
                    const std::string& body) {
  const std::string path = test::temporary_folder() + "staggered_" + name + ".c";
  std::ofstream(path) << "void f(int T, int N, " << parameters << ") {\n#pragma scop\n"
                      << "  for (int t = 0; t < T; t++) {\n"
                      << body << "  }\n#pragma endscop\n}\n";
  return path;
}

// Acoustics: a pressure, and between its places the components of a velocity.
std::string acoustics(int dimensions) {
  std::string sizes, loops, here, parameters, body, sum;
  for (int d = 0; d < dimensions; ++d) {
    const std::string i(1, static_cast<char>('i' + d));
    sizes += "[N]";
    here += "[" + i + "]";
    loops += "for (int " + i + " = 1; " + i + " < N - 1; " + i + "++) ";
  }
  for (int d = 0; d < dimensions; ++d) {
    const std::string v = "v" + std::to_string(d);
    std::string before, after;
    for (int other = 0; other < dimensions; ++other) {
      const std::string i(1, static_cast<char>('i' + other));
      before += "[" + i + (other == d ? " - 1]" : "]");
      after += "[" + i + (other == d ? " + 1]" : "]");
    }
    parameters += ", double " + v + sizes;
    body += "    " + loops + v + here + " -= p" + here + " - p" + before + ";\n";
    sum += " + " + v + after + " - " + v + here;
  }
  body += "    " + loops + "p" + here + " -= 0.5 * (0" + sum + ");\n";
  return file_of("acoustics-" + std::to_string(dimensions), "double p" + sizes + parameters, body);
}

std::optional<Staggered> grid_of(const std::string& file, const std::string& array) {
  program::Program program = frontend::read({file, "", {}, {}});
  dataflow::derive_sources(program);
  for (const Stencil& stencil : stencils(program)) {
    if (stencil.parts.front().statement->writes.front().array == array && stencil.staggered)
      return stencil.staggered;
  }
  return std::nullopt;
}

TEST(Staggered, YeesSchemeHasTwoFieldsBetween) {
  const auto grid = grid_of(REDBLUE_SOURCE_DIR "/kernels/fdtd-2d.c", "hz");
  ASSERT_TRUE(grid);
  EXPECT_EQ(grid->between.size(), 2U);
  EXPECT_EQ(grid->waiting(), 1);
  EXPECT_EQ(grid->along, (dataflow::Vector{1, 0, 0}));
}

TEST(Staggered, AcousticsHasAFieldForEachDimension) {
  for (const int dimensions : {2, 3}) {
    const auto grid = grid_of(acoustics(dimensions), "p");
    ASSERT_TRUE(grid) << dimensions;
    EXPECT_EQ(grid->waiting(), dimensions - 1);
  }
  // One field between leaves nothing that waits besides.
  EXPECT_FALSE(grid_of(acoustics(1), "p"));
}

// Fields that are not carried from step to step hold nothing that waits.
TEST(Staggered, FieldsThatAreMadeAnewDoNotCount) {
  const std::string text =
      "for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) x[i][j] = p[i][j] - p[i-1][j];\n"
      "for (int i = 1; i < N; i++) for (int j = 1; j < N; j++) y[i][j] = p[i][j] - p[i][j-1];\n"
      "for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n"
      "  p[i][j] -= x[i+1][j] - x[i][j] + y[i][j+1] - y[i][j];\n";
  const std::string file = file_of("anew", "double p[N][N], double x[N][N], double y[N][N]", text);
  EXPECT_FALSE(grid_of(file, "p"));
}

double best_at(const std::string& file, std::map<std::string, std::int64_t> sizes) {
  const BoundReport report = lower_bounds({file, "", {}, std::move(sizes)});
  EXPECT_TRUE(report.bounds[report.best].proved());
  return report.bounds[report.best].value.value_or(0);
}

// Half as much again as by the main field alone (53,713,183 and 7,196,100 words, the latter
// compulsory), and below what cone tiles move (docs/schedules.md).
TEST(Staggered, YeesSchemeMovesMoreThanItsMainField) {
  const std::string file = REDBLUE_SOURCE_DIR "/kernels/fdtd-2d.c";
  const double small = best_at(file, {{"NX", 1000}, {"NY", 1200}, {"T", 500}, {"S", 1024}});
  const double large = best_at(file, {{"NX", 1000}, {"NY", 1200}, {"T", 500}, {"S", 32768}});
  EXPECT_GT(small, 1.4 * 53'713'183);
  EXPECT_GT(large, 1.8 * 7'196'100);
  EXPECT_LT(large, 56'000'000);
}

}  // namespace
}  // namespace redblue::bounds
