// SPDX-License-Identifier: BSD-3-Clause
// Products, updates and redistributions.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include "python/linalg_runs.hpp"
#include "python/run.hpp"
#include "redblue/gemm.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/redistribution.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::python {

namespace py = pybind11;

namespace {

constexpr const char* even_work = "ranks that all do the same work";

Op op_of(char letter) {
  switch (letter) {
    case 'N':
      return Op::none;
    case 'T':
      return Op::transpose;
    default:
      return Op::conjugate_transpose;
  }
}

std::int64_t words_here(const PlacedLayout& placed, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return array_words(placed.layout, Rank{rank}).value;
}

int size_of(MPI_Comm communicator) {
  int size = 1;
  MPI_Comm_size(communicator, &size);
  return size;
}

std::optional<Words> words_of(std::optional<std::int64_t> memory) {
  return memory ? std::optional(Words(*memory)) : std::nullopt;
}

Phases phases_of(const GemmTraffic& traffic) {
  return {{"exchange", traffic.exchange}, {"reduce", traffic.reduce}};
}

template <class T>
struct GemmRun : Run {
  explicit GemmRun(GemmPlan<T> made) : plan(std::move(made)) {
    type = type_letter<T>();
    memory = plan.memory().value;
    written = {false, false, true};
    for (const Operand operand : {Operand::a, Operand::b, Operand::c})
      words.push_back(plan.owned(operand).value);
  }
  std::int64_t execute(std::complex<double> alpha, std::complex<double> beta,
                       const std::vector<void*>& arrays) override {
    plan.execute(element<T>(alpha), static_cast<const T*>(arrays[0]),
                 static_cast<const T*>(arrays[1]), element<T>(beta), static_cast<T*>(arrays[2]));
    return 0;
  }
  Phases phases() const override { return phases_of(plan.traffic()); }
  std::string name() const override { return plan.name(); }
  GemmPlan<T> plan;
};

std::unique_ptr<Run> gemm(std::uintptr_t address, char type, char op_a, const PlacedLayout& a,
                          char op_b, const PlacedLayout& b, const PlacedLayout& c,
                          std::optional<std::int64_t> memory) {
  const MPI_Comm communicator = communicator_at(address);
  GemmOptions options;
  options.memory = words_of(memory);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    const GemmLayouts layouts{op_of(op_a), a.layout, op_of(op_b), b.layout, c.layout};
    auto run = std::make_unique<GemmRun<T>>(GemmPlan<T>(communicator, layouts, options));
    run->bound = gemm_lower_bound(run->plan.shape(), size_of(communicator), options.memory);
    run->bound_holds_for = even_work;
    return run;
  });
}

std::unique_ptr<Run> native_gemm(std::uintptr_t address, char type, std::int64_t m, std::int64_t n,
                                 std::int64_t k, std::optional<std::int64_t> memory) {
  const MPI_Comm communicator = communicator_at(address);
  GemmOptions options;
  options.memory = words_of(memory);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    auto run = std::make_unique<GemmRun<T>>(GemmPlan<T>(communicator, GemmShape{m, n, k}, options));
    run->bound = lower_bound(run->plan.decomposition(), options.memory);
    run->bound_holds_for = even_work;
    return run;
  });
}

// Rows, columns and places of the elements that this rank owns in a native plan.
std::vector<py::array_t<std::int64_t>> owned_elements(const Run& run, int operand) {
  std::vector<std::int64_t> rows, columns, places;
  with_type(run.type, [&](auto number) {
    using T = decltype(number);
    const auto* gemm = dynamic_cast<const GemmRun<T>*>(&run);
    if (gemm == nullptr) throw Error("elements of a plan", "it is none in its own layout");
    for_each_element(gemm->plan.parts(static_cast<Operand>(operand)),
                     [&](std::int64_t row, std::int64_t column, std::int64_t place) {
                       rows.push_back(row);
                       columns.push_back(column);
                       places.push_back(place);
                     });
  });
  const auto array = [](const std::vector<std::int64_t>& list) {
    return py::array_t<std::int64_t>(static_cast<py::ssize_t>(list.size()), list.data());
  };
  return {array(rows), array(columns), array(places)};
}

template <class T>
struct SyrkRun : Run {
  explicit SyrkRun(SyrkPlan<T> made) : plan(std::move(made)) {
    type = type_letter<T>();
    memory = plan.memory().value;
    written = {false, true};
  }
  std::int64_t execute(std::complex<double> alpha, std::complex<double> beta,
                       const std::vector<void*>& arrays) override {
    plan.execute(element<T>(alpha), static_cast<const T*>(arrays[0]), nullptr, element<T>(beta),
                 static_cast<T*>(arrays[1]));
    return 0;
  }
  Phases phases() const override { return phases_of(plan.traffic()); }
  std::string name() const override { return plan.name(); }
  SyrkPlan<T> plan;
};

std::unique_ptr<Run> syrk(std::uintptr_t address, char type, bool hermitian, char op,
                          const PlacedLayout& a, const PlacedLayout& c,
                          std::optional<std::int64_t> memory) {
  const MPI_Comm communicator = communicator_at(address);
  SyrkOptions options;
  options.memory = words_of(memory);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    SyrkLayouts layouts;
    layouts.hermitian = hermitian;
    layouts.op = op_of(op);
    layouts.a = a.layout;
    layouts.c = c.layout;
    auto run = std::make_unique<SyrkRun<T>>(SyrkPlan<T>(communicator, layouts, options));
    run->words = {words_here(a, communicator), words_here(c, communicator)};
    const std::int64_t k = op == 'N' ? a.columns : a.rows;
    run->bound = syrk_lower_bound(SyrkShape{c.rows, k}, size_of(communicator), options.memory);
    run->bound_holds_for = even_work;
    return run;
  });
}

template <class T>
struct RedistributionRun : Run {
  explicit RedistributionRun(Redistribution<T> made) : plan(std::move(made)) {
    type = type_letter<T>();
    written = {false, true};
  }
  std::int64_t execute(std::complex<double> alpha, std::complex<double> beta,
                       const std::vector<void*>& arrays) override {
    plan.execute(element<T>(alpha), static_cast<const T*>(arrays[0]), element<T>(beta),
                 static_cast<T*>(arrays[1]));
    return 0;
  }
  Phases phases() const override { return {{"redistribute", plan.traffic()}}; }
  std::string name() const override { return "a redistribution"; }
  Redistribution<T> plan;
};

std::unique_ptr<Run> redistribution(std::uintptr_t address, char type, char op,
                                    const PlacedLayout& a, const PlacedLayout& b) {
  const MPI_Comm communicator = communicator_at(address);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    auto run = std::make_unique<RedistributionRun<T>>(
        Redistribution<T>(communicator, op_of(op), a.layout, b.layout));
    run->words = {words_here(a, communicator), words_here(b, communicator)};
    return run;
  });
}

}  // namespace

void add_products(py::module_& module) {
  module.def("gemm", &gemm);
  module.def("native_gemm", &native_gemm);
  module.def("owned_elements", &owned_elements);
  module.def("syrk", &syrk);
  module.def("redistribution", &redistribution);
}

}  // namespace redblue::python
