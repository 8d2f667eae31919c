// SPDX-License-Identifier: BSD-3-Clause
// P?ORMQR, P?UNMQR, P?ORMLQ and P?UNMLQ on block-cyclic matrices.
//
// From the left C stays where it is: the vectors are there already (P?ORMQR), or are moved to its
// rows. From the right C^H takes the same on the transposed grid: each process stores its part of C
// by columns of C^H, and only vectors are sent.
#include <algorithm>
#include <cctype>
#include <complex>
#include <memory>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "decomposition/qr/steps.hpp"
#include "layout/arrangement.hpp"
#include "linalg/qr/tau.hpp"
#include "redblue/redblue.h"
#include "scalapack/qr/orthogonal.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

bool is(char c, char letter) {
  return std::toupper(static_cast<unsigned char>(c)) == letter;
}

// A call: op(Q) C or C op(Q), C of rows x columns.
template <class T>
struct Application {
  std::string name;
  Vectors vectors;
  const char *side, *trans;
  const int *rows, *columns, *reflectors;
  const T* a;
  Submatrix at_a;
  const T* tau;
  T* c;
  Submatrix at_c;
  Work<T> work;
  std::int64_t least = 0;

  bool left() const { return is(*side, 'L'); }
  bool by_rows() const { return vectors == Vectors::rows; }
  int order() const { return left() ? *rows : *columns; }  // of Q
  // Whether Q^H of A^H = Q R, or of A = Q R, is applied to C or C^H.
  bool adjoint() const { return !is(*trans, 'N') != (!left() != by_rows()); }
  bool is_meant() const {
    const char adjoint = std::is_floating_point_v<T> ? 'T' : 'C';
    if (!left() && !is(*side, 'R')) return false;
    if (!is(*trans, 'N') && !is(*trans, adjoint)) return false;
    return *rows >= 1 && *columns >= 1 && *reflectors >= 1 && *reflectors <= order();
  }
  BlockCyclic place_of_a(const ProcessGrid& grid) const {
    return layout_of(at_a, grid.shape, grid.ranks(), by_rows() ? *reflectors : order(),
                     by_rows() ? order() : *reflectors);
  }
  BlockCyclic place_of_c(const ProcessGrid& grid) const {
    return layout_of(at_c, grid.shape, grid.ranks(), *rows, *columns);
  }
  bool fits(const GridShape& grid);
  bool in_place() const { return left() && !by_rows() && has_wide_blocks(at_a, *reflectors); }

 private:
  bool is_aligned(const GridShape& grid) const;
  std::int64_t words_asked(const GridShape& grid) const;
};

// As ScaLAPACK demands: the blocks along Q's order are C's, and begin alike; where both are in the
// same direction of the grid, on the same processes.
template <class T>
bool Application<T>::is_aligned(const GridShape& grid) const {
  const Descriptor x = descriptor(at_a.descriptor);
  const Descriptor y = descriptor(at_c.descriptor);
  const int block = by_rows() ? x.column_block : x.row_block;
  const int first = by_rows() ? at_a.j : at_a.i;
  if (x.context != y.context || block != (left() ? y.row_block : y.column_block)) return false;
  if ((first - (left() ? at_c.i : at_c.j)) % block != 0) return false;
  if (left() == by_rows()) return true;
  return left() ? first_row_owner(at_a, grid) == first_row_owner(at_c, grid)
                : first_column_owner(at_a, grid) == first_column_owner(at_c, grid);
}

template <class T>
std::int64_t Application<T>::words_asked(const GridShape& grid) const {
  const Descriptor x = descriptor(at_a.descriptor);
  const LocalSize of_c = local_size(at_c, grid, *rows, *columns);
  const std::int64_t block = by_rows() ? x.row_block : x.column_block;
  std::int64_t lines = of_c.rows + of_c.columns;
  if (left() == by_rows()) {  // ScaLAPACK turns the vectors round
    const LocalSize of_a = local_size(at_a, grid, order(), order());
    const int along = left() ? grid.rows : grid.columns;
    const Descriptor y = descriptor(at_c.descriptor);
    const std::int64_t begin = left() ? (at_c.i - 1) % y.row_block : (at_c.j - 1) % y.column_block;
    const auto first = [&](std::int64_t extent, int processes) {
      return Cyclic{block, 0, processes, block}.count(extent, 0);
    };
    const std::int64_t turned =
        first(first(order() + begin, along), std::lcm(grid.rows, grid.columns) / along);
    lines = left() ? of_c.rows + std::max(of_a.columns + turned, of_c.columns)
                   : of_c.columns + std::max(of_a.rows + turned, of_c.rows);
  }
  return std::max(block * (block - 1) / 2, lines * block) + block * block;
}

template <class T>
bool Application<T>::fits(const GridShape& grid) {
  if (!is_plain(at_a) || !is_plain(at_c)) return false;
  const int along = by_rows() ? *reflectors : order();
  const int across = by_rows() ? order() : *reflectors;
  if (!holds(at_a, grid, along, across) || !holds(at_c, grid, *rows, *columns)) return false;
  if (!is_aligned(grid)) return false;
  least = words_asked(grid);
  return *work.size >= least;
}

