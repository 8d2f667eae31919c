// SPDX-License-Identifier: BSD-3-Clause
// P?POCON and P?GECON on block-cyclic matrices.
#include <cmath>
#include <complex>
#include <memory>
#include <string>
#include <utility>

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
#include "scalapack/solver.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// A call of either routine, as ScaLAPACK passes arguments.
template <class T>
struct ConditionCall {
  bool definite;
  const char* letter;  // UPLO or NORM
  const int* n;
  const T* a;
  Submatrix at;
  const Real<T>* norm;
  Real<T>* result;
  Scratch<T, Second<T>> scratch;
  int* info;

  std::string name() const { return routine<T>(definite ? "pocon" : "gecon"); }
};

template <class T>
void forward_to(void* routine, const ConditionCall<T>& c) {
  using Function = void (*)(const char*, const int*, const T*, const int*, const int*, const int*,
                            const Real<T>*, Real<T>*, T*, const int*, Second<T>*, const int*, int*);
  reinterpret_cast<Function>(routine)(c.letter, c.n, c.a, &c.at.i, &c.at.j, c.at.descriptor, c.norm,
                                      c.result, c.scratch.work, c.scratch.work_size,
                                      c.scratch.second, c.scratch.second_size, c.info);
}

template <class T>
struct Estimator {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  std::unique_ptr<FactoredSolves<T>> solves;
};

// Whether the call was served.
template <class T>
bool estimated(const ConditionCall<T>& call) {
  const bool valid = call.definite ? is_triangle(*call.letter) : is_one_of(*call.letter, "1OI");
  if (!valid || *call.n < 2 || !(*call.norm > 0) || call.scratch.asks()) return false;
  const double work = static_cast<double>(*call.n) * *call.n;
  const int context = call.at.descriptor[1];
  if (!may_serve(call.name(), work, 0, {context})) return false;
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return false;
  if (!grid->own->all(starts_square_block(call.at) &&
                      holds(call.at, grid->shape, *call.n, *call.n))) {
    return false;
  }
  const ScratchSizes<T, Second<T>> sizes = sizes_of<T>(call);
  if (!grid->own->all(sizes.suffices(call.scratch))) return false;
  static Recent<Estimator<T>> recent;
  const Key key = key_of({call.definite ? 1 : 0,
                          call.definite ? static_cast<long>(triangle(*call.letter)) : 0, *call.n},
                         {call.at});
  Estimator<T>* estimator = uncompared_plan(
      recent, grid, key,
      [&] {
        const FactoredLayouts layouts{
            call.definite, call.definite ? triangle(*call.letter) : Triangle::lower, Op::none,
            layout_of(call.at, grid->shape, grid->ranks(), *call.n, *call.n)};
        return Estimator<T>{key, grid, std::make_unique<FactoredSolves<T>>(*grid->own, layouts, 1)};
      },
      [](const Estimator<T>& x) {
        return x.solves->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (estimator == nullptr) return false;
  Traffic traffic;
  const bool rows = !call.definite && is_one_of(*call.letter, "I");
  *call.result = static_cast<Real<T>>(
      reciprocal_condition(*grid->own, *estimator->solves, rows, static_cast<double>(*call.norm),
                           call.a, workspace<T>(estimator->solves->workspace()), traffic));
  sizes.leave_in(call.scratch);
  *call.info = 0;
  record_served(*grid->own, {call.name(),
                             described({*call.n, *call.n}, grid->shape, "vectors by rows"),
                             0,
                             {},
                             traffic,
                             {}});
  return true;
}

template <class T>
void condition(const ConditionCall<T>& call) {
  if (!estimated(call)) pass_on_kept(call);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::condition;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_CONDITION(name, definite, T, Real, Second)                       \
  void name(const char* letter, const int* n, const T* a, const int* ia, const int* ja,  \
            const int* desca, const Real* anorm, Real* rcond, T* work, const int* lwork, \
            Second* iwork, const int* liwork, int* info) {                               \
    condition<T>({definite,                                                              \
                  letter,                                                                \
                  n,                                                                     \
                  a,                                                                     \
                  {*ia, *ja, desca},                                                     \
                  anorm,                                                                 \
                  rcond,                                                                 \
                  {work, lwork, iwork, liwork},                                          \
                  info});                                                                \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_CONDITION(pspocon_, true, float, float, int)
REDBLUE_FORTRAN_CONDITION(pdpocon_, true, double, double, int)
REDBLUE_FORTRAN_CONDITION(pcpocon_, true, std::complex<float>, float, float)
REDBLUE_FORTRAN_CONDITION(pzpocon_, true, std::complex<double>, double, double)
REDBLUE_FORTRAN_CONDITION(psgecon_, false, float, float, int)
REDBLUE_FORTRAN_CONDITION(pdgecon_, false, double, double, int)
REDBLUE_FORTRAN_CONDITION(pcgecon_, false, std::complex<float>, float, float)
REDBLUE_FORTRAN_CONDITION(pzgecon_, false, std::complex<double>, double, double)
}
