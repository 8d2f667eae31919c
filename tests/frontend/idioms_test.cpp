// SPDX-License-Identifier: BSD-3-Clause
// Loop nests as people write them mean the same as their plain form: A[i][j], for loops, no calls,
// no pointers. Both are read, and their graphs and bounds compared.
#include <gtest/gtest.h>
#include <isl/set.h>

#include "frontend/c/frontend.hpp"
#include "plain_form.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue {
namespace {

const char* const plain_product =
    "void mm(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
    "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int p = 0; p < k; p++)\n"
    "    C[i][j] += A[i][p] * B[p][j];\n}\n";

const std::vector<SizeMap> some_sizes = {
    {{"n", 3}, {"m", 4}, {"k", 5}}, {{"n", 5}, {"m", 2}, {"k", 3}}, {{"n", 1}, {"m", 1}, {"k", 1}}};

TEST(Idioms, RowsInALine) {
  expect_same(
      plain_product,
      "void mm(int n, int m, int k, const double *restrict A, const double *restrict B,\n"
      "        double *restrict C) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int p = 0; p < k; p++)\n"
      "    C[i * m + j] += A[i * k + p] * B[p * m + j];\n}\n",
      some_sizes);
  EXPECT_EQ(
      best_formula("void mm(int n, const double *A, const double *B, double *C) {\n"
                   "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
                   "    for (int k = 0; k < n; k++) C[i*n + j] += A[i*n + k] * B[k*n + j];\n}"),
      "2*n^3/sqrt(S)");
}

TEST(Idioms, ColumnsMacrosAndUnsignedCounters) {
  expect_same(plain_product,
              "#include <stddef.h>\n#define AT(M, i, j, rows) M[(i) + (size_t)(j) * (rows)]\n"
              "void mm(size_t n, size_t m, size_t k, double *A, double *B, double *C) {\n"
              "  for (size_t i = 0; i < n; i++) for (size_t j = 0; j < m; j++)\n"
              "    for (size_t p = 0; p < k; p++)\n"
              "      AT(C, i, j, n) += AT(A, i, p, n) * AT(B, p, j, k);\n}\n",
              some_sizes);
}

// As redblue's own C has it: the bound is computed once, in the head of the loop.
TEST(Idioms, BoundsDeclaredInTheHeadOfALoop) {
  expect_same(
      plain_product,
      "#define min(x, y) ((x) < (y) ? (x) : (y))\n"
      "void mm(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
      "  for (int t = 0; t < n; t += 2) for (int i = t, end = min(n, t + 2); i < end; i++)\n"
      "    for (int j = 0; j < m; j++) for (int p = 0, all = k; p < all; p++)\n"
      "      C[i][j] += A[i][p] * B[p][j];\n}\n",
      some_sizes);
}

TEST(Idioms, HintsAndCastsToVoid) {
  expect_same(plain_product,
              "void mm(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
              "  double unused;\n  (void)unused;\n"
              "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)\n"
              "    _Pragma(\"GCC ivdep\")\n    for (int p = 0; p < k; p++)\n"
              "      C[i][j] += A[i][p] * B[p][j];\n}\n",
              some_sizes);
}

TEST(Idioms, ThreeDimensionsInALine) {
  const char* const plain =
      "void f(int T, int X, int Y, int Z, double u[X][Y][Z], double v[X][Y][Z]) {\n"
      "  for (int t = 0; t < T; t++) {\n"
      "  for (int i = 1; i < X - 1; i++) for (int j = 1; j < Y - 1; j++)\n"
      "    for (int k = 1; k < Z - 1; k++)\n"
      "      v[i][j][k] = u[i-1][j][k] + u[i][j+1][k] + u[i][j][k-1];\n"
      "  for (int i = 1; i < X - 1; i++) for (int j = 1; j < Y - 1; j++)\n"
      "    for (int k = 1; k < Z - 1; k++) u[i][j][k] = v[i][j][k];\n  }\n}\n";
  expect_same(plain,
              "#define IDX(i, j, k) ((i)*Y*Z + (j)*Z + (k))\n"
              "void f(int T, int X, int Y, int Z, double *u, double *v) {\n"
              "  for (int t = 0; t < T; t++) {\n"
              "  for (int i = 1; i < X - 1; i++) for (int j = 1; j < Y - 1; j++)\n"
              "    for (int k = 1; k < Z - 1; k++)\n"
              "      v[IDX(i,j,k)] = u[IDX(i-1,j,k)] + u[IDX(i,j+1,k)] + u[IDX(i,j,k-1)];\n"
              "  for (int i = 1; i < X - 1; i++) for (int j = 1; j < Y - 1; j++)\n"
              "    for (int k = 1; k < Z - 1; k++) u[IDX(i,j,k)] = v[(i*Y + j)*Z + k];\n  }\n}\n",
              {{{"T", 3}, {"X", 5}, {"Y", 4}, {"Z", 6}}, {{"T", 1}, {"X", 3}, {"Y", 3}, {"Z", 3}}});
}

TEST(Idioms, RowsReadBackwardsAndShifted) {
  expect_same(
      "void f(int n, double A[n + 1][n]) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
      "    A[i + 1][j] = A[i][n - 1 - j];\n}\n",
      "void f(int n, double *A) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
      "    A[(i + 1) * n + j] = A[i * n + (n - 1 - j)];\n}\n",
      {{{"n", 1}}, {{"n", 4}}});
}

TEST(Idioms, RowsAsLongAsASum) {
  for (const char* length : {"n - 1", "n + 2", "n + m", "2 * n + 1"}) {
    const std::string l = length;
    expect_same("void f(int n, int m, double A[m][" + l + "], double x[n], double y[m]) {\n" +
                    "  for (int i = 0; i < m; i++) for (int j = 0; j < n - 1; j++)\n"
                    "    y[i] += A[i][j] * x[j];\n"
                    "  for (int i = 0; i < m; i++) A[i][0] = y[i];\n}\n",
                "void f(int n, int m, double *A, double *x, double *y) {\n  int row = " + l +
                    ";\n  for (int i = 0; i < m; i++) for (int j = 0; j < n - 1; j++)\n"
                    "    y[i] += A[i * (" +
                    l +
                    ") + j] * x[j];\n"
                    "  for (int i = 0; i < m; i++) A[row * i] = y[i];\n}\n",
                {{{"n", 2}, {"m", 1}}, {{"n", 5}, {"m", 4}}, {{"n", 6}, {"m", 3}}});
  }
  expect_same(
      "void f(int n, int m, double u[n + 2][n + 2][m + 2], double v[n][n][m]) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
      "    for (int k = 0; k < m; k++) {\n"
      "      v[i][j][k] += u[i][j + 1][k + 1] + u[i + 2][j + 1][k + 1];\n"
      "      u[i + 1][j + 1][k + 1] = v[i][j][k]; }\n}\n",
      "#define AT(i, j, k) (((i) * (n + 2) + (j)) * (m + 2) + (k))\n"
      "void f(int n, int m, double *u, double *v) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
      "    for (int k = 0; k < m; k++) {\n"
      "      v[(i * n + j) * m + k] += u[AT(i, j + 1, k + 1)] + u[AT(i + 2, j + 1, k + 1)];\n"
      "      u[AT(i + 1, j + 1, k + 1)] = v[(i * n + j) * m + k]; }\n}\n",
      {{{"n", 1}, {"m", 1}}, {{"n", 3}, {"m", 4}}});
}

TEST(Idioms, StepsThatAVariableNames) {
  const auto tiled = [](const std::string& declaration, const std::string& change) {
    return "void f(int n, double *x) {\n" + declaration +
           "\n  for (int ii = 0; ii < n; ii += T)\n"
           "    for (int i = ii; i < (ii + T < n ? ii + T : n); i++) x[i] += 1;\n" +
           change + "}\n";
  };
  const char* const plain = "void f(int n, double *x) { for (int i = 0; i < n; i++) x[i] += 1; }\n";
  for (const char* declaration : {"int T = 4;", "const int T = 4;", "enum { T = 4 };"})
    expect_same(plain, tiled(declaration, ""), {{{"n", 3}}, {{"n", 8}}, {{"n", 9}}});
  EXPECT_THROW(frontend::c::parse(file_with(tiled("int T = 4;", "  T = 5;\n"), "x"), "", {}),
               Error);
}

// The diagonal i * (n + 1) of rows of length n has no rows of its own.
TEST(Idioms, DiagonalsAreNoRows) {
  expect_same(
      "void f(int n, double A[n][n], double x[n]) {\n  for (int i = 0; i < n; i++) {\n"
      "    for (int j = 0; j < i; j++) x[i] -= A[i][j] * x[j];\n"
      "    x[i] = x[i] / A[i][i];\n  }\n}\n",
      "void f(int n, double *A, double *x) {\n  for (int i = 0; i < n; i++) {\n"
      "    for (int j = 0; j < i; j++) x[i] -= A[i * n + j] * x[j];\n"
      "    x[i] = x[i] / A[i * (n + 1)];\n  }\n}\n",
      {{{"n", 1}}, {{"n", 5}}});
}

TEST(Idioms, SizesAtWhichRowsOfASumOverlapAreRefused) {
  const std::string path = file_with(
      "void f(int m, int n, double *A, double *x) {\n  for (int i = 0; i < m; i++)\n"
      "    for (int j = 0; j < m; j++) x[i] += A[i * (n - 1) + j];\n}\n",
      "x");
  EXPECT_EQ(cdag::source_graph({path, "", {}, {{"m", 5}, {"n", 6}}}).size(), 30 + 25);
  EXPECT_THROW(cdag::source_graph({path, "", {}, {{"m", 5}, {"n", 5}}}), Error);
}

// What is proved of rows of a constant length, not what looks like it.
TEST(Idioms, ConstantStridesAreRowsWhereNothingOverlaps) {
  const auto dimensions = [](const std::string& subscript, const std::string& limit) {
    return frontend::c::parse(
               file_with("void f(int n, double *A, double *B) {\n  for (int i = 0; i < n; i++)\n"
                         "    for (int j = 0; j < " +
                             limit + "; j++) B[j] += A[" + subscript + "];\n}\n",
                         "x"),
               "", {})
        .arrays.at("A")
        .dimensions;
  };
  EXPECT_EQ(dimensions("i * 100 + j", "100"), 2);
  EXPECT_EQ(dimensions("i * 100 + j", "101"), 1);
  EXPECT_EQ(dimensions("2 * i + j", "n"), 1);
  EXPECT_EQ(dimensions("2 * i + j", "2"), 2);
}

TEST(Idioms, SizesAtWhichRowsOverlapAreRefused) {
  const std::string path = file_with(
      "void f(int m, int n, int lda, double *A, double *x) {\n  for (int i = 0; i < m; i++)\n"
      "    for (int j = 0; j < n; j++) x[i] += A[i * lda + j];\n}\n",
      "x");
  const BoundReport report = lower_bounds({path, "", {}, {}});
  EXPECT_TRUE(report.bounds[report.best].holds_at({{"m", 9}, {"n", 9}, {"lda", 9}, {"S", 16}}));
  EXPECT_FALSE(report.bounds[report.best].holds_at({{"m", 9}, {"n", 9}, {"lda", 8}, {"S", 16}}));
  for (const auto& ask : {+[](const BoundRequest& r) { (void)lower_bounds(r); },
                          +[](const BoundRequest& r) { (void)cdag::source_graph(r); }}) {
    try {
      ask({path, "", {}, {{"m", 5}, {"n", 5}, {"lda", 4}, {"S", 16}}});
      ADD_FAILURE() << "accepted";
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("rows of 'A' overlap"), std::string::npos) << e.what();
    }
  }
}