template <class T>
Orthogonal<T> planned(const Application<T>& x, const Request& request,
                      const std::shared_ptr<ProcessGrid>& grid) {
  const BlockCyclic of_a = x.place_of_a(*grid);
  const BlockCyclic of_c = x.place_of_c(*grid);
  Orthogonal<T> way = {request.key, grid, of_a, nullptr, std::nullopt, 0};
  if (x.in_place()) {
    way.engine = std::make_unique<PlacedQr<T>>(*grid->own, of_a, *x.reflectors,
                                               typename PlacedQr<T>::InPlace{});
    way.words = way.engine->workspace_here(of_c);
    return way;
  }
  const int ranks = grid->own->size();
  layout::Arrangement vectors = layout::arrangement(of_a, ranks);
  if (x.by_rows()) vectors = adjoint(std::move(vectors));
  way.engine = std::make_unique<PlacedQr<T>>(
      *grid->own, vectors, qr_beside(x.left() ? of_c : transposed(of_c), ranks, *x.reflectors));
  if (x.left()) {
    way.words = way.engine->workspace_here(of_c);
    return way;
  }
  const Cyclic& down = of_c.down;
  const Cyclic across = {down.block, down.owner(of_c.first_row), down.processes,
                         down.block_end(of_c.first_row) - of_c.first_row};
  way.c_moves.emplace(
      way.engine->elsewhere(*grid->own, adjoint(layout::arrangement(of_c, ranks)), across));
  way.words = way.engine->workspace() + way.c_moves->workspace;
  return way;
}

template <class T>
Orthogonal<T>* application_of(Application<T>& x) {
  if (!x.is_meant()) return nullptr;
  const int m = *x.rows;
  const int n = *x.columns;
  const int k = *x.reflectors;
  const double work = static_cast<double>(m) * n * k;
  const auto grid = serving_grid(x.name, work, x.at_a.descriptor[1]);
  if (grid == nullptr) return nullptr;
  Request request =
      request_of(x.name, work, {m, n, k, x.left() ? 0 : 1, x.by_rows() ? 1 : 0}, {x.at_a, x.at_c});
  request.fits = x.fits(grid->shape);
  static Recent<Orthogonal<T>> recent;
  return orthogonal_of(recent, grid, request, [&] { return planned(x, request, grid); });
}

template <class T>
using ForwardApply = void (*)(const char*, const char*, const int*, const int*, const int*,
                              const T*, const int*, const int*, const int*, const T*, T*,
                              const int*, const int*, const int*, T*, const int*, int*);

template <class T>
void pormqr(Application<T> x) {
  Orthogonal<T>* way = application_of(x);
  if (way == nullptr) {
    passed_on<ForwardApply<T>>(x.name, x.name + "_")(
        x.side, x.trans, x.rows, x.columns, x.reflectors, x.a, &x.at_a.i, &x.at_a.j,
        x.at_a.descriptor, x.tau, x.c, &x.at_c.i, &x.at_c.j, x.at_c.descriptor, x.work.words,
        x.work.size, x.work.info);
    return;
  }
  ProcessGrid& grid = *way->grid;
  const BlockCyclic at_c = x.place_of_c(grid);
  require_array(*grid.own, {x.a, way->placed, x.at_a.descriptor[1], x.name, 6});
  require_array(*grid.own, {x.c, at_c, x.at_c.descriptor[1], x.name, 11});
  FactorTraffic traffic;
  T* const memory = workspace<T>(way->words);
  const std::vector<T> tau =
      x.in_place()
          ? own_tau(way->placed, grid.shape, x.tau, *x.reflectors)
          : whole_tau(*grid.own, x.by_rows() ? transposed(way->placed) : way->placed, x.tau);
  if (way->c_moves) {
    way->engine->apply(*grid.own, x.adjoint(), x.a, tau, *way->c_moves, x.c, memory,
                       memory + way->engine->workspace(), traffic);
  } else {
    way->engine->apply_here(*grid.own, x.adjoint(), x.a, tau, at_c, x.c, memory, traffic);
  }
  x.work.done(x.least);
  record(x.name, *way, {*x.rows, *x.columns, *x.reflectors}, traffic);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pormqr;
using redblue::scalapack::routine;
using redblue::scalapack::Vectors;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_APPLY(letter, apply, vectors, T)                                       \
  void p##letter##apply##_(const char* side, const char* trans, const int* m, const int* n,    \
                           const int* k, const T* a, const int* ia, const int* ja,             \
                           const int* desca, const T* tau, T* c, const int* ic, const int* jc, \
                           const int* descc, T* work, const int* lwork, int* info) {           \
    pormqr<T>({routine<T>(#apply),                                                             \
               Vectors::vectors,                                                               \
               side,                                                                           \
               trans,                                                                          \
               m,                                                                              \
               n,                                                                              \
               k,                                                                              \
               a,                                                                              \
               {*ia, *ja, desca},                                                              \
               tau,                                                                            \
               c,                                                                              \
               {*ic, *jc, descc},                                                              \
               {work, lwork, info}});                                                          \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_APPLY(s, ormqr, columns, float)
REDBLUE_FORTRAN_APPLY(d, ormqr, columns, double)
REDBLUE_FORTRAN_APPLY(c, unmqr, columns, std::complex<float>)
REDBLUE_FORTRAN_APPLY(z, unmqr, columns, std::complex<double>)
REDBLUE_FORTRAN_APPLY(s, ormlq, rows, float)
REDBLUE_FORTRAN_APPLY(d, ormlq, rows, double)
REDBLUE_FORTRAN_APPLY(c, unmlq, rows, std::complex<float>)
REDBLUE_FORTRAN_APPLY(z, unmlq, rows, std::complex<double>)
}
