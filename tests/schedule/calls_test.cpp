// SPDX-License-Identifier: BSD-3-Clause
// Tiles as calls of BLAS: which they are, and that the emitted C computes what the source computes,
// but for roundings.
#include <gtest/gtest.h>

#include <fstream>
#include <set>

#include "frontend/read.hpp"
#include "process/blas.hpp"
#include "redblue/error.hpp"
#include "schedule/choice/choice.hpp"
#include "schedule/codegen/call_text.hpp"
#include "schedule/emitted.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using schedule::codegen::Chosen;
using schedule::codegen::Orders;

struct Code {
  std::string file, text;
  std::set<std::string> routines;
};

Code with_calls(const std::string& file, const std::vector<std::int64_t>& sides) {
  BoundRequest request;
  request.file = file;
  const program::Program program = frontend::read(request);
  program::Sizes sizes;
  for (const std::string& p : program.parameters) sizes[p] = 400;
  schedule::codegen::Processor processor;
  processor.call_sides = sides;
  const auto chosen = Orders(program, sizes, processor).fastest();
  Code result{file, {}, {}};
  if (!chosen) return result;
  result.text = schedule::codegen::emitted(program, chosen->schedule, chosen->exclusive);
  for (const auto& band : chosen->schedule.bands) {
    if (!band.calls) continue;
    for (const auto& call : band.calls->calls)
      result.routines.insert(schedule::codegen::routine(band.calls->product, call.kind));
  }
  return result;
}

struct Case {
  std::string name;
  std::string parameters;  // behind "int n"
  std::string loops;
  std::set<std::string> routines;
};

void PrintTo(const Case& c, std::ostream* out) {
  *out << c.name;
}

std::string file_of(const Case& c) {
  std::string file = temporary_folder() + "redblue_calls_" + c.name + ".c";
  std::ofstream(file) << "void " << c.name << "(int n" << c.parameters << ") {\n#pragma scop\n"
                      << c.loops << "\n#pragma endscop\n}\n";
  return file;
}

bool has_blas() {
  try {
    process::blas_flags("a test");
    return true;
  } catch (const Error&) {
    return false;
  }
}

constexpr double rounding = 1e-12;
// Nothing, one row, less than a tile, whole tiles, one row more, several.
const std::vector<int> some_sizes = {0, 1, 2, 5, 8, 9, 16, 23};

class Calls : public testing::TestWithParam<Case> {};

TEST_P(Calls, ComputeTheSame) {
  const Case& c = GetParam();
  const Code code = with_calls(file_of(c), {8});
  EXPECT_EQ(code.routines, c.routines) << code.text;
  if (!has_blas()) GTEST_SKIP() << "no BLAS to run it with";
  if (!code.text.empty()) {
    EXPECT_EQ(difference_within(rounding, code.file, code.text, some_sizes), "") << code.text;
  }
}

std::string nest(const std::string& statement, const std::string& k = "int k = 0; k < n; k++") {
  return "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (" + k + ") " + statement;
}

const std::string three = ", double C[n][n], double A[n][n], double B[n][n]";
const std::string two = ", double X[n][n], double T[n][n]";
const std::set<std::string> gemm = {"dgemm"}, none = {};

std::string name_of(const testing::TestParamInfo<Case>& at) {
  return at.param.name;
}

