// SPDX-License-Identifier: BSD-3-Clause
// How ranks would share a kernel, and what must move at least.
#include <pybind11/stl.h>

#include <cmath>
#include <functional>

#include "python/analysis_module.hpp"
#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue::python {

namespace py = pybind11;

namespace {

struct Request {
  std::int64_t m = 0, n = 0, k = 0;
  int ranks = 1;
  std::optional<std::int64_t> memory;
  bool by_seconds = false;
  std::string machine;

  std::optional<Words> words() const {
    return memory ? std::optional(Words(*memory)) : std::nullopt;
  }
  Objective objective() const { return by_seconds ? Objective::seconds : Objective::words; }
  Machine read_machine() const {
    return machine.empty() ? Machine{} : redblue::read_machine(machine);
  }
};

struct Plan {
  std::string decomposition;
  Cost cost;
  double bound = 0;
  std::vector<Alternative> alternatives;
};

SyrkPlanRequest symmetric(const Request& r) {
  return {{r.n, r.k}, r.ranks, r.words(), r.objective(), r.read_machine()};
}

FactorOptions factor(const Request& r) {
  FactorOptions options;
  options.memory = r.words();
  options.objective = r.objective();
  options.machine = r.read_machine();
  return options;
}

// All that a rank holds, the caller's arrays included, spread evenly.
std::optional<Words> with_arrays(const Request& r, double elements) {
  if (!r.memory) return std::nullopt;
  return Words(*r.memory + static_cast<std::int64_t>(std::ceil(elements / r.ranks)));
}

double size(std::int64_t rows, std::int64_t columns) {
  return static_cast<double>(rows) * static_cast<double>(columns);
}

template <class Decomposition>
Plan factored(const Decomposition& d, const Request& r, double elements) {
  return {d.name(), cost_of(d, r.read_machine()), lower_bound(d, with_arrays(r, elements)), {}};
}

Plan symmetric_kernel(SymmetricKernel kernel, const Request& r) {
  const TriangleDecomposition d = choose_symmetric(kernel, symmetric(r));
  return {d.name(), cost_of(kernel, d, r.read_machine()), lower_bound(kernel, d, r.words()), {}};
}

using Planner = std::function<Plan(const Request&)>;

const std::map<std::string, Planner>& planners() {
  static const std::map<std::string, Planner> all = {
      {"gemm",
       [](const Request& r) {
         const GemmPlanReport p =
             plan_gemm({{r.m, r.n, r.k}, r.ranks, r.words(), r.objective(), r.read_machine()});
         return Plan{p.decomposition.name(), p.cost, p.lower_bound, p.alternatives};
       }},
      {"syrk",
       [](const Request& r) {
         const SyrkPlanReport p = plan_syrk(symmetric(r));
         return Plan{p.decomposition.name(), p.cost, p.lower_bound, p.alternatives};
       }},
      {"syr2k", [](const Request& r) { return symmetric_kernel(SymmetricKernel::syr2k, r); }},
      {"symm", [](const Request& r) { return symmetric_kernel(SymmetricKernel::symm, r); }},
      {"cholesky",
       [](const Request& r) {
         return factored(choose_cholesky(r.n, r.ranks, factor(r)), r, size(r.n, r.n));
       }},
      {"lu",
       [](const Request& r) {
         return factored(choose_lu(r.m, r.n, r.ranks, factor(r)), r, size(r.m, r.n));
       }},
      {"trsm", [](const Request& r) {
         return factored(choose_trsm(r.n, r.k, r.ranks, factor(r)), r,
                         size(r.n, r.n) + size(r.n, r.k));
       }}};
  return all;
}

py::dict as_dict(const Plan& plan) {
  py::list alternatives;
  for (const Alternative& a : plan.alternatives) {
    using namespace py::literals;
    alternatives.append(py::dict("name"_a = a.name, "decomposition"_a = a.shape,
                                 "ranks_used"_a = a.ranks_used,
                                 "words_per_rank"_a = a.cost.words.value, "ratio"_a = a.ratio));
  }
  py::dict result;
  result["decomposition"] = plan.decomposition;
  result["words_per_rank"] = plan.cost.words.value;
  result["mean_words_per_rank"] = plan.cost.mean_words;
  result["messages"] = plan.cost.messages.value;
  result["memory_words"] = plan.cost.memory.value;
  result["predicted_seconds"] = plan.cost.seconds;
  result["lower_bound"] = plan.bound;
  result["alternatives"] = alternatives;
  return result;
}

py::dict plan(const std::string& kernel, const Request& request) {
  const auto planner = planners().find(kernel);
  if (planner == planners().end()) {
    std::string known;
    for (const auto& [name, body] : planners()) known += (known.empty() ? "" : ", ") + name;
    throw Error("plan of " + kernel, "no such kernel", "there are " + known + " and einsums");
  }
  Plan made;
  {
    const py::gil_scoped_release others_run;
    made = planner->second(request);
  }
  return as_dict(made);
}

py::dict plan_of_einsum(const std::string& text, const std::map<std::string, std::int64_t>& sizes,
                        const Request& request) {
  Plan made;
  {
    const py::gil_scoped_release others_run;
    EinsumPlanRequest wanted;
    wanted.shape = einsum_shape(text, sizes);
    wanted.ranks = request.ranks;
    wanted.memory = request.words();
    wanted.objective = request.objective();
    wanted.machine = request.read_machine();
    const EinsumChainReport report = plan_einsum_chain(wanted);
    for (const EinsumStep& step : report.steps) {
      made.decomposition += (made.decomposition.empty() ? "" : "; ") + step.shape.text + " by " +
                            step.report.decomposition.name(step.shape);
    }
    made.cost = report.cost;
    made.bound = report.lower_bound;
  }
  return as_dict(made);
}

}  // namespace

void add_plans(py::module_& module) {
  py::class_<Request>(module, "PlanRequest")
      .def(py::init<>())
      .def_readwrite("m", &Request::m)
      .def_readwrite("n", &Request::n)
      .def_readwrite("k", &Request::k)
      .def_readwrite("ranks", &Request::ranks)
      .def_readwrite("memory", &Request::memory)
      .def_readwrite("by_seconds", &Request::by_seconds)
      .def_readwrite("machine", &Request::machine);
  module.def("plan", &plan);
  module.def("plan_einsum", &plan_of_einsum);
}

}  // namespace redblue::python
