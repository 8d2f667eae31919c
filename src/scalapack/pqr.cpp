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

// The grid of a call that redblue may serve; none where it goes on to ScaLAPACK.
std::shared_ptr<ProcessGrid> serving_grid(const std::string& name, double work, int context) {
  constexpr double gains_from = 4194304;
  return may_serve(name, work, gains_from, {context}) ? process_grid(context) : nullptr;
}

// The first i numbers tau of a submatrix, those of columns that this process has; zeros else.
template <class T>
std::vector<T> own_tau(const BlockCyclic& placed, const GridShape& grid, const T* local,
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
  std::int64_t words;  // of workspace
};

// The plan of a call; null where it goes on to ScaLAPACK. make(A's layout): the engine.
// words(engine): the workspace it needs.
template <class T, class Make, class Need>
Orthogonal<T>* orthogonal_of(Recent<Orthogonal<T>>& recent,
                             const std::shared_ptr<ProcessGrid>& grid, const Request& request,
                             const BlockCyclic& placed, Make make, Need words) {
  return agreed_plan(
      recent, grid, request,
      [&] {
        std::unique_ptr<PlacedQr<T>> engine = make(placed);
        const std::int64_t needed = words(*engine);
        return Orthogonal<T>{request.key, grid, placed, std::move(engine), needed};
      },
      [](const Orthogonal<T>& x) { return x.words * static_cast<std::int64_t>(sizeof(T)); });
}

template <class T>
void record(const std::string& name, const Orthogonal<T>& way, const std::vector<int>& sizes,
            const FactorTraffic& traffic) {
  record_served(*way.grid->own,
                {name,
                 described(sizes, way.grid->shape, way.engine->decomposition().name()),
                 0,
                 traffic.redistribute,
                 traffic.factor,
                 {}});
}

// A matrix that this process stores as it must, and the workspace that ScaLAPACK asks for.
template <class T>
struct FactorCall {
  std::string name;
  const int *rows, *columns;
  Submatrix at;
  Work<T> work;
  std::int64_t least = 0;

  bool fits(const GridShape& grid) {
    if (!is_plain(at) || !holds(at, grid, *rows, *columns)) return false;
    least = words_asked(at, grid, *rows, *columns);
    return *work.size >= least;
  }
  BlockCyclic placed(const ProcessGrid& grid) const {
    return layout_of(at, grid.shape, grid.ranks(), *rows, *columns);
  }
};

// The plan of P?GEQRF.
template <class T>
Orthogonal<T>* factorization_of(FactorCall<T>& call) {
  const int m = *call.rows;
  const int n = *call.columns;
  const double work = static_cast<double>(m) * n * static_cast<double>(std::min(m, n));
  if (m < 1 || n < 1) return nullptr;
  const auto grid = serving_grid(call.name, work, call.at.descriptor[1]);
  if (grid == nullptr) return nullptr;
  Request request = request_of(call.name, work, {m, n}, {call.at});
  request.fits = call.fits(grid->shape);
  static Recent<Orthogonal<T>> recent;
  return orthogonal_of(
      recent, grid, request, call.placed(*grid),
      [&](const BlockCyclic& placed) {
        FactorOptions options;
        options.memory = words_allowed(*grid, sizeof(T));
        return std::make_unique<PlacedQr<T>>(*grid->own, placed, options);
      },
      [](const PlacedQr<T>& engine) { return engine.workspace(); });
}

template <class T>
using ForwardFactor = void (*)(const int*, const int*, T*, const int*, const int*, const int*, T*,
                               T*, const int*, int*);

template <class T>
void pgeqrf(const int* m, const int* n, T* a, const Submatrix& at, T* tau, const Work<T>& work) {
  FactorCall<T> call = {routine<T>("geqrf"), m, n, at, work};
  Orthogonal<T>* way = factorization_of(call);
  if (way == nullptr) {
    passed_on<ForwardFactor<T>>(call.name, call.name + "_")(m, n, a, &at.i, &at.j, at.descriptor,
                                                            tau, work.words, work.size, work.info);
    return;
  }
  ProcessGrid& grid = *way->grid;
  require_array(*grid.own, {a, way->placed, at.descriptor[1], call.name, 3});
  FactorTraffic traffic;
  std::vector<T> all;
  way->engine->execute(*grid.own, a, workspace<T>(way->words), all, traffic);
  const Cyclic& across = way->placed.across;
  for (std::size_t j = 0; j < all.size(); ++j) {
    const std::int64_t column = way->placed.first_column + static_cast<std::int64_t>(j);
    if (across.owner(column) == grid.shape.my_column) tau[across.local(column)] = all[j];
  }
  work.done(call.least);
  record(call.name, *way, {*m, *n}, traffic);
}