TEST(Idioms, PointersToRows) {
  const char* const plain =
      "void f(int n, double A[n][n], double *x, double *y) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i] += A[i][j] * x[j];\n}\n";
  for (const char* row : {"A[i]", "&A[i][0]", "*(A + i)"}) {
    expect_same(plain,
                std::string("void f(int n, double A[n][n], double *x, double *y) {\n"
                            "  for (int i = 0; i < n; i++) {\n    const double *row = ") +
                    row + ";\n    for (int j = 0; j < n; j++) y[i] += row[j] * x[j];\n  }\n}\n",
                {{{"n", 4}}});
  }
  for (const char* row : {"A + i * n", "&A[i * n]", "A + at"}) {
    expect_same(plain,
                std::string("void f(int n, double *A, double *x, double *y) {\n"
                            "  for (int i = 0; i < n; i++) {\n    int at = i * n;\n"
                            "    const double *row = ") +
                    row + ";\n    for (int j = 0; j < n; j++) y[i] += *(row + j) * x[j];\n  }\n}\n",
                {{{"n", 4}}});
  }
}

TEST(Idioms, MembersOfStructures) {
  expect_same(plain_product,
              "typedef struct { int rows, cols; double *data; } Matrix;\n"
              "void mm(int n, int m, int k, const Matrix *A, Matrix B, Matrix *C) {\n"
              "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)\n"
              "    for (int p = 0; p < k; p++)\n"
              "      C->data[i * m + j] += A->data[i * k + p] * B.data[p * m + j];\n}\n",
              some_sizes);
  EXPECT_EQ(best_formula("struct matrix { int rows, cols; double *data; };\n"
                         "void gram(const struct matrix *A, double *C) {\n"
                         "  for (int i = 0; i < A->rows; i++) for (int j = 0; j < A->rows; j++)\n"
                         "    for (int k = 0; k < A->cols; k++)\n"
                         "      C[i * A->rows + j] += A->data[i * A->cols + k]"
                         " * A->data[j * A->cols + k];\n}\n"),
            "A_cols*A_rows^2/sqrt(S)");
}

