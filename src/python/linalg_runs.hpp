// SPDX-License-Identifier: BSD-3-Clause
// The kernels of redblue::linalg as Runs, and layouts, for the extension module redblue._linalg.
#pragma once

#include <mpi.h>
#include <pybind11/pybind11.h>

#include "redblue/layout.hpp"

namespace redblue::python {

// A layout with what Python asks of it again and again.
struct PlacedLayout {
  Layout layout;
  std::int64_t rows = 0, columns = 0;
};

// The communicator at the address that mpi4py says.
inline MPI_Comm communicator_at(std::uintptr_t address) {
  return *reinterpret_cast<const MPI_Comm*>(address);
}

void add_layouts(pybind11::module_& module);
void add_products(pybind11::module_& module);  // gemm, syrk, redistribution
void add_factors(pybind11::module_& module);   // cholesky, lu, solves
void add_einsums(pybind11::module_& module);

}  // namespace redblue::python
