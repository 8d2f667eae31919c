// SPDX-License-Identifier: BSD-3-Clause
// P?TRTRI, P?LAUUM, P?POTRI and P?GETRI on block-cyclic matrices.
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linalg/inverse/placed_inverse.hpp"
#include "linalg/lu/pivots.hpp"
#include "loader/symbols.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/inverse/scratch.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"
#include "scalapack/solver.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// A call as all processes see it but for the array.
template <class T>
struct InverseCall {
  std::string routine;
  InverseKernel kernel;
  char uplo;
  bool unit;
  int n;
  T* a;
  Submatrix at;
  int position;  // of the array among the arguments

  double work() const {
    const double triangle = static_cast<double>(n) * n * n / 6;
    if (kernel == InverseKernel::lu) return 4 * triangle;
    return kernel == InverseKernel::cholesky ? 2 * triangle : triangle;
  }
};

template <class T>
struct Inverter {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic placed;
  std::unique_ptr<PlacedInverse<T>> engine;
};

template <class T>
Inverter<T> planned(const InverseCall<T>& call, bool upper, const Key& key,
                    const std::shared_ptr<ProcessGrid>& grid) {
  Inverter<T> made{key, grid, layout_of(call.at, grid->shape, grid->ranks(), call.n, call.n),
                   nullptr};
  InverseSetup setup{call.kernel, upper ? Triangle::upper : Triangle::lower, call.unit, made.placed,
                     FactorOptions{}};
  setup.options.memory = words_allowed(*grid, sizeof(T));
  made.engine = std::make_unique<PlacedInverse<T>>(*grid->own, setup);
  return made;
}

