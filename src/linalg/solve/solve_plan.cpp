// SPDX-License-Identifier: BSD-3-Clause
// The public plans of solves: with a triangular matrix, with factors.
#include <algorithm>
#include <complex>
#include <numeric>
#include <string>
#include <utility>

#include "linalg/plan/caller_layouts.hpp"
#include "linalg/solve/solve.hpp"

namespace redblue::linalg {

SolveSetup cholesky_setup(Triangle triangle, const Layout& factor, const Layout& b, int ranks) {
  const bool lower = triangle == Triangle::lower;
  SolveSetup setup;
  setup.passes = {{triangle, lower ? Op::none : Op::conjugate_transpose, false},
                  {triangle, lower ? Op::conjugate_transpose : Op::none, false}};
  setup.triangles = factor;
  setup.part = lower ? layout::Part::lower : layout::Part::upper;
  setup.rhs = arrangement_of(b, Op::none, ranks);
  return setup;
}

SolveSetup lu_setup(Op op, const Layout& factors, const Layout& b, int ranks) {
  SolveSetup setup;
  setup.passes = {{Triangle::lower, op, true}, {Triangle::upper, op, false}};
  if (op != Op::none) std::swap(setup.passes[0], setup.passes[1]);
  setup.triangles = factors;
  setup.rhs = arrangement_of(b, Op::none, ranks);
  return setup;
}

std::vector<std::int64_t> row_order(const std::vector<std::int64_t>& pivots, std::int64_t rows) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < pivots.size(); ++i) {
    std::swap(order[i], order[static_cast<std::size_t>(pivots[i])]);
  }
  return order;
}

}  // namespace redblue::linalg

namespace redblue {

using namespace linalg;
using comm::Communicator;

namespace {

// A plan of any passes: what the three kinds share.
template <class T>
struct Solve {
  Communicator communicator;
  std::string name;
  Words owned[2];
  std::optional<PlacedSolve<T>> placed;
  Buffer<T> workspace;
  SolveTraffic traffic;

  Solve(MPI_Comm original, std::string kind) : communicator(original), name(std::move(kind)) {}

  void check(const char* matrix, const Layout& triangles, const Layout& b) {
    check_layout(communicator, matrix, triangles);
    check_layout(communicator, "B", b);
    owned[0] = array_words(triangles, communicator.rank());
    owned[1] = array_words(b, communicator.rank());
  }

  void build(const SolveSetup& setup) {
    const layout::Arrangement t = arrangement_of(setup.triangles, Op::none, communicator.size());
    if (t.rows != t.columns || t.rows != setup.rhs.rows) {
      throw Error(name,
                  std::to_string(t.rows) + " x " + std::to_string(t.columns) + " for " +
                      std::to_string(setup.rhs.rows) + " unknowns",
                  "the matrix must be square, of as many rows as there are unknowns");
    }
    std::vector<std::int64_t> same = {setup.conjugate_rhs ? 1 : 0,
                                      setup.scheme ? static_cast<std::int64_t>(*setup.scheme) : -1};
    for (const Pass& p : setup.passes) {
      same.insert(same.end(), {static_cast<std::int64_t>(p.triangle),
                               static_cast<std::int64_t>(p.op), p.unit ? 1 : 0});
    }
    require_same(communicator, name, setup.options, std::move(same));
    reserve(communicator, name, setup.options.memory, placed, workspace,
            [&] { placed.emplace(communicator, setup); });
  }

  void execute(T alpha, const T* triangles, T* b, const typename PlacedSolve<T>::RowOrder& order) {
    const T* const arrays[] = {triangles, b};
    check_arrays(communicator, name, arrays, owned);
    traffic = {};
    placed->execute(communicator, alpha, triangles, b, order, workspace.data(), traffic);
  }

  Words memory() const { return Words(workspace.size()); }
};

}  // namespace

template <class T>
struct TrsmPlan<T>::Impl : Solve<T> {
  using Solve<T>::Solve;
};
template <class T>
TrsmPlan<T>::TrsmPlan(MPI_Comm communicator, const TrsmLayouts& layouts,
                      const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, "trsm")) {
  impl_->check("T", layouts.t, layouts.b);
  SolveSetup setup = setup_of(layouts, impl_->communicator.size());
  setup.options = options;
  impl_->build(setup);
}
template <class T>
TrsmPlan<T>::~TrsmPlan() = default;
template <class T>
TrsmPlan<T>::TrsmPlan(TrsmPlan&&) noexcept = default;
template <class T>
TrsmPlan<T>& TrsmPlan<T>::operator=(TrsmPlan&&) noexcept = default;
template <class T>
const TrsmDecomposition& TrsmPlan<T>::decomposition() const {
  return impl_->placed->decomposition();
}
template <class T>
const std::optional<TrsvDecomposition>& TrsmPlan<T>::few() const {
  return impl_->placed->few();
}
template <class T>
std::string TrsmPlan<T>::name() const {
  return impl_->placed->name();
}
template <class T>
Words TrsmPlan<T>::memory() const {
  return impl_->memory();
}
template <class T>
void TrsmPlan<T>::execute(T alpha, const T* t, T* b) {
  impl_->execute(alpha, t, b, {});
}
template <class T>
const SolveTraffic& TrsmPlan<T>::traffic() const {
  return impl_->traffic;
}

