// SPDX-License-Identifier: BSD-3-Clause
// Layouts, and elements of whole matrices put where these say.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "python/linalg_runs.hpp"
#include "python/run.hpp"
#include "redblue/error.hpp"

namespace redblue::python {

namespace py = pybind11;

namespace {

// Dealt out in blocks over a grid; `ranks` by rows of the grid.
PlacedLayout cyclic(std::int64_t rows, std::int64_t columns, std::int64_t row_block,
                    std::int64_t column_block, int grid_rows, int grid_columns,
                    const std::vector<int>& ranks, int me) {
  const std::string asked = "a " + std::to_string(grid_rows) + " x " +
                            std::to_string(grid_columns) + " grid in blocks of " +
                            std::to_string(row_block) + " x " + std::to_string(column_block);
  if (rows < 0 || columns < 0 || row_block < 1 || column_block < 1 || grid_rows < 1 ||
      grid_columns < 1)
    throw Error(asked, "a size below its least", "blocks and grids begin at 1, matrices at 0");
  if (static_cast<std::int64_t>(ranks.size()) != std::int64_t{grid_rows} * grid_columns)
    throw Error(asked, std::to_string(ranks.size()) + " ranks", "name one for each place");
  BlockCyclic layout;
  layout.rows = rows;
  layout.columns = columns;
  layout.down = {row_block, 0, grid_rows, row_block};
  layout.across = {column_block, 0, grid_columns, column_block};
  for (std::size_t at = 0; at < ranks.size(); ++at) {
    layout.ranks.push_back(Rank{ranks[at]});
    if (ranks[at] != me) continue;
    const int row = static_cast<int>(at) / grid_columns;
    layout.leading = std::max<std::int64_t>(1, layout.down.count(rows, row));
  }
  return {layout, rows, columns};
}

PlacedLayout whole(std::int64_t rows, std::int64_t columns, int owner) {
  return {BlockGrid{{0, rows}, {0, columns}, {Rank{owner}}}, rows, columns};
}

// Calls f(place, row, column, run length) for every run of a column that the rank stores.
template <class F>
void runs(const PlacedLayout& placed, int rank, F f) {
  for_each_local_block(placed.layout, Rank{rank}, [&](const LocalBlock& block) {
    for (std::int64_t j = block.columns.begin; j < block.columns.end; ++j)
      f(block.offset + block.leading * (j - block.columns.begin), block.rows.begin, j,
        block.rows.size());
  });
}

void check(const PlacedLayout& placed, const py::array& matrix, const py::array& local, int rank) {
  if (matrix.ndim() != 2 || matrix.shape(0) != placed.rows || matrix.shape(1) != placed.columns)
    throw Error("a matrix of another shape than its layout's",
                std::to_string(placed.rows) + " x " + std::to_string(placed.columns) + " expected");
  if (local.ndim() != 1 || local.size() < array_words(placed.layout, Rank{rank}).value)
    throw Error("a local array", std::to_string(local.size()) + " words",
                "give " + std::to_string(array_words(placed.layout, Rank{rank}).value));
}

// From the whole matrix into this rank's array.
template <class T>
void take(const PlacedLayout& placed, int rank, const py::array_t<T>& matrix,
          py::array_t<T>& local) {
  check(placed, matrix, local, rank);
  const auto from = matrix.template unchecked<2>();
  T* to = local.mutable_data();
  runs(placed, rank, [&](std::int64_t at, std::int64_t i, std::int64_t j, std::int64_t length) {
    for (std::int64_t r = 0; r < length; ++r) to[at + r] = from(i + r, j);
  });
}

// Back, the elements of this rank only.
template <class T>
void put(const PlacedLayout& placed, int rank, const py::array_t<T>& local,
         py::array_t<T>& matrix) {
  check(placed, matrix, local, rank);
  auto to = matrix.template mutable_unchecked<2>();
  const T* from = local.data();
  runs(placed, rank, [&](std::int64_t at, std::int64_t i, std::int64_t j, std::int64_t length) {
    for (std::int64_t r = 0; r < length; ++r) to(i + r, j) = from[at + r];
  });
}

// Zeros above (below) the diagonal of this rank's elements, or ones on it.
template <class T>
void clear(const PlacedLayout& placed, int rank, py::array_t<T>& local, bool above, bool ones) {
  T* at_place = local.mutable_data();
  for_each_element(placed.layout, Rank{rank},
                   [&](std::int64_t row, std::int64_t column, std::int64_t place) {
                     if (above ? column > row : column < row) at_place[place] = T(0);
                     if (ones && row == column) at_place[place] = T(1);
                   });
}

template <class T>
void add_moves(py::module_& module) {
  module.def("take", &take<T>, py::arg(), py::arg(), py::arg(), py::arg().noconvert());
  module.def("put", &put<T>, py::arg(), py::arg(), py::arg().noconvert(), py::arg().noconvert());
  module.def("clear", &clear<T>, py::arg(), py::arg(), py::arg().noconvert(), py::arg(), py::arg());
}

}  // namespace

void add_layouts(py::module_& module) {
  py::class_<PlacedLayout>(module, "Layout")
      .def("words", [](const PlacedLayout& placed,
                       int rank) { return array_words(placed.layout, Rank{rank}).value; })
      .def_readonly("rows", &PlacedLayout::rows)
      .def_readonly("columns", &PlacedLayout::columns);
  module.def("cyclic", &cyclic);
  module.def("whole", &whole);
  module.def("squarest_grid_rows", &squarest_grid_rows);
  add_moves<float>(module);
  add_moves<double>(module);
  add_moves<std::complex<float>>(module);
  add_moves<std::complex<double>>(module);
}

}  // namespace redblue::python
