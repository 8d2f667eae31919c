// SPDX-License-Identifier: BSD-3-Clause
// The public plan of an LU factorization: from the caller's layout and back.
#include <algorithm>
#include <complex>
#include <memory>
#include <numeric>
#include <utility>

#include "comm/phases.hpp"
#include "comm/transfer.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/lu/lu.hpp"
#include "linalg/lu/placed_choice.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;
using layout::Arrangement;
using layout::Part;

namespace {

// Turns the pivots, the rows that become rows 0, 1, .. of P A, into LAPACK's exchanges; returns the
// order of all rows that results.
std::vector<std::int64_t> exchange(const std::vector<std::int64_t>& first, std::int64_t rows,
                                   std::vector<std::int64_t>& pivots) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rows));
  std::iota(order.begin(), order.end(), 0);
  std::vector<std::int64_t> place = order;
  pivots.clear();
  for (std::size_t i = 0; i < first.size(); ++i) {
    const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(first[i])]);
    pivots.push_back(static_cast<std::int64_t>(at));
    std::swap(order[i], order[at]);
    std::swap(place[static_cast<std::size_t>(order[i])],
              place[static_cast<std::size_t>(order[at])]);
  }
  return order;
}

// Broadcast from rank 0 to the ranks outside the grid: the pivots and info.
void tell_idle_ranks(Communicator& communicator, const LuDecomposition& d,
                     std::vector<std::int64_t>& first, std::int64_t& info) {
  if (d.grid_rows * d.grid_columns * d.replicas == communicator.size()) return;
  first.resize(static_cast<std::size_t>(std::min(d.m, d.n)));
  first.push_back(info);
  communicator.broadcast(first);
  info = first.back();
  first.pop_back();
}

comm::TransferOptions only(Part part) {
  comm::TransferOptions options;
  options.part = part;
  return options;
}

}  // namespace

template <class T>
PlacedLu<T>::PlacedLu(const Communicator& communicator, Arrangement placed,
                      const FactorOptions& options)
    : placed_(std::move(placed)),
      decomposition_(choose_lu_for(placed_, communicator.size(), options)),
      lu_(decomposition_, communicator.rank()),
      alone_(layout::stored_by_columns(placed_)) {
  if (alone_) return;
  const Rank me = communicator.rank();
  const auto here = static_cast<std::size_t>(me.value);
  moves_.emplace_back(communicator, placed_, Lu<T>::before(decomposition_, me), only(Part::all));
  const Arrangement upper = Lu<T>::upper(decomposition_, me);
  if (upper.of_rank[here].size() == 1) {
    upper_in_place_ = layout::stored_block(placed_.of_rank[here], upper.of_rank[here].front());
    if (upper_in_place_ && upper_in_place_->row_major) upper_in_place_.reset();
  }
  if (!upper_in_place_) upper_words_ = lu_.upper_storage();
  comm::TransferOptions out = only(Part::upper);
  out.own_in_place = upper_in_place_.has_value();
  moves_.emplace_back(communicator, upper, placed_, out);
  const LuDecomposition& d = decomposition_;
  // room to send and receive half a share of the matrix, L, but for rows that end where they are
  const std::int64_t classes = std::int64_t{d.grid_rows} * d.replicas;
  const std::int64_t share = d.m * d.n / (classes * d.grid_columns);
  buffers_ = std::max(lu_.workspace(), share / classes * (classes - 1) + 2 * d.m);
  for (const Transfer<T>& t : moves_) buffers_ = std::max(buffers_, t.buffer());
}

