// SPDX-License-Identifier: BSD-3-Clause
// P?TRAN, P?TRANU and P?TRANC: sub(C) = alpha op(sub(A)) + beta sub(C), op a transposition.
#include <complex>
#include <string>

#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

namespace {

template <class T>
struct Call {
  const char* suffix;  // of the routine's name: "tran", "tranu", "tranc"
  Op op;
  int m, n;  // of C
  T alpha, beta;
  const T* a;
  Submatrix at_a;
  T* c;
  Submatrix at_c;
};

template <class T>
using Forward = void (*)(const int*, const int*, const T*, const T*, const int*, const int*,
                         const int*, const T*, T*, const int*, const int*, const int*);

template <class T>
void pass_on(const Call<T>& call) {
  const std::string name = routine<T>(call.suffix);
  const auto forward = passed_on<Forward<T>>(name, name + "_");
  forward(&call.m, &call.n, &call.alpha, call.a, &call.at_a.i, &call.at_a.j, call.at_a.descriptor,
          &call.beta, call.c, &call.at_c.i, &call.at_c.j, call.at_c.descriptor);
}

template <class T>
void ptran(const Call<T>& call) {
  constexpr double gains_from = 262144;
  const int context = call.at_a.descriptor[1];
  const std::string name = routine<T>(call.suffix);
  const double work = static_cast<double>(call.m) * call.n;
  if (call.m < 1 || call.n < 1 || call.alpha == T(0) ||
      !may_serve(name, work, gains_from, {context, call.at_c.descriptor[1]})) {
    return pass_on(call);
  }
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return pass_on(call);
  Request request = request_of(name, work, {call.m, call.n}, {call.at_a, call.at_c});
  request.fits = holds(call.at_a, grid->shape, call.n, call.m) &&
                 holds(call.at_c, grid->shape, call.m, call.n);
  if (!agree(*grid, request, false).served) return pass_on(call);
  const BlockCyclic at_a = layout_of(call.at_a, grid->shape, grid->ranks(), call.n, call.m);
  const BlockCyclic at_c = layout_of(call.at_c, grid->shape, grid->ranks(), call.m, call.n);
  constexpr int a = 4;
  constexpr int c = 9;
  require_array(*grid->own, {call.a, at_a, context, name, a});
  require_array(*grid->own, {call.c, at_c, context, name, c});
  Served record;
  record.redistribute =
      move(*grid->own, call.op, call.alpha, at_a, call.a, call.beta, at_c, call.c);
  record.routine = name;
  record.what = std::to_string(call.m) + " x " + std::to_string(call.n);
  record_served(*grid->own, record);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::Op;
using redblue::scalapack::ptran;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_PTRAN(name, T, suffix, op)                                                        \
  void name(const int* m, const int* n, const T* alpha, const T* a, const int* ia, const int* ja, \
            const int* desca, const T* beta, T* c, const int* ic, const int* jc,                  \
            const int* descc) {                                                                   \
    ptran<T>({suffix, op, *m, *n, *alpha, *beta, a, {*ia, *ja, desca}, c, {*ic, *jc, descc}});    \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_PTRAN(pstran_, float, "tran", Op::transpose)
REDBLUE_PTRAN(pdtran_, double, "tran", Op::transpose)
REDBLUE_PTRAN(pctranu_, std::complex<float>, "tranu", Op::transpose)
REDBLUE_PTRAN(pztranu_, std::complex<double>, "tranu", Op::transpose)
REDBLUE_PTRAN(pctranc_, std::complex<float>, "tranc", Op::conjugate_transpose)
REDBLUE_PTRAN(pztranc_, std::complex<double>, "tranc", Op::conjugate_transpose)
}
