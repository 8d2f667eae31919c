// SPDX-License-Identifier: BSD-3-Clause
// The public plans of inverses.
#include <algorithm>
#include <complex>
#include <string>
#include <utility>

#include "linalg/inverse/placed_inverse.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue {

using namespace linalg;
using comm::Communicator;

namespace {

// What the four kinds share.
template <class T>
struct Inverse {
  Communicator communicator;
  std::string name;
  Words owned;
  std::optional<PlacedInverse<T>> placed;
  Buffer<T> workspace;
  FactorTraffic traffic;

  Inverse(MPI_Comm original, std::string kind, const InverseSetup& setup)
      : communicator(original), name(std::move(kind)) {
    check_layout(communicator, "A", setup.layout);
    const layout::Arrangement at = arrangement_of(setup.layout, Op::none, communicator.size());
    if (at.rows != at.columns) {
      throw Error(name + " of " + std::to_string(at.rows) + " x " + std::to_string(at.columns),
                  "not a square matrix", "give a matrix with as many rows as columns");
    }
    require_same(communicator, name, setup.options,
                 {static_cast<std::int64_t>(setup.triangle), setup.unit ? 1 : 0});
    owned = array_words(setup.layout, communicator.rank());
    reserve(communicator, name, setup.options.memory, placed, workspace,
            [&] { placed.emplace(communicator, setup); });
  }

  std::int64_t execute(T* a, const std::vector<std::int64_t>* pivots) {
    const T* const arrays[] = {a};
    const Words words[] = {owned};
    check_arrays(communicator, name, arrays, words);
    traffic = {};
    return placed->execute(communicator, a, pivots, workspace.data(), traffic);
  }
};

}  // namespace

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
// What all kinds of plans have alike.
#define REDBLUE_INVERSE(Plan)                                  \
  template <class T>                                           \
  struct Plan<T>::Impl : Inverse<T> {                          \
    using Inverse<T>::Inverse;                                 \
  };                                                           \
  template <class T>                                           \
  Plan<T>::~Plan() = default;                                  \
  template <class T>                                           \
  Plan<T>::Plan(Plan&&) noexcept = default;                    \
  template <class T>                                           \
  Plan<T>& Plan<T>::operator=(Plan&&) noexcept = default;      \
  template <class T>                                           \
  const InverseDecomposition& Plan<T>::decomposition() const { \
    return impl_->placed->decomposition();                     \
  }                                                            \
  template <class T>                                           \
  std::string Plan<T>::name() const {                          \
    return impl_->placed->name();                              \
  }                                                            \
  template <class T>                                           \
  Words Plan<T>::memory() const {                              \
    return Words(impl_->workspace.size());                     \
  }                                                            \
  template <class T>                                           \
  const FactorTraffic& Plan<T>::traffic() const {              \
    return impl_->traffic;                                     \
  }                                                            \
  template class Plan<float>;                                  \
  template class Plan<double>;                                 \
  template class Plan<std::complex<float>>;                    \
  template class Plan<std::complex<double>>;
// NOLINTEND(bugprone-macro-parentheses)

template <class T>
TriangularInversePlan<T>::TriangularInversePlan(MPI_Comm communicator, Triangle triangle, bool unit,
                                                const Layout& layout, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(
          communicator, "inverse of a triangle",
          InverseSetup{InverseKernel::triangle, triangle, unit, layout, options})) {}
template <class T>
std::int64_t TriangularInversePlan<T>::execute(T* t) {
  return impl_->execute(t, nullptr);
}

template <class T>
TriangularSquarePlan<T>::TriangularSquarePlan(MPI_Comm communicator, Triangle triangle,
                                              const Layout& layout, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(
          communicator, "square of a triangle",
          InverseSetup{InverseKernel::square, triangle, false, layout, options})) {}
template <class T>
void TriangularSquarePlan<T>::execute(T* t) {
  impl_->execute(t, nullptr);
}

template <class T>
CholeskyInverse<T>::CholeskyInverse(MPI_Comm communicator, Triangle triangle, const Layout& layout,
                                    const FactorOptions& options)
    : impl_(std::make_unique<Impl>(
          communicator, "cholesky inverse",
          InverseSetup{InverseKernel::cholesky, triangle, false, layout, options})) {}
template <class T>
std::int64_t CholeskyInverse<T>::execute(T* factor) {
  return impl_->execute(factor, nullptr);
}

template <class T>
LuInverse<T>::LuInverse(MPI_Comm communicator, const Layout& layout, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(
          communicator, "lu inverse",
          InverseSetup{InverseKernel::lu, Triangle::lower, false, layout, options})) {}
template <class T>
std::int64_t LuInverse<T>::execute(T* factors, const std::vector<std::int64_t>& pivots) {
  const std::int64_t n = impl_->placed->decomposition().n;
  const bool valid =
      static_cast<std::int64_t>(pivots.size()) == n &&
      std::all_of(pivots.begin(), pivots.end(), [n](std::int64_t p) { return p >= 0 && p < n; });
  if (!impl_->communicator.all(valid)) {
    throw Error("lu inverse", "pivots that are not those of " + std::to_string(n) + " rows",
                "pass LuPlan's pivots()");
  }
  return impl_->execute(factors, &pivots);
}

REDBLUE_INVERSE(TriangularInversePlan)
REDBLUE_INVERSE(TriangularSquarePlan)
REDBLUE_INVERSE(CholeskyInverse)
REDBLUE_INVERSE(LuInverse)
#undef REDBLUE_INVERSE

}  // namespace redblue
