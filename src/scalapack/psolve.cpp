// SPDX-License-Identifier: BSD-3-Clause
// P?TRSM, P?POTRS and P?GETRS on block-cyclic matrices. ScaLAPACK's P?POSV and P?GESV call these
// and the factorizations by name and so come here, too.
#include <algorithm>
#include <cctype>
#include <complex>
#include <memory>
#include <string>
#include <utility>

#include "linalg/lu/pivots.hpp"
#include "linalg/solve/solve.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/solver.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

template <class T>
void ptrsm(const TriangularCall<T>& x) {
  const Call<T> call = x.as_solve(routine<T>("trsm"));
  Solver<T>* solver =
      !x.is_valid() ? nullptr
                    : solver_of(call, true, [&](const Layout& t, const Layout& rhs, int ranks) {
                        return setup_of(TrsmLayouts{x.side_of_a(), triangle(*x.uplo),
                                                    operation(*x.trans), x.unit(), t, rhs},
                                        ranks);
                      });
  if (solver != nullptr) return execute(call, *solver, *x.alpha, {});
  x.pass_on(call.routine);
}

// What ScaLAPACK demands of a factored matrix and right-hand sides: square blocks, both from the
// start of one, rows of B with the rows of A.
bool is_aligned(const Submatrix& at_a, const Submatrix& at_b) {
  const Descriptor a = descriptor(at_a.descriptor);
  const Descriptor b = descriptor(at_b.descriptor);
  return starts_square_block(at_a) && b.type == 1 && a.row_block == b.row_block &&
         (at_b.i - 1) % b.row_block == 0;
}

template <class T>
void ppotrs(const char* uplo, const int* n, const int* columns, const T* a, const Submatrix& at_a,
            T* b, const Submatrix& at_b, int* info) {
  const Call<T> call = {routine<T>("potrs"),
                        {2, static_cast<long>(triangle(*uplo)), *n, *columns},
                        a,
                        at_a,
                        *n,
                        b,
                        at_b,
                        *n,
                        *columns,
                        4,
                        8};
  Solver<T>* solver = !is_triangle(*uplo)
                          ? nullptr
                          : solver_of(call, is_aligned(at_a, at_b),
                                      [&](const Layout& factor, const Layout& rhs, int ranks) {
                                        return cholesky_setup(triangle(*uplo), factor, rhs, ranks);
                                      });
  if (solver != nullptr) {
    *info = 0;
    return execute(call, *solver, T(1), {});
  }
  using Forward = void (*)(const char*, const int*, const int*, const T*, const int*, const int*,
                           const int*, T*, const int*, const int*, const int*, int*);
  passed_on<Forward>(call.routine, call.routine + "_")(uplo, n, columns, a, &at_a.i, &at_a.j,
                                                       at_a.descriptor, b, &at_b.i, &at_b.j,
                                                       at_b.descriptor, info);
}

template <class T>
void pgetrs(const char* trans, const int* n, const int* columns, const T* a, const Submatrix& at_a,
            const int* pivots, T* b, const Submatrix& at_b, int* info) {
  const Call<T> call = {routine<T>("getrs"),
                        {3, static_cast<long>(operation(*trans)), *n, *columns},
                        a,
                        at_a,
                        *n,
                        b,
                        at_b,
                        *n,
                        *columns,
                        4,
                        9};
  const Op op = operation(*trans);
  Solver<T>* solver = !is_operation(*trans)
                          ? nullptr
                          : solver_of(call, is_aligned(at_a, at_b),
                                      [&](const Layout& factors, const Layout& rhs, int ranks) {
                                        return lu_setup(op, factors, rhs, ranks);
                                      });
  if (solver != nullptr) {
    const std::vector<std::int64_t> rows =
        row_order(whole_pivots(*solver->grid->own, solver->at_a, pivots), *n);
    *info = 0;
    return execute(call, *solver, T(1), {&rows, op == Op::none});
  }
  using Forward = void (*)(const char*, const int*, const int*, const T*, const int*, const int*,
                           const int*, const int*, T*, const int*, const int*, const int*, int*);
  passed_on<Forward>(call.routine, call.routine + "_")(trans, n, columns, a, &at_a.i, &at_a.j,
                                                       at_a.descriptor, pivots, b, &at_b.i, &at_b.j,
                                                       at_b.descriptor, info);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgetrs;
using redblue::scalapack::ppotrs;
using redblue::scalapack::ptrsm;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_SOLVES(letter, T)                                                         \
  void p##letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag,  \
                        const int* m, const int* n, const T* alpha, const T* a, const int* ia,    \
                        const int* ja, const int* desca, T* b, const int* ib, const int* jb,      \
                        const int* descb) {                                                       \
    ptrsm<T>({side, uplo, trans, diag, m, n, alpha, a, {*ia, *ja, desca}, b, {*ib, *jb, descb}}); \
  }                                                                                               \
  void p##letter##potrs_(const char* uplo, const int* n, const int* nrhs, const T* a,             \
                         const int* ia, const int* ja, const int* desca, T* b, const int* ib,     \
                         const int* jb, const int* descb, int* info) {                            \
    ppotrs<T>(uplo, n, nrhs, a, {*ia, *ja, desca}, b, {*ib, *jb, descb}, info);                   \
  }                                                                                               \
  void p##letter##getrs_(const char* trans, const int* n, const int* nrhs, const T* a,            \
                         const int* ia, const int* ja, const int* desca, const int* ipiv, T* b,   \
                         const int* ib, const int* jb, const int* descb, int* info) {             \
    pgetrs<T>(trans, n, nrhs, a, {*ia, *ja, desca}, ipiv, b, {*ib, *jb, descb}, info);            \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_SOLVES(s, float)
REDBLUE_FORTRAN_SOLVES(d, double)
REDBLUE_FORTRAN_SOLVES(c, std::complex<float>)
REDBLUE_FORTRAN_SOLVES(z, std::complex<double>)
}
