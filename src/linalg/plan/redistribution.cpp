// SPDX-License-Identifier: BSD-3-Clause
// B = alpha op(A) + beta B between layouts.
#include <complex>

#include "comm/phases.hpp"
#include "comm/transfer.hpp"
#include "linalg/blas/buffer.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/redistribution.hpp"

namespace redblue {

using namespace linalg;

template <class T>
struct Redistribution<T>::Impl {
  comm::Communicator communicator;
  std::optional<comm::Transfer<T>> transfer;
  Buffer<T> buffers;
  Words owned[2];
  Traffic traffic;

  Impl(MPI_Comm original, Op op, const Layout& a, const Layout& b) : communicator(original) {
    check_layout(communicator, "A", a);
    check_layout(communicator, "B", b);
    transfer.emplace(transfer_between<T>(communicator, op, a, b));
    owned[0] = array_words(a, communicator.rank());
    owned[1] = array_words(b, communicator.rank());
    buffers.resize(transfer->buffer());
  }
};

template <class T>
Redistribution<T>::Redistribution(MPI_Comm communicator, Op op, const Layout& a, const Layout& b)
    : impl_(std::make_unique<Impl>(communicator, op, a, b)) {}
template <class T>
Redistribution<T>::~Redistribution() = default;
template <class T>
Redistribution<T>::Redistribution(Redistribution&&) noexcept = default;
template <class T>
Redistribution<T>& Redistribution<T>::operator=(Redistribution&&) noexcept = default;

template <class T>
void Redistribution<T>::execute(T alpha, const T* a, T beta, T* b) {
  Impl& i = *impl_;
  const T* const arrays[] = {a, b};
  check_arrays(i.communicator, "redistribution", arrays, i.owned);
  i.traffic = {};
  const comm::InPhase redistributes(comm::Phase::redistribute);
  i.transfer->execute(i.communicator, alpha, a, beta, b, i.buffers.data(), i.traffic);
}
template <class T>
const Traffic& Redistribution<T>::traffic() const {
  return impl_->traffic;
}

template class Redistribution<float>;
template class Redistribution<double>;
template class Redistribution<std::complex<float>>;
template class Redistribution<std::complex<double>>;

}  // namespace redblue
