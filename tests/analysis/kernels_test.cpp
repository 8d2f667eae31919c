// SPDX-License-Identifier: BSD-3-Clause
// The leading terms of the kernels, proved, against the literature (shared design notes: IOLB's
// and SOAP's published rows, corrected where those are unsound).
#include <gtest/gtest.h>

#include <map>

#include "redblue/analysis.hpp"

namespace redblue {
namespace {

TEST(Kernels, ProvedLeadingTerms) {
  const std::map<std::string, std::string> expected = {
      {"2mm", "2*NI*NJ*NK/sqrt(S) + 2*NI*NJ*NL/sqrt(S)"},
      {"atax", "2*M*N"},
      {"cholesky", "sqrt(2)*N^3/(6*sqrt(S))"},  // N^3 / (3 sqrt2 sqrt S)
      {"covariance", "sqrt(2)*M^2*N/(2*sqrt(S))"},
      {"adi-sweep", "6*N^2*T"},
      {"cg-3d", "6*N^3*T"},
      {"durbin", "3*N^2/2"},
      {"softmax", "4*M*N"},
      {"doitgen", "2*NP^2*NQ*NR/sqrt(S)"},
      {"floyd-warshall", "2*N^3/sqrt(S)"},
      {"gemm", "2*NI*NJ*NK/sqrt(S)"},
      {"gramschmidt", "M*N^2"},
      {"heat-3d", "6*(69/32)^(1/3)*N^3*T/S^(1/3) - 426*(69/32)^(2/3)*N^3*T/(25*S^(2/3))"},
      {"jacobi-1d", "64*N*T/(11*S) - 533504*N*T/(3025*S^2)"},
      {"jacobi-2d", "2*sqrt(13)*N^2*T/sqrt(S) - 377*N^2*T/(10*S)"},
      {"lu", "2*N^3/(3*sqrt(S))"},
      {"matrix-chain", "N^3/(3*sqrt(S))"},
      {"mttkrp", "3*I*J*K*R/S^(2/3)"},
      {"nussinov", "N^3/(3*sqrt(S))"},
      {"seidel-2d", "2*sqrt(163/27)*N^2*T/sqrt(S) - 5053*N^2*T/(270*S)"},
      {"symm", "2*M^2*N/sqrt(S)"},
      {"syr2k", "sqrt(2)*M*N^2/sqrt(S)"},
      {"syrk", "sqrt(2)*M*N^2/(2*sqrt(S))"},
      {"trisolv", "N^2/2"},
      {"trmm", "M^2*N/sqrt(S)"}};
  for (const auto& [kernel, leading] : expected) {
    const BoundReport report =
        lower_bounds({REDBLUE_SOURCE_DIR "/kernels/" + kernel + ".c", "", {}, {}});
    EXPECT_EQ(report.bounds[report.best].leading, leading) << kernel;
    EXPECT_TRUE(report.bounds[report.best].proved()) << kernel;
  }
}

}  // namespace
}  // namespace redblue
