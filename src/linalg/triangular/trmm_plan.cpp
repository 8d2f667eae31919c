// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a product with a triangular matrix.
#include <complex>
#include <optional>
#include <utility>

#include "linalg/plan/caller_layouts.hpp"
#include "linalg/triangular/triangular_product.hpp"
#include "redblue/error.hpp"

namespace redblue {

using namespace linalg;

template <class T>
struct TrmmPlan<T>::Impl {
  comm::Communicator communicator;
  Words owned[2];
  std::optional<TriangularProduct<T>> product;
  Buffer<T> workspace;
  GemmTraffic traffic;

  Impl(MPI_Comm original, const TrmmLayouts& layouts, std::optional<Words> memory)
      : communicator(original) {
    check_layout(communicator, "T", layouts.t);
    check_layout(communicator, "B", layouts.b);
    const TriangularProductSetup setup = setup_of(layouts, communicator.size());
    const layout::Arrangement& t = setup.matrices.t;
    if (t.rows != t.columns || t.rows != setup.matrices.b.rows) {
      throw Error("trmm", "matrices that do not fit together",
                  "T must be square, of B's order on its side");
    }
    if (!communicator.same_everywhere({static_cast<std::int64_t>(layouts.side),
                                       static_cast<std::int64_t>(layouts.triangle),
                                       static_cast<std::int64_t>(layouts.op), layouts.unit ? 1 : 0,
                                       memory.value_or(Words(-1)).value})) {
      throw Error("trmm", "ranks ask for different things", "pass the same on all ranks");
    }
    owned[0] = array_words(layouts.t, communicator.rank());
    owned[1] = array_words(layouts.b, communicator.rank());
    reserve(communicator, "trmm", memory, product, workspace,
            [&] { product.emplace(communicator, setup, memory); });
  }
};

template <class T>
TrmmPlan<T>::TrmmPlan(MPI_Comm communicator, const TrmmLayouts& layouts,
                      std::optional<Words> memory)
    : impl_(std::make_unique<Impl>(communicator, layouts, memory)) {}
template <class T>
TrmmPlan<T>::~TrmmPlan() = default;
template <class T>
TrmmPlan<T>::TrmmPlan(TrmmPlan&&) noexcept = default;
template <class T>
TrmmPlan<T>& TrmmPlan<T>::operator=(TrmmPlan&&) noexcept = default;

template <class T>
std::string TrmmPlan<T>::name() const {
  return impl_->product->name();
}
template <class T>
Words TrmmPlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
Words TrmmPlan<T>::words() const {
  return impl_->product->words();
}
template <class T>
double TrmmPlan<T>::bound() const {
  return impl_->product->bound();
}
template <class T>
void TrmmPlan<T>::execute(T alpha, const T* t, T* b) {
  const T* const arrays[] = {t, b};
  check_arrays(impl_->communicator, "trmm", arrays, impl_->owned);
  impl_->traffic = {};
  impl_->product->execute(impl_->communicator, alpha, t, b, impl_->workspace.data(),
                          impl_->traffic);
}
template <class T>
const GemmTraffic& TrmmPlan<T>::traffic() const {
  return impl_->traffic;
}

template class TrmmPlan<float>;
template class TrmmPlan<double>;
template class TrmmPlan<std::complex<float>>;
template class TrmmPlan<std::complex<double>>;

}  // namespace redblue
