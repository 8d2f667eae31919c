// SPDX-License-Identifier: BSD-3-Clause
// P?GEMM on block-cyclic matrices, in their own layouts.
#include <array>
#include <complex>
#include <memory>
#include <utility>

#include "linalg/gemm/choice.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

template <class T>
struct Call {
  char transa, transb;
  int m, n, k;
  T alpha, beta;
  const T* a;
  Submatrix at_a;
  const T* b;
  Submatrix at_b;
  T* c;
  Submatrix at_c;

  Op op_a() const { return operation(transa); }
  Op op_b() const { return operation(transb); }
  double work() const { return static_cast<double>(m) * n * k; }
};

template <class T>
void pass_on(const Call<T>& call) {
  static const std::string name = routine<T>("gemm");
  const auto forward = passed_on<Pgemm<T>>(name, name + "_");
  forward(&call.transa, &call.transb, &call.m, &call.n, &call.k, &call.alpha, call.a, &call.at_a.i,
          &call.at_a.j, call.at_a.descriptor, call.b, &call.at_b.i, &call.at_b.j,
          call.at_b.descriptor, &call.beta, call.c, &call.at_c.i, &call.at_c.j,
          call.at_c.descriptor);
}

// Whether the call is redblue's to serve, as far as all processes see it alike.
template <class T>
bool worth_serving(const Call<T>& call) {
  if (!is_operation(call.transa) || !is_operation(call.transb)) return false;
  if (call.m < 1 || call.n < 1 || call.k < 1 || call.alpha == T(0)) return false;
  return gains(routine<T>("gemm"), call.work(),
               {call.at_a.descriptor[1], call.at_b.descriptor[1], call.at_c.descriptor[1]});
}

struct Size {
  std::int64_t rows, columns;
};

template <class T>
Size size_of_a(const Call<T>& call) {
  return call.op_a() == Op::none ? Size{call.m, call.k} : Size{call.k, call.m};
}
template <class T>
Size size_of_b(const Call<T>& call) {
  return call.op_b() == Op::none ? Size{call.k, call.n} : Size{call.n, call.k};
}

template <class T>
bool fits(const Call<T>& call, const GridShape& grid) {
  const Size a = size_of_a(call);
  const Size b = size_of_b(call);
  return holds(call.at_a, grid, a.rows, a.columns) && holds(call.at_b, grid, b.rows, b.columns) &&
         holds(call.at_c, grid, call.m, call.n);
}

template <class T>
Prepared<Multiplication<T>> prepare(const Key& key, const Call<T>& call,
                                    const std::shared_ptr<ProcessGrid>& grid) {
  const auto layout_on_grid = [&grid](const Submatrix& x, Size size) {
    return layout_of(x, grid->shape, grid->ranks(), size.rows, size.columns);
  };
  MultiplicationSetup setup = setup_of(
      {call.op_a(), layout_on_grid(call.at_a, size_of_a(call)), call.op_b(),
       layout_on_grid(call.at_b, size_of_b(call)), layout_on_grid(call.at_c, {call.m, call.n})},
      grid->own->size());
  const Rank me = grid->own->rank();
  const std::array<bool, 3> some = {setup.a.words_on(me) > 0, setup.b.words_on(me) > 0,
                                    setup.c.words_on(me) > 0};
  const GemmShape shape = {call.m, call.n, call.k};
  GemmOptions fastest;
  fastest.objective = Objective::seconds;
  fastest.workspace = words_allowed(*grid, sizeof(T));
  ChosenMultiplication<T> choice =
      choose_multiplication<T>(*grid->own, shape, std::move(setup), fastest);
  Served record{routine<T>("gemm"),
                described({call.m, call.n, call.k}, grid->shape, choice.name),
                gemm_lower_bound(shape, grid->own->size()),
                {},
                {},
                {}};
  return {{key, grid, some, std::move(record)}, std::move(choice.multiplication)};
}

