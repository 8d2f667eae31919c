// SPDX-License-Identifier: BSD-3-Clause
// P?TRSV on block-cyclic matrices.
#include <complex>
#include <string>

#include "scalapack/solver.hpp"

namespace redblue::scalapack {

namespace {

// sub(X) is a row of X where INCX is M_X, else a column where it is 1.
bool is_row(const Descriptor& x, int increment) {
  return increment == x.rows;
}

template <class T>
void ptrsv(const char* uplo, const char* trans, const char* diag, const int* n, const T* a,
           const Submatrix& at_a, T* x, const Submatrix& at_x, const int* increment) {
  const bool unit = is_one_of(*diag, "U");
  const Descriptor d = descriptor(at_x.descriptor);
  const bool row = is_row(d, *increment);
  const bool valid = is_triangle(*uplo) && is_operation(*trans) && is_one_of(*diag, "UN") &&
                     (row || *increment == 1) && (d.type == 1 || d.type == 2);
  const Call<T> call = {
      routine<T>("trsv"),
      {4, static_cast<long>(triangle(*uplo)), static_cast<long>(operation(*trans)), unit, *n, row},
      a,
      at_a,
      *n,
      x,
      at_x,
      row ? 1 : *n,
      row ? *n : 1,
      5,
      9};
  Solver<T>* solver =
      !valid ? nullptr : solver_of(call, true, [&](const Layout& t, const Layout& at, int ranks) {
        return setup_of(TrsvLayouts{triangle(*uplo), operation(*trans), unit, t, at}, ranks);
      });
  if (solver != nullptr) return execute(call, *solver, T(1), {});
  using Forward =
      void (*)(const char*, const char*, const char*, const int*, const T*, const int*, const int*,
               const int*, T*, const int*, const int*, const int*, const int*);
  passed_on<Forward>(call.routine, call.routine + "_")(uplo, trans, diag, n, a, &at_a.i, &at_a.j,
                                                       at_a.descriptor, x, &at_x.i, &at_x.j,
                                                       at_x.descriptor, increment);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::ptrsv;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_PTRSV(name, T)                                                          \
  void name(const char* uplo, const char* trans, const char* diag, const int* n, const T* a,    \
            const int* ia, const int* ja, const int* desca, T* x, const int* ix, const int* jx, \
            const int* descx, const int* incx) {                                                \
    ptrsv<T>(uplo, trans, diag, n, a, {*ia, *ja, desca}, x, {*ix, *jx, descx}, incx);           \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_PTRSV(pstrsv_, float)
REDBLUE_FORTRAN_PTRSV(pdtrsv_, double)
REDBLUE_FORTRAN_PTRSV(pctrsv_, std::complex<float>)
REDBLUE_FORTRAN_PTRSV(pztrsv_, std::complex<double>)
}
