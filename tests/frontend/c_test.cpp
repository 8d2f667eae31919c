// SPDX-License-Identifier: BSD-3-Clause
// C source to sets and maps: what is read, and how what is not read is refused.
#include <gtest/gtest.h>
#include <isl/map.h>
#include <isl/set.h>

#include <fstream>

#include "frontend/c/frontend.hpp"
#include "program/count.hpp"
#include "redblue/error.hpp"
#include "temporary_folder.hpp"

namespace redblue::frontend::c {
namespace {

using program::context;

std::string file_with(const std::string& source) {
  const std::string path = test::temporary_folder() + "redblue_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".c";
  std::ofstream(path) << source;
  return path;
}

program::Program read(const std::string& source, const std::string& function = "") {
  return parse(file_with(source), function, {});
}

program::Program body(const std::string& statements) {
  return read(
      "#define MIN(a, b) ((a) < (b) ? (a) : (b))\n#define MAX(a, b) ((a) > (b) ? (a) : (b))\n"
      "double sqrt(double); typedef double matrix[100][100];\n"
      "void f(int N, int M, matrix A, matrix B, double x[100], double a) {\n" +
      statements + "\n}\n");
}

void expect_domain(const std::string& statements, const std::string& expected) {
  const program::Program p = body(statements);
  ASSERT_FALSE(p.statements.empty());
  const isl::set wanted(context(), expected);
  EXPECT_TRUE(p.statements.front().domain.is_equal(wanted))
      << isl_set_to_str(p.statements.front().domain.get());
}

void expect_read(const program::Program& p, std::size_t statement, std::size_t access,
                 const std::string& expected) {
  const isl::map wanted(context(), expected);
  const isl::map& got = p.statements.at(statement).reads.at(access).elements;
  EXPECT_TRUE(got.is_equal(wanted)) << isl_map_to_str(got.get());
}

void expect_refused(const std::string& statements, const std::string& reason) {
  try {
    body(statements);
    ADD_FAILURE() << "accepted: " << statements;
  } catch (const Error& e) {
    const std::string message = e.what();
    EXPECT_NE(message.find(reason), std::string::npos) << message;
    EXPECT_NE(message.find(".c:5"), std::string::npos) << message;  // file and line
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

TEST(Domains, LoopsUpAndDown) {
  expect_domain("for (int i = 0; i < N; i++) x[i] = 0;", "[N] -> { S0[i] : 0 <= i < N }");
  expect_domain("for (int i = 1; N >= i; ++i) x[i] = 0;", "[N] -> { S0[i] : 1 <= i <= N }");
  expect_domain("int i; for (i = 0; i <= N - 1; i += 1) x[i] = 0;",
                "[N] -> { S0[i] : 0 <= i < N }");
  expect_domain("for (int i = N - 1; i >= 0; i--) x[i] = 0;", "[N] -> { S0[q] : 0 <= q < N }");
  expect_domain("for (int i = 0; i < N; i = i + 3) x[i] = 0;", "[N] -> { S0[q] : 0 <= 3q < N }");
  expect_domain("for (int i = N; i > M; i -= 2) x[i] = 0;",
                "[N, M] -> { S0[q] : 0 <= q and N - 2q > M }");
  expect_domain("for (int i = 0; i < N; i++) for (int j = i; j > 0; j--) A[i][j] = 0;",
                "[N] -> { S0[i, j] : i < N and -i <= j < 0 }");
  expect_domain("for (int i = 0; i < N && i < M; i++) x[i] = 0;",
                "[N, M] -> { S0[i] : 0 <= i < N and i < M }");
}

TEST(Domains, MinMaxAndGuards) {
  expect_domain("for (int i = MAX(0, M - 3); i < MIN(N, M); i++) x[i] = 0;",
                "[N, M] -> { S0[i] : 0 <= i and M - 3 <= i and i < N and i < M }");
  expect_domain("for (int i = 0; i < N; i++) if (i % 2 == 0 && i > 2) x[i] = 0;",
                "[N] -> { S0[i] : 2 < i < N and i mod 2 = 0 }");
  expect_domain("for (int i = 0; i < N; i++) if (!(i < 3 || i == M)) x[i] = 0;",
                "[N, M] -> { S0[i] : 3 <= i < N and i != M }");
  expect_domain("for (int i = 0; i < N; i++) for (int j = i / 2; j < i; j++) A[i][j] = 0;",
                "[N] -> { S0[i, j] : 0 <= i < N and j >= floor(i/2) and j < i }");
}

TEST(Domains, ElseAndOrder) {
  const program::Program p =
      body("for (int i = 0; i < N; i++) { if (i < M) x[i] = 0; else x[i] = 1; x[0] += x[i]; }");
  ASSERT_EQ(p.statements.size(), 3U);
  EXPECT_TRUE(p.statements[1].domain.is_equal(
      isl::set(context(), "[N, M] -> { S1[i] : 0 <= i < N and i >= M }")));
  // S2 of an iteration comes after S0 of the same iteration and before S0 of the next.
  const isl::map early = p.statements[0].schedule;
  const isl::map late = p.statements[2].schedule;
  const auto before = [](const isl::map& first, const isl::map& second) {
    return isl::manage(isl_map_lex_lt_map(first.copy(), second.copy()));
  };
  EXPECT_TRUE(isl::map(context(), "[N, M] -> { S0[i] -> S2[i] : 0 <= i < N and i < M }")
                  .is_subset(before(early, late)));
  EXPECT_TRUE(isl::map(context(), "[N, M] -> { S2[i] -> S0[i + 1] : 0 <= i < N - 1 and i + 1 < M }")
                  .is_subset(before(late, early)));
}

TEST(Accesses, TypedefsMacrosAndCompoundAssignment) {
  const program::Program p = body(
      "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) A[i][j] += a * sqrt(B[j][i + 1]) / "
      "2;");
  ASSERT_EQ(p.statements.size(), 1U);
  expect_read(p, 0, 0, "[N] -> { S0[i, j] -> A[i, j] : 0 <= i < N and 0 <= j < N }");
  expect_read(p, 0, 1, "[N] -> { S0[i, j] -> B[j, i + 1] : 0 <= i < N and 0 <= j < N }");
  EXPECT_EQ(p.statements[0].reads.size(), 2U);  // the constant a lives in a register
}

TEST(Accesses, NamesInSubscriptsAloneAreParameters) {
  const program::Program p = body("for (int i = 0; i < 3; i++) x[i] = x[N - i];");
  EXPECT_EQ(p.parameters, std::vector<std::string>{"N"});
}

TEST(Accesses, StridedLoopsShowTheIterator) {
  const program::Program p = body("for (int i = 1; i < N; i += 2) x[i] = x[i - 1];");
  expect_read(p, 0, 0, "[N] -> { S0[q] -> x[2q] : 0 <= q and 1 + 2q < N }");
}

TEST(Accesses, ScalarsAndIncrements) {
  const program::Program p =
      body("for (int i = 0; i < N; i++) { double t = x[i]; t *= t; A[0][i] = t; x[i]++; }");
  ASSERT_EQ(p.statements.size(), 4U);
  EXPECT_TRUE(p.arrays.at("t").dead());
  EXPECT_FALSE(p.arrays.at("A").dead());
  expect_read(p, 1, 0, "[N] -> { S1[i] -> t[] : 0 <= i < N }");
  expect_read(p, 3, 0, "[N] -> { S3[i] -> x[i] : 0 <= i < N }");
}

TEST(Accesses, ChoicesOnIndicesAndOnData) {
  const program::Program p = body(
      "for (int i = 0; i < N; i++) { x[i] = i < M ? A[0][i] : B[0][i];\n"
      "x[i] = x[i] > 0 ? A[1][i] : 0; }");
  expect_read(p, 0, 0, "[N, M] -> { S0[i] -> A[0, i] : 0 <= i < N and i < M }");
  expect_read(p, 0, 1, "[N, M] -> { S0[i] -> B[0, i] : 0 <= i < N and i >= M }");
  EXPECT_FALSE(p.statements[1].reads[0].conditional);
  EXPECT_TRUE(p.statements[1].reads[1].conditional);
}

TEST(Regions, PragmasAndFunctions) {
  const std::string source =
      "void g(int N, double *x) {\n  x[0] = 1;\n#pragma scop\n"
      "  for (int i = 0; i < N; i++) x[i] = 0;\n#pragma endscop\n  x[1] = 1;\n}\n"
      "void h(double *x) { x[0] = 2; }\n";
  EXPECT_EQ(read(source).name, "g");
  EXPECT_EQ(read(source).statements.size(), 1U);
  EXPECT_EQ(read(source, "h").name, "h");
  EXPECT_EQ(
      read("void f(int N, double *x) { for (int i = 0; i < N; i++) x[i] = 0; }").statements.size(),
      1U);
  EXPECT_THROW(read(source, "missing"), Error);
  EXPECT_THROW(read("void f(void) {}\nvoid g(void) {}\n"), Error);
  EXPECT_THROW(read("void f(double *x) {\n#pragma scop\n x[0] = 1;\n}\n"), Error);
}

TEST(Domains, IntegersDeclaredWithAValueAreFollowed) {
  expect_domain("int h = N / 2; for (int i = 0; i < h; i++) x[i] = 0;",
                "[N] -> { S0[i] : 0 <= i and 2i + 1 < N or 0 <= i and 2i + 2 = N }");
  const program::Program p =
      body("for (int i = 0; i < N; i++) { int k = N - 1 - i; int l = k - 1; x[k] = A[l][i]; }");
  ASSERT_EQ(p.statements.size(), 1U);
  expect_read(p, 0, 0, "[N] -> { S0[i] -> A[N - 2 - i, i] : 0 <= i < N }");
  EXPECT_EQ(p.statements[0].counters.size(), 3U);  // what emitted code needs to declare
  EXPECT_EQ(body("for (int i = 0; i < N; i++) { int k = x[i]; x[i] = k; }").statements.size(), 2U);
}

TEST(Domains, AnEarlyReturnAtTheStartLimitsWhatFollows) {
  const program::Program p = read(
      "int f(int N, double *x) {\n  if (N <= 2) return -1;\n"
      "  for (int i = 0; i < N; i++) x[i] = 0;\n  return 0;\n}\n");
  const isl::set wanted(context(), "[N] -> { S0[i] : N > 2 and 0 <= i < N }");
  EXPECT_TRUE(p.statements.front().domain.is_equal(wanted));
  const std::string kept = p.region.text.substr(0, p.region.where.begin);
  EXPECT_NE(kept.find("return -1;"), std::string::npos);  // in emitted code, too
  expect_refused("x[0] = 1; if (N <= 0) return;", "no assignment");
}

TEST(Refused, CppIsNamed) {
  try {
    read("template <class T> void f(int n, T *x) { for (int i = 0; i < n; i++) x[i] = 0; }");
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(".cpp, .cc or .cxx"), std::string::npos) << e.what();
  }
}

TEST(Functions, OpenMPsHeaderIsFound) {
  EXPECT_EQ(read("#include <omp.h>\nvoid f(int N, double *x) {\n#pragma omp parallel for\n"
                 "  for (int i = 0; i < N; i++) x[i] = 0;\n}\n")
                .statements.size(),
            1U);
}

TEST(Refused, WithFileLineAndReason) {
  expect_refused("for (int i = 0; i < N * M; i++) x[i] = 0;", "not affine");
  expect_refused("for (int i = 0; i < N; i++) x[i * i] = 0;", "not affine");
  expect_refused("for (int i = 0; i < N; i++) x[(int)x[i]] = 0;", "not affine");
  expect_refused("for (int i = 0; i < N; i *= 2) x[i] = 0;", "step");
  expect_refused("for (int i = 0; i < N; i++) { x[i] = 0; i += 1; }", "assigns the loop variable");
  expect_refused("while (N > 0) x[0] = 0;", "while");
  expect_refused("int i = 0; while (i < N) { x[i] = 0; i++; } x[0] = i;", "while");
  expect_refused("int i = 0; while (i < N) { i++; x[i] = 0; }", "while");
  expect_refused("int k = 0; for (int i = 0; i < N; i++) { k = k + 2; x[k] = 0; }",
                 "assigned in the region");
  expect_refused("for (int i = 0; i < N; i++) { if (i > 2) break; x[i] = 0; }", "no assignment");
}

TEST(Refused, UnknownCallsAndBrokenC) {
  EXPECT_THROW(read("double g(double); void f(int N, double *x) { for (int i = 0; i < N; i++) x[i] "
                    "= g(x[i]); }"),
               Error);
  EXPECT_THROW(read("void f(int N, double *x) { for (int i = 0; i < N; i++ x[i] = 0; }"), Error);
  EXPECT_THROW(read("#include \"missing.h\"\nvoid f(void) {}\n"), Error);
  EXPECT_THROW(parse("/no/such/file.c", "", {}), Error);
}

}  // namespace
}  // namespace redblue::frontend::c
