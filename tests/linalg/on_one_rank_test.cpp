// SPDX-License-Identifier: BSD-3-Clause
// A communicator of one rank factors and solves in the caller's arrays, as LAPACK does there.
#include <gtest/gtest.h>
#include <mpi.h>

#include <vector>

#include "redblue/factor.hpp"
#include "redblue/layout.hpp"
#include "redblue/solve.hpp"

extern "C" {
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void dpotrf_(const char* uplo, const int* n, double* a, const int* lda, int* info);
void dtrsm_(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
            const int* n, const double* alpha, const double* a, const int* lda, double* b,
            const int* ldb);
}

namespace redblue {
namespace {

constexpr int n = 75, columns = 40, block = 8;

// n x `across` elements behind the first block of rows and columns of a larger matrix.
BlockCyclic inside(std::int64_t across) {
  BlockCyclic result = block_cyclic(n + block, across + block, block, 1, 1, Rank{0});
  result.leading += 3;
  result.rows = n;
  result.columns = across;
  result.first_row = result.first_column = block;
  return result;
}

// Positive definite, and with rows that partial pivoting exchanges where `mixed`.
std::vector<double> matrix(const BlockCyclic& layout, bool mixed) {
  return filled_array<double>(layout, Rank{0}, [mixed](std::int64_t i, std::int64_t j) {
    if (mixed) return static_cast<double>((7 * i + 11 * j + i * j) % 31) - 12;
    return i == j ? 2.0 * n : 1.0 / static_cast<double>(1 + i + j);
  });
}

double* first(std::vector<double>& a, const BlockCyclic& layout) {
  return a.data() + block * (layout.leading + 1);
}

TEST(OnOneRank, LuIsLapacks) {
  const BlockCyclic layout = inside(columns);
  std::vector<double> a = matrix(layout, true), expected = a;
  std::vector<int> pivots(columns);
  const int m = n, across = columns, leading = static_cast<int>(layout.leading);
  int info = 0;
  dgetrf_(&m, &across, first(expected, layout), &leading, pivots.data(), &info);
  LuPlan<double> plan(MPI_COMM_WORLD, layout);
  EXPECT_EQ(plan.memory(), Words(0));
  EXPECT_EQ(plan.execute(a.data()), info);
  EXPECT_EQ(a, expected);
  for (std::size_t i = 0; i < pivots.size(); ++i) EXPECT_EQ(plan.pivots()[i], pivots[i] - 1);
}

TEST(OnOneRank, CholeskyIsLapacks) {
  const BlockCyclic layout = inside(n);
  for (const Triangle triangle : {Triangle::lower, Triangle::upper}) {
    std::vector<double> a = matrix(layout, false), expected = a;
    const int order = n, leading = static_cast<int>(layout.leading);
    int info = 0;
    dpotrf_(triangle == Triangle::lower ? "L" : "U", &order, first(expected, layout), &leading,
            &info);
    CholeskyPlan<double> plan(MPI_COMM_WORLD, triangle, layout);
    EXPECT_EQ(plan.memory(), Words(0));
    EXPECT_EQ(plan.execute(a.data()), 0);
    EXPECT_EQ(a, expected);
  }
}

TEST(OnOneRank, TrianglesFromTheRightAreSolvedInPlace) {
  const BlockCyclic at = inside(n);
  const std::vector<double> t = matrix(at, false);
  std::vector<double> b = matrix(at, true), expected = b;
  const int order = n, leading = static_cast<int>(at.leading);
  const double alpha = -2;
  std::vector<double> read = t;
  dtrsm_("R", "U", "T", "N", &order, &order, &alpha, first(read, at), &leading, first(expected, at),
         &leading);
  TrsmPlan<double> plan(MPI_COMM_WORLD,
                        {Side::right, Triangle::upper, Op::transpose, false, at, at});
  EXPECT_EQ(plan.memory(), Words(0));
  plan.execute(alpha, t.data(), b.data());
  for (std::size_t i = 0; i < b.size(); ++i) EXPECT_NEAR(b[i], expected[i], 1e-13) << i;
}

}  // namespace
}  // namespace redblue
