// SPDX-License-Identifier: BSD-3-Clause
// The public plans of two-sided solves and products.
#include <complex>
#include <memory>
#include <string>

#include "linalg/inverse/placed_two_sided.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"
#include "redblue/two_sided.hpp"

namespace redblue {

using namespace linalg;

template <class T>
struct TwoSidedPlan<T>::Impl {
  comm::Communicator communicator;
  std::string name;
  Words owned[2];
  std::optional<PlacedTwoSided<T>> placed;
  Buffer<T> workspace;
  FactorTraffic traffic;

  Impl(MPI_Comm original, const TwoSidedSetup& setup)
      : communicator(original),
        name(setup.kernel == InverseKernel::two_sided_solve ? "two-sided solve"
                                                            : "two-sided product") {
    check_layout(communicator, "A", setup.a);
    check_layout(communicator, "L", setup.factor);
    const layout::Arrangement a = arrangement_of(setup.a, Op::none, communicator.size());
    const layout::Arrangement l = arrangement_of(setup.factor, Op::none, communicator.size());
    if (a.rows != a.columns || l.rows != a.rows || l.columns != a.rows) {
      throw Error(name, "matrices that do not fit together",
                  "A and the factor must be square, of one size");
    }
    require_same(
        communicator, name, setup.options,
        {static_cast<std::int64_t>(setup.kernel), static_cast<std::int64_t>(setup.triangle)});
    owned[0] = array_words(setup.a, communicator.rank());
    owned[1] = array_words(setup.factor, communicator.rank());
    reserve(communicator, name, setup.options.memory, placed, workspace,
            [&] { placed.emplace(communicator, setup); });
  }
};

template <class T>
TwoSidedPlan<T>::TwoSidedPlan(MPI_Comm communicator, InverseKernel kernel, Triangle triangle,
                              const Layout& a, const Layout& factor, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator,
                                   TwoSidedSetup{kernel, triangle, a, factor, options})) {}
template <class T>
TwoSidedPlan<T>::~TwoSidedPlan() = default;
template <class T>
TwoSidedPlan<T>::TwoSidedPlan(TwoSidedPlan&&) noexcept = default;
template <class T>
TwoSidedPlan<T>& TwoSidedPlan<T>::operator=(TwoSidedPlan&&) noexcept = default;
template <class T>
const InverseDecomposition& TwoSidedPlan<T>::decomposition() const {
  return impl_->placed->decomposition();
}
template <class T>
std::string TwoSidedPlan<T>::name() const {
  return impl_->placed->name();
}
template <class T>
Words TwoSidedPlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
void TwoSidedPlan<T>::execute(T* a, const T* factor) {
  const T* const arrays[] = {a, factor};
  check_arrays(impl_->communicator, impl_->name, arrays, impl_->owned);
  impl_->traffic = {};
  impl_->placed->execute(impl_->communicator, a, factor, impl_->workspace.data(), impl_->traffic);
}
template <class T>
const FactorTraffic& TwoSidedPlan<T>::traffic() const {
  return impl_->traffic;
}

template <class T>
TwoSidedSolvePlan<T>::TwoSidedSolvePlan(MPI_Comm communicator, Triangle triangle, const Layout& a,
                                        const Layout& factor, const FactorOptions& options)
    : TwoSidedPlan<T>(communicator, InverseKernel::two_sided_solve, triangle, a, factor, options) {}
template <class T>
TwoSidedProductPlan<T>::TwoSidedProductPlan(MPI_Comm communicator, Triangle triangle,
                                            const Layout& a, const Layout& factor,
                                            const FactorOptions& options)
    : TwoSidedPlan<T>(communicator, InverseKernel::two_sided_product, triangle, a, factor,
                      options) {}

template class TwoSidedPlan<float>;
template class TwoSidedPlan<double>;
template class TwoSidedPlan<std::complex<float>>;
template class TwoSidedPlan<std::complex<double>>;

template class TwoSidedSolvePlan<float>;
template class TwoSidedSolvePlan<double>;
template class TwoSidedSolvePlan<std::complex<float>>;
template class TwoSidedSolvePlan<std::complex<double>>;
template class TwoSidedProductPlan<float>;
template class TwoSidedProductPlan<double>;
template class TwoSidedProductPlan<std::complex<float>>;
template class TwoSidedProductPlan<std::complex<double>>;

}  // namespace redblue
