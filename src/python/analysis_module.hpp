// SPDX-License-Identifier: BSD-3-Clause
// The parts of the extension module redblue._analysis. Results are JSON, as the command prints it,
// or plain text: values of Python's own, that any thread may use.
#pragma once

#include <pybind11/pybind11.h>

namespace redblue::python {

void add_bounds(pybind11::module_& module);
void add_formulas(pybind11::module_& module);
void add_counts(pybind11::module_& module);
void add_schedules(pybind11::module_& module);
void add_kernels(pybind11::module_& module);
void add_graphs(pybind11::module_& module);
void add_plans(pybind11::module_& module);

}  // namespace redblue::python
