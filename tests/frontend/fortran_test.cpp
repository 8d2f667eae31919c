// SPDX-License-Identifier: BSD-3-Clause
// Fortran and LLVM IR: the bounds are those of the same loops in C, the graphs too.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <regex>

#include "redblue/analysis.hpp"
#include "redblue/cdag.hpp"
#include "redblue/error.hpp"
#include "temporary_folder.hpp"

namespace redblue {
namespace {

using SizeMap = std::map<std::string, std::int64_t>;

const std::string corpus = REDBLUE_SOURCE_DIR "/tests/programs/corpus/";

std::string file_with(const std::string& name, const std::string& text) {
  const std::string path = test::temporary_folder() + name;
  std::ofstream(path) << text;
  return path;
}

std::string refusal(const std::string& body) {
  const std::string path = file_with("refused.f90", body);
  try {
    lower_bounds({path, "", {}, {}});
  } catch (const Error& e) {
    const std::string what = e.what();
    EXPECT_EQ(what.find('\n'), std::string::npos) << what;
    return std::regex_replace(what, std::regex("^[^:]*refused.f90"), "refused.f90");
  }
  return "read";
}

// In Fortran and in C, at sizes: computed vertices, inputs, and the edges between.
void expect_alike(const std::string& fortran, const std::string& c, const SizeMap& sizes) {
  const cdag::Graph ours = cdag::source_graph({fortran, "", {}, sizes});
  const cdag::Graph theirs = cdag::source_graph({c, "", {}, sizes});
  EXPECT_EQ(ours.size(), theirs.size()) << fortran;
  EXPECT_EQ(ours.edges(), theirs.edges()) << fortran;
}

void expect_same_bounds(const std::string& fortran, const std::string& c, const SizeMap& sizes) {
  const BoundReport ours = lower_bounds({fortran, "", {}, sizes});
  const BoundReport theirs = lower_bounds({c, "", {}, sizes});
  EXPECT_EQ(*ours.bounds[ours.best].value, *theirs.bounds[theirs.best].value) << fortran;
  EXPECT_EQ(ours.bounds[ours.best].expression.text(), theirs.bounds[theirs.best].expression.text());
}

TEST(Fortran, HasTheBoundsOfTheSameLoopsInC) {
  expect_same_bounds(corpus + "gemm_explicit.f90", file_with("gemm.c", R"(
void gemm(int n, int m, int l, double a[l][n], double b[m][l], double c[m][n]) {
  for (int j = 0; j < m; j++)
    for (int k = 0; k < l; k++)
      for (int i = 0; i < n; i++) c[j][i] += a[k][i] * b[j][k];
})"),
                     {{"n", 300}, {"m", 200}, {"l", 100}, {"S", 256}});
  expect_same_bounds(corpus + "trsm_backwards.f90", file_with("trsm.c", R"(
void solve(int n, int m, double u[n][n], double b[m][n]) {
  for (int j = 0; j < m; j++)
    for (int k = n - 1; k >= 0; k--) {
      b[j][k] /= u[k][k];
      for (int i = 0; i < k; i++) b[j][i] -= b[j][k] * u[k][i];
    }
})"),
                     {{"n", 300}, {"m", 200}, {"S", 256}});
}

TEST(Fortran, DescribedArraysHaveASubscriptForEachDimension) {
  const BoundReport lu = lower_bounds({corpus + "lu_assumed.f90", "", {}, {}});
  EXPECT_EQ(lu.bounds[lu.best].leading.text(), "2*a_size1^3/(3*sqrt(S))");
  const BoundReport mttkrp = lower_bounds({corpus + "mttkrp_pointers.f90", "", {}, {}});
  EXPECT_EQ(mttkrp.parameters,
            (std::vector<std::string>{"a_size2", "x_size1", "x_size2", "x_size3"}));
}

TEST(Fortran, GraphsAreThoseOfTheSameLoopsInC) {
  expect_alike(corpus + "lu_calls.f90", file_with("lu.c", R"(
void factor(int n, double a[n][n]) {
  for (int k = 0; k < n - 1; k++) {
    double alpha = 1 / a[k][k];
    for (int i = 0; i < n - 1 - k; i++) a[k][k + 1 + i] *= alpha;
    for (int j = 0; j < n - 1 - k; j++)
      for (int i = 0; i < n - 1 - k; i++) a[k + 1 + j][k + 1 + i] -= a[k][k + 1 + i] * a[k + 1 + j][k];
  }
})"),
               {{"n", 5}});
  expect_alike(corpus + "even_points.f90", file_with("smooth.c", R"(
void smooth(int n, int steps, double u[n + 1]) {
  for (int t = 0; t < steps; t++) {
    for (int i = 1; i < n; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
    for (int i = 2; i < n; i += 2) u[i] = 0.5 * (u[i - 1] + u[i + 1]);
  }
})"),
               {{"n", 9}, {"steps", 3}});
}

TEST(Fortran, RefusalsNameTheLineAndTheRewrite) {
  EXPECT_EQ(refusal("subroutine s(n, x, k)\n"
                    "  integer :: n, k(n), i\n"
                    "  real(8) :: x(n)\n"
                    "  do i = 1, n\n"
                    "    x(k(i)) = x(i)\n"
                    "  end do\n"
                    "end subroutine\n"),
            "refused.f90:5: a subscript of 'x' depends on data; redblue reads subscripts that are "
            "sums of loop variables and sizes");
  EXPECT_EQ(refusal("subroutine s(n, x)\n"
                    "  integer :: n\n"
                    "  real(8) :: x(n)\n"
                    "  call outside(n, x)\n"
                    "end subroutine\n"),
            "refused.f90:4: 'outside' is called, whose body is not in the file; put its body into "
            "the file");
  EXPECT_NE(refusal("subroutine s(n, x)\n  this is no Fortran\nend subroutine\n")
                .find("flang-new-19 says"),
            std::string::npos);
}

// The counter is the caller's variable, so that it lies in memory: a chain of loads and stores that
// leads back to itself (found by bench/fuzz_frontends).
TEST(Fortran, ACounterMayBeAnArgument) {
  const BoundReport report = lower_bounds({file_with("counter.f90",
                                                     "subroutine saxpy(n, i, x, y)\n"
                                                     "  integer :: n, i\n"
                                                     "  real :: a, x(n), y(n)\n"
                                                     "  do i = 1, n\n"
                                                     "    y(i) = y(i) + a * x(i)\n"
                                                     "  end do\n"
                                                     "end subroutine\n"),
                                           "",
                                           {},
                                           {}});
  EXPECT_EQ(report.bounds[report.best].leading, "3*n");
}

TEST(LlvmIr, IsReadAsTheSourceItComesFrom) {
  const std::string source = file_with("mm.c", R"(
void mm(long n, double a[n][n], double b[n][n], double c[n][n]) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < n; j++)
      for (long k = 0; k < n; k++) c[i][j] += a[i][k] * b[k][j];
})");
  for (const std::string level : {"-O0", "-O1 -fno-vectorize"}) {
    const std::string made = test::temporary_folder() + "mm.ll";
    const std::string command =
        "clang-19 " + level + " -g -S -emit-llvm -o " + made + " " + source + " 2>/dev/null";
    if (std::system(command.c_str()) != 0) GTEST_SKIP() << "clang-19 is not here";
    const BoundReport report = lower_bounds({made, "", {}, {}});
    EXPECT_EQ(report.bounds[report.best].leading.text(), "2*n^3/sqrt(S)") << level;
  }
}

}  // namespace
}  // namespace redblue
