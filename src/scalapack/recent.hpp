// SPDX-License-Identifier: BSD-3-Clause
// Serving calls of three matrices, and what is kept of recent ones, so that a kind of call is
// planned once.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "redblue/gemm.hpp"
#include "scalapack/descriptor.hpp"
#include "scalapack/report.hpp"
#include "scalapack/workspace.hpp"

namespace redblue::scalapack {

// Everything about a call but its data; calls with equal keys on one grid share a plan.
using Key = std::vector<long>;

// Numbers, and the layouts of the matrices.
Key key_of(Key numbers, const std::vector<Submatrix>& matrices);

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

// Whether a call with so many multiplications, of matrices of these contexts, is redblue's to
// serve, as far as all processes see it alike.
bool gains(double work, std::initializer_list<int> contexts);

// Reports the first array that is null where the process holds some of its matrix.
void check_arrays(const Planned& call, int context, const std::array<const void*, 3>& arrays,
                  const std::array<int, 3>& positions);

// "3000 x 3000 on 2 x 2, C in place".
std::string described(const std::vector<int>& sizes, const GridShape& grid, const std::string& way);

// The plans of one kind of Way, which has `key` and `grid`. Newest first. Processes may keep
// different ones, as one may belong to more grids than another: planning is local.
template <class Way>
class Recent {
 public:
  // The plan of the key, made by make() where it is not there.
  template <class Make>
  Way& find(const Key& key, const std::shared_ptr<ProcessGrid>& grid, Make make) {
    for (auto it = ways_.begin(); it != ways_.end(); ++it) {
      if (it->key != key || it->grid != grid) continue;
      ways_.splice(ways_.begin(), ways_, it);
      return ways_.front();
    }
    ways_.push_front(make());
    if (ways_.size() > kept) ways_.pop_back();
    return ways_.front();
  }

  // Whether a call with so many multiplications is to be planned: at once when it is large, else
  // when its kind comes again.
  bool worth_planning(const Key& key, double work) {
    constexpr double pays_off_at_once = 268435456;
    return work >= least_work(pays_off_at_once) || seen_before(key);
  }

 private:
  // Remembers the key.
  bool seen_before(const Key& key) {
    const auto found = std::find(seen_.begin(), seen_.end(), key);
    if (found != seen_.end()) {
      seen_.splice(seen_.begin(), seen_, found);
      return true;
    }
    seen_.push_front(key);
    if (seen_.size() > kept) seen_.pop_back();
    return false;
  }

  static constexpr std::size_t kept = 64;
  std::list<Way> ways_;
  std::list<Key> seen_;
};

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
bool serve(int context, const Key& key, double work, T alpha, T beta, const Arrays<T>& arrays,
           Fits fits, Prepare prepare) {
  const std::shared_ptr<ProcessGrid> grid = process_grid(context);
  if (grid == nullptr) return false;
  static Recent<Prepared<Engine>> recent;
  const bool worth_planning = recent.worth_planning(key, work);
  // all in one: processes may remember different calls
  if (!grid->own->all(fits(grid->shape) && worth_planning)) return false;
  Prepared<Engine>& way = recent.find(key, grid, [&] { return prepare(grid); });
  check_arrays(way, context, {arrays.a, arrays.b, arrays.c}, arrays.positions);
  GemmTraffic traffic;
  way.engine.execute(*grid->own, alpha, arrays.a, arrays.b, beta, arrays.c,
                     workspace<T>(way.engine.workspace()), traffic);
  way.record.exchange = traffic.exchange;
  way.record.reduce = traffic.reduce;
  record_served(*grid->own, way.record);
  return true;
}

}  // namespace redblue::scalapack
