// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/python/frontend.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue::test {
namespace {

std::string written(const std::string& text) {
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("redblue-python-" + std::to_string(getpid()) + ".py"))
                               .string();
  std::ofstream(path) << text;
  return path;
}

std::string leading(const std::string& text) {
  BoundRequest request;
  request.file = written(text);
  const BoundReport report = lower_bounds(request);
  return report.bounds[report.best].leading.text();
}

// What is said about a text, after the file's name.
std::string complaint(const std::string& text) {
  const std::string path = written(text);
  try {
    frontend::python::parse(path, "");
  } catch (const Error& e) {
    return std::string(e.what()).substr(path.size());
  }
  return "";
}

TEST(Python, BoundsAreThoseOfTheSameLoopsInC) {
  EXPECT_EQ(leading("for i in range(N):\n  for j in range(N):\n    for k in range(N):\n"
                    "      C[i,j] += A[i,k] * B[k,j]\n"),
            "2*N^3/sqrt(S)");
  BoundRequest c, python;
  c.file = REDBLUE_SOURCE_DIR "/kernels/lu.c";
  python.file = REDBLUE_SOURCE_DIR "/tests/frontend/lu.py";
  const BoundReport one = lower_bounds(c), other = lower_bounds(python);
  EXPECT_EQ(one.bounds[one.best].expression, other.bounds[other.best].expression);
}

TEST(Python, StatementsKnowTheirLines) {
  BoundRequest request;
  request.file = REDBLUE_SOURCE_DIR "/tests/frontend/lu.py";
  const BoundReport report = lower_bounds(request);
  EXPECT_EQ(report.statements.at(0).line, 5);
  EXPECT_EQ(report.statements.at(1).line, 8);
}

TEST(Python, ArraysOfItsOwnAreNoOutputs) {
  BoundRequest request;
  request.file = REDBLUE_SOURCE_DIR "/tests/frontend/softmax.py";
  const BoundReport report = lower_bounds(request);
  EXPECT_EQ(report.statements.size(), 5U);
  EXPECT_EQ(leading("import numpy as np\ndef f(A, x, n):\n  t = np.empty(n)\n  for i in range(n):\n"
                    "    t[i] = x[i] * 2\n  for i in range(n):\n    A[i] = t[i]\n"),
            "2*n");
}

TEST(Python, StepsDivisionsAndChoices) {
  EXPECT_EQ(leading("def f(A, n):\n  for i in range(n - 1, -1, -2):\n    A[i] += 1\n"), "n");
  EXPECT_EQ(leading("def f(A, n):\n  for i in range(min(n, 2 * n)):\n    if i % 2 == 0 and i > 2:\n"
                    "      A[i // 2] = A[i // 2] * 2 if A[i // 2] > 0 else 0\n"),
            "n");
}

TEST(Python, ChoicesOfLoopVariablesAreFollowed) {
  EXPECT_EQ(complaint("def f(y, x, n):\n  for i in range(n):\n"
                      "    x[i] = y[i // 2] if i % 2 == 0 else y[i]\n"),
            "");
}

TEST(Python, ParallelRanges) {
  EXPECT_EQ(leading("from numba import prange\ndef f(A, n):\n  for i in prange(n):\n"
                    "    A[i] += 1\n"),
            "2*n");
  EXPECT_EQ(leading("import numba\ndef f(A, n):\n  for i in numba.prange(n):\n    A[i] += 1\n"),
            "2*n");
}

TEST(Python, SizesOfArraysAreParameters) {
  EXPECT_EQ(leading("def f(A):\n  for i in range(A.shape[0]):\n    for j in range(A.shape[1]):\n"
                    "      A[i, j] += 1\n"),
            "2*A_shape_0*A_shape_1");
  EXPECT_EQ(leading("def f(A):\n  n, m = A.shape\n  for i in range(n):\n    for j in range(m):\n"
                    "      A[i, j] += 1\n"),
            "2*m*n");
  EXPECT_EQ(leading("def f(A, x):\n  n = len(x)\n  for i in range(len(x)):\n    x[i] += 1\n"),
            "2*n");
}

// Array expressions mean the loops they stand for; tests/frontend/python_arrays_test.py runs both.
TEST(Python, ArrayExpressionsAreLoops) {
  EXPECT_EQ(leading("def f(A, B):\n  return A @ B\n"), "2*A_shape_0*A_shape_1*B_shape_1/sqrt(S)");
  EXPECT_EQ(leading("def f(A):\n  n, m = A.shape\n  for k in range(n):\n"
                    "    A[k+1:, k] /= A[k, k]\n"
                    "    A[k+1:, k+1:] -= np.outer(A[k+1:, k], A[k, k+1:])\n"),
            leading("def f(A, n, m):\n  for k in range(n):\n    for i in range(k + 1, n):\n"
                    "      A[i, k] /= A[k, k]\n    for i in range(k + 1, n):\n"
                    "      for j in range(k + 1, m):\n        A[i, j] -= A[i, k] * A[k, j]\n"));
  EXPECT_EQ(leading("def f(A, B, n, T):\n  for t in range(T):\n"
                    "    B[1:n-1] = A[:n-2] + A[2:n]\n    A[1:n-1] = B[:n-2] + B[2:n]\n"),
            leading("def f(A, B, n, T):\n  for t in range(T):\n    for i in range(1, n - 1):\n"
                    "      B[i] = A[i - 1] + A[i + 1]\n    for i in range(1, n - 1):\n"
                    "      A[i] = B[i - 1] + B[i + 1]\n"));
}

TEST(Python, ComplaintsSayWhere) {
  EXPECT_EQ(complaint("def f(A):\n  A[0 = 1\n").substr(0, 36),
            ":2: this Python has a syntax error: ");
  EXPECT_EQ(complaint("def f(A, x, n):\n  for i in range(n):\n    A[x[i]] += 1\n").substr(0, 16),
            ":3: a loop bound");
  EXPECT_EQ(complaint("def f(A, n):\n  while n:\n    A[0] = 1\n").substr(0, 17),
            ":2: a while loop ");
  EXPECT_EQ(complaint("def f(A, n):\n  A[::-1] = 0\n").substr(0, 11), ":2: a slice");
  EXPECT_EQ(complaint("def f(A, n):\n  for a in A:\n    A[0] = a\n").substr(0, 13),
            ":2: this for ");
  EXPECT_EQ(complaint("def f(A, n):\n  A[0] = g(n)\n").substr(0, 19), ":2: the function 'g");
  EXPECT_EQ(complaint("def f(a): pass\ndef g(a): pass\n").substr(0, 21), ":2: several functions");
  EXPECT_EQ(complaint("").substr(0, 20), ":1: nothing to analy");
}

}  // namespace
}  // namespace redblue::test
