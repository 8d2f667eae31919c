// SPDX-License-Identifier: BSD-3-Clause
// P?GEMR2D: sub(B) = sub(A) between two process grids of one larger context.
#include <algorithm>
#include <array>
#include <complex>
#include <optional>
#include <string>

#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

namespace {

template <class T>
struct Call {
  int m, n;
  const T* a;
  Submatrix at_a;
  T* b;
  Submatrix at_b;
  int context;  // holds the processes of both grids
};

template <class T>
using Forward = void (*)(int, int, const T*, int, int, const int*, T*, int, int, const int*, int);

template <class T>
void pass_on(const Call<T>& call) {
  const std::string name = routine<T>("gemr2d");
  const auto forward = passed_on<Forward<T>>(name, "C" + name);
  forward(call.m, call.n, call.a, call.at_a.i, call.at_a.j, call.at_a.descriptor, call.b,
          call.at_b.i, call.at_b.j, call.at_b.descriptor, call.context);
}

// What a process tells the others of a matrix: only those in its grid know the grid, and only
// their descriptors count.
struct Told {
  static constexpr std::size_t length = 16;
  enum { inside, row, column, rows, columns, sound, i, j, descriptor };
  std::array<int, length> values = {};
};

Told told_of(const Submatrix& x, int m, int n) {
  constexpr int dense = 1;
  Told told;
  const GridShape grid = grid_shape(x.descriptor[1]);
  if (!grid.inside()) return told;
  const bool sound = x.descriptor[0] == dense && holds(x, grid, m, n);
  told.values = {1, grid.my_row, grid.my_column, grid.rows, grid.columns, sound ? 1 : 0, x.i, x.j};
  // rows, columns, block sizes, sources: all but type, context and leading dimension
  std::copy_n(x.descriptor + 2, 6, told.values.begin() + Told::descriptor);
  return told;
}

// The layout all members of the grid told alike; nothing where they did not.
std::optional<BlockCyclic> agreed(const std::vector<int>& all, std::size_t first, std::size_t step,
                                  int m, int n, int leading) {
  const int* model = nullptr;
  std::vector<Rank> ranks;
  for (std::size_t at = first, rank = 0; at < all.size(); at += step, ++rank) {
    const int* told = all.data() + at;
    if (told[Told::inside] == 0) continue;
    if (told[Told::sound] == 0) return std::nullopt;
    if (model == nullptr) {
      model = told;
      ranks.resize(static_cast<std::size_t>(told[Told::rows]) *
                       static_cast<std::size_t>(told[Told::columns]),
                   Rank{-1});
    }
    if (!std::equal(model + Told::rows, model + Told::length, told + Told::rows)) {
      return std::nullopt;
    }
    const int place = told[Told::row] * told[Told::columns] + told[Told::column];
    ranks[static_cast<std::size_t>(place)] = Rank{static_cast<int>(rank)};
  }
  if (model == nullptr || std::count(ranks.begin(), ranks.end(), Rank{-1}) > 0) return std::nullopt;
  const int* d = model + Told::descriptor;
  const int descriptor[] = {1, 0, d[0], d[1], d[2], d[3], d[4], d[5], leading};
  const Submatrix x = {model[Told::i], model[Told::j], descriptor};
  return layout_of(x, {model[Told::rows], model[Told::columns], 0, 0}, std::move(ranks), m, n);
}

template <class T>
void pgemr2d(const Call<T>& call) {
  constexpr double gains_from = 4096;
  const std::string name = routine<T>("gemr2d");
  const double work = static_cast<double>(call.m) * call.n;
  if (call.m < 1 || call.n < 1 || !may_serve(name, work, gains_from, {call.context})) {
    return pass_on(call);
  }
  const std::shared_ptr<ProcessGrid> world = process_grid(call.context);
  if (world == nullptr) return pass_on(call);
  // of processes outside of a matrix's grid only the sizes count
  if (!agree(*world, request_of(name, work, {call.m, call.n}, {}), false).served) {
    return pass_on(call);
  }
  std::vector<int> mine;
  for (const Submatrix* x : {&call.at_a, &call.at_b}) {
    const Told told = told_of(*x, call.m, call.n);
    mine.insert(mine.end(), told.values.begin(), told.values.end());
  }
  const std::vector<int> all = world->own->gather(mine);
  const auto at_a = agreed(all, 0, mine.size(), call.m, call.n, call.at_a.descriptor[8]);
  const auto at_b = agreed(all, Told::length, mine.size(), call.m, call.n, call.at_b.descriptor[8]);
  if (!at_a || !at_b) {
    give_up(*world, "layouts that redblue does not serve");
    return pass_on(call);
  }
  constexpr int a = 3;
  constexpr int b = 7;
  require_array(*world->own, {call.a, *at_a, call.context, name, a});
  require_array(*world->own, {call.b, *at_b, call.context, name, b});
  Served record;
  record.redistribute = move(*world->own, Op::none, T(1), *at_a, call.a, T(0), *at_b, call.b);
  record.routine = name;
  record.what = std::to_string(call.m) + " x " + std::to_string(call.n);
  record_served(*world->own, record);
}

}  // namespace
}  // namespace redblue::scalapack

using redblue::scalapack::pgemr2d;

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// ScaLAPACK's entries for C and for Fortran.
#define REDBLUE_PGEMR2D(c_name, fortran_name, T)                                                \
  void c_name(int m, int n, const T* a, int ia, int ja, const int* desca, T* b, int ib, int jb, \
              const int* descb, int context) {                                                  \
    pgemr2d<T>({m, n, a, {ia, ja, desca}, b, {ib, jb, descb}, context});                        \
  }                                                                                             \
  void fortran_name(const int* m, const int* n, const T* a, const int* ia, const int* ja,       \
                    const int* desca, T* b, const int* ib, const int* jb, const int* descb,     \
                    const int* context) {                                                       \
    c_name(*m, *n, a, *ia, *ja, desca, b, *ib, *jb, descb, *context);                           \
  }
// NOLINTEND(bugprone-macro-parentheses)

extern "C" {
REDBLUE_PGEMR2D(Cpigemr2d, pigemr2d_, int)
REDBLUE_PGEMR2D(Cpsgemr2d, psgemr2d_, float)
REDBLUE_PGEMR2D(Cpdgemr2d, pdgemr2d_, double)
REDBLUE_PGEMR2D(Cpcgemr2d, pcgemr2d_, std::complex<float>)
REDBLUE_PGEMR2D(Cpzgemr2d, pzgemr2d_, std::complex<double>)
}