// The plan of a call all its processes want served; null where it goes on to ScaLAPACK. enough():
// whether this process has the workspace that ScaLAPACK wants; asked where all else fits.
template <class T, class Enough>
Inverter<T>* inverter_of(const InverseCall<T>& call, Enough enough) {
  if (call.n < 1 || !gains(call.routine, call.work(), {call.at.descriptor[1]})) return nullptr;
  const std::shared_ptr<ProcessGrid> grid = process_grid(call.at.descriptor[1]);
  if (grid == nullptr) return nullptr;
  static Recent<Inverter<T>> recent;
  const bool upper = is_triangle(call.uplo) && triangle(call.uplo) == Triangle::upper;
  Request request = request_of(
      call.routine, call.work(),
      {static_cast<long>(call.kernel), upper ? 1 : 0, call.unit ? 1 : 0, call.n}, {call.at});
  request.worth_planning = recent.worth_planning(request.key, request.work);
  request.fits = starts_square_block(call.at) && holds(call.at, grid->shape, call.n, call.n);
  if (call.kernel == InverseKernel::lu) {
    request.fits = grid->own->all(request.fits) && enough();
  }
  Inverter<T>* inverter = agreed_plan(
      recent, grid, request, [&] { return planned(call, upper, request.key, grid); },
      [](const Inverter<T>& x) {
        return x.engine->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (inverter == nullptr) return nullptr;
  require_array(*grid->own,
                {call.a, inverter->placed, call.at.descriptor[1], call.routine, call.position});
  return inverter;
}

// ScaLAPACK's info.
template <class T>
int execute(const InverseCall<T>& call, Inverter<T>& inverter,
            const std::vector<std::int64_t>* pivots) {
  FactorTraffic traffic;
  comm::Communicator& communicator = *inverter.grid->own;
  PlacedInverse<T>& engine = *inverter.engine;
  const std::int64_t info =
      engine.execute(communicator, call.a, pivots, workspace<T>(engine.workspace()), traffic);
  record_served(communicator, {call.routine,
                               described({call.n, call.n}, inverter.grid->shape, engine.name()),
                               0,
                               traffic.redistribute,
                               traffic.factor,
                               {}});
  return static_cast<int>(info);
}

constexpr auto always = [] { return true; };

template <class T>
void ptrtri(const char* uplo, const char* diag, const int* n, T* a, const Submatrix& at,
            int* info) {
  const InverseCall<T> call = {
      routine<T>("trtri"), InverseKernel::triangle, *uplo, is_one_of(*diag, "U"), *n, a, at, 4};
  const bool valid = is_triangle(*uplo) && is_one_of(*diag, "UN");
  Inverter<T>* inverter = valid ? inverter_of(call, always) : nullptr;
  if (inverter != nullptr) {
    *info = execute(call, *inverter, nullptr);
    return;
  }
  using Forward =
      void (*)(const char*, const char*, const int*, T*, const int*, const int*, const int*, int*);
  passed_on<Forward>(call.routine, call.routine + "_")(uplo, diag, n, a, &at.i, &at.j,
                                                       at.descriptor, info);
}

template <class T>
void plauum(const char* uplo, const int* n, T* a, const Submatrix& at) {
  const InverseCall<T> call = {
      routine<T>("lauum"), InverseKernel::square, *uplo, false, *n, a, at, 3};
  Inverter<T>* inverter = is_triangle(*uplo) ? inverter_of(call, always) : nullptr;
  if (inverter != nullptr) {
    execute(call, *inverter, nullptr);
    return;
  }
  using Forward = void (*)(const char*, const int*, T*, const int*, const int*, const int*);
  passed_on<Forward>(call.routine, call.routine + "_")(uplo, n, a, &at.i, &at.j, at.descriptor);
}

template <class T>
void ppotri(const char* uplo, const int* n, T* a, const Submatrix& at, int* info) {
  const InverseCall<T> call = {
      routine<T>("potri"), InverseKernel::cholesky, *uplo, false, *n, a, at, 3};
  Inverter<T>* inverter = is_triangle(*uplo) ? inverter_of(call, always) : nullptr;
  if (inverter != nullptr) {
    *info = execute(call, *inverter, nullptr);
    return;
  }
  using Forward = void (*)(const char*, const int*, T*, const int*, const int*, const int*, int*);
  passed_on<Forward>(call.routine, call.routine + "_")(uplo, n, a, &at.i, &at.j, at.descriptor,
                                                       info);
}

template <class T>
using Pgetri = void (*)(const int*, T*, const int*, const int*, const int*, const int*, T*,
                        const int*, int*, const int*, int*);

// The sizes of scratch that ScaLAPACK wants.
template <class T>
ScratchSizes<T, int> sizes_of(const int* n, const Submatrix& at) {
  ScratchSizes<T, int> sizes;
  const std::string symbol = routine<T>("getri") + "_";
  const auto ask = reinterpret_cast<Pgetri<T>>(loader::next_symbol(symbol.c_str()));
  if (ask == nullptr) return sizes;
  const int question = -1;
  int pivots = 0;
  T unread{};
  ask(n, &unread, &at.i, &at.j, at.descriptor, &pivots, &sizes.work, &question, &sizes.second,
      &question, &sizes.info);
  return sizes;
}

template <class T>
void pgetri(const int* n, T* a, const Submatrix& at, const int* pivots,
            const Scratch<T, int>& scratch, int* info) {
  const InverseCall<T> call = {routine<T>("getri"), InverseKernel::lu, 'U', false, *n, a, at, 2};
  ScratchSizes<T, int> sizes;
  Inverter<T>* inverter = scratch.asks() ? nullptr : inverter_of(call, [&] {
    sizes = sizes_of<T>(n, at);
    return sizes.suffices(scratch);
  });
  if (inverter != nullptr) {
    const std::vector<std::int64_t> whole =
        whole_pivots(*inverter->grid->own, inverter->placed, pivots);
    *info = execute(call, *inverter, &whole);
    sizes.leave_in(scratch);
    return;
  }
  passed_on<Pgetri<T>>(call.routine, call.routine + "_")(n, a, &at.i, &at.j, at.descriptor, pivots,
                                                         scratch.work, scratch.work_size,
                                                         scratch.second, scratch.second_size, info);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgetri;
using redblue::scalapack::plauum;
using redblue::scalapack::ppotri;
using redblue::scalapack::ptrtri;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_INVERSES(letter, T)                                                     \
  void p##letter##trtri_(const char* uplo, const char* diag, const int* n, T* a, const int* ia, \
                         const int* ja, const int* desca, int* info) {                          \
    ptrtri<T>(uplo, diag, n, a, {*ia, *ja, desca}, info);                                       \
  }                                                                                             \
  void p##letter##lauum_(const char* uplo, const int* n, T* a, const int* ia, const int* ja,    \
                         const int* desca) {                                                    \
    plauum<T>(uplo, n, a, {*ia, *ja, desca});                                                   \
  }                                                                                             \
  void p##letter##potri_(const char* uplo, const int* n, T* a, const int* ia, const int* ja,    \
                         const int* desca, int* info) {                                         \
    ppotri<T>(uplo, n, a, {*ia, *ja, desca}, info);                                             \
  }                                                                                             \
  void p##letter##getri_(const int* n, T* a, const int* ia, const int* ja, const int* desca,    \
                         const int* ipiv, T* work, const int* lwork, int* iwork,                \
                         const int* liwork, int* info) {                                        \
    pgetri<T>(n, a, {*ia, *ja, desca}, ipiv, {work, lwork, iwork, liwork}, info);               \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_INVERSES(s, float)
REDBLUE_FORTRAN_INVERSES(d, double)
REDBLUE_FORTRAN_INVERSES(c, std::complex<float>)
REDBLUE_FORTRAN_INVERSES(z, std::complex<double>)
}
