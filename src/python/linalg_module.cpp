// SPDX-License-Identifier: BSD-3-Clause
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <chrono>
#include <optional>

#include "python/errors.hpp"
#include "python/linalg_runs.hpp"
#include "python/run.hpp"

namespace redblue::python {

namespace py = pybind11;

namespace {

// Whether the array is what the plan's number `a` may read or write; its data.
void* data_of(const Run& run, std::size_t a, const py::array& array) {
  const std::string asked = "array " + std::to_string(a + 1) + " of " + run.name();
  const bool right = with_type(run.type, [&](auto element) {
    return py::isinstance<py::array_t<decltype(element)>>(array);
  });
  if (!right) throw Error(asked, "elements of another type", "give those of the plan");
  if (array.ndim() != 1 || (array.size() > 1 && array.strides(0) != array.itemsize()))
    throw Error(asked, "it is not one contiguous row of words", "give the local array");
  if (array.size() < run.words[a])
    throw Error(asked, std::to_string(array.size()) + " words",
                "it takes " + std::to_string(run.words[a]), run.words[a]);
  if (run.written[a] && !array.writeable())
    throw Error(asked, "it is read-only", "give one that can be written");
  return const_cast<void*>(array.data());
}

// The arrays' data, null for those that are not right, and what is wrong with the first of them.
// Where this rank has no words of an array any will do.
struct Given {
  std::vector<void*> data;
  std::optional<Error> fault;
};

Given data_of(const Run& run, const std::vector<py::array>& arrays) {
  if (arrays.size() != run.words.size())
    throw Error(run.name(), std::to_string(arrays.size()) + " arrays",
                "it takes " + std::to_string(run.words.size()));
  Given given;
  for (std::size_t a = 0; a < arrays.size(); ++a) {
    given.data.push_back(nullptr);
    try {
      given.data.back() = data_of(run, a, arrays[a]);
    } catch (const Error& error) {
      if (run.words[a] > 0 && !given.fault) given.fault = error;
    }
  }
  return given;
}

// A rank whose arrays are wrong takes part in the call without them, so that all ranks refuse it
// together.
std::int64_t execute(Run& run, std::complex<double> alpha, std::complex<double> beta,
                     const std::vector<py::array>& arrays) {
  using Clock = std::chrono::steady_clock;
  const Given given = data_of(run, arrays);
  const py::gil_scoped_release others_run;
  const auto begin = Clock::now();
  std::int64_t info = 0;
  try {
    info = run.execute(alpha, beta, given.data);
  } catch (const Error&) {
    if (given.fault) throw *given.fault;
    throw;
  }
  run.seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  return info;
}

py::dict phases(const Run& run) {
  py::dict result;
  for (const auto& [name, t] : run.phases()) {
    result[name.c_str()] = py::make_tuple(t.words_received.value, t.words_sent.value,
                                          t.messages_received.value, t.messages_sent.value);
  }
  return result;
}

}  // namespace

}  // namespace redblue::python

PYBIND11_MODULE(_linalg, module) {
  using namespace redblue::python;
  module.doc() = "redblue's parallel linear algebra; the package redblue is its face.";
  register_errors();
  pybind11::class_<Run>(module, "Run")
      .def("execute", &execute)
      .def("phases", &phases)
      .def("name", &Run::name)
      .def("pivots", &Run::pivots)
      .def_readonly("bound", &Run::bound)
      .def_readonly("bound_holds_for", &Run::bound_holds_for)
      .def_readonly("memory", &Run::memory)
      .def_readonly("seconds", &Run::seconds)
      .def_readonly("words", &Run::words);
  add_layouts(module);
  add_products(module);
  add_factors(module);
  add_einsums(module);
}
