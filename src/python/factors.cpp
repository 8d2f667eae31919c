// SPDX-License-Identifier: BSD-3-Clause
// Factorizations and solves.
#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "python/linalg_runs.hpp"
#include "python/run.hpp"
#include "redblue/lower_bound.hpp"
#include "redblue/qr.hpp"
#include "redblue/solve.hpp"

namespace redblue::python {

namespace py = pybind11;

namespace {

constexpr const char* even_work = "ranks that all do the same work";

constexpr const char* its_busiest = "ranks of which none multiplies more than this plan's busiest";

std::int64_t words_here(const PlacedLayout& placed, MPI_Comm communicator) {
  int rank = 0;
  MPI_Comm_rank(communicator, &rank);
  return array_words(placed.layout, Rank{rank}).value;
}

Phases phases_of(const FactorTraffic& traffic) {
  return {{"redistribute", traffic.redistribute}, {"factor", traffic.factor}};
}

Phases phases_of(const SolveTraffic& traffic) {
  return {
      {"redistribute", traffic.redistribute}, {"factor", traffic.factor}, {"solve", traffic.solve}};
}

template <class T>
struct CholeskyRun : Run {
  explicit CholeskyRun(CholeskyPlan<T> made) : plan(std::move(made)) {}
  std::int64_t execute(std::complex<double>, std::complex<double>,
                       const std::vector<void*>& arrays) override {
    return plan.execute(static_cast<T*>(arrays[0]));
  }
  Phases phases() const override { return phases_of(plan.traffic()); }
  std::string name() const override { return plan.decomposition().name(); }
  CholeskyPlan<T> plan;
};

template <class T>
struct LuRun : Run {
  explicit LuRun(LuPlan<T> made) : plan(std::move(made)) {}
  std::int64_t execute(std::complex<double>, std::complex<double>,
                       const std::vector<void*>& arrays) override {
    return plan.execute(static_cast<T*>(arrays[0]));
  }
  Phases phases() const override { return phases_of(plan.traffic()); }
  std::string name() const override { return plan.decomposition().name(); }
  std::vector<std::int64_t> pivots() const override { return plan.pivots(); }
  LuPlan<T> plan;
};

// A becomes the first columns of Q, the second array R with Householder vectors below it.
template <class T>
struct QrRun : Run {
  explicit QrRun(QrPlan<T> made) : plan(std::move(made)) {}
  std::int64_t execute(std::complex<double>, std::complex<double>,
                       const std::vector<void*>& arrays) override {
    // without one array there is none: all ranks refuse it
    auto* a = words.at(1) > 0 && arrays[1] == nullptr ? nullptr : static_cast<T*>(arrays[0]);
    plan.execute(a);
    moved = plan.traffic();
    std::copy_n(a, words.at(0), static_cast<T*>(arrays[1]));
    plan.form(a, plan.tau());
    forming = plan.traffic();
    return 0;
  }
  Phases phases() const override {
    return {{"redistribute", moved.redistribute + forming.redistribute},
            {"factor", moved.factor},
            {"form Q", forming.factor}};
  }
  std::string name() const override { return plan.decomposition().name(); }
  QrPlan<T> plan;
  FactorTraffic moved, forming;
};

// Of a factorization, whose decomposition says its bound.
template <class T, class R>
std::unique_ptr<Run> factorization(std::unique_ptr<R> run, const PlacedLayout& a,
                                   MPI_Comm communicator) {
  run->type = type_letter<T>();
  run->memory = run->plan.memory().value;
  run->words = {words_here(a, communicator)};
  run->written = {true};
  run->bound = lower_bound(run->plan.decomposition());
  run->bound_holds_for = its_busiest;
  return run;
}

std::unique_ptr<Run> cholesky(std::uintptr_t address, char type, const PlacedLayout& a) {
  const MPI_Comm communicator = communicator_at(address);
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return factorization<T>(
        std::make_unique<CholeskyRun<T>>(CholeskyPlan<T>(communicator, Triangle::lower, a.layout)),
        a, communicator);
  });
}

std::unique_ptr<Run> lu(std::uintptr_t address, char type, const PlacedLayout& a) {
  const MPI_Comm communicator = communicator_at(address);
  return with_type(type, [&](auto number) {
    using T = decltype(number);
    return factorization<T>(std::make_unique<LuRun<T>>(LuPlan<T>(communicator, a.layout)), a,
                            communicator);
  });
}

