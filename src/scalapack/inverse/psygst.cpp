// SPDX-License-Identifier: BSD-3-Clause
// P?SYGST, P?HEGST, P?SYNGST and P?HENGST on block-cyclic matrices: L^-1 A L'^-1 or U'^-1 A U^-1
// (first type), L' A L or U A U' (second and third).
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "linalg/inverse/placed_two_sided.hpp"
#include "loader/symbols.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/inverse/kept_call.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// A call as ScaLAPACK passes arguments; P?SYNGST and P?HENGST have a workspace.
template <class T>
struct StandardCall {
  const int* type;
  const char* uplo;
  const int* n;
  T* a;
  Submatrix at_a;
  const T* factor;
  Submatrix at_factor;
  Real<T>* scale;
  T* work;  // null: none
  const int* work_size;
  int* info;

  InverseKernel kernel() const {
    return *type == 1 ? InverseKernel::two_sided_solve : InverseKernel::two_sided_product;
  }
  bool has_workspace() const { return work_size != nullptr; }
  std::string name() const {
    const bool real = std::is_floating_point_v<T>;
    if (has_workspace()) return routine<T>(real ? "syngst" : "hengst");
    return routine<T>(real ? "sygst" : "hegst");
  }
  double work_of() const { return static_cast<double>(*n) * *n * *n / 2; }
};

template <class T>
void forward_to(void* routine, const StandardCall<T>& c) {
  using Plain = void (*)(const int*, const char*, const int*, T*, const int*, const int*,
                         const int*, const T*, const int*, const int*, const int*, Real<T>*, int*);
  using Working =
      void (*)(const int*, const char*, const int*, T*, const int*, const int*, const int*,
               const T*, const int*, const int*, const int*, Real<T>*, T*, const int*, int*);
  const Submatrix& a = c.at_a;
  const Submatrix& f = c.at_factor;
  if (c.has_workspace()) {
    reinterpret_cast<Working>(routine)(c.type, c.uplo, c.n, c.a, &a.i, &a.j, a.descriptor, c.factor,
                                       &f.i, &f.j, f.descriptor, c.scale, c.work, c.work_size,
                                       c.info);
  } else {
    reinterpret_cast<Plain>(routine)(c.type, c.uplo, c.n, c.a, &a.i, &a.j, a.descriptor, c.factor,
                                     &f.i, &f.j, f.descriptor, c.scale, c.info);
  }
}

// Whether the workspace is as large as ScaLAPACK wants it, which it then says in it.
template <class T>
bool has_enough(StandardCall<T> call) {
  if (!call.has_workspace()) return true;
  if (*call.work_size == -1) return false;
  void* const ask = loader::next_symbol((call.name() + "_").c_str());
  if (ask == nullptr) return true;
  const int given = *call.work_size;
  T* const work = call.work;
  const int question = -1;
  T size{};
  int info = 0;
  call.work = &size;
  call.work_size = &question;
  call.info = &info;
  forward_to(ask, call);
  if (info != 0 || given < static_cast<int>(std::real(size))) return false;
  if (given > 0) work[0] = size;
  return true;
}

// What ScaLAPACK demands: square blocks alike, both matrices from the start of one, on the same
// processes.
bool are_aligned(const Submatrix& at_a, const Submatrix& at_factor, const GridShape& grid) {
  const Descriptor a = descriptor(at_a.descriptor);
  const Descriptor f = descriptor(at_factor.descriptor);
  return starts_square_block(at_a) && starts_square_block(at_factor) && a.context == f.context &&
         a.row_block == f.row_block &&
         first_row_owner(at_a, grid) == first_row_owner(at_factor, grid) &&
         first_column_owner(at_a, grid) == first_column_owner(at_factor, grid);
}

template <class T>
struct Reducer {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic at_a, at_factor;
  std::unique_ptr<PlacedTwoSided<T>> engine;
};

template <class T>
Reducer<T> planned(const StandardCall<T>& call, const Key& key,
                   const std::shared_ptr<ProcessGrid>& grid) {
  Reducer<T> made{key, grid, layout_of(call.at_a, grid->shape, grid->ranks(), *call.n, *call.n),
                  layout_of(call.at_factor, grid->shape, grid->ranks(), *call.n, *call.n), nullptr};
  TwoSidedSetup setup{call.kernel(), triangle(*call.uplo), made.at_a, made.at_factor, {}};
  setup.options.memory = words_allowed(*grid, sizeof(T));
  made.engine = std::make_unique<PlacedTwoSided<T>>(*grid->own, setup);
  return made;
}

