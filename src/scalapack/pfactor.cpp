// SPDX-License-Identifier: BSD-3-Clause
// P?POTRF and P?GETRF on block-cyclic matrices.
#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <utility>

#include "linalg/cholesky/cholesky.hpp"
#include "linalg/lu/lu.hpp"
#include "linalg/lu/pivots.hpp"
#include "redblue/error.hpp"
#include "redblue/redblue.h"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// The grid of a call that redblue may serve; none where it goes on to ScaLAPACK.
std::shared_ptr<ProcessGrid> serving_grid(const std::string& name, const Submatrix& x, int rows,
                                          int columns, double work) {
  if (rows < 1 || columns < 1) return nullptr;
  const double gains_from = takes_many_steps(x, std::min(rows, columns)) ? 0 : 268435456;
  if (!may_serve(name, work, gains_from, {x.descriptor[1]})) return nullptr;
  return process_grid(x.descriptor[1]);
}

// A factorization's plan; Engine is PlacedCholesky or PlacedLu.
template <class Engine>
struct Factorization {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic placed;
  std::unique_ptr<Engine> engine;
};

// The plan of a call; null where it goes on to ScaLAPACK. make(the matrix's layout, options): the
// engine.
template <class T, class Engine, class Make>
Factorization<Engine>* factorization_of(const std::shared_ptr<ProcessGrid>& grid,
                                        const std::string& name, double work, const Key& numbers,
                                        const Submatrix& at, int rows, int columns, Make make) {
  if (grid == nullptr) return nullptr;
  Request request = request_of(name, work, numbers, {at});
  static Recent<Factorization<Engine>> recent;
  request.fits = starts_square_block(at) && holds(at, grid->shape, rows, columns);
  FactorOptions options;
  options.memory = words_allowed(*grid, sizeof(T));
  return agreed_plan(
      recent, grid, request,
      [&] {
        BlockCyclic placed = layout_of(at, grid->shape, grid->ranks(), rows, columns);
        std::unique_ptr<Engine> engine;
        try {
          engine = make(placed, options);
        } catch (const Error&) {
          // the choice reckons with matrices spread otherwise: this one may need less
          engine = make(placed, FactorOptions{});
        }
        return Factorization<Engine>{request.key, grid, std::move(placed), std::move(engine)};
      },
      [](const Factorization<Engine>& x) {
        return x.engine->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
}

template <class T>
void ppotrf(const char* uplo, const int* n, T* a, const Submatrix& at, int* info) {
  const std::string name = routine<T>("potrf");
  const double work = static_cast<double>(*n) * *n * *n / 3;
  const auto grid = is_triangle(*uplo) ? serving_grid(name, at, *n, *n, work) : nullptr;
  using Engine = PlacedCholesky<T>;
  Factorization<Engine>* way = factorization_of<T, Engine>(
      grid, name, work, {static_cast<long>(triangle(*uplo)), *n}, at, *n, *n,
      [&](const BlockCyclic& placed, const FactorOptions& options) {
        return std::make_unique<Engine>(*grid->own, triangle(*uplo), placed, options);
      });
  if (way == nullptr) {
    using Forward = void (*)(const char*, const int*, T*, const int*, const int*, const int*, int*);
    passed_on<Forward>(name, name + "_")(uplo, n, a, &at.i, &at.j, at.descriptor, info);
    return;
  }
  require_array(*grid->own, {a, way->placed, at.descriptor[1], name, 3});
  FactorTraffic traffic;
  *info = static_cast<int>(
      way->engine->execute(*grid->own, a, workspace<T>(way->engine->workspace()), traffic));
  record_served(*grid->own, {name,
                             described({*n, *n}, grid->shape, way->engine->decomposition().name()),
                             0,
                             traffic.redistribute,
                             traffic.factor,
                             {}});
}

template <class T>
void pgetrf(const int* m, const int* n, T* a, const Submatrix& at, int* ipiv, int* info) {
  const std::string name = routine<T>("getrf");
  const std::int64_t least = std::min(*m, *n);
  const double work = static_cast<double>(*m) * *n * static_cast<double>(least);
  const auto grid = serving_grid(name, at, *m, *n, work);
  using Engine = PlacedLu<T>;
  Factorization<Engine>* way = factorization_of<T, Engine>(
      grid, name, work, {*m, *n}, at, *m, *n,
      [&](const BlockCyclic& placed, const FactorOptions& options) {
        return std::make_unique<Engine>(*grid->own, layout::arrangement(placed, grid->own->size()),
                                        options);
      });
  if (way == nullptr) {
    using Forward =
        void (*)(const int*, const int*, T*, const int*, const int*, const int*, int*, int*);
    passed_on<Forward>(name, name + "_")(m, n, a, &at.i, &at.j, at.descriptor, ipiv, info);
    return;
  }
  require_array(*grid->own, {a, way->placed, at.descriptor[1], name, 3});
  FactorTraffic traffic;
  std::vector<std::int64_t> pivots;
  *info = static_cast<int>(
      way->engine->execute(*grid->own, a, workspace<T>(way->engine->workspace()), pivots, traffic));
  local_pivots(grid->own->rank(), way->placed, pivots, ipiv);
  record_served(*grid->own, {name,
                             described({*m, *n}, grid->shape, way->engine->decomposition().name()),
                             0,
                             traffic.redistribute,
                             traffic.factor,
                             {}});
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgetrf;
using redblue::scalapack::ppotrf;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_FACTOR(letter, T)                                                    \
  void p##letter##potrf_(const char* uplo, const int* n, T* a, const int* ia, const int* ja, \
                         const int* desca, int* info) {                                      \
    ppotrf<T>(uplo, n, a, {*ia, *ja, desca}, info);                                          \
  }                                                                                          \
  void p##letter##getrf_(const int* m, const int* n, T* a, const int* ia, const int* ja,     \
                         const int* desca, int* ipiv, int* info) {                           \
    pgetrf<T>(m, n, a, {*ia, *ja, desca}, ipiv, info);                                       \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_FACTOR(s, float)
REDBLUE_FORTRAN_FACTOR(d, double)
REDBLUE_FORTRAN_FACTOR(c, std::complex<float>)
REDBLUE_FORTRAN_FACTOR(z, std::complex<double>)
}