std::unique_ptr<Run> qr(std::uintptr_t address, char type, const PlacedLayout& a) {
  const MPI_Comm communicator = communicator_at(address);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    auto run = factorization<T>(std::make_unique<QrRun<T>>(QrPlan<T>(communicator, a.layout)), a,
                                communicator);
    run->bound_holds_for = "ranks that store A, R and Q as they do here, and nothing else before";
    run->words.push_back(run->words.front());
    run->written.push_back(true);
    return run;
  });
}

template <class T>
struct SystemRun : Run {
  explicit SystemRun(SystemPlan<T> made) : plan(std::move(made)) {}
  std::int64_t execute(std::complex<double>, std::complex<double>,
                       const std::vector<void*>& arrays) override {
    return plan.execute(static_cast<T*>(arrays[0]), static_cast<T*>(arrays[1]));
  }
  Phases phases() const override { return phases_of(plan.traffic()); }
  std::string name() const override { return "a linear system"; }
  std::vector<std::int64_t> pivots() const override { return plan.pivots(); }
  SystemPlan<T> plan;
};

std::unique_ptr<Run> solve(std::uintptr_t address, char type, bool positive_definite,
                           const PlacedLayout& a, const PlacedLayout& b, int refinements,
                           bool mixed) {
  const MPI_Comm communicator = communicator_at(address);
  SystemLayouts layouts;
  layouts.kind = positive_definite ? SystemKind::positive_definite : SystemKind::general;
  layouts.a = a.layout;
  layouts.b = b.layout;
  SystemOptions options;
  options.refinements = refinements;
  options.mixed = mixed;
  int ranks = 1;
  MPI_Comm_size(communicator, &ranks);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    auto run = std::make_unique<SystemRun<T>>(SystemPlan<T>(communicator, layouts, options));
    run->type = type;
    run->words = {words_here(a, communicator), words_here(b, communicator)};
    run->written = {true, true};
    const RankLimits even{ranks, {}, {}};
    run->bound = positive_definite ? cholesky_lower_bound(a.rows, 1, even)
                                   : lu_lower_bound(a.rows, a.rows, 1, even);
    run->bound_holds_for = even_work;
    return run;
  });
}

template <class T>
struct FactorSolveRun : Run {
  explicit FactorSolveRun(LuSolve<T> made) : lu(std::move(made)) {}
  explicit FactorSolveRun(CholeskySolve<T> made) : cholesky(std::move(made)) {}
  std::int64_t execute(std::complex<double>, std::complex<double>,
                       const std::vector<void*>& arrays) override {
    auto* factors = static_cast<const T*>(arrays[0]);
    auto* b = static_cast<T*>(arrays[1]);
    if (lu) {
      lu->execute(factors, given_pivots, b);
    } else {
      cholesky->execute(factors, b);
    }
    return 0;
  }
  Phases phases() const override { return phases_of(lu ? lu->traffic() : cholesky->traffic()); }
  std::string name() const override { return "a solve with factors"; }
  std::optional<LuSolve<T>> lu;
  std::optional<CholeskySolve<T>> cholesky;
  std::vector<std::int64_t> given_pivots;
};

// With LU's pivots, or none for Cholesky's factor.
std::unique_ptr<Run> factor_solve(std::uintptr_t address, char type, const PlacedLayout& factors,
                                  const PlacedLayout& b,
                                  const std::optional<std::vector<std::int64_t>>& pivots) {
  const MPI_Comm communicator = communicator_at(address);
  return with_type(type, [&](auto number) -> std::unique_ptr<Run> {
    using T = decltype(number);
    std::unique_ptr<FactorSolveRun<T>> run;
    if (pivots) {
      run = std::make_unique<FactorSolveRun<T>>(
          LuSolve<T>(communicator, Op::none, factors.layout, b.layout));
      run->given_pivots = *pivots;
    } else {
      run = std::make_unique<FactorSolveRun<T>>(
          CholeskySolve<T>(communicator, Triangle::lower, factors.layout, b.layout));
    }
    run->type = type;
    run->words = {words_here(factors, communicator), words_here(b, communicator)};
    run->written = {false, true};
    return run;
  });
}

}  // namespace

void add_factors(py::module_& module) {
  module.def("cholesky", &cholesky);
  module.def("lu", &lu);
  module.def("qr", &qr);
  module.def("solve", &solve);
  module.def("factor_solve", &factor_solve);
}

}  // namespace redblue::python