// Whether the call was served. Those of the second and third type always are, where they fit:
// ScaLAPACK's own hang now and then, as its P?TRMM compares variables that it has not set and
// processes choose different algorithms.
template <class T>
bool reduced(const StandardCall<T>& call) {
  if (*call.type < 1 || *call.type > 3 || !is_triangle(*call.uplo) || *call.n < 1) return false;
  const int context = call.at_a.descriptor[1];
  const std::string name = call.name();
  const std::vector<int> contexts = {context, call.at_factor.descriptor[1]};
  const bool compared = *call.type == 1;
  if (compared ? !gains(name, call.work_of(), contexts)
               : !may_serve(name, call.work_of(), 0, contexts)) {
    return false;
  }
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return false;
  static Recent<Reducer<T>> recent;
  Request request = request_of(
      name, call.work_of(),
      {static_cast<long>(call.kernel()), static_cast<long>(triangle(*call.uplo)), *call.n},
      {call.at_a, call.at_factor});
  request.compared = compared;
  request.worth_planning = !compared || recent.worth_planning(request.key, request.work);
  request.fits = are_aligned(call.at_a, call.at_factor, grid->shape) &&
                 holds(call.at_a, grid->shape, *call.n, *call.n) &&
                 holds(call.at_factor, grid->shape, *call.n, *call.n);
  if (call.has_workspace()) request.fits = grid->own->all(request.fits) && has_enough(call);
  Reducer<T>* reducer = agreed_plan(
      recent, grid, request, [&] { return planned(call, request.key, grid); },
      [](const Reducer<T>& x) {
        return x.engine->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (reducer == nullptr) return false;
  require_array(*grid->own, {call.a, reducer->at_a, context, name, 4});
  require_array(*grid->own, {call.factor, reducer->at_factor, context, name, 8});
  FactorTraffic traffic;
  reducer->engine->execute(*grid->own, call.a, call.factor,
                           workspace<T>(reducer->engine->workspace()), traffic);
  *call.scale = 1;
  *call.info = 0;
  record_served(*grid->own, {call.name(),
                             described({*call.n, *call.n}, grid->shape, reducer->engine->name()),
                             0,
                             traffic.redistribute,
                             traffic.factor,
                             {}});
  return true;
}

template <class T>
void to_standard_form(const StandardCall<T>& call) {
  if (!reduced(call)) pass_on_kept(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::to_standard_form;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_STANDARD(plain, working, T, Real)                                         \
  void plain(const int* ibtype, const char* uplo, const int* n, T* a, const int* ia,              \
             const int* ja, const int* desca, const T* b, const int* ib, const int* jb,           \
             const int* descb, Real* scale, int* info) {                                          \
    to_standard_form<T>({ibtype,                                                                  \
                         uplo,                                                                    \
                         n,                                                                       \
                         a,                                                                       \
                         {*ia, *ja, desca},                                                       \
                         b,                                                                       \
                         {*ib, *jb, descb},                                                       \
                         scale,                                                                   \
                         nullptr,                                                                 \
                         nullptr,                                                                 \
                         info});                                                                  \
  }                                                                                               \
  void working(const int* ibtype, const char* uplo, const int* n, T* a, const int* ia,            \
               const int* ja, const int* desca, const T* b, const int* ib, const int* jb,         \
               const int* descb, Real* scale, T* work, const int* lwork, int* info) {             \
    to_standard_form<T>(                                                                          \
        {ibtype, uplo, n, a, {*ia, *ja, desca}, b, {*ib, *jb, descb}, scale, work, lwork, info}); \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_STANDARD(pssygst_, pssyngst_, float, float)
REDBLUE_FORTRAN_STANDARD(pdsygst_, pdsyngst_, double, double)
REDBLUE_FORTRAN_STANDARD(pchegst_, pchengst_, std::complex<float>, float)
REDBLUE_FORTRAN_STANDARD(pzhegst_, pzhengst_, std::complex<double>, double)
}
