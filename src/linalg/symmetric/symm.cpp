// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a product with a symmetric or Hermitian matrix.
#include <complex>
#include <utility>

#include "decomposition/symmetric/triangle.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/plan/native.hpp"
#include "linalg/symmetric/triangle_product.hpp"
#include "redblue/error.hpp"
#include "redblue/symmetric_model.hpp"

namespace redblue {

using namespace linalg;

template <class T>
struct SymmPlan<T>::Impl {
  comm::Communicator communicator;
  TriangleProductSetup setup;
  Words owned[3];
  std::vector<OwnedPart> parts_a, parts_b;  // native only; C's are B's
  std::optional<TriangleProduct<T>> product;
  Buffer<T> workspace;
  GemmTraffic traffic;
  Words native_words;  // of the matrices, where the plan chose their layout

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
    build();
  }

  Impl(MPI_Comm original, const SyrkShape& shape, bool hermitian, const SyrkOptions& options)
      : communicator(original) {
    if (!communicator.same_everywhere({shape.n, shape.k, hermitian ? 1 : 0})) {
      throw Error("symm", "ranks ask for different things", "pass the same on all ranks");
    }
    const int ranks = communicator.size();
    setup.decomposition = choose_symmetric(
        SymmetricKernel::symm, {shape, ranks, options.memory, options.objective, options.machine});
    setup.hermitian = hermitian;
    const Ownership all = ownership(setup.decomposition);
    setup.a = native_arrangement(all.c, ranks, shape.n, shape.n);
    setup.b = setup.c = native_arrangement(all.a, ranks, shape.n, shape.k);
    parts_a = owned_parts(all.c, communicator.rank());
    parts_b = owned_parts(all.a, communicator.rank());
    for (const OwnedPart& x : parts_a) owned[0] += Words(x.end - x.begin);
    for (const OwnedPart& x : parts_b) owned[1] += Words(x.end - x.begin);
    owned[2] = owned[1];
    build();
    native_words = owned[0] + owned[1] + owned[2];
  }

  void build() {
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
SymmPlan<T>::SymmPlan(MPI_Comm communicator, const SyrkShape& shape, bool hermitian,
                      const SyrkOptions& options)
    : impl_(std::make_unique<Impl>(communicator, shape, hermitian, options)) {}
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
  return Words(impl_->workspace.size()) + impl_->native_words;
}
template <class T>
const TriangleDecomposition& SymmPlan<T>::decomposition() const {
  return impl_->setup.decomposition;
}
template <class T>
const std::vector<OwnedPart>& SymmPlan<T>::parts(Operand operand) const {
  return operand == Operand::a ? impl_->parts_a : impl_->parts_b;
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
