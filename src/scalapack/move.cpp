#include "scalapack/move.hpp"

#include <complex>
#include <utility>

#include "comm/transfer.hpp"
#include "scalapack/workspace.hpp"

namespace redblue::scalapack {

template <class T>
Traffic move(const comm::Communicator& communicator, Op op, T alpha, const BlockCyclic& at_a,
             const T* a, T beta, const BlockCyclic& at_b, T* b) {
  layout::Arrangement from = layout::arrangement(at_a, communicator.size());
  if (op != Op::none) from = layout::transposed(std::move(from));
  comm::TransferOptions options;
  options.conjugate = op == Op::conjugate_transpose;
  options.add = true;
  comm::Transfer<T> transfer(communicator, from, layout::arrangement(at_b, communicator.size()),
                             options);
  T* buffers = workspace<T>(transfer.send_buffer() + transfer.receive_buffer());
  Traffic traffic;
  transfer.start(communicator, a, b, buffers, buffers + transfer.send_buffer(), traffic);
  transfer.finish(communicator, alpha, beta, traffic);
  return traffic;
}

bool holds_part(const comm::Communicator& communicator, const BlockCyclic& lies) {
  return layout::arrangement(lies, communicator.size()).held(communicator.rank()) > 0;
}

// NOLINTBEGIN(bugprone-macro-parentheses): the arguments are types
#define REDBLUE_INSTANTIATE(T)                                                             \
  template Traffic move(const comm::Communicator&, Op, T, const BlockCyclic&, const T*, T, \
                        const BlockCyclic&, T*);
// NOLINTEND(bugprone-macro-parentheses)
REDBLUE_INSTANTIATE(int)
REDBLUE_INSTANTIATE(float)
REDBLUE_INSTANTIATE(double)
REDBLUE_INSTANTIATE(std::complex<float>)
REDBLUE_INSTANTIATE(std::complex<double>)
#undef REDBLUE_INSTANTIATE

}  // namespace redblue::scalapack