TEST(Idioms, FunctionsOfThisFile) {
  expect_same(plain_product,
              "static double fused(double a, double b, double c) { return a * b + c; }\n"
              "static int least(int a, int b) { return a < b ? a : b; }\n"
              "static void axpy(int n, double a, const double *x, double *y) {\n"
              "  for (int i = 0; i < n; i++) y[i] = fused(a, x[i], y[i]);\n}\n"
              "void mm(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
              "  for (int i = 0; i < least(n, 3 * n); i++) for (int p = 0; p < k; p++)\n"
              "    axpy(m, A[i][p], B[p], C[i]);\n}\n",
              {{{"n", 1}, {"m", 1}, {"k", 4}}});
  EXPECT_EQ(best_formula("static void axpy(int n, double a, const double *x, double *y) {\n"
                         "  for (int i = 0; i < n; i++) y[i] += a * x[i];\n}\n"
                         "void mm(int n, const double *A, const double *B, double *C) {\n"
                         "  for (int i = 0; i < n; i++) for (int p = 0; p < n; p++)\n"
                         "    axpy(n, A[i * n + p], B + p * n, C + i * n);\n}\n"),
            "2*n^3/sqrt(S)");
  const auto refused = [](const std::string& source, const std::string& reason) {
    try {
      frontend::c::parse(file_with(source, "x"), "f", {});
      ADD_FAILURE() << "accepted: " << source;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
    }
  };
  refused(
      "static double sum; static void g(double x) { g(x); }\n"
      "void f(double *x) { g(x[0]); }\n",
      "calls itself");
  refused(
      "static void g(int n, double *x) { x[n] = 0; g(n - 1, x); }\n"
      "void f(int n, double *x) { g(n, x); }\n",
      "calls itself");
  refused(
      "static int b(int n);\n"
      "static int a(int n) { return b(n - 1); }\n"
      "static int b(int n) { return a(n - 1); }\n"
      "void f(int n, double *x) { for (int i = 0; i < a(n); i++) x[i] = 0; }\n",
      "calls itself");
  refused(
      "double last; static double g(double x) { return last = x; }\n"
      "void f(double *x) { x[1] = g(x[0]); }\n",
      "may have effects");
}

