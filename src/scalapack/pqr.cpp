// SPDX-License-Identifier: BSD-3-Clause
// P?GEQRF, P?ORGQR and P?UNGQR, P?ORMQR and P?UNMQR (from the left) on block-cyclic matrices.
// ScaLAPACK's P?GELS calls these, P?TRSM and P?TRTRS by name, and so comes here, too.
//
// Questions for a workspace's size, wrong arguments, and what is not served go on to ScaLAPACK.
#include <algorithm>
#include <cctype>
#include <complex>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "linalg/qr/placed.hpp"
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

// The caller's workspace, which redblue has no use for but to check it as ScaLAPACK does.
template <class T>
struct Work {
  T* words;
  const int* size;
  int* info;
  void done(std::int64_t least) const {
    words[0] = T(static_cast<decltype(std::real(T{}))>(least));
    *info = 0;
  }
};

// Rows and columns of a matrix that starts with a whole block, on this process.
struct LocalSize {
  std::int64_t rows, columns;
};
LocalSize local_size(const Submatrix& x, const GridShape& grid, std::int64_t rows,
                     std::int64_t columns) {
  const Descriptor d = descriptor(x.descriptor);
  const auto count = [](std::int64_t first, std::int64_t extent, std::int64_t block, int source,
                        int processes, int me) {
    const Cyclic whole = {block, source, processes, block};
    return Cyclic{block, whole.owner(first), processes, block}.count(extent + first % block, me);
  };
  return {count(x.i - 1, rows, d.row_block, d.row_source, grid.rows, grid.my_row),
          count(x.j - 1, columns, d.column_block, d.column_source, grid.columns, grid.my_column)};
}

bool is_plain(const Submatrix& x) {
  const Descriptor d = descriptor(x.descriptor);
  return d.type == 1 && d.row_block >= 1 && d.column_block >= 1;
}

// Words that P?GEQRF and P?ORGQR ask for.
std::int64_t words_asked(const Submatrix& x, const GridShape& grid, int rows, int columns) {
  const LocalSize s = local_size(x, grid, rows, columns);
  const std::int64_t block = descriptor(x.descriptor).column_block;
  return block * (s.rows + s.columns + block);
}

// Whether a call of so many multiplications is large enough to be served.
bool is_large(double work) {
  constexpr double gains_from = 4194304;
  return work >= least_work(gains_from);
}

// The first i numbers tau of a submatrix, those of columns that this process has; zeros else.
template <class T>
std::vector<T> whole_tau(const BlockCyclic& placed, const GridShape& grid, const T* local,
                         std::int64_t count) {
  std::vector<T> tau(static_cast<std::size_t>(count));
  for (std::int64_t j = 0; j < count; ++j) {
    const std::int64_t column = placed.first_column + j;
    if (placed.across.owner(column) != grid.my_column) continue;
    tau[static_cast<std::size_t>(j)] = local[placed.across.local(column)];
  }
  return tau;
}

template <class T>
struct Orthogonal {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic placed;
  std::unique_ptr<PlacedQr<T>> engine;
};

template <class T>
void record(const std::string& name, const Orthogonal<T>& way, const std::vector<int>& sizes,
            const FactorTraffic& traffic) {
  record_served(*way.grid->own,
                {name, described(sizes, way.grid->shape, way.engine->decomposition().name()), 0,
                 traffic.redistribute, traffic.factor, {}});
}

template <class T>
using ForwardFactor = void (*)(const int*, const int*, T*, const int*, const int*, const int*, T*,
                               T*, const int*, int*);

template <class T>
void pgeqrf(const int* m, const int* n, T* a, const Submatrix& at, T* tau, const Work<T>& work) {
  const std::string name = routine<T>("geqrf");
  const double multiplications =
      static_cast<double>(*m) * *n * static_cast<double>(std::min(*m, *n));
  std::shared_ptr<ProcessGrid> grid;
  if (*m >= 1 && *n >= 1 && is_large(multiplications)) grid = process_grid(at.descriptor[1]);
  std::int64_t least = 0;
  const auto fits = [&] {
    if (!is_plain(at) || !holds(at, grid->shape, *m, *n)) return false;
    least = words_asked(at, grid->shape, *m, *n);
    return *work.size >= least;
  };
  if (grid == nullptr || !grid->own->all(fits())) {
    passed_on<ForwardFactor<T>>(name, name + "_")(m, n, a, &at.i, &at.j, at.descriptor, tau,
                                                  work.words, work.size, work.info);
    return;
  }
  static Recent<Orthogonal<T>> recent;
  const Key key = key_of({*m, *n}, {at});
  Orthogonal<T>& way = recent.find(key, grid, [&] {
    BlockCyclic placed = layout_of(at, grid->shape, grid->ranks(), *m, *n);
    auto engine = std::make_unique<PlacedQr<T>>(*grid->own, placed, FactorOptions{});
    return Orthogonal<T>{key, grid, std::move(placed), std::move(engine)};
  });
  require_array(*grid->own, {a, way.placed, at.descriptor[1], name, 3});
  FactorTraffic traffic;
  std::vector<T> all;
  way.engine->execute(*grid->own, a, workspace<T>(way.engine->workspace()), all, traffic);
  const Cyclic& across = way.placed.across;
  for (std::size_t j = 0; j < all.size(); ++j) {
    const std::int64_t column = way.placed.first_column + static_cast<std::int64_t>(j);
    if (across.owner(column) == grid->shape.my_column) tau[across.local(column)] = all[j];
  }
  work.done(least);
  record(name, way, {*m, *n}, traffic);
}

