// Other one-statement kernels: what is proved, what is assumed, and which method wins.
#include <gtest/gtest.h>

#include <fstream>

#include "redblue/analysis.hpp"

namespace redblue {
namespace {

BoundReport bounds_of(const std::string& body) {
  const std::string path = testing::TempDir() + "/redblue_" +
                           testing::UnitTest::GetInstance()->current_test_info()->name() + ".c";
  std::ofstream(path) << "void f(int N, int M, double A[N][N], double B[N][N], double C[N][N], "
                         "double x[N], double y[N]) {\n"
                      << body << "\n}\n";
  return lower_bounds({path, "", {}, {}});
}

const LowerBound& best(const BoundReport& r) {
  return r.bounds[r.best];
}
const LowerBound& best_assumed(const BoundReport& r) {
  return r.bounds[r.best_assumed];
}

TEST(Portfolio, InitialisedAccumulation) {
  const BoundReport r = bounds_of(
      "for (int i = 0; i < N; i++) for (int j = 0; j < N; j++) { C[i][j] = 0;\n"
      "for (int k = 0; k < N; k++) C[i][j] += A[i][k] * B[k][j]; }");
  EXPECT_EQ(best(r).leading, "2*N^3/sqrt(S)");
  EXPECT_EQ(best(r).expression, "2*N^3/sqrt(S) - N^2 - 2*S");  // N^2 versions start from a constant
}

TEST(Portfolio, SymmetricUpdateCountsTheUnionOfItsImages) {
  const BoundReport r = bounds_of(
      "for (int i = 0; i < N; i++) for (int j = 0; j <= i; j++) for (int k = 0; k < M; k++)\n"
      "C[i][j] += A[i][k] * A[j][k];");
  EXPECT_EQ(best(r).leading, "sqrt(2)*M*N^2/(2*sqrt(S))");  // the symmetric inequality
  EXPECT_TRUE(best(r).proved());
  EXPECT_EQ(best_assumed(r).leading, "M*N^2/sqrt(S)");
  EXPECT_FALSE(best_assumed(r).proved());
}

TEST(Portfolio, MatrixVectorIsCompulsory) {
  const BoundReport r =
      bounds_of("for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) y[i] += A[i][j] * x[j];");
  EXPECT_EQ(best(r).method, "compulsory");
  EXPECT_EQ(best(r).expression, "M*N + 2*N + M");
}

TEST(Portfolio, WriteBeforeReadIsNoInput) {
  const BoundReport r = bounds_of("for (int i = 0; i < N; i++) { x[i] = y[i]; y[i] = x[i] + 1; }");
  EXPECT_EQ(best(r).expression, "3*N");  // loads y, stores x and y
}

TEST(Portfolio, TemporariesAreNoOutputs) {
  const BoundReport r = bounds_of("for (int i = 0; i < N; i++) { double t = y[i]; x[i] = t * t; }");
  EXPECT_EQ(best(r).expression, "2*N");
}

}  // namespace
}  // namespace redblue
