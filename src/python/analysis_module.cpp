// SPDX-License-Identifier: BSD-3-Clause
#include "python/analysis_module.hpp"

#include "python/alone.hpp"
#include "python/errors.hpp"
#include "redblue/version.hpp"

namespace redblue::python {

std::mutex& analysis_lock() {
  static std::mutex lock;
  return lock;
}

}  // namespace redblue::python

PYBIND11_MODULE(_analysis, module) {
  using namespace redblue::python;
  module.doc() = "redblue's analysis library; the package redblue is its face.";
  module.attr("version") = redblue::version();
  register_errors();
  add_formulas(module);
  add_bounds(module);
  add_counts(module);
  add_schedules(module);
  add_kernels(module);
  add_graphs(module);
  add_plans(module);
}