// Whether panels in place are wide enough for the BLAS, or all calls are to be served.
bool has_wide_blocks(const Submatrix& x, int reflectors) {
  constexpr int narrow = 16;
  return descriptor(x.descriptor).column_block >= std::min(narrow, reflectors) ||
         least_work(1) == 0;
}

// The plan of P?ORGQR.
template <class T>
Orthogonal<T>* formation_of(FactorCall<T>& call, int k) {
  const int m = *call.rows;
  const int n = *call.columns;
  if (k < 1 || n < k || m < n) return nullptr;
  const double work = static_cast<double>(m) * n * k;
  const auto grid = serving_grid(call.name, work, call.at.descriptor[1]);
  if (grid == nullptr) return nullptr;
  Request request = request_of(call.name, work, {m, n, k}, {call.at});
  request.fits = call.fits(grid->shape) && has_wide_blocks(call.at, k);
  static Recent<Orthogonal<T>> recent;
  return orthogonal_of(
      recent, grid, request, call.placed(*grid),
      [&](const BlockCyclic& placed) {
        return std::make_unique<PlacedQr<T>>(*grid->own, placed, k,
                                             typename PlacedQr<T>::InPlace{});
      },
      [](const PlacedQr<T>& engine) { return engine.workspace(); });
}

template <class T>
using ForwardForm = void (*)(const int*, const int*, const int*, T*, const int*, const int*,
                             const int*, const T*, T*, const int*, int*);

template <class T>
void porgqr(const char* suffix, const int* m, const int* n, const int* k, T* a, const Submatrix& at,
            const T* tau, const Work<T>& work) {
  FactorCall<T> call = {routine<T>(suffix), m, n, at, work};
  Orthogonal<T>* way = formation_of(call, *k);
  if (way == nullptr) {
    passed_on<ForwardForm<T>>(call.name, call.name + "_")(m, n, k, a, &at.i, &at.j, at.descriptor,
                                                          tau, work.words, work.size, work.info);
    return;
  }
  ProcessGrid& grid = *way->grid;
  require_array(*grid.own, {a, way->placed, at.descriptor[1], call.name, 4});
  FactorTraffic traffic;
  way->engine->form(*grid.own, a, own_tau(way->placed, grid.shape, tau, *k),
                    workspace<T>(way->words), traffic);
  work.done(call.least);
  record(call.name, *way, {*m, *n, *k}, traffic);
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
  Work<T> work;
  std::int64_t least = 0;

  bool fits(const GridShape& grid);
};

bool is(char c, char letter) {
  return std::toupper(static_cast<unsigned char>(c)) == letter;
}

// Whether Q's rows are where C's are, as P?ORMQR demands.
bool are_aligned(const Submatrix& x, const Submatrix& y, const GridShape& grid) {
  const Descriptor a = descriptor(x.descriptor);
  const Descriptor c = descriptor(y.descriptor);
  if (a.row_block != c.row_block || (x.i - y.i) % a.row_block != 0) return false;
  return a.context == c.context && first_row_owner(x, grid) == first_row_owner(y, grid);
}

template <class T>
bool Application<T>::fits(const GridShape& grid) {
  if (!is_plain(at_a) || !is_plain(at_c)) return false;
  if (!holds(at_a, grid, *rows, *reflectors) || !holds(at_c, grid, *rows, *columns)) return false;
  if (!are_aligned(at_a, at_c, grid) || !has_wide_blocks(at_a, *reflectors)) return false;
  const LocalSize s = local_size(at_c, grid, *rows, *columns);
  const std::int64_t block = descriptor(at_a.descriptor).column_block;
  least = std::max(block * (block - 1) / 2, (s.rows + s.columns) * block) + block * block;
  return *work.size >= least;
}