// L to the caller's layout, an all-to-all. Where its rows go is known only from the pivots, so the
// transfer is planned here: of all columns at once, or of as many ranges of columns, one after
// another, as the buffers of every rank have room for.
template <class T>
void PlacedLu<T>::move_lower(Communicator& communicator, const std::vector<std::int64_t>& order,
                             const T* from, T* to, T* buffers, Traffic& traffic) {
  const comm::InPhase redistributes(comm::Phase::redistribute);
  comm::TransferOptions sorting = only(Part::lower);
  sorting.source_rows = std::make_shared<const comm::SourceRows>(lu_.lower_rows(order));
  const Arrangement lower = Lu<T>::lower(decomposition_, order, communicator.rank());
  const Range columns = {0, std::min(decomposition_.m, decomposition_.n)};
  for (std::int64_t pieces = 1;; pieces *= 2) {
    std::vector<Transfer<T>> moves;
    std::int64_t needed = 0;
    for (std::int64_t p = 0; p < pieces; ++p) {
      const Range piece = round_of(columns, p, pieces);
      moves.emplace_back(communicator, restricted(lower, piece), restricted(placed_, piece),
                         sorting);
      needed = std::max(needed, moves.back().buffer());
    }
    if (pieces < columns.size() && communicator.maximum(needed - buffers_) > 0) continue;
    for (Transfer<T>& move : moves) {
      move.execute(communicator, T(1), from, T(0), to, buffers, traffic);
    }
    return;
  }
}

template <class T>
std::int64_t PlacedLu<T>::execute(Communicator& communicator, T* a, T* workspace,
                                  std::vector<std::int64_t>& pivots, FactorTraffic& traffic) {
  if (alone_) {
    std::vector<int> exchanged;
    const std::int64_t found = lapack::lu(decomposition_.m, decomposition_.n, a + alone_->offset,
                                          alone_->leading, exchanged);
    pivots.assign(exchanged.begin(), exchanged.end());
    return found;
  }
  T* const own_upper = workspace + lu_.storage();
  T* const buffers = own_upper + upper_words_;
  const auto move = [&](Transfer<T>& transfer, const T* from, T* to) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    transfer.execute(communicator, T(1), from, T(0), to, buffers, traffic.redistribute);
  };
  move(moves_[0], a, workspace);
  typename Lu<T>::Upper upper = {own_upper, lu_.upper_leading()};
  if (upper_in_place_) upper = {a + upper_in_place_->offset, upper_in_place_->leading};
  std::vector<std::int64_t> first;
  std::int64_t info = lu_.factor(communicator, workspace, upper, buffers, first, traffic.factor);
  tell_idle_ranks(communicator, decomposition_, first, info);
  const std::vector<std::int64_t> order = exchange(first, decomposition_.m, pivots);
  move_lower(communicator, order, workspace, a, buffers, traffic.redistribute);
  move(moves_[1], own_upper, a);
  return info;
}

template class PlacedLu<float>;
template class PlacedLu<double>;
template class PlacedLu<std::complex<float>>;
template class PlacedLu<std::complex<double>>;

}  // namespace redblue::linalg

namespace redblue {

using namespace linalg;
using comm::Communicator;

template <class T>
struct LuPlan<T>::Impl {
  Communicator communicator;
  Words owned;
  std::optional<PlacedLu<T>> placed;
  Buffer<T> workspace;
  std::vector<std::int64_t> pivots;
  FactorTraffic traffic;

  Impl(MPI_Comm original, const Layout& layout, const FactorOptions& options)
      : communicator(original) {
    check_layout(communicator, "A", layout);
    if (!communicator.same_everywhere(
            {options.block.value_or(0), options.replicas.value_or(0),
             options.memory.value_or(Words(-1)).value,
             options.exchange ? static_cast<int>(*options.exchange) : -1})) {
      throw Error("lu", "ranks ask for different things", "pass the same on all ranks");
    }
    owned = array_words(layout, communicator.rank());
    reserve(communicator, "lu", options.memory, placed, workspace, [&] {
      placed.emplace(communicator, arrangement_of(layout, Op::none, communicator.size()), options);
    });
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
  return impl_->placed->decomposition();
}
template <class T>
Words LuPlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
std::int64_t LuPlan<T>::execute(T* a) {
  Impl& p = *impl_;
  const T* const arrays[] = {a};
  const Words words[] = {p.owned};
  check_arrays(p.communicator, "lu", arrays, words);
  p.traffic = {};
  return p.placed->execute(p.communicator, a, p.workspace.data(), p.pivots, p.traffic);
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