TEST(Idioms, WhileLoopsThatCount) {
  expect_same(plain_product,
              "void mm(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
              "  int i = 0;\n  while (i < n) {\n    for (int j = 0; j < m; j++) {\n"
              "      int p;\n      p = 0;\n"
              "      while (p < k) {\n        C[i][j] += A[i][p] * B[p][j];\n        p += 1;\n"
              "      }\n    }\n    i++;\n  }\n}\n",
              some_sizes);
}

// A choice of values reads what decides; a branch is taken, and the ledger says so.
TEST(Idioms, BranchesOnData) {
  expect_same(
      "void f(int n, double x[n], double y[n]) {\n"
      "  for (int i = 1; i < n; i++) x[i] = y[i] > 0 ? x[i - 1] : y[i - 1];\n}\n",
      "void f(int n, double x[n], double y[n]) {\n"
      "  for (int i = 1; i < n; i++) {\n    if (y[i] > 0) x[i] = x[i - 1];\n"
      "    else { x[i] = y[i - 1]; }\n  }\n}\n",
      {{{"n", 6}}});
  const std::string floyd_warshall =
      "void f(int n, double D[n][n]) {\n  for (int k = 0; k < n; k++)\n"
      "    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)\n"
      "      if (D[i][k] + D[k][j] < D[i][j]) D[i][j] = D[i][k] + D[k][j];\n}\n";
  const BoundReport report = lower_bounds({file_with(floyd_warshall, "x"), "", {}, {}});
  EXPECT_EQ(report.bounds[report.best].expression, "0");
  const LowerBound& assumed = report.bounds[report.best_assumed];
  EXPECT_EQ(assumed.leading,
            best_formula("void f(int n, double D[n][n]) {\n"
                         "  for (int k = 0; k < n; k++) for (int i = 0; i < n; i++)\n"
                         "    for (int j = 0; j < n; j++)\n"
                         "      D[i][j] = D[i][k] + D[k][j] < D[i][j]\n"
                         "        ? D[i][k] + D[k][j] : D[i][j];\n}\n"));
  EXPECT_TRUE(std::any_of(assumed.ledger.begin(), assumed.ledger.end(), [](const Condition& c) {
    return c.condition == "the branch at line 4 is taken" && c.status == Condition::Status::assumed;
  }));
}

}  // namespace
}  // namespace redblue
