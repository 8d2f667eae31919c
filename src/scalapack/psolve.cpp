// P?TRSM, P?POTRS and P?GETRS on block-cyclic matrices. ScaLAPACK's P?POSV and P?GESV call these
// and the factorizations by name and so come here, too.
#include <algorithm>
#include <cctype>
#include <complex>
#include <memory>
#include <string>
#include <utility>

#include "linalg/pivots.hpp"
#include "linalg/solve.hpp"
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

// A solve as all processes see it but for the arrays.
template <class T>
struct Call {
  std::string routine;
  Key numbers;  // what tells it from others, beside the matrices
  const T* a;
  Submatrix at_a;
  int order;  // of A
  T* b;
  Submatrix at_b;
  int rows, columns;  // of B
  int a_position, b_position;

  double work() const { return static_cast<double>(rows) * columns * order; }
  bool has_work() const {
    return rows >= 1 && columns >= 1 && gains(work(), {at_a.descriptor[1], at_b.descriptor[1]});
  }
};

template <class T>
struct Solver {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  BlockCyclic at_a, at_b;
  std::unique_ptr<PlacedSolve<T>> placed;
};

// The plan of a call all its processes want served; null where it is ScaLAPACK's. setup(A's layout,
// B's, ranks): the passes.
template <class T, class Setup>
Solver<T>* solver_of(const Call<T>& call, bool fits, Setup setup) {
  if (!call.has_work()) return nullptr;
  const std::shared_ptr<ProcessGrid> grid = process_grid(call.at_a.descriptor[1]);
  if (grid == nullptr) return nullptr;
  static Recent<Solver<T>> recent;
  const Key key = key_of(call.numbers, {call.at_a, call.at_b});
  const bool worth_planning = recent.worth_planning(key, call.work());
  fits = fits && holds(call.at_a, grid->shape, call.order, call.order) &&
         holds(call.at_b, grid->shape, call.rows, call.columns);
  // all in one: processes may remember different calls
  if (!grid->own->all(fits && worth_planning)) return nullptr;
  Solver<T>& solver = recent.find(key, grid, [&] {
    Solver<T> made{
        key, grid, layout_of(call.at_a, grid->shape, grid->ranks(), call.order, call.order),
        layout_of(call.at_b, grid->shape, grid->ranks(), call.rows, call.columns), nullptr};
    made.placed = std::make_unique<PlacedSolve<T>>(*grid->own,
                                                   setup(made.at_a, made.at_b, grid->own->size()));
    return made;
  });
  const int context = call.at_a.descriptor[1];
  require_array(*grid->own, {call.a, solver.at_a, context, call.routine, call.a_position});
  require_array(*grid->own, {call.b, solver.at_b, context, call.routine, call.b_position});
  return &solver;
}

template <class T>
void execute(const Call<T>& call, Solver<T>& solver, T alpha,
             const typename PlacedSolve<T>::RowOrder& order) {
  SolveTraffic traffic;
  comm::Communicator& communicator = *solver.grid->own;
  PlacedSolve<T>& placed = *solver.placed;
  placed.execute(communicator, alpha, call.a, call.b, order, workspace<T>(placed.workspace()),
                 traffic);
  record_served(communicator, {call.routine,
                               described({call.rows, call.columns}, solver.grid->shape,
                                         placed.decomposition().name()),
                               0,
                               traffic.redistribute,
                               traffic.solve,
                               {}});
}

bool is_one_of(char c, const char* letters) {
  return std::string(letters).find(
             static_cast<char>(std::toupper(static_cast<unsigned char>(c)))) != std::string::npos;
}

template <class T>
void ptrsm(const char* side, const char* uplo, const char* trans, const char* diag, const int* m,
           const int* n, const T* alpha, const T* a, const Submatrix& at_a, T* b,
           const Submatrix& at_b) {
  const bool left = is_one_of(*side, "L");
  const bool unit = is_one_of(*diag, "U");
  const bool valid = is_one_of(*side, "LR") && is_triangle(*uplo) && is_operation(*trans) &&
                     is_one_of(*diag, "UN") && *alpha != T(0);
  const Call<T> call = {routine<T>("trsm"),
                        {1, left, static_cast<long>(triangle(*uplo)),
                         static_cast<long>(operation(*trans)), unit, *m, *n},
                        a,
                        at_a,
                        left ? *m : *n,
                        b,
                        at_b,
                        *m,
                        *n,
                        8,
                        12};
  Solver<T>* solver =
      !valid ? nullptr : solver_of(call, true, [&](const Layout& t, const Layout& rhs, int ranks) {
        return setup_of(
            {left ? Side::left : Side::right, triangle(*uplo), operation(*trans), unit, t, rhs},
            ranks);
      });
  if (solver != nullptr) return execute(call, *solver, *alpha, {});
  using Forward = void (*)(const char*, const char*, const char*, const char*, const int*,
                           const int*, const T*, const T*, const int*, const int*, const int*, T*,
                           const int*, const int*, const int*);
  passed_on<Forward>(call.routine, call.routine + "_")(side, uplo, trans, diag, m, n, alpha, a,
                                                       &at_a.i, &at_a.j, at_a.descriptor, b,
                                                       &at_b.i, &at_b.j, at_b.descriptor);
}

