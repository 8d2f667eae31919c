// SPDX-License-Identifier: BSD-3-Clause
// C++ as people write it means the same as its plain form in C.
#include "frontend/c/frontend.hpp"
#include "plain_form.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

const char* const plain_product =
    "void mm(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
    "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) for (int p = 0; p < k; p++)\n"
    "    C[i][j] += A[i][p] * B[p][j];\n}\n";
const SizeMap plain_sizes = {{"n", 3}, {"m", 4}, {"k", 5}};

const char* const matrix =
    "#include <vector>\n"
    "template <typename T> class Matrix {\n public:\n"
    "  T& operator()(int i, int j) { return data_[i * cols_ + j]; }\n"
    "  const T& operator()(int i, int j) const { return data_[i * cols_ + j]; }\n"
    "  int rows() const { return rows_; }\n  int cols() const { return cols_; }\n"
    " private:\n  int rows_, cols_;\n  std::vector<T> data_;\n};\n";

TEST(Cpp, VectorsWhoseRowsStandInALine) {
  const std::string source =
      "#include <cstddef>\n#include <vector>\n"
      "template <typename T>\n"
      "void mm(std::size_t n, std::size_t m, std::size_t k, const std::vector<T>& A,\n"
      "        const std::vector<T>& B, std::vector<T>& C) {\n"
      "  for (std::size_t i = 0; i < n; ++i) for (std::size_t j = 0; j < m; ++j)\n"
      "    for (std::size_t p = 0; p < k; ++p)\n"
      "      C[i * m + j] += static_cast<T>(A[i * k + p]) * B.at(p * m + j);\n}\n";
  expect_same(plain_product, source, {plain_sizes}, ".cpp");
  EXPECT_EQ(best_formula(source, ".cpp"), "2*k*m*n/sqrt(S)");
}

TEST(Cpp, AMatrixClass) {
  expect_same(plain_product, plain_sizes,
              std::string(matrix) +
                  "namespace la {\n"
                  "void mm(const Matrix<double>& A, const Matrix<double>& B, Matrix<double>& C) {\n"
                  "  for (int i = 0; i < A.rows(); ++i) for (int j = 0; j < B.cols(); ++j)\n"
                  "    for (int p = 0; p < A.cols(); ++p) C(i, j) += A(i, p) * B(p, j);\n}\n}\n",
              {{"A_rows_", 3}, {"A_cols_", 5}, {"B_cols_", 4}, {"C_cols_", 4}}, ".cc");
}

TEST(Cpp, ObjectsAreToldApart) {
  expect_same(
      "void f(int n, double A[n][n], double B[n][n]) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) A[i][j] *= 2;\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) B[i][j] *= 2;\n"
      "  for (int i = 0; i < n; i++) B[i][i] += A[i][i];\n}\n",
      {{"n", 3}},
      std::string(matrix) +
          "struct Pair { Matrix<double> a; Matrix<double> b; };\n"
          "static void twice(int n, Matrix<double>& M) {\n"
          "  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) M(i, j) *= 2;\n}\n"
          "void f(int n, Pair& p) {\n  twice(n, p.a);\n  twice(n, p.b);\n"
          "  for (int i = 0; i < n; ++i) p.b(i, i) += p.a(i, i);\n}\n",
      {{"n", 3}, {"p_a_cols_", 3}, {"p_b_cols_", 3}}, ".cpp");
}

TEST(Cpp, NestedArraysOfOneTemplate) {
  expect_same(
      "void f(int n, double A[n][n]) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) A[i][j] += A[j][i];\n}\n",
      {{"n", 4}},
      "#include <vector>\n"
      "template <typename T> struct Line { std::vector<T> v; T& at(int i) { return v[i]; } };\n"
      "void f(int n, Line<Line<double>>& A) {\n"
      "  for (int i = 0; i < n; ++i) for (int j = 0; j < i; ++j)\n"
      "    A.at(i).at(j) += A.at(j).at(i);\n}\n",
      {{"n", 4}}, ".cpp");
}

TEST(Cpp, VectorsOfVectorsReferencesAndLocalResults) {
  expect_same(
      "void f(int n, int m, int k, double A[n][k], double B[k][m], double C[n][m]) {\n"
      "  for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) C[i][j] = 0;\n"
      "  for (int i = 0; i < n; i++) for (int p = 0; p < k; p++) {\n"
      "    double a = A[i][p];\n    for (int j = 0; j < m; j++) C[i][j] += a * B[p][j];\n  }\n}\n",
      plain_sizes,
      "#include <vector>\nusing Table = std::vector<std::vector<double>>;\n"
      "Table f(const Table& A, const Table& B) {\n"
      "  const auto n = A.size(), m = B[0].size(), k = B.size();\n"
      "  Table C(n, std::vector<double>(m, 0.0));\n"
      "  for (std::size_t i = 0; i < n; ++i) {\n    auto& row = C[i];\n"
      "    for (std::size_t p = 0; p < k; ++p) {\n      const double a = A[i][p];\n"
      "      for (std::size_t j = 0; j < m; ++j) row[j] += a * B[p][j];\n    }\n  }\n"
      "  return C;\n}\n",
      {{"A_size", 3}, {"B_size", 5}, {"B_0_size", 4}}, ".cpp");
}

