// SPDX-License-Identifier: BSD-3-Clause
// Serving calls of three matrices.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "redblue/gemm.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/serving/agreement.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

// Numbers, and the layouts of the matrices.
Key key_of(Key numbers, const std::vector<Submatrix>& matrices);

// The request of a call: its key, and of its kind the numbers and block sizes, large ones only
// roughly.
Request request_of(std::string routine, double work, const Key& numbers,
                   const std::vector<Submatrix>& matrices);

// What is known of a planned call of up to three matrices beside how it is done.
struct Planned {
  Key key;
  std::shared_ptr<ProcessGrid> grid;
  std::array<bool, 3> holds_some;  // this process, of A, B and C
  Served record;
};

// The plan of one kind of call; Engine is a Multiplication, TriangleUpdate or TriangleProduct.
template <class Engine>
struct Prepared : Planned {
  Engine engine;
};

// Whether ScaLAPACK factors a matrix of so many rows and columns, or solves with it, in many steps
// of a few columns each, which take messages rather than operations: then any call gains.
bool takes_many_steps(const Submatrix& at, std::int64_t order);

// may_serve with the number of multiplications from which products and solves gain.
bool gains(const std::string& routine, double work, const std::vector<int>& contexts);

// Reports the first array that is null where the process holds some of its matrix.
void check_arrays(const Planned& call, int context, const std::array<const void*, 3>& arrays,
                  const std::array<int, 3>& positions);

// "3000 x 3000 on 2 x 2, C in place".
std::string described(const std::vector<int>& sizes, const GridShape& grid, const std::string& way);

// The arrays of a call and their positions among its arguments.
template <class T>
struct Arrays {
  const T* a;
  const T* b;
  T* c;
  std::array<int, 3> positions;
};

// A call served from its plan. False where it is ScaLAPACK's, which one process alone may see.
// fits(grid): whether this process stores the matrices as it must; prepare(grid): the plan.
template <class Engine, class T, class Fits, class Prepare>
bool serve(int context, Request request, T alpha, T beta, const Arrays<T>& arrays, Fits fits,
           Prepare prepare) {
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return false;
  static Recent<Prepared<Engine>> recent;
  request.fits = fits(grid->shape);
  request.worth_planning = recent.worth_planning(request.key, request.work);
  Prepared<Engine>* way = agreed_plan(
      recent, grid, request, [&] { return prepare(grid); },
      [](const Prepared<Engine>& x) {
        return x.engine.workspace() * static_cast<std::int64_t>(sizeof(T));
      });
  if (way == nullptr) return false;
  check_arrays(*way, context, {arrays.a, arrays.b, arrays.c}, arrays.positions);
  GemmTraffic traffic;
  way->engine.execute(*grid->own, alpha, arrays.a, arrays.b, beta, arrays.c,
                      workspace<T>(way->engine.workspace()), traffic);
  way->record.exchange = traffic.exchange;
  way->record.reduce = traffic.reduce;
  record_served(*grid->own, way->record);
  return true;
}

}  // namespace redblue::scalapack
