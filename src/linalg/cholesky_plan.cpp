// The public plan of a Cholesky factorization: from the caller's layout and back.
#include <algorithm>
#include <complex>
#include <limits>
#include <new>
#include <utility>

#include "comm/transfer.hpp"
#include "linalg/blas.hpp"
#include "linalg/caller_layouts.hpp"
#include "linalg/cholesky.hpp"
#include "redblue/error.hpp"

namespace redblue {

using comm::Communicator;
using comm::Transfer;
using layout::Part;

template <class T>
struct CholeskyPlan<T>::Impl {
  Communicator communicator;
  CholeskyDecomposition decomposition;
  Words owned;
  std::optional<Transfer<T>> in, out;
  std::optional<Cholesky<T>> cholesky;
  std::vector<T> storage, workspace;
  FactorTraffic traffic;

  Impl(MPI_Comm original, Triangle triangle, const Layout& layout, const FactorOptions& options)
      : communicator(original) {
    check_layout(communicator, "A", layout);
    const bool upper = triangle == Triangle::upper;
    const int ranks = communicator.size();
    const layout::Arrangement lies =
        arrangement_of(layout, upper ? Op::transpose : Op::none, ranks);
    if (lies.rows != lies.columns) {
      throw Error("cholesky of " + std::to_string(lies.rows) + " x " + std::to_string(lies.columns),
                  "not a square matrix", "give a matrix with as many rows as columns");
    }
    if (!communicator.same_everywhere({upper, options.block.value_or(0)})) {
      throw Error("cholesky", "ranks ask for different things", "pass the same on all ranks");
    }
    decomposition = choose_cholesky(lies.rows, ranks, options);
    owned = array_words(layout, communicator.rank());
    bool allocated = true;
    try {
      build(lies, upper);
    } catch (const std::bad_alloc&) {
      allocated = false;
    }
    if (!communicator.all(allocated)) {
      throw Error("cholesky", "a rank has no memory for its part", "use more ranks");
    }
    blas::warm_up<T>();
  }

  void build(const layout::Arrangement& lies, bool upper) {
    const layout::Arrangement pairs = pair_storage(decomposition, communicator.size());
    comm::TransferOptions options;
    options.part = Part::lower;
    options.conjugate = upper;
    in.emplace(communicator, lies, pairs, options);
    out.emplace(communicator, pairs, lies, options);
    cholesky.emplace(decomposition, communicator.rank());
    storage.resize(static_cast<std::size_t>(cholesky->storage()));
    workspace.resize(static_cast<std::size_t>(
        std::max({cholesky->workspace(), in->send_buffer() + in->receive_buffer(),
                  out->send_buffer() + out->receive_buffer()})));
  }

  void move(Transfer<T>& transfer, const T* from, T* to) {
    transfer.start(communicator, from, to, workspace.data(),
                   workspace.data() + transfer.send_buffer(), traffic.redistribute);
    transfer.finish(communicator, T(1), T(0), traffic.redistribute);
  }

  std::int64_t execute(T* a) {
    const T* const arrays[] = {a};
    const Words words[] = {owned};
    check_arrays(communicator, "cholesky", arrays, words);
    traffic = {};
    move(*in, a, storage.data());
    const std::int64_t found =
        cholesky->factor(communicator, storage.data(), workspace.data(), traffic.factor);
    move(*out, storage.data(), a);
    // the first on any rank: later ones follow from it
    constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
    const std::int64_t first = -communicator.maximum(-(found == 0 ? none : found));
    return first == none ? 0 : first;
  }
};

template <class T>
CholeskyPlan<T>::CholeskyPlan(MPI_Comm communicator, Triangle triangle, const Layout& layout,
                              const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, triangle, layout, options)) {}
template <class T>
CholeskyPlan<T>::~CholeskyPlan() = default;
template <class T>
CholeskyPlan<T>::CholeskyPlan(CholeskyPlan&&) noexcept = default;
template <class T>
CholeskyPlan<T>& CholeskyPlan<T>::operator=(CholeskyPlan&&) noexcept = default;

template <class T>
const CholeskyDecomposition& CholeskyPlan<T>::decomposition() const {
  return impl_->decomposition;
}
template <class T>
Words CholeskyPlan<T>::memory() const {
  return Words(static_cast<std::int64_t>(impl_->storage.size() + impl_->workspace.size()));
}
template <class T>
std::int64_t CholeskyPlan<T>::execute(T* a) {
  return impl_->execute(a);
}
template <class T>
const FactorTraffic& CholeskyPlan<T>::traffic() const {
  return impl_->traffic;
}

template class CholeskyPlan<float>;
template class CholeskyPlan<double>;
template class CholeskyPlan<std::complex<float>>;
template class CholeskyPlan<std::complex<double>>;

}  // namespace redblue