TEST(Cpp, RangesSpansArraysAndLambdas) {
  expect_same(
      "void f(int n, double v[n], double w[n], double t[4]) {\n"
      "  double s = 0;\n  for (int i = 0; i < n; i++) s += v[i];\n"
      "  for (int i = 0; i < n; i++) v[i] -= s;\n"
      "  for (int i = 0; i < 4; i++) t[i] = w[i];\n"
      "  for (int i = 0; i + 1 < n; i++) w[i] = v[i] + v[i + 1] + t[2];\n}\n",
      {{"n", 6}},
      "#include <array>\n#include <span>\n#include <vector>\n"
      "void f(std::vector<double>& v, std::span<double> w, std::array<double, 4>& t) {\n"
      "  double s{0};\n  for (double x : v) s += x;\n  for (auto& x : v) x -= s;\n"
      "  for (std::size_t i = 0; i < t.size(); ++i) t[i] = w[i];\n"
      "  const auto both = [&](std::size_t i) { return v[i] + v[i + 1]; };\n"
      "  for (std::size_t i = 0; i + 1 < w.size(); ++i) w[i] = both(i) + t[2];\n}\n",
      {{"v_size", 6}, {"w_size", 6}}, ".cpp");
}

TEST(Cpp, NumbersOfTemplatesAreParametersOrWhatACallSays) {
  const std::string source =
      "template <int N, typename T> void f(T (&a)[N], T (&b)[N]) {\n"
      "  for (int i = 1; i < N - 1; ++i) b[i] = a[i - 1] + a[i + 1];\n}\n";
  const std::string plain =
      "void f(int N, double a[N], double b[N]) {\n"
      "  for (int i = 1; i < N - 1; i++) b[i] = a[i - 1] + a[i + 1];\n}\n";
  expect_same(plain, source, {{{"N", 7}}}, ".cpp");
  expect_same(plain, {{"N", 5}}, source + "void g() { double a[5], b[5]; f(a, b); }\n", {}, ".cpp");
}

TEST(Cpp, MembersOfThisObjectAndFunctionsThatReturnValues) {
  expect_same(
      "void f(int n, double x[n], double y[n], double r[1]) {\n"
      "  double s = 0;\n  for (int i = 0; i < n; i++) s += x[i] * y[i];\n"
      "  r[0] = s;\n}\n",
      {{"n", 5}},
      "struct Solver {\n  int n;\n  double* x;\n  double* y;\n"
      "  double dot() const {\n    double s = 0;\n"
      "    for (int i = 0; i < n; ++i) s += x[i] * y[i];\n    return s;\n  }\n"
      "  void step(double* r) { r[0] = dot(); }\n};\n",
      {{"n", 5}}, ".cpp");
}

TEST(Cpp, ValuesAreCopiedWhereTheFunctionChangesThem) {
  expect_same(
      "void f(int n, double A[n]) {\n  double a = A[0];\n"
      "  for (int i = 0; i < n; i++) A[i] += a * A[i];\n}\n",
      "static void axpy(int n, double a, double *y) {\n"
      "  for (int i = 0; i < n; i++) y[i] += a * y[i];\n}\n"
      "void f(int n, double *A) { axpy(n, A[0], A); }\n",
      {{{"n", 4}}});
}

void expect_refused(const std::string& source, const std::string& reason) {
  try {
    frontend::c::parse(file_with(source, "x", ".cpp"), "f", {});
    ADD_FAILURE() << "accepted: " << source;
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(reason), std::string::npos) << e.what();
  }
}

TEST(Cpp, WhatIsNotReadIsSaid) {
  const std::string vector = "#include <vector>\n";
  expect_refused(vector + "void f(std::vector<double>& v) { v.push_back(v[0]); }\n",
                 "'push_back' as a statement has unknown effects");
  expect_refused(vector +
                     "void f(std::vector<int>& p, std::vector<double>& v) {\n"
                     "  for (int i : p) v[i] += 1;\n}\n",
                 "is not affine");
  expect_refused(vector + "void f(std::vector<double>& v) { for (auto x : v) v[0] += x; }\n",
                 "write for (auto& x : ..)");
  expect_refused(vector + "void f(std::vector<double>& v, std::vector<double>& w) { v = w; }\n",
                 "'operator=' as a statement");
  expect_refused("struct P { double x, y; };\nvoid f(int n, P* p) { p[0] = p[1]; }\n",
                 "'operator=' as a statement");
  expect_refused(
      "struct B { virtual void g(double* a) { a[0] = 1; } };\n"
      "void f(B& b, double* a) { b.g(a); }\n",
      "'g' as a statement");
}

}  // namespace
}  // namespace redblue
