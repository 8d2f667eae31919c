// SPDX-License-Identifier: BSD-3-Clause
// redblue::Error as the Python package's exception.
#pragma once

#include <pybind11/pybind11.h>

namespace redblue::python {

// What this module throws as redblue::Error arrives as redblue.Error, with its fields.
void register_errors();

}  // namespace redblue::python