// Whether panels in place are wide enough for the BLAS, or all calls are to be served.
bool has_wide_blocks(const Submatrix& x, int reflectors) {
  constexpr int narrow = 16;
  return descriptor(x.descriptor).column_block >= std::min(narrow, reflectors) ||
         least_work(1) == 0;
}

template <class T>
using ForwardForm = void (*)(const int*, const int*, const int*, T*, const int*, const int*,
                             const int*, const T*, T*, const int*, int*);

template <class T>
void porgqr(const char* suffix, const int* m, const int* n, const int* k, T* a, const Submatrix& at,
            const T* tau, const Work<T>& work) {
  const std::string name = routine<T>(suffix);
  const double multiplications = static_cast<double>(*m) * *n * *k;
  std::shared_ptr<ProcessGrid> grid;
  if (*k >= 1 && *n >= *k && *m >= *n && is_large(multiplications)) {
    grid = process_grid(at.descriptor[1]);
  }
  std::int64_t least = 0;
  const auto fits = [&] {
    if (!is_plain(at) || !holds(at, grid->shape, *m, *n)) return false;
    least = words_asked(at, grid->shape, *m, *n);
    return *work.size >= least && has_wide_blocks(at, *k);
  };
  if (grid == nullptr || !grid->own->all(fits())) {
    passed_on<ForwardForm<T>>(name, name + "_")(m, n, k, a, &at.i, &at.j, at.descriptor, tau,
                                                work.words, work.size, work.info);
    return;
  }
  static Recent<Orthogonal<T>> recent;
  const Key key = key_of({*m, *n, *k}, {at});
  Orthogonal<T>& way = recent.find(key, grid, [&] {
    BlockCyclic placed = layout_of(at, grid->shape, grid->ranks(), *m, *n);
    auto engine = std::make_unique<PlacedQr<T>>(*grid->own, placed, *k,
                                                typename PlacedQr<T>::InPlace{});
    return Orthogonal<T>{key, grid, std::move(placed), std::move(engine)};
  });
  require_array(*grid->own, {a, way.placed, at.descriptor[1], name, 4});
  FactorTraffic traffic;
  way.engine->form(*grid->own, a, whole_tau(way.placed, grid->shape, tau, *k),
                   workspace<T>(way.engine->workspace()), traffic);
  work.done(least);
  record(name, way, {*m, *n, *k}, traffic);
}

// A call of P?ORMQR: op(Q) C or C op(Q), C of rows x columns.
template <class T>
struct Application {
  const char *side, *trans;
  const int *rows, *columns, *reflectors;
  const T* a;
  Submatrix at_a;
  const T* tau;
  T* c;
  Submatrix at_c;
};

bool is(char c, char letter) {
  return std::toupper(static_cast<unsigned char>(c)) == letter;
}

// Whether Q's rows are where C's are, as P?ORMQR demands.
template <class T>
bool is_aligned(const Application<T>& x, const GridShape& grid) {
  const Descriptor a = descriptor(x.at_a.descriptor);
  const Descriptor c = descriptor(x.at_c.descriptor);
  if (a.row_block != c.row_block || (x.at_a.i - x.at_c.i) % a.row_block != 0) return false;
  const auto owner = [&](const Descriptor& d, int i) {
    return Cyclic{d.row_block, d.row_source, grid.rows, d.row_block}.owner(i - 1);
  };
  return a.context == c.context && owner(a, x.at_a.i) == owner(c, x.at_c.i);
}

// Words that P?ORMQR from the left asks for.
template <class T>
std::int64_t words_asked(const Application<T>& x, const GridShape& grid) {
  const LocalSize s = local_size(x.at_c, grid, *x.rows, *x.columns);
  const std::int64_t block = descriptor(x.at_a.descriptor).column_block;
  return std::max(block * (block - 1) / 2, (s.rows + s.columns) * block) + block * block;
}

