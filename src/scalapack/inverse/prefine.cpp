// SPDX-License-Identifier: BSD-3-Clause
// P?PORFS and P?GERFS on block-cyclic matrices. They are served whatever their size and whichever
// is faster, as ScaLAPACK's processes may wait for each other forever.
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "linalg/lu/pivots.hpp"
#include "linalg/refine/refinement.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/inverse/kept_call.hpp"
#include "scalapack/inverse/scratch.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// A call of either routine, as ScaLAPACK passes arguments; `pivots` of P?GERFS.
template <class T>
struct RefineCall {
  const char* letter;  // UPLO or TRANS
  const int* n;
  const int* columns;
  const T* a;
  Submatrix at_a;
  const T* factors;
  Submatrix at_factors;
  const int* pivots;
  const T* b;
  Submatrix at_b;
  T* x;
  Submatrix at_x;
  Real<T>* forward;
  Real<T>* backward;
  Scratch<T, Second<T>> scratch;
  int* info;

  bool definite() const { return pivots == nullptr; }
  std::string name() const { return routine<T>(definite() ? "porfs" : "gerfs"); }
};

template <class T>
using Porfs = void (*)(const char*, const int*, const int*, const T*, const int*, const int*,
                       const int*, const T*, const int*, const int*, const int*, const T*,
                       const int*, const int*, const int*, T*, const int*, const int*, const int*,
                       Real<T>*, Real<T>*, T*, const int*, Second<T>*, const int*, int*);
template <class T>
using Gerfs = void (*)(const char*, const int*, const int*, const T*, const int*, const int*,
                       const int*, const T*, const int*, const int*, const int*, const int*,
                       const T*, const int*, const int*, const int*, T*, const int*, const int*,
                       const int*, Real<T>*, Real<T>*, T*, const int*, Second<T>*, const int*,
                       int*);

template <class T>
void forward_to(void* routine, const RefineCall<T>& c) {
  const Submatrix& a = c.at_a;
  const Submatrix& f = c.at_factors;
  const Submatrix& b = c.at_b;
  const Submatrix& x = c.at_x;
  const Scratch<T, Second<T>>& s = c.scratch;
  if (c.definite()) {
    reinterpret_cast<Porfs<T>>(routine)(
        c.letter, c.n, c.columns, c.a, &a.i, &a.j, a.descriptor, c.factors, &f.i, &f.j,
        f.descriptor, c.b, &b.i, &b.j, b.descriptor, c.x, &x.i, &x.j, x.descriptor, c.forward,
        c.backward, s.work, s.work_size, s.second, s.second_size, c.info);
  } else {
    reinterpret_cast<Gerfs<T>>(routine)(
        c.letter, c.n, c.columns, c.a, &a.i, &a.j, a.descriptor, c.factors, &f.i, &f.j,
        f.descriptor, c.pivots, c.b, &b.i, &b.j, b.descriptor, c.x, &x.i, &x.j, x.descriptor,
        c.forward, c.backward, s.work, s.work_size, s.second, s.second_size, c.info);
  }
}

// Square blocks, all matrices from the start of one, factors and right-hand sides on the processes
// of A and X: what ScaLAPACK demands.
template <class T>
bool is_aligned(const RefineCall<T>& call, const GridShape& grid) {
  const Descriptor a = descriptor(call.at_a.descriptor);
  const auto starts_block = [](const Submatrix& at) {
    const Descriptor d = descriptor(at.descriptor);
    return d.type == 1 && d.row_block > 0 && d.column_block > 0 && (at.i - 1) % d.row_block == 0 &&
           (at.j - 1) % d.column_block == 0;
  };
  for (const Submatrix& at : {call.at_a, call.at_factors, call.at_b, call.at_x}) {
    if (!starts_block(at) || at.descriptor[1] != call.at_a.descriptor[1]) return false;
    if (descriptor(at.descriptor).row_block != a.row_block) return false;
    if (first_row_owner(at, grid) != first_row_owner(call.at_a, grid)) return false;
  }
  const auto on_the_same_columns = [&](const Submatrix& x, const Submatrix& y) {
    return descriptor(x.descriptor).column_block == descriptor(y.descriptor).column_block &&
           first_column_owner(x, grid) == first_column_owner(y, grid);
  };
  return a.row_block == a.column_block && on_the_same_columns(call.at_factors, call.at_a) &&
         on_the_same_columns(call.at_b, call.at_x);
}

template <class T>
struct Refiner {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic factors, x;
  std::unique_ptr<Refinement<T>> engine;
};

template <class T>
Refiner<T> refiner_of(const RefineCall<T>& call, const Key& key,
                      const std::shared_ptr<ProcessGrid>& grid) {
  const auto placed = [&](const Submatrix& at, int columns) {
    return layout_of(at, grid->shape, grid->ranks(), *call.n, columns);
  };
  Refiner<T> made{key, grid, placed(call.at_factors, *call.n), placed(call.at_x, *call.columns),
                  nullptr};
  const FactoredLayouts factored{
      call.definite(), call.definite() ? triangle(*call.letter) : Triangle::lower,
      call.definite() ? Op::none : operation(*call.letter), made.factors};
  made.engine = std::make_unique<Refinement<T>>(
      *grid->own, RefinementLayouts{factored, placed(call.at_a, *call.n),
                                    placed(call.at_b, *call.columns), made.x});
  return made;
}

