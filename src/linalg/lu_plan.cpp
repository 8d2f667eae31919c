// The public plan of an LU factorization: from the caller's layout and back.
#include <algorithm>
#include <complex>
#include <new>
#include <numeric>
#include <utility>

#include "comm/transfer.hpp"
#include "linalg/blas.hpp"
#include "linalg/caller_layouts.hpp"
#include "linalg/lu.hpp"
#include "redblue/error.hpp"

namespace redblue {

using comm::Communicator;
using comm::Transfer;
using layout::Arrangement;
using layout::Part;

template <class T>
struct LuPlan<T>::Impl {
  Communicator communicator;
  Arrangement lies;
  LuDecomposition decomposition;
  Words owned;
  std::optional<Transfer<T>> in, upper;
  std::optional<Lu<T>> lu;
  std::vector<T> storage, workspace;
  std::vector<std::int64_t> pivots;
  FactorTraffic traffic;

  Impl(MPI_Comm original, const Layout& layout, const FactorOptions& options)
      : communicator(original) {
    check_layout(communicator, "A", layout);
    lies = arrangement_of(layout, Op::none, communicator.size());
    if (!communicator.same_everywhere({options.block.value_or(0)})) {
      throw Error("lu", "ranks ask for different blocks", "pass the same on all ranks");
    }
    decomposition = choose_lu(lies.rows, lies.columns, communicator.size(), options);
    owned = array_words(layout, communicator.rank());
    bool allocated = true;
    try {
      build();
    } catch (const std::bad_alloc&) {
      allocated = false;
    }
    if (!communicator.all(allocated)) {
      throw Error("lu", "a rank has no memory for its part", "use more ranks");
    }
    blas::warm_up<T>();
  }

  void build() {
    const Rank me = communicator.rank();
    lu.emplace(decomposition, me);
    const Arrangement own =
        layout::arrangement(Lu<T>::layout(decomposition, me), communicator.size());
    in.emplace(communicator, lies, own, comm::TransferOptions{});
    comm::TransferOptions options;
    options.part = Part::upper;
    upper.emplace(communicator, Lu<T>::upper(decomposition, me), lies, options);
    storage.resize(static_cast<std::size_t>(lu->storage()));
    workspace.resize(static_cast<std::size_t>(lu->workspace()));
  }

  void move(Transfer<T>& transfer, const T* from, T* to) {
    const std::int64_t words = transfer.send_buffer() + transfer.receive_buffer();
    if (words > static_cast<std::int64_t>(workspace.size())) {
      workspace.resize(static_cast<std::size_t>(words));
    }
    transfer.start(communicator, from, to, workspace.data(),
                   workspace.data() + transfer.send_buffer(), traffic.redistribute);
    transfer.finish(communicator, T(1), T(0), traffic.redistribute);
  }

  // Turns the rows that came first into exchanges; returns the order of all rows that results.
  std::vector<std::int64_t> exchange(const std::vector<std::int64_t>& first) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(decomposition.m));
    std::iota(order.begin(), order.end(), 0);
    std::vector<std::int64_t> place = order;
    pivots.clear();
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::int64_t at = place[static_cast<std::size_t>(first[i])];
      pivots.push_back(at);
      std::swap(order[i], order[static_cast<std::size_t>(at)]);
      std::swap(place[static_cast<std::size_t>(order[i])],
                place[static_cast<std::size_t>(order[static_cast<std::size_t>(at)])]);
    }
    return order;
  }

  // Ranks outside the grid learn the pivots from rank 0.
  void tell_idle_ranks(std::vector<std::int64_t>& first, std::int64_t& info) {
    const int working = decomposition.grid_rows * decomposition.grid_columns;
    if (working == communicator.size()) return;
    first.resize(static_cast<std::size_t>(std::min(decomposition.m, decomposition.n)));
    first.push_back(info);
    communicator.broadcast(first);
    info = first.back();
    first.pop_back();
  }

  std::int64_t execute(T* a) {
    const T* const arrays[] = {a};
    const Words words[] = {owned};
    check_arrays(communicator, "lu", arrays, words);
    traffic = {};
    move(*in, a, storage.data());
    std::vector<std::int64_t> first;
    std::int64_t info =
        lu->factor(communicator, storage.data(), workspace.data(), first, traffic.factor);
    tell_idle_ranks(first, info);
    const std::vector<std::int64_t> order = exchange(first);
    lu->sort_lower(order, storage.data());
    comm::TransferOptions options;
    options.part = Part::lower;
    Transfer<T> lower(communicator, Lu<T>::lower(decomposition, order, communicator.rank()), lies,
                      options);
    move(lower, storage.data(), a);
    move(*upper, storage.data(), a);
    return info;
  }
};

template <class T>
LuPlan<T>::LuPlan(MPI_Comm communicator, const Layout& layout, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, layout, options)) {}
template <class T>
LuPlan<T>::~LuPlan() = default;
template <class T>
LuPlan<T>::LuPlan(LuPlan&&) noexcept = default;
template <class T>
LuPlan<T>& LuPlan<T>::operator=(LuPlan&&) noexcept = default;

template <class T>
const LuDecomposition& LuPlan<T>::decomposition() const {
  return impl_->decomposition;
}
template <class T>
Words LuPlan<T>::memory() const {
  return Words(static_cast<std::int64_t>(impl_->storage.size() + impl_->workspace.size()));
}
template <class T>
std::int64_t LuPlan<T>::execute(T* a) {
  return impl_->execute(a);
}
template <class T>
const std::vector<std::int64_t>& LuPlan<T>::pivots() const {
  return impl_->pivots;
}
template <class T>
const FactorTraffic& LuPlan<T>::traffic() const {
  return impl_->traffic;
}

template class LuPlan<float>;
template class LuPlan<double>;
template class LuPlan<std::complex<float>>;
template class LuPlan<std::complex<double>>;

}  // namespace redblue
