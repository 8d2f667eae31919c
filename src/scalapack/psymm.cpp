// SPDX-License-Identifier: BSD-3-Clause
// P?SYMM and P?HEMM on block-cyclic matrices, in their own layouts.
#include <cctype>
#include <complex>
#include <utility>

#include "linalg/symmetric/triangle_product.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/serving/recent.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

template <class T>
struct Call {
  const char* suffix;  // "symm", "hemm"
  char side, uplo;
  int m, n;
  T alpha, beta;
  const T* a;
  Submatrix at_a;
  const T* b;
  Submatrix at_b;
  T* c;
  Submatrix at_c;

  bool right() const { return std::toupper(static_cast<unsigned char>(side)) == 'R'; }
  bool left() const { return std::toupper(static_cast<unsigned char>(side)) == 'L'; }
  int order() const { return left() ? m : n; }  // of A
  double work() const { return static_cast<double>(m) * n * order(); }
};

template <class T>
void pass_on(const Call<T>& call) {
  using Forward = void (*)(const char*, const char*, const int*, const int*, const T*, const T*,
                           const int*, const int*, const int*, const T*, const int*, const int*,
                           const int*, const T*, T*, const int*, const int*, const int*);
  const std::string name = routine<T>(call.suffix);
  passed_on<Forward>(name, name + "_")(
      &call.side, &call.uplo, &call.m, &call.n, &call.alpha, call.a, &call.at_a.i, &call.at_a.j,
      call.at_a.descriptor, call.b, &call.at_b.i, &call.at_b.j, call.at_b.descriptor, &call.beta,
      call.c, &call.at_c.i, &call.at_c.j, call.at_c.descriptor);
}

// Whether the call is redblue's to serve, as far as all processes see it alike.
template <class T>
bool worth_serving(const Call<T>& call) {
  if (!is_triangle(call.uplo) || !(call.left() || call.right())) return false;
  if (call.m < 1 || call.n < 1 || call.alpha == T(0)) return false;
  return gains(routine<T>(call.suffix), call.work(),
               {call.at_a.descriptor[1], call.at_b.descriptor[1], call.at_c.descriptor[1]});
}

template <class T>
bool fits(const Call<T>& call, const GridShape& grid) {
  return holds(call.at_a, grid, call.order(), call.order()) &&
         holds(call.at_b, grid, call.m, call.n) && holds(call.at_c, grid, call.m, call.n);
}

template <class T>
Prepared<TriangleProduct<T>> prepare(const Key& key, const Call<T>& call,
                                     const std::shared_ptr<ProcessGrid>& grid) {
  const auto layout_on_grid = [&](const Submatrix& x, int rows, int columns) {
    return layout_of(x, grid->shape, grid->ranks(), rows, columns);
  };
  SymmLayouts layouts;
  layouts.hermitian = call.suffix[0] == 'h';
  layouts.side = call.left() ? Side::left : Side::right;
  layouts.triangle = triangle(call.uplo);
  layouts.a = layout_on_grid(call.at_a, call.order(), call.order());
  layouts.b = layout_on_grid(call.at_b, call.m, call.n);
  layouts.c = layout_on_grid(call.at_c, call.m, call.n);
  TriangleProductSetup setup = setup_of(layouts, grid->own->size());
  decompose(setup, {{setup.c.rows, setup.c.columns}, grid->own->size(), {}, Objective::words, {}});
  const Rank me = grid->own->rank();
  const std::array<bool, 3> some = {setup.a.words_on(me, layout::Part::lower) > 0,
                                    setup.b.words_on(me) > 0, setup.c.words_on(me) > 0};
  Served record{routine<T>(call.suffix),
                described({call.m, call.n}, grid->shape, name_of(setup)),
                0,
                {},
                {},
                {}};
  return {{key, grid, some, std::move(record)}, TriangleProduct<T>(*grid->own, setup)};
}

template <class T>
void psymm(const Call<T>& call) {
  if (!worth_serving(call)) return pass_on(call);
  const Request request = request_of(
      routine<T>(call.suffix), call.work(),
      {call.suffix[0], call.left() ? 1 : 0, static_cast<long>(triangle(call.uplo)), call.m, call.n},
      {call.at_a, call.at_b, call.at_c});
  const bool served = serve<TriangleProduct<T>>(
      call.at_a.descriptor[1], request, call.alpha, call.beta,
      Arrays<T>{call.a, call.b, call.c, {6, 10, 15}},
      [&](const GridShape& grid) { return fits(call, grid); },
      [&](const std::shared_ptr<ProcessGrid>& grid) { return prepare(request.key, call, grid); });
  if (!served) pass_on(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::psymm;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_PSYMM(name, suffix, T)                                                     \
  void name(const char* side, const char* uplo, const int* m, const int* n, const T* alpha,        \
            const T* a, const int* ia, const int* ja, const int* desca, const T* b, const int* ib, \
            const int* jb, const int* descb, const T* beta, T* c, const int* ic, const int* jc,    \
            const int* descc) {                                                                    \
    psymm<T>({suffix,                                                                              \
              *side,                                                                               \
              *uplo,                                                                               \
              *m,                                                                                  \
              *n,                                                                                  \
              *alpha,                                                                              \
              *beta,                                                                               \
              a,                                                                                   \
              {*ia, *ja, desca},                                                                   \
              b,                                                                                   \
              {*ib, *jb, descb},                                                                   \
              c,                                                                                   \
              {*ic, *jc, descc}});                                                                 \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_PSYMM(pssymm_, "symm", float)
REDBLUE_FORTRAN_PSYMM(pdsymm_, "symm", double)
REDBLUE_FORTRAN_PSYMM(pcsymm_, "symm", std::complex<float>)
REDBLUE_FORTRAN_PSYMM(pzsymm_, "symm", std::complex<double>)
REDBLUE_FORTRAN_PSYMM(pchemm_, "hemm", std::complex<float>)
REDBLUE_FORTRAN_PSYMM(pzhemm_, "hemm", std::complex<double>)
}