INSTANTIATE_TEST_SUITE_P(
    Products, Calls,
    testing::Values(
        Case{"nn", three, nest("C[i][j] += A[i][k] * B[k][j];"), gemm},
        Case{"nt", three, nest("C[i][j] += A[i][k] * B[j][k];"), gemm},
        Case{"tn", three, nest("C[i][j] += A[k][i] * B[k][j];"), gemm},
        Case{"tt", three, nest("C[i][j] += A[k][i] * B[j][k];"), gemm},
        Case{"into_transposed", three, nest("C[j][i] += A[i][k] * B[k][j];"), gemm},
        Case{"factors_in_turn", three, nest("C[i][j] += B[k][j] * A[i][k];"), gemm},
        Case{"minus", three, nest("C[i][j] -= A[i][k] * B[k][j];"), gemm},
        Case{"minus_written_out", three, nest("C[i][j] = C[i][j] - A[i][k] * B[k][j];"), gemm},
        Case{"product_first", three, nest("C[i][j] = -A[i][k] * B[k][j] + C[i][j];"), gemm},
        Case{"scaled", ", double alpha" + three,
             nest("C[i][j] -= 2.5 * A[i][k] * (alpha * -B[k][j]);"), gemm},
        Case{"scaled_by_an_element",
             ", double C[n][n][n], double A[n][n][n], double B[n][n], double s[n]",
             "for (int b = 0; b < n; b++) " + nest("C[b][i][j] += s[b] * A[b][i][k] * B[k][j];"),
             gemm},
        Case{"names_in_use", ", double X[n][n], double rows[n][n], double sums[n][n]",
             nest("X[i][j] += rows[i][k] * sums[k][j];"), gemm},
        Case{"rows_apart", ", double C[n][2][n], double A[n][n], double B[n][3][n]",
             nest("C[i][1][j] += A[i][k] * B[k][2][j];"), gemm},
        Case{"inside", three,
             "for (int i = 1; i < n - 1; i++) for (int j = 2; j < n; j++) for (int k = 3; k < n - "
             "2; k++) C[i - 1][j] += A[i + 1][k - 3] * B[k][j - 2];",
             gemm},
        Case{"sum_begun", three,
             "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { C[i][j] = 0; for (int k = "
             "0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }",
             gemm}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    Triangles, Calls,
    testing::Values(
        Case{"syrk_lower",
             ", double alpha" + two,
             "for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < n; k++) "
             "X[i][j] += alpha * T[i][k] * T[j][k];",
             {"dsyrk", "dgemm"}},
        Case{"syrk_upper_transposed",
             two,
             "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) for (int k = 0; k < n; k++) "
             "X[i][j] -= T[k][i] * T[k][j];",
             {"dsyrk", "dgemm"}},
        Case{"trmm_left",
             two,
             nest("X[i][j] += T[k][i] * X[k][j];", "int k = i + 1; k < n; k++"),
             {"dtrmm", "dgemm"}},
        Case{"trmm_right",
             two,
             nest("X[i][j] += X[i][k] * T[k][j];", "int k = j + 1; k < n; k++"),
             {"dtrmm", "dgemm"}},
        Case{"solve_left_unit",
             two,
             nest("X[i][j] -= T[i][k] * X[k][j];", "int k = 0; k < i; k++"),
             {"dtrsm", "dgemm"}},
        Case{
            "solve_left",
            two,
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { for (int k = 0; k < i; k++) "
            "X[i][j] -= T[i][k] * X[k][j]; X[i][j] /= T[i][i]; }",
            {"dtrsm", "dgemm"}},
        Case{
            "solve_right_transposed",
            two,
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { for (int k = 0; k < j; k++) "
            "X[i][j] -= X[i][k] * T[j][k]; X[i][j] = X[i][j] / T[j][j]; }",
            {"dtrsm", "dgemm"}},
        // Not a solution: the sum is added, or the wrong element divides.
        Case{"added_in_place", two, nest("X[i][j] += T[i][k] * X[k][j];", "int k = 0; k < i; k++"),
             gemm},
        Case{
            "divided_by_another", two,
            "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { for (int k = 0; k < i; k++) "
            "X[i][j] -= T[i][k] * X[k][j]; X[i][j] /= T[j][j]; }",
            gemm}));

INSTANTIATE_TEST_SUITE_P(
    Others, Calls,
    testing::Values(Case{"two_terms", three, nest("C[i][j] += A[i][k] * B[k][j] + A[i][k];"), none},
                    Case{"three_factors", three, nest("C[i][j] += A[i][k] * B[k][j] * B[k][j];"),
                         none},
                    Case{"every_second", ", double C[n][n], double A[2 * n][n], double B[n][n]",
                         nest("C[i][j] += A[2 * i][k] * B[k][j];"), none},
                    Case{"holes", three,
                         nest("C[i][j] += A[i][k] * B[k][j];", "int k = 0; k < n; k += 2"), none},
                    Case{"flat", ", double C[n * n], double A[n * n], double B[n * n]",
                         nest("C[i * n + j] += A[i * n + k] * B[k * n + j];"), none}),
    name_of);

// What a name stands for is not in the text: an int that overflows, a constant without a sign.
TEST(CallsOfScales, AreOfNumbersAndVariables) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"#define K 3u\n", "C[i][j] -= K * A[i][k] * B[k][j];"},
      {"enum { K = 100000 };\n", "C[i][j] += A[i][k] * K * K * B[k][j];"}};
  for (const auto& [before, statement] : cases) {
    const std::string file = temporary_folder() + "redblue_calls_names.c";
    std::ofstream(file) << before << "void names(int n" << three << ") {\n#pragma scop\n"
                        << nest(statement) << "\n#pragma endscop\n}\n";
    EXPECT_TRUE(with_calls(file, {8}).routines.empty()) << before;
  }
  const Code code = with_calls(
      file_of({"integers", three, nest("C[i][j] -= A[i][k] * 65536 * 65536 * B[k][j];"), {}}), {8});
  EXPECT_EQ(code.routines, gemm);
  if (!has_blas()) GTEST_SKIP() << "no BLAS to run it with";
  EXPECT_EQ(difference_within(rounding, code.file, code.text, some_sizes), "") << code.text;
}

