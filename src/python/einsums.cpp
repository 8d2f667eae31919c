// SPDX-License-Identifier: BSD-3-Clause
// Einstein summations.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "python/linalg_runs.hpp"
#include "python/run.hpp"
#include "redblue/einsum_plan.hpp"

namespace redblue::python {

namespace py = pybind11;

namespace {

template <class T>
struct EinsumRun : Run {
  explicit EinsumRun(EinsumPlan<T> made) : plan(std::move(made)) {
    type = type_letter<T>();
    memory = plan.memory().value;
    bound = plan.plan().lower_bound;
    bound_holds_for = "schedules of these steps, each product formed on one rank";
    for (std::size_t t = 0; t < plan.shape().tensors.size(); ++t) {
      words.push_back(plan.owned(t).value);
      written.push_back(t == plan.shape().operands());
    }
  }
  std::int64_t execute(std::complex<double> alpha, std::complex<double> beta,
                       const std::vector<void*>& arrays) override {
    std::vector<const T*> operands;
    for (std::size_t a = 0; a + 1 < arrays.size(); ++a)
      operands.push_back(static_cast<const T*>(arrays[a]));
    plan.execute(element<T>(alpha), operands, element<T>(beta), static_cast<T*>(arrays.back()));
    return 0;
  }
  Phases phases() const override {
    const EinsumTraffic& t = plan.traffic();
    return {{"exchange", t.exchange}, {"reduce", t.reduce}, {"redistribute", t.redistribute}};
  }
  std::string name() const override { return plan.shape().text; }
  EinsumPlan<T> plan;
};

// A grid and a block per letter, for a tensor in the caller's layout; none: the plan's own.
using GivenLayout = std::optional<std::pair<std::vector<int>, std::vector<std::int64_t>>>;

std::unique_ptr<Run> einsum(std::uintptr_t address, char type, const std::string& text,
                            const std::map<std::string, std::int64_t>& sizes,
                            const std::vector<GivenLayout>& layouts) {
  const MPI_Comm communicator = communicator_at(address);
  EinsumOptions options;
  for (const GivenLayout& given : layouts) {
    options.layouts.emplace_back();
    if (given) options.layouts.back() = EinsumLayout{given->first, given->second};
  }
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    return std::make_unique<EinsumRun<T>>(
        EinsumPlan<T>(communicator, einsum_shape(text, sizes), options));
  });
}

// Places of the elements that this rank owns: in the whole tensor as C has it, and in its array.
std::pair<py::array_t<std::int64_t>, py::array_t<std::int64_t>> owned_places(const Run& run,
                                                                             std::size_t tensor) {
  std::vector<std::int64_t> elements, places;
  with_type(run.type, [&](auto number) {
    using T = decltype(number);
    const auto* einsum = dynamic_cast<const EinsumRun<T>*>(&run);
    if (einsum == nullptr) throw Error("elements of a tensor", "the plan is no summation");
    einsum->plan.for_each_element(tensor, [&](std::int64_t element, std::int64_t place) {
      elements.push_back(element);
      places.push_back(place);
    });
  });
  const auto array = [](const std::vector<std::int64_t>& list) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(list.size()), list.data());
  };
  return {array(elements), array(places)};
}

}  // namespace

void add_einsums(py::module_& module) {
  module.def("einsum", &einsum);
  module.def("owned_places", &owned_places);
  module.def("einsum_text",
             [](const std::string& text, const std::map<std::string, std::int64_t>& sizes) {
               return einsum_shape(text, sizes).text;
             });
}

}  // namespace redblue::python
