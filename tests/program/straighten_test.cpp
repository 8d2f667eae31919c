// SPDX-License-Identifier: BSD-3-Clause
// Other loops, the same instances: what is read and written when stays.
#include "program/straighten.hpp"

#include <gtest/gtest.h>
#include <isl/map.h>

#include <fstream>

#include "frontend/c/frontend.hpp"
#include "program/determined_loops.hpp"
#include "temporary_folder.hpp"

namespace redblue::program {
namespace {

Program body(const std::string& statements) {
  const std::string path = test::temporary_folder() + "redblue_straighten.c";
  std::ofstream(path) << "typedef double matrix[100][100];\n"
                         "void f(int N, int M, matrix A, matrix B, double x[100], double y[100]) "
                         "{\n" +
                             statements + "\n}\n";
  return frontend::c::parse(path, "", {});
}

// Times -> elements.
isl::map by_time(const Statement& s, const Access& access) {
  return s.schedule.reverse().apply_range(access.elements);
}

void expect_same(const Program& before, const Program& after) {
  ASSERT_EQ(before.statements.size(), after.statements.size());
  for (std::size_t n = 0; n < before.statements.size(); ++n) {
    const Statement& one = before.statements[n];
    const Statement& other = after.statements[n];
    EXPECT_TRUE(other.schedule.is_injective());
    ASSERT_EQ(one.reads.size(), other.reads.size());
    for (std::size_t a = 0; a < one.reads.size(); ++a)
      EXPECT_TRUE(by_time(one, one.reads[a]).is_equal(by_time(other, other.reads[a])));
    EXPECT_TRUE(by_time(one, one.writes[0]).is_equal(by_time(other, other.writes[0])));
    for (std::size_t c = 0; c < one.counters.size(); ++c) {
      const auto values = [c](const Statement& s) {
        const isl::map schedule =
            isl::manage(isl_map_reset_tuple_id(s.schedule.copy(), isl_dim_in));
        return schedule.reverse().apply_range(
            isl::manage(isl_map_from_pw_aff(s.counters[c].value.copy())));
      };
      EXPECT_TRUE(values(one).is_equal(values(other)));
    }
  }
}

TEST(Straighten, LengthsOfIntervals) {
  const Program before = body(
      "for (int l = 2; l < N; l++) for (int i = 0; i < N - l; i++) for (int k = i; k < i + l; "
      "k++)\n"
      "A[i][i + l] += A[i][k] * A[k][i + l];");
  const Program after = straighten(before);
  expect_same(before, after);
  EXPECT_EQ(after.statements[0].iterators, (std::vector<std::string>{"l+i", "i", "k"}));
  for (const Subscript& s : subscripts(after.statements[0].writes[0].elements))
    EXPECT_EQ(s.kind, Subscript::Kind::coordinate);
}

TEST(Straighten, Skewed) {
  const Program before = body(
      "for (int t = 0; t < N; t++) for (int i = t; i < M + t; i++)\n"
      "A[t][i - t] = A[t][i - t] + B[i - t][t];");
  const Program after = straighten(before);
  expect_same(before, after);
  EXPECT_EQ(after.statements[0].iterators, (std::vector<std::string>{"t", "i-t"}));
}

// Nothing is gained where another subscript would mix loops instead.
TEST(Straighten, Convolutions) {
  const Program before =
      body("for (int h = 0; h < N; h++) for (int r = 0; r < M; r++) x[h] += y[h + r] * A[r][0];");
  const Program after = straighten(before);
  EXPECT_EQ(after.statements[0].iterators, before.statements[0].iterators);
}

// Tiles by hand, of points and of places in them, that end early or exactly.
TEST(Untiled, InstancesKeepTheirTimesAndElements) {
  const char* tiled[] = {
      "for (int ii = 0; ii < N; ii += 8) for (int jj = 0; jj < M; jj += 4)\n"
      "for (int i = ii; i < (ii + 8 < N ? ii + 8 : N); i++)\n"
      "for (int j = jj; j < jj + 4 && j < M; j++) A[i][j] += B[j][i];",
      "for (int ii = 0; ii < N / 8; ii++) for (int i = 0; i < 8; i++) for (int j = 0; j < M; j++)\n"
      "A[8 * ii + i][j] += B[j][8 * ii + i];"};
  for (const char* loops : tiled) {
    const Program before = body(loops);
    const Program after = untiled(before);
    expect_same(before, after);
    EXPECT_EQ(after.statements[0].iterators.size(), 2U) << loops;
    for (const Subscript& s : subscripts(after.statements[0].writes[0].elements))
      EXPECT_EQ(s.kind, Subscript::Kind::coordinate) << loops;
  }
  const Program plain =
      body("for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) A[i][j] = 0;");
  EXPECT_EQ(untiled(plain).statements[0].iterators.size(), 2U);
}

// The tile of A stays in c, whose subscripts are places in it.
TEST(Untiled, TilesHeldInALocalArray) {
  const std::string inside = "for (int ii = 0; ii < 6; ii++) for (int jj = 0; jj < 6; jj++)\n";
  const Program before = body(
      "for (int i = 0; i < N; i += 6) for (int j = 0; j < M; j += 6) {\ndouble c[6][6];\n" +
      inside + "c[ii][jj] = B[i + ii][j + jj];\n" + inside + "A[i + ii][j + jj] = c[ii][jj];\n}");
  const Program after = untiled(before);
  expect_same(before, after);
  for (const Statement& s : after.statements) EXPECT_EQ(s.iterators.size(), 2U) << s.name;
}

}  // namespace
}  // namespace redblue::program
