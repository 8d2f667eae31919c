// SPDX-License-Identifier: BSD-3-Clause
// Serving calls that solve with a triangle or with factors.
#pragma once

#include <algorithm>
#include <cctype>
#include <memory>
#include <string>
#include <vector>

#include "linalg/solve/solve.hpp"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

using namespace linalg;

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
    if (rows < 1 || columns < 1) return false;
    const std::vector<int> contexts = {at_a.descriptor[1], at_b.descriptor[1]};
    return takes_many_steps(at_a, order) ? may_serve(routine, work(), 0, contexts)
                                         : gains(routine, work(), contexts);
  }
};

inline bool is_one_of(char c, const char* letters) {
  return std::string(letters).find(
             static_cast<char>(std::toupper(static_cast<unsigned char>(c)))) != std::string::npos;
}

// A call of P?TRSM or P?TRMM as ScaLAPACK passes arguments.
template <class T>
struct TriangularCall {
  const char *side, *uplo, *trans, *diag;
  const int *m, *n;
  const T* alpha;
  const T* a;
  Submatrix at_a;
  T* b;
  Submatrix at_b;

  Side side_of_a() const { return is_one_of(*side, "L") ? Side::left : Side::right; }
  bool unit() const { return is_one_of(*diag, "U"); }
  bool is_valid() const {
    return is_one_of(*side, "LR") && is_triangle(*uplo) && is_operation(*trans) &&
           is_one_of(*diag, "UN") && *alpha != T(0);
  }
  Call<T> as_solve(const std::string& name) const {
    const bool left = side_of_a() == Side::left;
    return {name,
            {1, left, static_cast<long>(triangle(*uplo)), static_cast<long>(operation(*trans)),
             unit(), *m, *n},
            a,
            at_a,
            left ? *m : *n,
            b,
            at_b,
            *m,
            *n,
            8,
            12};
  }
  void pass_on(const std::string& name) const {
    using Forward = void (*)(const char*, const char*, const char*, const char*, const int*,
                             const int*, const T*, const T*, const int*, const int*, const int*, T*,
                             const int*, const int*, const int*);
    passed_on<Forward>(name, name + "_")(side, uplo, trans, diag, m, n, alpha, a, &at_a.i, &at_a.j,
                                         at_a.descriptor, b, &at_b.i, &at_b.j, at_b.descriptor);
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
  Request request = request_of(call.routine, call.work(), call.numbers, {call.at_a, call.at_b});
  request.worth_planning = recent.worth_planning(request.key, request.work);
  request.fits = fits && holds(call.at_a, grid->shape, call.order, call.order) &&
                 holds(call.at_b, grid->shape, call.rows, call.columns);
  Solver<T>* solver = agreed_plan(
      recent, grid, request,
      [&] {
        Solver<T> made{request.key, grid,
                       layout_of(call.at_a, grid->shape, grid->ranks(), call.order, call.order),
                       layout_of(call.at_b, grid->shape, grid->ranks(), call.rows, call.columns),
                       nullptr};
        made.placed = std::make_unique<PlacedSolve<T>>(
            *grid->own, setup(made.at_a, made.at_b, grid->own->size()));
        return made;
      },
      [](const Solver<T>& x) {
        return x.placed->workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (solver == nullptr) return nullptr;
  const int context = call.at_a.descriptor[1];
  require_array(*grid->own, {call.a, solver->at_a, context, call.routine, call.a_position});
  require_array(*grid->own, {call.b, solver->at_b, context, call.routine, call.b_position});
  return solver;
}

template <class T>
void execute(const Call<T>& call, Solver<T>& solver, T alpha,
             const typename PlacedSolve<T>::RowOrder& order) {
  SolveTraffic traffic;
  comm::Communicator& communicator = *solver.grid->own;
  PlacedSolve<T>& placed = *solver.placed;
  placed.execute(communicator, alpha, call.a, call.b, order, workspace<T>(placed.workspace()),
                 traffic);
  record_served(communicator,
                {call.routine,
                 described({call.rows, call.columns}, solver.grid->shape, placed.name()),
                 0,
                 traffic.redistribute,
                 traffic.solve,
                 {}});
}

}  // namespace redblue::scalapack
