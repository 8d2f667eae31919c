// B = alpha op(A) + beta B between layouts, and what counts are made of.
#include <complex>

#include "comm/transfer.hpp"
#include "linalg/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue {

Traffic& Traffic::operator+=(const Traffic& other) {
  words_received += other.words_received;
  words_sent += other.words_sent;
  messages_received += other.messages_received;
  messages_sent += other.messages_sent;
  return *this;
}

template <class T>
struct Redistribution<T>::Impl {
  comm::Communicator communicator;
  std::optional<comm::Transfer<T>> transfer;
  std::vector<T> buffers;
  Words owned[2];
  Traffic traffic;

  Impl(MPI_Comm original, Op op, const Layout& a, const Layout& b) : communicator(original) {
    check_layout(communicator, "A", a);
    check_layout(communicator, "B", b);
    const layout::Arrangement from = arrangement_of(a, op, communicator.size());
    const layout::Arrangement to = arrangement_of(b, Op::none, communicator.size());
    if (from.rows != to.rows || from.columns != to.columns) {
      throw Error("redistribution",
                  std::to_string(from.rows) + " x " + std::to_string(from.columns) + " into " +
                      std::to_string(to.rows) + " x " + std::to_string(to.columns),
                  "op(A) and B must have one size");
    }
    comm::TransferOptions options;
    options.conjugate = op == Op::conjugate_transpose;
    options.add = true;
    transfer.emplace(communicator, from, to, options);
    owned[0] = array_words(a, communicator.rank());
    owned[1] = array_words(b, communicator.rank());
    buffers.resize(static_cast<std::size_t>(transfer->send_buffer() + transfer->receive_buffer()));
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
  i.transfer->start(i.communicator, a, b, i.buffers.data(),
                    i.buffers.data() + i.transfer->send_buffer(), i.traffic);
  i.transfer->finish(i.communicator, alpha, beta, i.traffic);
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