// The plan of P?ORMQR from the left.
template <class T>
Orthogonal<T>* application_of(const std::string& name, Application<T>& x) {
  const char adjoint = std::is_floating_point_v<T> ? 'T' : 'C';
  const int m = *x.rows;
  const int n = *x.columns;
  const int k = *x.reflectors;
  if (!is(*x.side, 'L') || (!is(*x.trans, 'N') && !is(*x.trans, adjoint))) return nullptr;
  if (n < 1 || k < 1 || m < k) return nullptr;
  const double work = static_cast<double>(m) * n * k;
  const auto grid = serving_grid(name, work, x.at_a.descriptor[1]);
  if (grid == nullptr) return nullptr;
  Request request = request_of(name, work, {m, n, k}, {x.at_a, x.at_c});
  request.fits = x.fits(grid->shape);
  static Recent<Orthogonal<T>> recent;
  return orthogonal_of(
      recent, grid, request, layout_of(x.at_a, grid->shape, grid->ranks(), m, k),
      [&](const BlockCyclic& placed) {
        return std::make_unique<PlacedQr<T>>(*grid->own, placed, k,
                                             typename PlacedQr<T>::InPlace{});
      },
      [&](const PlacedQr<T>& engine) {
        return engine.workspace_here(layout_of(x.at_c, grid->shape, grid->ranks(), m, n));
      });
}

template <class T>
using ForwardApply = void (*)(const char*, const char*, const int*, const int*, const int*,
                              const T*, const int*, const int*, const int*, const T*, T*,
                              const int*, const int*, const int*, T*, const int*, int*);

template <class T>
void pormqr(const char* suffix, Application<T> x) {
  const std::string name = routine<T>(suffix);
  Orthogonal<T>* way = application_of(name, x);
  if (way == nullptr) {
    passed_on<ForwardApply<T>>(name, name + "_")(
        x.side, x.trans, x.rows, x.columns, x.reflectors, x.a, &x.at_a.i, &x.at_a.j,
        x.at_a.descriptor, x.tau, x.c, &x.at_c.i, &x.at_c.j, x.at_c.descriptor, x.work.words,
        x.work.size, x.work.info);
    return;
  }
  ProcessGrid& grid = *way->grid;
  const BlockCyclic at_c = layout_of(x.at_c, grid.shape, grid.ranks(), *x.rows, *x.columns);
  require_array(*grid.own, {x.a, way->placed, x.at_a.descriptor[1], name, 6});
  require_array(*grid.own, {x.c, at_c, x.at_c.descriptor[1], name, 11});
  FactorTraffic traffic;
  way->engine->apply_here(*grid.own, !is(*x.trans, 'N'), x.a,
                          own_tau(way->placed, grid.shape, x.tau, *x.reflectors), at_c, x.c,
                          workspace<T>(way->words), traffic);
  x.work.done(x.least);
  record(name, *way, {*x.rows, *x.columns, *x.reflectors}, traffic);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgeqrf;
using redblue::scalapack::porgqr;
using redblue::scalapack::pormqr;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_QR(letter, form, apply, T)                                             \
  void p##letter##geqrf_(const int* m, const int* n, T* a, const int* ia, const int* ja,       \
                         const int* desca, T* tau, T* work, const int* lwork, int* info) {     \
    pgeqrf<T>(m, n, a, {*ia, *ja, desca}, tau, {work, lwork, info});                           \
  }                                                                                            \
  void p##letter##form##_(const int* m, const int* n, const int* k, T* a, const int* ia,       \
                          const int* ja, const int* desca, const T* tau, T* work,              \
                          const int* lwork, int* info) {                                       \
    porgqr<T>(#form, m, n, k, a, {*ia, *ja, desca}, tau, {work, lwork, info});                 \
  }                                                                                            \
  void p##letter##apply##_(const char* side, const char* trans, const int* m, const int* n,    \
                           const int* k, const T* a, const int* ia, const int* ja,             \
                           const int* desca, const T* tau, T* c, const int* ic, const int* jc, \
                           const int* descc, T* work, const int* lwork, int* info) {           \
    pormqr<T>(#apply, {side,                                                                   \
                       trans,                                                                  \
                       m,                                                                      \
                       n,                                                                      \
                       k,                                                                      \
                       a,                                                                      \
                       {*ia, *ja, desca},                                                      \
                       tau,                                                                    \
                       c,                                                                      \
                       {*ic, *jc, descc},                                                      \
                       {work, lwork, info}});                                                  \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_QR(s, orgqr, ormqr, float)
REDBLUE_FORTRAN_QR(d, orgqr, ormqr, double)
REDBLUE_FORTRAN_QR(c, ungqr, unmqr, std::complex<float>)
REDBLUE_FORTRAN_QR(z, ungqr, unmqr, std::complex<double>)
}
