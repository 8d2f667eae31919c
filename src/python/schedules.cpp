// SPDX-License-Identifier: BSD-3-Clause
// Schedules, replays, and Python functions as C.
#include <pybind11/stl.h>

#include "frontend/python/frontend.hpp"
#include "frontend/read.hpp"
#include "json/schedules.hpp"
#include "program/isl_errors.hpp"
#include "program/touched.hpp"
#include "python/alone.hpp"
#include "python/analysis_module.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "redblue/measure.hpp"
#include "redblue/schedule.hpp"

namespace redblue::python {

namespace py = pybind11;
using json::Json;

namespace {

// What `tile --json` prints, with the C and why there is none.
std::string tile(const BoundRequest& program, const std::string& replacement,
                 std::optional<double> effort, bool blas) {
  if (replacement != "belady" && replacement != "lru")
    throw Error("--for " + replacement, "no such memory", "belady or lru");
  return alone([&] {
    ScheduleRequest request;
    request.program = program;
    request.replacement = replacement == "lru" ? cdag::Replacement::lru : cdag::Replacement::belady;
    request.effort = effort;
    request.blas = blas;
    request.progress = interruptible();
    check_schedule(program);
    const auto [schedule, gap] = bounded_schedule(request);
    Json json = json::to_json(schedule, gap);
    json["code"] = schedule.code;
    json["no_code"] = schedule.no_code;
    return json.dump();
  });
}

std::string replay(const BoundRequest& program) {
  return alone([&] { return json::to_json(replay_program(program, interruptible())).dump(); });
}

// A Python function as C, and which of its parameters are extents of arrays.
std::string translate(const std::string& file, const std::string& function) {
  return alone([&] {
    const auto made = frontend::python::translated(file, function);
    return Json{{"c", made.c}, {"function", made.function}, {"extents", made.extents}}.dump();
  });
}

// Without sizes of what is no parameter: numbers that steer nothing.
program::Sizes sizes_of(const program::Program& program, const BoundRequest& request) {
  program::Sizes sizes;
  for (const std::string& name : program.parameters) {
    const auto size = request.sizes.find(name);
    if (size != request.sizes.end()) sizes[name] = size->second;
  }
  return sizes;
}

// The subscripts that the program uses of each array: {"A": [[0, 99], [0, 49]]}.
std::string touched(const BoundRequest& request) {
  return alone([&] {
    return program::with_isl_errors_explained(request.file, [&] {
      const program::Program read = frontend::read(request);
      const program::Sizes sizes = sizes_of(read, request);
      program::check_parameters(read, sizes);
      Json json = Json::object();
      for (const auto& [name, array] : read.arrays) {
        json[name] = Json::array();
        for (const Range& range : program::touched(read, name, sizes))
          json[name].push_back({range.begin, range.end - 1});
      }
      return json.dump();
    });
  });
}

// C for this processor, as `measure -o` writes it.
std::string fast(const BoundRequest& request) {
  return alone([&] {
    FastCodeRequest fast;
    fast.program = request;
    fast.program.sizes = sizes_of(frontend::read(request), request);
    const FastCode made = fast_code(fast);
    return Json{{"code", made.code},
                {"changed", made.changed},
                {"blocks", made.blocks},
                {"storage", made.storage},
                {"reordered", made.reordered}}
        .dump();
  });
}

}  // namespace

void add_schedules(py::module_& module) {
  module.def("tile", &tile);
  module.def("replay", &replay);
}

void add_kernels(py::module_& module) {
  module.def("translate", &translate);
  module.def("touched", &touched);
  module.def("fast", &fast);
  module.def("cache_folder", [] { return search_folder(); });
}

}  // namespace redblue::python