// What ScaLAPACK demands of a factored matrix and right-hand sides: square blocks, both from the
// start of one, rows of B with the rows of A.
bool is_aligned(const Submatrix& at_a, const Submatrix& at_b) {
  const Descriptor a = descriptor(at_a.descriptor);
  const Descriptor b = descriptor(at_b.descriptor);
  if (a.type != 1 || b.type != 1 || a.row_block < 1 || a.row_block != a.column_block) return false;
  return a.row_block == b.row_block && (at_a.i - 1) % a.row_block == 0 &&
         (at_a.j - 1) % a.row_block == 0 && (at_b.i - 1) % b.row_block == 0;
}

template <class T>
void ppotrs(const char* uplo, const int* n, const int* columns, const T* a, const Submatrix& at_a,
            T* b, const Submatrix& at_b, int* info) {
  const Call<T> call = {routine<T>("potrs"),
                        {2, static_cast<long>(triangle(*uplo)), *n, *columns},
                        a,
                        at_a,
                        *n,
                        b,
                        at_b,
                        *n,
                        *columns,
                        4,
                        8};
  Solver<T>* solver = !is_triangle(*uplo)
                          ? nullptr
                          : solver_of(call, is_aligned(at_a, at_b),
                                      [&](const Layout& factor, const Layout& rhs, int ranks) {
                                        return cholesky_setup(triangle(*uplo), factor, rhs, ranks);
                                      });
  if (solver != nullptr) {
    *info = 0;
    return execute(call, *solver, T(1), {});
  }
  using Forward = void (*)(const char*, const int*, const int*, const T*, const int*, const int*,
                           const int*, T*, const int*, const int*, const int*, int*);
  passed_on<Forward>(call.routine, call.routine + "_")(uplo, n, columns, a, &at_a.i, &at_a.j,
                                                       at_a.descriptor, b, &at_b.i, &at_b.j,
                                                       at_b.descriptor, info);
}

template <class T>
void pgetrs(const char* trans, const int* n, const int* columns, const T* a, const Submatrix& at_a,
            const int* pivots, T* b, const Submatrix& at_b, int* info) {
  const Call<T> call = {routine<T>("getrs"),
                        {3, static_cast<long>(operation(*trans)), *n, *columns},
                        a,
                        at_a,
                        *n,
                        b,
                        at_b,
                        *n,
                        *columns,
                        4,
                        9};
  const Op op = operation(*trans);
  Solver<T>* solver = !is_operation(*trans)
                          ? nullptr
                          : solver_of(call, is_aligned(at_a, at_b),
                                      [&](const Layout& factors, const Layout& rhs, int ranks) {
                                        return lu_setup(op, factors, rhs, ranks);
                                      });
  if (solver != nullptr) {
    const std::vector<std::int64_t> rows =
        row_order(whole_pivots(*solver->grid->own, solver->at_a, pivots), *n);
    *info = 0;
    return execute(call, *solver, T(1), {&rows, op == Op::none});
  }
  using Forward = void (*)(const char*, const int*, const int*, const T*, const int*, const int*,
                           const int*, const int*, T*, const int*, const int*, const int*, int*);
  passed_on<Forward>(call.routine, call.routine + "_")(trans, n, columns, a, &at_a.i, &at_a.j,
                                                       at_a.descriptor, pivots, b, &at_b.i, &at_b.j,
                                                       at_b.descriptor, info);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgetrs;
using redblue::scalapack::ppotrs;
using redblue::scalapack::ptrsm;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's Fortran entries.
#define REDBLUE_FORTRAN_SOLVES(letter, T)                                                        \
  void p##letter##trsm_(const char* side, const char* uplo, const char* trans, const char* diag, \
                        const int* m, const int* n, const T* alpha, const T* a, const int* ia,   \
                        const int* ja, const int* desca, T* b, const int* ib, const int* jb,     \
                        const int* descb) {                                                      \
    ptrsm<T>(side, uplo, trans, diag, m, n, alpha, a, {*ia, *ja, desca}, b, {*ib, *jb, descb});  \
  }                                                                                              \
  void p##letter##potrs_(const char* uplo, const int* n, const int* nrhs, const T* a,            \
                         const int* ia, const int* ja, const int* desca, T* b, const int* ib,    \
                         const int* jb, const int* descb, int* info) {                           \
    ppotrs<T>(uplo, n, nrhs, a, {*ia, *ja, desca}, b, {*ib, *jb, descb}, info);                  \
  }                                                                                              \
  void p##letter##getrs_(const char* trans, const int* n, const int* nrhs, const T* a,           \
                         const int* ia, const int* ja, const int* desca, const int* ipiv, T* b,  \
                         const int* ib, const int* jb, const int* descb, int* info) {            \
    pgetrs<T>(trans, n, nrhs, a, {*ia, *ja, desca}, ipiv, b, {*ib, *jb, descb}, info);           \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_FORTRAN_SOLVES(s, float)
REDBLUE_FORTRAN_SOLVES(d, double)
REDBLUE_FORTRAN_SOLVES(c, std::complex<float>)
REDBLUE_FORTRAN_SOLVES(z, std::complex<double>)
}
