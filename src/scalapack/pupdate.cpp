// SPDX-License-Identifier: BSD-3-Clause
// P?SYRK, P?HERK, P?SYR2K and P?HER2K on block-cyclic matrices, in their own layouts.
#include <algorithm>
#include <array>
#include <complex>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "linalg/plan/caller_layouts.hpp"
#include "linalg/symmetric/triangle_update.hpp"
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
  const char* suffix;  // "syrk", "herk", "syr2k", "her2k"
  char uplo, trans;
  int n, k;
  T alpha, beta;
  const T* a;
  Submatrix at_a;
  const T* b;  // of rank-2k updates
  Submatrix at_b;
  T* c;
  Submatrix at_c;

  bool hermitian() const { return suffix[0] == 'h'; }
  bool two_factors() const { return suffix[3] == '2'; }
  double work() const { return static_cast<double>(n) * n * k / (two_factors() ? 1 : 2); }
};

// Hermitian routines take a real beta, and without B a real alpha.
template <class T>
void pass_on(const Call<T>& call) {
  const std::string name = routine<T>(call.suffix);
  const Real<T> real_alpha = std::real(call.alpha);
  const Real<T> real_beta = std::real(call.beta);
  const bool hermitian = call.hermitian();
  const void* alpha = &call.alpha;
  const void* beta = &call.beta;
  if (hermitian && !call.two_factors()) alpha = &real_alpha;
  if (hermitian) beta = &real_beta;
  if (call.two_factors()) {
    using Forward =
        void (*)(const char*, const char*, const int*, const int*, const void*, const T*,
                 const int*, const int*, const int*, const T*, const int*, const int*, const int*,
                 const void*, T*, const int*, const int*, const int*);
    passed_on<Forward>(name, name + "_")(&call.uplo, &call.trans, &call.n, &call.k, alpha, call.a,
                                         &call.at_a.i, &call.at_a.j, call.at_a.descriptor, call.b,
                                         &call.at_b.i, &call.at_b.j, call.at_b.descriptor, beta,
                                         call.c, &call.at_c.i, &call.at_c.j, call.at_c.descriptor);
    return;
  }
  using Forward =
      void (*)(const char*, const char*, const int*, const int*, const void*, const T*, const int*,
               const int*, const int*, const void*, T*, const int*, const int*, const int*);
  passed_on<Forward>(name, name + "_")(&call.uplo, &call.trans, &call.n, &call.k, alpha, call.a,
                                       &call.at_a.i, &call.at_a.j, call.at_a.descriptor, beta,
                                       call.c, &call.at_c.i, &call.at_c.j, call.at_c.descriptor);
}

template <class T>
bool is_valid_trans(const Call<T>& call) {
  if (!is_operation(call.trans)) return false;
  const Op op = operation(call.trans);
  if (op == Op::none || std::is_floating_point_v<T>) return true;
  return (op == Op::conjugate_transpose) == call.hermitian();
}

// Whether the call is redblue's to serve, as far as all processes see it alike.
template <class T>
bool worth_serving(const Call<T>& call) {
  if (!is_triangle(call.uplo) || !is_valid_trans(call)) return false;
  if (call.n < 1 || call.k < 1 || call.alpha == T(0)) return false;
  const Submatrix& at_b = call.two_factors() ? call.at_b : call.at_a;
  return gains(routine<T>(call.suffix), call.work(),
               {call.at_a.descriptor[1], at_b.descriptor[1], call.at_c.descriptor[1]});
}

template <class T>
bool fits(const Call<T>& call, const GridShape& grid) {
  const bool untransposed = operation(call.trans) == Op::none;
  const int rows = untransposed ? call.n : call.k;
  const int columns = untransposed ? call.k : call.n;
  return holds(call.at_a, grid, rows, columns) &&
         (!call.two_factors() || holds(call.at_b, grid, rows, columns)) &&
         holds(call.at_c, grid, call.n, call.n);
}

// Cuts k into rounds until the buffers are within the limit; where those of sums over k never are,
// the choice without sums. Collective. Throws Error where none are.
template <class T>
void fit(comm::Communicator& communicator, TriangleSetup& setup, const SyrkPlanRequest& request,
         Words limit, bool sums) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::int64_t most = std::max<std::int64_t>(1, request.shape.k);
  const auto fits = [&] {
    return fits_in_rounds(setup.decomposition.rounds, most, limit, least, [&] {
      return communicator.maximum(TriangleUpdate<T>(communicator, setup).workspace());
    });
  };
  if (fits()) return;
  if (sums) {
    choose_blocks_or_place(setup, request);
    if (fits()) return;
  }
  throw Error("an update in " + std::to_string(limit.value) + " words beside the matrices",
              "no way to do it fits", "the least that does is " + std::to_string(least), least);
}

