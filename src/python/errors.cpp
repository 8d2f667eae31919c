// SPDX-License-Identifier: BSD-3-Clause
#include "python/errors.hpp"

#include <exception>

#include "redblue/error.hpp"

namespace redblue::python {

namespace py = pybind11;

void register_errors() {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const Error& e) {
      const py::object type = py::module_::import("redblue.errors").attr("Error");
      const py::object least = e.least() ? py::object(py::int_(*e.least())) : py::none();
      const py::object error = type(e.what(), e.asked(), e.found(), e.remedy(), least);
      PyErr_SetObject(type.ptr(), error.ptr());
    }
  });
}

}  // namespace redblue::python
