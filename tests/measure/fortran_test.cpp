// SPDX-License-Identifier: BSD-3-Clause
// Emitted C that Fortran calls.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "redblue/error.hpp"
#include "redblue/measure.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

BoundRequest written(const std::string& name, const std::string& text) {
  BoundRequest request;
  request.file = temporary_folder() + "redblue_fortran_" + name + ".c";
  std::ofstream(request.file) << text;
  return request;
}

// C = alpha A B + beta C, which lies by rows: Fortran's C is the transposed.
constexpr const char* caller = R"(
program main
  use iso_c_binding
  integer(c_int), parameter :: ni = 37, nj = 29, nk = 41
  real(c_double) :: c(nj, ni), a(nk, ni), b(nj, nk), expected(nj, ni)
  external gemm
  call random_number(a)
  call random_number(b)
  call random_number(c)
  expected = 2.0_c_double * matmul(b, a) + 0.5_c_double * c
  call gemm(ni, nj, nk, 2.0_c_double, 0.5_c_double, c, a, b)
  if (maxval(abs(c - expected)) > 1e-12_c_double * maxval(abs(expected))) error stop 1
end program
)";

TEST(FortranEntry, TakesEveryArgumentByAddress) {
  FastCodeRequest request;
  request.program.file = REDBLUE_SOURCE_DIR "/kernels/gemm.c";
  request.program.sizes = {{"NI", 37}, {"NJ", 29}, {"NK", 41}};
  const std::string folder = temporary_folder() + "redblue_fortran_gemm";
  std::ofstream(folder + ".c") << fast_code(request).code + fortran_entry(request.program);
  std::ofstream(folder + "_main.f90") << caller;
  const std::string compiled = "cc -std=gnu11 -Wall -Wextra -Wno-unknown-pragmas -Werror -O2 -c " +
                               folder + ".c -o " + folder + ".o && gfortran " + folder +
                               "_main.f90 " + folder + ".o -lm -o " + folder;
  ASSERT_EQ(std::system(compiled.c_str()), 0);
  EXPECT_EQ(std::system(folder.c_str()), 0);
}

TEST(FortranEntry, IsNamedInSmallLetters) {
  const std::string entry = fortran_entry(
      written("scale",
              "void Scale_Rows(int n, float s, float x[n]) {\n#pragma scop\n"
              "  for (int i = 0; i < n; i++) x[i] = x[i] * s;\n#pragma endscop\n}\n"));
  EXPECT_NE(entry.find("void scale_rows_(const int *n, const float *s, float *x) {\n"
                       "  Scale_Rows(*n, *s, (void *)x);\n}\n"),
            std::string::npos)
      << entry;
}

TEST(FortranEntry, RefusesWhatFortranCannotPass) {
  EXPECT_THROW(fortran_entry(written("rows",
                                     "void f(int n, double **x) {\n#pragma scop\n"
                                     "  for (int i = 0; i < n; i++) x[i][0] = 1;\n"
                                     "#pragma endscop\n}\n")),
               Error);
}

}  // namespace
}  // namespace redblue::test