// Bounds of the columns of X that this process's column of the grid has.
template <class T>
void leave_bounds(const RefineCall<T>& call, const Refiner<T>& refiner, const ErrorBounds& bounds) {
  const Cyclic& across = refiner.x.across;
  for (int c = 0; c < *call.columns; ++c) {
    const std::int64_t index = refiner.x.first_column + c;
    if (across.owner(index) != refiner.grid->shape.my_column) continue;
    call.forward[across.local(index)] =
        static_cast<Real<T>>(bounds.forward[static_cast<std::size_t>(c)]);
    call.backward[across.local(index)] =
        static_cast<Real<T>>(bounds.backward[static_cast<std::size_t>(c)]);
  }
}

// Whether the call was served.
template <class T>
bool refined(const RefineCall<T>& call) {
  if (!(call.definite() ? is_triangle(*call.letter) : is_operation(*call.letter))) return false;
  if (*call.n < 2 || *call.columns < 1 || call.scratch.asks()) return false;
  const double work = static_cast<double>(*call.n) * *call.n * *call.columns;
  const int context = call.at_a.descriptor[1];
  if (!may_serve(call.name(), work, 0, {context})) return false;
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return false;
  const bool fits = is_aligned(call, grid->shape) &&
                    holds(call.at_a, grid->shape, *call.n, *call.n) &&
                    holds(call.at_factors, grid->shape, *call.n, *call.n) &&
                    holds(call.at_b, grid->shape, *call.n, *call.columns) &&
                    holds(call.at_x, grid->shape, *call.n, *call.columns);
  if (!grid->own->all(fits)) return false;
  const ScratchSizes<T, Second<T>> sizes = sizes_of<T>(call);
  if (!grid->own->all(sizes.suffices(call.scratch))) return false;
  static Recent<Refiner<T>> recent;
  const Key key = key_of({call.definite() ? 1 : 0, *call.letter, *call.n, *call.columns},
                         {call.at_a, call.at_factors, call.at_b, call.at_x});
  Refiner<T>* refiner = uncompared_plan(
      recent, grid, key, [&] { return refiner_of(call, key, grid); },
      [](const Refiner<T>& x) {
        return x.engine->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (refiner == nullptr) return false;
  comm::Communicator& own = *grid->own;
  std::vector<std::int64_t> rows;
  if (!call.definite()) rows = row_order(whole_pivots(own, refiner->factors, call.pivots), *call.n);
  SolveTraffic traffic;
  const ErrorBounds bounds = refiner->engine->execute(
      own, {call.a, call.factors, call.definite() ? nullptr : &rows, call.b, call.x},
      workspace<T>(refiner->engine->workspace()), traffic);
  leave_bounds(call, *refiner, bounds);
  sizes.leave_in(call.scratch);
  *call.info = 0;
  record_served(own, {call.name(),
                      described({*call.n, *call.columns}, grid->shape, "all sides at once"),
                      0,
                      traffic.redistribute,
                      traffic.solve,
                      {}});
  return true;
}

template <class T>
void refine(const RefineCall<T>& call) {
  if (!refined(call)) pass_on_kept(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::refine;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_REFINEMENTS(letter, T, Real, Second)                                       \
  void p##letter##porfs_(const char* uplo, const int* n, const int* nrhs, const T* a,              \
                         const int* ia, const int* ja, const int* desca, const T* af,              \
                         const int* iaf, const int* jaf, const int* descaf, const T* b,            \
                         const int* ib, const int* jb, const int* descb, T* x, const int* ix,      \
                         const int* jx, const int* descx, Real* ferr, Real* berr, T* work,         \
                         const int* lwork, Second* iwork, const int* liwork, int* info) {          \
    refine<T>({uplo,                                                                               \
               n,                                                                                  \
               nrhs,                                                                               \
               a,                                                                                  \
               {*ia, *ja, desca},                                                                  \
               af,                                                                                 \
               {*iaf, *jaf, descaf},                                                               \
               nullptr,                                                                            \
               b,                                                                                  \
               {*ib, *jb, descb},                                                                  \
               x,                                                                                  \
               {*ix, *jx, descx},                                                                  \
               ferr,                                                                               \
               berr,                                                                               \
               {work, lwork, iwork, liwork},                                                       \
               info});                                                                             \
  }                                                                                                \
  void p##letter##gerfs_(const char* trans, const int* n, const int* nrhs, const T* a,             \
                         const int* ia, const int* ja, const int* desca, const T* af,              \
                         const int* iaf, const int* jaf, const int* descaf, const int* ipiv,       \
                         const T* b, const int* ib, const int* jb, const int* descb, T* x,         \
                         const int* ix, const int* jx, const int* descx, Real* ferr, Real* berr,   \
                         T* work, const int* lwork, Second* iwork, const int* liwork, int* info) { \
    refine<T>({trans,                                                                              \
               n,                                                                                  \
               nrhs,                                                                               \
               a,                                                                                  \
               {*ia, *ja, desca},                                                                  \
               af,                                                                                 \
               {*iaf, *jaf, descaf},                                                               \
               ipiv,                                                                               \
               b,                                                                                  \
               {*ib, *jb, descb},                                                                  \
               x,                                                                                  \
               {*ix, *jx, descx},                                                                  \
               ferr,                                                                               \
               berr,                                                                               \
               {work, lwork, iwork, liwork},                                                       \
               info});                                                                             \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_REFINEMENTS(s, float, float, int)
REDBLUE_FORTRAN_REFINEMENTS(d, double, double, int)
REDBLUE_FORTRAN_REFINEMENTS(c, std::complex<float>, float, float)
REDBLUE_FORTRAN_REFINEMENTS(z, std::complex<double>, double, double)
}