template <class T>
using ForwardApply = void (*)(const char*, const char*, const int*, const int*, const int*,
                              const T*, const int*, const int*, const int*, const T*, T*,
                              const int*, const int*, const int*, T*, const int*, int*);

template <class T>
void pormqr(const char* suffix, const Application<T>& x, const Work<T>& work) {
  const std::string name = routine<T>(suffix);
  const char adjoint = std::is_floating_point_v<T> ? 'T' : 'C';
  const int m = *x.rows;
  const int n = *x.columns;
  const int k = *x.reflectors;
  std::shared_ptr<ProcessGrid> grid;
  if (is(*x.side, 'L') && (is(*x.trans, 'N') || is(*x.trans, adjoint)) && n >= 1 && k >= 1 &&
      m >= k && is_large(static_cast<double>(m) * n * k)) {
    grid = process_grid(x.at_a.descriptor[1]);
  }
  std::int64_t least = 0;
  const auto fits = [&] {
    if (!is_plain(x.at_a) || !is_plain(x.at_c)) return false;
    if (!holds(x.at_a, grid->shape, m, k) || !holds(x.at_c, grid->shape, m, n)) return false;
    if (!is_aligned(x, grid->shape)) return false;
    least = words_asked(x, grid->shape);
    return *work.size >= least && has_wide_blocks(x.at_a, k);
  };
  if (grid == nullptr || !grid->own->all(fits())) {
    passed_on<ForwardApply<T>>(name, name + "_")(
        x.side, x.trans, x.rows, x.columns, x.reflectors, x.a, &x.at_a.i, &x.at_a.j,
        x.at_a.descriptor, x.tau, x.c, &x.at_c.i, &x.at_c.j, x.at_c.descriptor, work.words,
        work.size, work.info);
    return;
  }
  static Recent<Orthogonal<T>> recent;
  const Key key = key_of({m, k}, {x.at_a});
  Orthogonal<T>& way = recent.find(key, grid, [&] {
    BlockCyclic placed = layout_of(x.at_a, grid->shape, grid->ranks(), m, k);
    auto engine =
        std::make_unique<PlacedQr<T>>(*grid->own, placed, k, typename PlacedQr<T>::InPlace{});
    return Orthogonal<T>{key, grid, std::move(placed), std::move(engine)};
  });
  const BlockCyclic at_c = layout_of(x.at_c, grid->shape, grid->ranks(), m, n);
  require_array(*grid->own, {x.a, way.placed, x.at_a.descriptor[1], name, 6});
  require_array(*grid->own, {x.c, at_c, x.at_c.descriptor[1], name, 11});
  FactorTraffic traffic;
  way.engine->apply_here(*grid->own, !is(*x.trans, 'N'), x.a,
                         whole_tau(way.placed, grid->shape, x.tau, k), at_c, x.c,
                         workspace<T>(way.engine->workspace_here(at_c)), traffic);
  work.done(least);
  record(name, way, {m, n, k}, traffic);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgeqrf;
using redblue::scalapack::porgqr;
using redblue::scalapack::pormqr;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_QR(letter, form, apply, T)                                                \
  void p##letter##geqrf_(const int* m, const int* n, T* a, const int* ia, const int* ja,          \
                         const int* desca, T* tau, T* work, const int* lwork, int* info) {        \
    pgeqrf<T>(m, n, a, {*ia, *ja, desca}, tau, {work, lwork, info});                              \
  }                                                                                               \
  void p##letter##form##_(const int* m, const int* n, const int* k, T* a, const int* ia,          \
                          const int* ja, const int* desca, const T* tau, T* work,                 \
                          const int* lwork, int* info) {                                          \
    porgqr<T>(#form, m, n, k, a, {*ia, *ja, desca}, tau, {work, lwork, info});                    \
  }                                                                                               \
  void p##letter##apply##_(const char* side, const char* trans, const int* m, const int* n,       \
                           const int* k, const T* a, const int* ia, const int* ja,                \
                           const int* desca, const T* tau, T* c, const int* ic, const int* jc,    \
                           const int* descc, T* work, const int* lwork, int* info) {              \
    pormqr<T>(#apply, {side, trans, m, n, k, a, {*ia, *ja, desca}, tau, c, {*ic, *jc, descc}},    \
              {work, lwork, info});                                                               \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_QR(s, orgqr, ormqr, float)
REDBLUE_FORTRAN_QR(d, orgqr, ormqr, double)
REDBLUE_FORTRAN_QR(c, ungqr, unmqr, std::complex<float>)
REDBLUE_FORTRAN_QR(z, ungqr, unmqr, std::complex<double>)
}
