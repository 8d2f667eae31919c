// SPDX-License-Identifier: BSD-3-Clause
// P?TRMM on block-cyclic matrices, in their own layouts.
#include <complex>
#include <memory>
#include <string>
#include <utility>

#include "linalg/triangular/triangular_product.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"
#include "scalapack/solver.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

template <class T>
struct Multiplier {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic at_a, at_b;
  std::unique_ptr<TriangularProduct<T>> product;
  double bound;
};

// The plan of a call all its processes want served; null where it is ScaLAPACK's.
template <class T>
Multiplier<T>* multiplier_of(const Call<T>& call, TrmmLayouts layouts) {
  if (!call.has_work()) return nullptr;
  const int context = call.at_a.descriptor[1];
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return nullptr;
  static Recent<Multiplier<T>> recent;
  Request request = request_of(call.routine, call.work(), call.numbers, {call.at_a, call.at_b});
  request.worth_planning = recent.worth_planning(request.key, request.work / 2);
  request.fits = holds(call.at_a, grid->shape, call.order, call.order) &&
                 holds(call.at_b, grid->shape, call.rows, call.columns);
  Multiplier<T>* multiplier = agreed_plan(
      recent, grid, request,
      [&] {
        Multiplier<T> made{
            request.key,
            grid,
            layout_of(call.at_a, grid->shape, grid->ranks(), call.order, call.order),
            layout_of(call.at_b, grid->shape, grid->ranks(), call.rows, call.columns),
            nullptr,
            0};
        layouts.t = made.at_a;
        layouts.b = made.at_b;
        made.product = std::make_unique<TriangularProduct<T>>(
            *grid->own, setup_of(layouts, grid->own->size()), words_allowed(*grid, sizeof(T)));
        made.bound = made.product->bound();
        return made;
      },
      [](const Multiplier<T>& x) {
        return x.product->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (multiplier == nullptr) return nullptr;
  require_array(*grid->own, {call.a, multiplier->at_a, context, call.routine, call.a_position});
  require_array(*grid->own, {call.b, multiplier->at_b, context, call.routine, call.b_position});
  return multiplier;
}

template <class T>
void execute(const Call<T>& call, Multiplier<T>& multiplier, T alpha) {
  GemmTraffic traffic;
  comm::Communicator& communicator = *multiplier.grid->own;
  TriangularProduct<T>& product = *multiplier.product;
  product.execute(communicator, alpha, call.a, call.b, workspace<T>(product.workspace()), traffic);
  record_served(communicator,
                {call.routine,
                 described({call.rows, call.columns}, multiplier.grid->shape, product.name()),
                 multiplier.bound,
                 {},
                 traffic.exchange,
                 traffic.reduce});
}

template <class T>
void ptrmm(const TriangularCall<T>& x) {
  const Call<T> call = x.as_solve(routine<T>("trmm"));
  Multiplier<T>* multiplier =
      x.is_valid()
          ? multiplier_of(call,
                          {x.side_of_a(), triangle(*x.uplo), operation(*x.trans), x.unit(), {}, {}})
          : nullptr;
  if (multiplier != nullptr) return execute(call, *multiplier, *x.alpha);
  x.pass_on(call.routine);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::ptrmm;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_PTRMM(name, T)                                                             \
  void name(const char* side, const char* uplo, const char* trans, const char* diag, const int* m, \
            const int* n, const T* alpha, const T* a, const int* ia, const int* ja,                \
            const int* desca, T* b, const int* ib, const int* jb, const int* descb) {              \
    ptrmm<T>({side, uplo, trans, diag, m, n, alpha, a, {*ia, *ja, desca}, b, {*ib, *jb, descb}});  \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_PTRMM(pstrmm_, float)
REDBLUE_FORTRAN_PTRMM(pdtrmm_, double)
REDBLUE_FORTRAN_PTRMM(pctrmm_, std::complex<float>)
REDBLUE_FORTRAN_PTRMM(pztrmm_, std::complex<double>)
}
