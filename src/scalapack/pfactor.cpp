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
#include "redblue/redblue.h"
#include "scalapack/blacs.hpp"
#include "scalapack/descriptor.hpp"
#include "scalapack/element.hpp"
#include "scalapack/move.hpp"
#include "scalapack/recent.hpp"
#include "scalapack/report.hpp"
#include "scalapack/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// What ScaLAPACK's factorizations demand: square blocks, and a submatrix that starts with one.
bool is_aligned(const Submatrix& x) {
  const Descriptor d = descriptor(x.descriptor);
  if (d.type != 1 || d.row_block != d.column_block || d.row_block < 1) return false;
  return (x.i - 1) % d.row_block == 0 && (x.j - 1) % d.column_block == 0;
}

// The grid of a call all its processes want served; none where the call goes on to ScaLAPACK.
std::shared_ptr<ProcessGrid> serving_grid(const Submatrix& x, int rows, int columns, double work) {
  constexpr double gains_from = 268435456;
  if (rows < 1 || columns < 1 || work < least_work(gains_from)) return nullptr;
  std::shared_ptr<ProcessGrid> grid = process_grid(x.descriptor[1]);
  if (grid == nullptr) return nullptr;
  if (!grid->own->all(is_aligned(x) && holds(x, grid->shape, rows, columns))) return nullptr;
  return grid;
}

// A factorization's plan; Engine is PlacedCholesky or PlacedLu.
template <class Engine>
struct Factorization {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic placed;
  std::unique_ptr<Engine> engine;
};

template <class T>
void ppotrf(const char* uplo, const int* n, T* a, const Submatrix& at, int* info) {
  const std::string name = routine<T>("potrf");
  const double work = static_cast<double>(*n) * *n * *n / 3;
  const auto grid = is_triangle(*uplo) ? serving_grid(at, *n, *n, work) : nullptr;
  if (grid == nullptr) {
    using Forward = void (*)(const char*, const int*, T*, const int*, const int*, const int*, int*);
    passed_on<Forward>(name, name + "_")(uplo, n, a, &at.i, &at.j, at.descriptor, info);
    return;
  }
  using Way = Factorization<PlacedCholesky<T>>;
  static Recent<Way> recent;
  const Key key = key_of({static_cast<long>(triangle(*uplo)), *n}, {at});
  Way& way = recent.find(key, grid, [&] {
    BlockCyclic placed = layout_of(at, grid->shape, grid->ranks(), *n, *n);
    auto engine = std::make_unique<PlacedCholesky<T>>(
        *grid->own, triangle(*uplo), layout::arrangement(placed, grid->own->size()),
        FactorOptions{});
    return Way{key, grid, std::move(placed), std::move(engine)};
  });
  require_array(*grid->own, {a, way.placed, at.descriptor[1], name, 3});
  FactorTraffic traffic;
  *info = static_cast<int>(
      way.engine->execute(*grid->own, a, workspace<T>(way.engine->workspace()), traffic));
  record_served(*grid->own, {name,
                             described({*n, *n}, grid->shape, way.engine->decomposition().name()),
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
  const auto grid = serving_grid(at, *m, *n, work);
  if (grid == nullptr) {
    using Forward =
        void (*)(const int*, const int*, T*, const int*, const int*, const int*, int*, int*);
    passed_on<Forward>(name, name + "_")(m, n, a, &at.i, &at.j, at.descriptor, ipiv, info);
    return;
  }
  using Way = Factorization<PlacedLu<T>>;
  static Recent<Way> recent;
  const Key key = key_of({*m, *n}, {at});
  Way& way = recent.find(key, grid, [&] {
    BlockCyclic placed = layout_of(at, grid->shape, grid->ranks(), *m, *n);
    auto engine = std::make_unique<PlacedLu<T>>(
        *grid->own, layout::arrangement(placed, grid->own->size()), FactorOptions{});
    return Way{key, grid, std::move(placed), std::move(engine)};
  });
  require_array(*grid->own, {a, way.placed, at.descriptor[1], name, 3});
  FactorTraffic traffic;
  std::vector<std::int64_t> pivots;
  *info = static_cast<int>(
      way.engine->execute(*grid->own, a, workspace<T>(way.engine->workspace()), pivots, traffic));
  local_pivots(grid->own->rank(), way.placed, pivots, ipiv);
  record_served(*grid->own, {name,
                             described({*m, *n}, grid->shape, way.engine->decomposition().name()),
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
