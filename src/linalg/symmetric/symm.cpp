// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a product with a symmetric or Hermitian matrix.
#include <complex>
#include <utility>

#include "decomposition/symmetric/triangle.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/symmetric/triangle_product.hpp"
#include "redblue/error.hpp"

namespace redblue {

using namespace linalg;

template <class T>
struct SymmPlan<T>::Impl {
  comm::Communicator communicator;
  TriangleProductSetup setup;
  Words owned[3];
  std::optional<TriangleProduct<T>> product;
  Buffer<T> workspace;
  GemmTraffic traffic;

  Impl(MPI_Comm original, const SymmLayouts& layouts, const SyrkOptions& options)
      : communicator(original) {
    const std::pair<const char*, const Layout*> all[] = {
        {"A", &layouts.a}, {"B", &layouts.b}, {"C", &layouts.c}};
    for (const auto& [operand, l] : all) check_layout(communicator, operand, *l);
    setup = setup_of(layouts, communicator.size());
    const SyrkShape shape = {setup.c.rows, setup.c.columns};
    if (setup.a.rows != shape.n || setup.a.columns != shape.n || setup.b.rows != shape.n ||
        setup.b.columns != shape.k) {
      throw Error("symm", "matrices that do not fit together",
                  "A must be square, B and C of one size, with A's order on the side of A");
    }
    if (!communicator.same_everywhere({static_cast<std::int64_t>(layouts.side),
                                       static_cast<std::int64_t>(layouts.triangle),
                                       layouts.hermitian ? 1 : 0})) {
      throw Error("symm", "ranks ask for different things", "pass the same on all ranks");
    }
    decompose(setup, {shape, communicator.size(), {}, options.objective, options.machine});
    int next = 0;
    for (const auto& [operand, l] : all) owned[next++] = array_words(*l, communicator.rank());
    allocate<T>(communicator, "symm", "a rank has no memory for its buffers", "use more ranks",
                [this] {
                  product.emplace(communicator, setup);
                  workspace.resize(product->workspace());
                });
  }
};

template <class T>
SymmPlan<T>::SymmPlan(MPI_Comm communicator, const SymmLayouts& layouts, const SyrkOptions& options)
    : impl_(std::make_unique<Impl>(communicator, layouts, options)) {}
template <class T>
SymmPlan<T>::~SymmPlan() = default;
template <class T>
SymmPlan<T>::SymmPlan(SymmPlan&&) noexcept = default;
template <class T>
SymmPlan<T>& SymmPlan<T>::operator=(SymmPlan&&) noexcept = default;

template <class T>
std::string SymmPlan<T>::name() const {
  return name_of(impl_->setup);
}
template <class T>
Words SymmPlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
void SymmPlan<T>::execute(T alpha, const T* a, const T* b, T beta, T* c) {
  const T* const arrays[] = {a, b, c};
  check_arrays(impl_->communicator, "symm", arrays, impl_->owned);
  impl_->traffic = {};
  impl_->product->execute(impl_->communicator, alpha, a, b, beta, c, impl_->workspace.data(),
                          impl_->traffic);
}
template <class T>
const GemmTraffic& SymmPlan<T>::traffic() const {
  return impl_->traffic;
}

template class SymmPlan<float>;
template class SymmPlan<double>;
template class SymmPlan<std::complex<float>>;
template class SymmPlan<std::complex<double>>;

}  // namespace redblue