template <class T>
Prepared<TriangleUpdate<T>> prepare(const Key& key, const Call<T>& call,
                                    const std::shared_ptr<ProcessGrid>& grid) {
  const Op op = operation(call.trans);
  const auto factor = [&](const Submatrix& x) {
    return op == Op::none ? layout_of(x, grid->shape, grid->ranks(), call.n, call.k)
                          : layout_of(x, grid->shape, grid->ranks(), call.k, call.n);
  };
  SyrkLayouts layouts;
  layouts.hermitian = call.hermitian();
  layouts.op = op;
  layouts.a = factor(call.at_a);
  if (call.two_factors()) layouts.b = factor(call.at_b);
  layouts.triangle = triangle(call.uplo);
  layouts.c = layout_of(call.at_c, grid->shape, grid->ranks(), call.n, call.n);
  const int ranks = grid->own->size();
  const SyrkShape shape = {call.n, call.k};
  TriangleSetup setup = setup_of(layouts, ranks);
  const SyrkPlanRequest choice = {shape, ranks, {}, Objective::words, {}};
  const bool sums = decompose(setup, choice);
  if (const auto limit = words_allowed(*grid, sizeof(T))) {
    fit<T>(*grid->own, setup, choice, *limit, sums);
  }
  const Rank me = grid->own->rank();
  const std::array<bool, 3> some = {setup.factors.front().words_on(me) > 0,
                                    call.two_factors() && setup.factors.back().words_on(me) > 0,
                                    setup.c.words_on(me) > 0};
  Served record{routine<T>(call.suffix),
                described({call.n, call.k}, grid->shape, name_of(setup)),
                call.two_factors() ? 0 : syrk_lower_bound(shape, ranks),
                {},
                {},
                {}};
  return {{key, grid, some, std::move(record)}, TriangleUpdate<T>(*grid->own, setup)};
}

template <class T>
void pupdate(const Call<T>& call) {
  if (!worth_serving(call)) return pass_on(call);
  std::vector<Submatrix> matrices = {call.at_a, call.at_c};
  if (call.two_factors()) matrices.push_back(call.at_b);
  const Request request =
      request_of(routine<T>(call.suffix), call.work(),
                 {call.hermitian() ? 1 : 0, static_cast<long>(triangle(call.uplo)),
                  static_cast<long>(operation(call.trans)), call.n, call.k},
                 matrices);
  const bool served = serve<TriangleUpdate<T>>(
      call.at_a.descriptor[1], request, call.alpha, call.beta,
      Arrays<T>{call.a, call.b, call.c, {6, 10, call.two_factors() ? 15 : 11}},
      [&](const GridShape& grid) { return fits(call, grid); },
      [&](const std::shared_ptr<ProcessGrid>& grid) { return prepare(request.key, call, grid); });
  if (!served) pass_on(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pupdate;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_RANK_K(name, suffix, T, scalar)                                           \
  void name(const char* uplo, const char* trans, const int* n, const int* k, const scalar* alpha, \
            const T* a, const int* ia, const int* ja, const int* desca, const scalar* beta, T* c, \
            const int* ic, const int* jc, const int* descc) {                                     \
    pupdate<T>({suffix,                                                                           \
                *uplo,                                                                            \
                *trans,                                                                           \
                *n,                                                                               \
                *k,                                                                               \
                *alpha,                                                                           \
                *beta,                                                                            \
                a,                                                                                \
                {*ia, *ja, desca},                                                                \
                nullptr,                                                                          \
                {1, 1, desca},                                                                    \
                c,                                                                                \
                {*ic, *jc, descc}});                                                              \
  }
#define REDBLUE_FORTRAN_RANK_2K(name, suffix, T, scalar)                                           \
  void name(const char* uplo, const char* trans, const int* n, const int* k, const T* alpha,       \
            const T* a, const int* ia, const int* ja, const int* desca, const T* b, const int* ib, \
            const int* jb, const int* descb, const scalar* beta, T* c, const int* ic,              \
            const int* jc, const int* descc) {                                                     \
    pupdate<T>({suffix,                                                                            \
                *uplo,                                                                             \
                *trans,                                                                            \
                *n,                                                                                \
                *k,                                                                                \
                *alpha,                                                                            \
                *beta,                                                                             \
                a,                                                                                 \
                {*ia, *ja, desca},                                                                 \
                b,                                                                                 \
                {*ib, *jb, descb},                                                                 \
                c,                                                                                 \
                {*ic, *jc, descc}});                                                               \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_RANK_K(pssyrk_, "syrk", float, float)
REDBLUE_FORTRAN_RANK_K(pdsyrk_, "syrk", double, double)
REDBLUE_FORTRAN_RANK_K(pcsyrk_, "syrk", std::complex<float>, std::complex<float>)
REDBLUE_FORTRAN_RANK_K(pzsyrk_, "syrk", std::complex<double>, std::complex<double>)
REDBLUE_FORTRAN_RANK_K(pcherk_, "herk", std::complex<float>, float)
REDBLUE_FORTRAN_RANK_K(pzherk_, "herk", std::complex<double>, double)
REDBLUE_FORTRAN_RANK_2K(pssyr2k_, "syr2k", float, float)
REDBLUE_FORTRAN_RANK_2K(pdsyr2k_, "syr2k", double, double)
REDBLUE_FORTRAN_RANK_2K(pcsyr2k_, "syr2k", std::complex<float>, std::complex<float>)
REDBLUE_FORTRAN_RANK_2K(pzsyr2k_, "syr2k", std::complex<double>, std::complex<double>)
REDBLUE_FORTRAN_RANK_2K(pcher2k_, "her2k", std::complex<float>, float)
REDBLUE_FORTRAN_RANK_2K(pzher2k_, "her2k", std::complex<double>, double)
}