// With what is left beside the diagonals in loops.
TEST(CallsOfFactorizations, ComputeTheSame) {
  if (!has_blas()) GTEST_SKIP() << "no BLAS to run it with";
  using Routines = std::set<std::string>;
  const std::vector<std::pair<std::string, Routines>> kernels = {
      {"lu", {"dgemm", "dtrsm"}}, {"cholesky", {"dgemm", "dsyrk", "dtrsm"}}};
  for (const auto& [name, routines] : kernels) {
    const Code code = with_calls(REDBLUE_SOURCE_DIR "/kernels/" + name + ".c", {8});
    EXPECT_EQ(code.routines, routines);
    EXPECT_EQ(difference_within(rounding, code.file, code.text, {0, 1, 2, 5, 8, 9, 16, 37},
                                "-fsanitize=address,undefined -fno-sanitize-recover"),
              "")
        << code.text;
  }
}

// What no large tile takes is cut into smaller ones.
TEST(CallsOfSmallerTiles, ComputeTheSame) {
  if (!has_blas()) GTEST_SKIP() << "no BLAS to run it with";
  const std::string file = file_of(
      {"solve_tiles", two, nest("X[i][j] -= T[i][k] * X[k][j];", "int k = 0; k < i; k++"), {}});
  const Code large = with_calls(file, {16}), both = with_calls(file, {16, 4});
  EXPECT_EQ(large.routines, both.routines);
  EXPECT_EQ(difference_within(rounding, file, both.text, {0, 1, 2, 4, 5, 16, 17, 37}), "");
}

// The comparison finds a call that is missing.
TEST(CallsOfSmallerTiles, AreAllNeeded) {
  if (!has_blas()) GTEST_SKIP() << "no BLAS to run it with";
  Code code =
      with_calls(file_of({"one_less", three, nest("C[i][j] += A[i][k] * B[k][j];"), {}}), {8});
  const std::size_t call = code.text.find("cblas_dgemm(");
  ASSERT_NE(call, std::string::npos);
  code.text.insert(call, "if (rows != 9) ");
  EXPECT_EQ(difference_within(rounding, code.file, code.text, {8}), "");
  EXPECT_NE(difference_within(rounding, code.file, code.text, {9}), "");
}

}  // namespace
}  // namespace redblue::test
