// SPDX-License-Identifier: BSD-3-Clause
// What calls of ScaLAPACK's QR and LQ factorizations and of products with their vectors share.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "linalg/qr/placed.hpp"
#include "scalapack/element.hpp"
#include "scalapack/grid/blacs.hpp"
#include "scalapack/grid/descriptor.hpp"
#include "scalapack/move.hpp"
#include "scalapack/serving/recent.hpp"
#include "scalapack/serving/report.hpp"
#include "scalapack/serving/workspace.hpp"

namespace redblue::scalapack {

// Whether vectors are columns of A, or rows: the conjugate transpose of A is factored then.
enum class Vectors { columns, rows };

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
                     std::int64_t columns);

bool is_plain(const Submatrix& x);

// Whether panels in place are wide enough for the BLAS, or all calls are to be served.
bool has_wide_blocks(const Submatrix& x, int reflectors);

// The grid of a call that redblue may serve; none where it goes on to ScaLAPACK.
std::shared_ptr<ProcessGrid> serving_grid(const std::string& name, double work, int context);

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
  std::unique_ptr<linalg::PlacedQr<T>> engine;
  std::optional<typename linalg::PlacedQr<T>::Elsewhere> c_moves;  // of products
  std::int64_t words;                                              // of workspace
};

// The plan of a call; null where it goes on to ScaLAPACK. make(): the plan, its `words` set.
template <class T, class Make>
Orthogonal<T>* orthogonal_of(Recent<Orthogonal<T>>& recent,
                             const std::shared_ptr<ProcessGrid>& grid, const Request& request,
                             Make make) {
  return agreed_plan(recent, grid, request, make, [](const Orthogonal<T>& x) {
    return x.words * static_cast<std::int64_t>(sizeof(T));
  });
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

}  // namespace redblue::scalapack