template <class T>
void pgemm(const Call<T>& call) {
  if (!worth_serving(call)) return pass_on(call);
  const Request request = request_of(
      routine<T>("gemm"), call.work(),
      {static_cast<long>(call.op_a()), static_cast<long>(call.op_b()), call.m, call.n, call.k},
      {call.at_a, call.at_b, call.at_c});
  const bool served = serve<Multiplication<T>>(
      call.at_a.descriptor[1], request, call.alpha, call.beta,
      Arrays<T>{call.a, call.b, call.c, {7, 11, 16}},
      [&](const GridShape& grid) { return fits(call, grid); },
      [&](const std::shared_ptr<ProcessGrid>& grid) { return prepare(request.key, call, grid); });
  if (!served) pass_on(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgemm;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_PGEMM(name, T)                                                        \
  void name(const char* transa, const char* transb, const int* m, const int* n, const int* k, \
            const T* alpha, const T* a, const int* ia, const int* ja, const int* desca,       \
            const T* b, const int* ib, const int* jb, const int* descb, const T* beta, T* c,  \
            const int* ic, const int* jc, const int* descc) {                                 \
    pgemm<T>({*transa,                                                                        \
              *transb,                                                                        \
              *m,                                                                             \
              *n,                                                                             \
              *k,                                                                             \
              *alpha,                                                                         \
              *beta,                                                                          \
              a,                                                                              \
              {*ia, *ja, desca},                                                              \
              b,                                                                              \
              {*ib, *jb, descb},                                                              \
              c,                                                                              \
              {*ic, *jc, descc}});                                                            \
  }

// Entries for C; complex numbers come as pointers.
#define REDBLUE_C_PGEMM(name, T, pointer, scalar, value)                                           \
  void name(char transa, char transb, int m, int n, int k, scalar alpha, const pointer* a, int ia, \
            int ja, const int* desca, const pointer* b, int ib, int jb, const int* descb,          \
            scalar beta, pointer* c, int ic, int jc, const int* descc) {                           \
    pgemm<T>({transa,                                                                              \
              transb,                                                                              \
              m,                                                                                   \
              n,                                                                                   \
              k,                                                                                   \
              value(alpha),                                                                        \
              value(beta),                                                                         \
              static_cast<const T*>(a),                                                            \
              {ia, ja, desca},                                                                     \
              static_cast<const T*>(b),                                                            \
              {ib, jb, descb},                                                                     \
              static_cast<T*>(c),                                                                  \
              {ic, jc, descc}});                                                                   \
  }
#define REDBLUE_AS_IS(x) x
#define REDBLUE_COMPLEX_FLOAT(x) *static_cast<const std::complex<float>*>(x)
#define REDBLUE_COMPLEX_DOUBLE(x) *static_cast<const std::complex<double>*>(x)
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_PGEMM(psgemm_, float)
REDBLUE_FORTRAN_PGEMM(pdgemm_, double)
REDBLUE_FORTRAN_PGEMM(pcgemm_, std::complex<float>)
REDBLUE_FORTRAN_PGEMM(pzgemm_, std::complex<double>)
REDBLUE_C_PGEMM(redblue_psgemm, float, float, float, REDBLUE_AS_IS)
REDBLUE_C_PGEMM(redblue_pdgemm, double, double, double, REDBLUE_AS_IS)
REDBLUE_C_PGEMM(redblue_pcgemm, std::complex<float>, void, const void*, REDBLUE_COMPLEX_FLOAT)
REDBLUE_C_PGEMM(redblue_pzgemm, std::complex<double>, void, const void*, REDBLUE_COMPLEX_DOUBLE)

void redblue_served(long* served, long* passed_on) {
  *served = redblue::scalapack::served_calls();
  *passed_on = redblue::scalapack::passed_on_calls();
}
void redblue_serve(int serves) {
  redblue::scalapack::serves_calls() = serves != 0;
}
}