template <class T>
struct TrsvPlan<T>::Impl : Solve<T> {
  using Solve<T>::Solve;
};
template <class T>
TrsvPlan<T>::TrsvPlan(MPI_Comm communicator, const TrsvLayouts& layouts, const TrsvOptions& options)
    : impl_(std::make_unique<Impl>(communicator, "trsv")) {
  impl_->check("T", layouts.t, layouts.x);
  SolveSetup setup = setup_of(layouts, impl_->communicator.size());
  if (setup.rhs.columns != 1) {
    throw Error(
        "trsv",
        "an x of " + std::to_string(setup.rhs.rows) + " x " + std::to_string(setup.rhs.columns),
        "x must be one column or one row; use TrsmPlan for more");
  }
  setup.scheme = options.scheme;
  setup.options.block = options.step;
  setup.options.memory = options.memory;
  setup.options.machine = options.machine;
  impl_->build(setup);
}
template <class T>
TrsvPlan<T>::~TrsvPlan() = default;
template <class T>
TrsvPlan<T>::TrsvPlan(TrsvPlan&&) noexcept = default;
template <class T>
TrsvPlan<T>& TrsvPlan<T>::operator=(TrsvPlan&&) noexcept = default;
template <class T>
const TrsvDecomposition& TrsvPlan<T>::decomposition() const {
  return *impl_->placed->few();
}
template <class T>
Words TrsvPlan<T>::memory() const {
  return impl_->memory();
}
template <class T>
void TrsvPlan<T>::execute(const T* t, T* x) {
  impl_->execute(T(1), t, x, {});
}
template <class T>
const SolveTraffic& TrsvPlan<T>::traffic() const {
  return impl_->traffic;
}
template <class T>
TrsvPath TrsvPlan<T>::path() {
  return path_of(impl_->communicator, impl_->placed->half_steps());
}

template <class T>
struct CholeskySolve<T>::Impl : Solve<T> {
  using Solve<T>::Solve;
};
template <class T>
CholeskySolve<T>::CholeskySolve(MPI_Comm communicator, Triangle triangle, const Layout& factor,
                                const Layout& b, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, "cholesky solve")) {
  impl_->check("A", factor, b);
  SolveSetup setup = cholesky_setup(triangle, factor, b, impl_->communicator.size());
  setup.options = options;
  impl_->build(setup);
}
template <class T>
CholeskySolve<T>::~CholeskySolve() = default;
template <class T>
CholeskySolve<T>::CholeskySolve(CholeskySolve&&) noexcept = default;
template <class T>
CholeskySolve<T>& CholeskySolve<T>::operator=(CholeskySolve&&) noexcept = default;
template <class T>
Words CholeskySolve<T>::memory() const {
  return impl_->memory();
}
template <class T>
void CholeskySolve<T>::execute(const T* factor, T* b) {
  impl_->execute(T(1), factor, b, {});
}
template <class T>
const SolveTraffic& CholeskySolve<T>::traffic() const {
  return impl_->traffic;
}

template <class T>
struct LuSolve<T>::Impl : Solve<T> {
  using Solve<T>::Solve;
  bool permute_first = true;
};
template <class T>
LuSolve<T>::LuSolve(MPI_Comm communicator, Op op, const Layout& factors, const Layout& b,
                    const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, "lu solve")) {
  impl_->check("A", factors, b);
  SolveSetup setup = lu_setup(op, factors, b, impl_->communicator.size());
  setup.options = options;
  impl_->permute_first = op == Op::none;
  impl_->build(setup);
}
template <class T>
LuSolve<T>::~LuSolve() = default;
template <class T>
LuSolve<T>::LuSolve(LuSolve&&) noexcept = default;
template <class T>
LuSolve<T>& LuSolve<T>::operator=(LuSolve&&) noexcept = default;
template <class T>
Words LuSolve<T>::memory() const {
  return impl_->memory();
}
template <class T>
void LuSolve<T>::execute(const T* factors, const std::vector<std::int64_t>& pivots, T* b) {
  const auto unknowns = impl_->placed->decomposition().n;
  const bool valid = static_cast<std::int64_t>(pivots.size()) == unknowns &&
                     std::all_of(pivots.begin(), pivots.end(),
                                 [unknowns](std::int64_t p) { return p >= 0 && p < unknowns; });
  if (!impl_->communicator.all(valid)) {
    throw Error("lu solve", "pivots that are not those of " + std::to_string(unknowns) + " rows",
                "pass LuPlan's pivots()");
  }
  const std::vector<std::int64_t> order = row_order(pivots, unknowns);
  impl_->execute(T(1), factors, b, {&order, impl_->permute_first});
}
template <class T>
const SolveTraffic& LuSolve<T>::traffic() const {
  return impl_->traffic;
}

template class TrsmPlan<float>;
template class TrsmPlan<double>;
template class TrsmPlan<std::complex<float>>;
template class TrsmPlan<std::complex<double>>;
template class TrsvPlan<float>;
template class TrsvPlan<double>;
template class TrsvPlan<std::complex<float>>;
template class TrsvPlan<std::complex<double>>;
template class CholeskySolve<float>;
template class CholeskySolve<double>;
template class CholeskySolve<std::complex<float>>;
template class CholeskySolve<std::complex<double>>;
template class LuSolve<float>;
template class LuSolve<double>;
template class LuSolve<std::complex<float>>;
template class LuSolve<std::complex<double>>;

}  // namespace redblue
