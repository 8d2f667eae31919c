// SPDX-License-Identifier: BSD-3-Clause
// P?GEQRF and P?GELQF, P?ORGQR, P?UNGQR, P?ORGLQ and P?UNGLQ on block-cyclic matrices. ScaLAPACK's
// P?GELS calls these, P?ORMQR, P?ORMLQ, P?TRSM and P?TRTRS by name, and so comes here, too.
//
// Questions for a workspace's size, wrong arguments, and what is not served go on to ScaLAPACK.
#include <algorithm>
#include <complex>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "decomposition/qr/steps.hpp"
#include "linalg/qr/tau.hpp"
#include "redblue/redblue.h"
#include "scalapack/qr/orthogonal.hpp"

namespace redblue::scalapack {

using namespace linalg;

namespace {

// A matrix that this process stores as it must, and the workspace that ScaLAPACK asks for.
template <class T>
struct FactorCall {
  std::string name;
  Vectors vectors;
  const int *rows, *columns;
  Submatrix at;
  Work<T> work;
  std::int64_t least = 0;

  bool fits(const GridShape& grid) {
    if (!is_plain(at) || !holds(at, grid, *rows, *columns)) return false;
    const LocalSize s = local_size(at, grid, *rows, *columns);
    const Descriptor d = descriptor(at.descriptor);
    const std::int64_t block = vectors == Vectors::columns ? d.column_block : d.row_block;
    least = block * (s.rows + s.columns + block);
    return *work.size >= least;
  }
  BlockCyclic placed(const ProcessGrid& grid) const {
    return layout_of(at, grid.shape, grid.ranks(), *rows, *columns);
  }
};

template <class T>
Orthogonal<T> planned(const Request& request, const std::shared_ptr<ProcessGrid>& grid,
                      const BlockCyclic& placed, std::unique_ptr<PlacedQr<T>> engine) {
  const std::int64_t words = engine->workspace();
  return {request.key, grid, placed, std::move(engine), std::nullopt, words};
}

template <class T>
std::unique_ptr<PlacedQr<T>> engine_by_rows(const ProcessGrid& grid, const BlockCyclic& placed,
                                            std::int64_t reflectors) {
  FactorOptions options;
  options.memory = words_allowed(grid, sizeof(T));
  return std::make_unique<PlacedQr<T>>(*grid.own, placed, options, reflectors,
                                       typename PlacedQr<T>::Adjoint{});
}

// The plan of P?GEQRF or P?GELQF.
template <class T>
Orthogonal<T>* factorization_of(FactorCall<T>& call) {
  const int m = *call.rows;
  const int n = *call.columns;
  const int k = std::min(m, n);
  const double work = static_cast<double>(m) * n * static_cast<double>(k);
  if (m < 1 || n < 1) return nullptr;
  const auto grid = serving_grid(call.name, work, call.at.descriptor[1]);
  if (grid == nullptr) return nullptr;
  const bool by_rows = call.vectors == Vectors::rows;
  Request request = request_of(call.name, work, {m, n}, {call.at});
  request.fits = call.fits(grid->shape);
  static Recent<Orthogonal<T>> of_columns;
  static Recent<Orthogonal<T>> of_rows;
  return orthogonal_of(by_rows ? of_rows : of_columns, grid, request, [&] {
    const BlockCyclic placed = call.placed(*grid);
    if (by_rows) return planned(request, grid, placed, engine_by_rows<T>(*grid, placed, k));
    FactorOptions options;
    options.memory = words_allowed(*grid, sizeof(T));
    return planned(request, grid, placed,
                   std::make_unique<PlacedQr<T>>(*grid->own, placed, options));
  });
}

template <class T>
using ForwardFactor = void (*)(const int*, const int*, T*, const int*, const int*, const int*, T*,
                               T*, const int*, int*);

template <class T>
void pgeqrf(Vectors vectors, const int* m, const int* n, T* a, const Submatrix& at, T* tau,
            const Work<T>& work) {
  const bool by_rows = vectors == Vectors::rows;
  FactorCall<T> call = {routine<T>(by_rows ? "gelqf" : "geqrf"), vectors, m, n, at, work};
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
  const Cyclic& along = by_rows ? way->placed.down : way->placed.across;
  const std::int64_t first = by_rows ? way->placed.first_row : way->placed.first_column;
  const int me = by_rows ? grid.shape.my_row : grid.shape.my_column;
  for (std::size_t j = 0; j < all.size(); ++j) {
    const std::int64_t place = first + static_cast<std::int64_t>(j);
    if (along.owner(place) == me) tau[along.local(place)] = all[j];
  }
  work.done(call.least);
  record(call.name, *way, {*m, *n}, traffic);
}

// The plan of P?ORGQR or P?ORGLQ.
template <class T>
Orthogonal<T>* formation_of(FactorCall<T>& call, int k) {
  const bool by_rows = call.vectors == Vectors::rows;
  const int m = *call.rows;
  const int n = *call.columns;
  if (k < 1 || std::min(m, n) < k || (by_rows ? n < m : m < n)) return nullptr;
  const double work = static_cast<double>(m) * n * k;
  const auto grid = serving_grid(call.name, work, call.at.descriptor[1]);
  if (grid == nullptr) return nullptr;
  Request request = request_of(call.name, work, {m, n, k}, {call.at});
  request.fits = call.fits(grid->shape) && (by_rows || has_wide_blocks(call.at, k));
  static Recent<Orthogonal<T>> of_columns;
  static Recent<Orthogonal<T>> of_rows;
  return orthogonal_of(by_rows ? of_rows : of_columns, grid, request, [&] {
    const BlockCyclic placed = call.placed(*grid);
    if (by_rows) return planned(request, grid, placed, engine_by_rows<T>(*grid, placed, k));
    return planned(
        request, grid, placed,
        std::make_unique<PlacedQr<T>>(*grid->own, placed, k, typename PlacedQr<T>::InPlace{}));
  });
}

template <class T>
using ForwardForm = void (*)(const int*, const int*, const int*, T*, const int*, const int*,
                             const int*, const T*, T*, const int*, int*);

template <class T>
void porgqr(Vectors vectors, const char* suffix, const int* m, const int* n, const int* k, T* a,
            const Submatrix& at, const T* tau, const Work<T>& work) {
  FactorCall<T> call = {routine<T>(suffix), vectors, m, n, at, work};
  Orthogonal<T>* way = formation_of(call, *k);
  if (way == nullptr) {
    passed_on<ForwardForm<T>>(call.name, call.name + "_")(m, n, k, a, &at.i, &at.j, at.descriptor,
                                                          tau, work.words, work.size, work.info);
    return;
  }
  ProcessGrid& grid = *way->grid;
  require_array(*grid.own, {a, way->placed, at.descriptor[1], call.name, 4});
  FactorTraffic traffic;
  BlockCyclic of_tau = way->placed;
  if (vectors == Vectors::rows) {
    of_tau.rows = *k;
    of_tau = transposed(of_tau);
  }
  const std::vector<T> all = vectors == Vectors::rows ? whole_tau(*grid.own, of_tau, tau)
                                                      : own_tau(of_tau, grid.shape, tau, *k);
  way->engine->form(*grid.own, a, all, workspace<T>(way->words), traffic);
  work.done(call.least);
  record(call.name, *way, {*m, *n, *k}, traffic);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgeqrf;
using redblue::scalapack::porgqr;
using redblue::scalapack::Vectors;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_QR(letter, factor, form, vectors, T)                                     \
  void p##letter##factor##_(const int* m, const int* n, T* a, const int* ia, const int* ja,      \
                            const int* desca, T* tau, T* work, const int* lwork, int* info) {    \
    pgeqrf<T>(Vectors::vectors, m, n, a, {*ia, *ja, desca}, tau, {work, lwork, info});           \
  }                                                                                              \
  void p##letter##form##_(const int* m, const int* n, const int* k, T* a, const int* ia,         \
                          const int* ja, const int* desca, const T* tau, T* work,                \
                          const int* lwork, int* info) {                                         \
    porgqr<T>(Vectors::vectors, #form, m, n, k, a, {*ia, *ja, desca}, tau, {work, lwork, info}); \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_QR(s, geqrf, orgqr, columns, float)
REDBLUE_FORTRAN_QR(d, geqrf, orgqr, columns, double)
REDBLUE_FORTRAN_QR(c, geqrf, ungqr, columns, std::complex<float>)
REDBLUE_FORTRAN_QR(z, geqrf, ungqr, columns, std::complex<double>)
REDBLUE_FORTRAN_QR(s, gelqf, orglq, rows, float)
REDBLUE_FORTRAN_QR(d, gelqf, orglq, rows, double)
REDBLUE_FORTRAN_QR(c, gelqf, unglq, rows, std::complex<float>)
REDBLUE_FORTRAN_QR(z, gelqf, unglq, rows, std::complex<double>)
}
