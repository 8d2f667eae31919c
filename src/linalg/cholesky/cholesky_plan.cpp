// SPDX-License-Identifier: BSD-3-Clause
// The public plan of a Cholesky factorization: from the caller's layout and back.
#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "comm/phases.hpp"
#include "comm/transfer.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/cholesky/cholesky.hpp"
#include "linalg/cholesky/placed_choice.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;
using layout::Part;

template <class T>
PlacedCholesky<T>::PlacedCholesky(const Communicator& communicator, Triangle triangle,
                                  const Layout& layout, const FactorOptions& options)
    : triangle_(triangle) {
  layout::Arrangement placed = arrangement_of(layout, Op::none, communicator.size());
  const std::optional<CallerGrid> grid = caller_grid(layout, communicator.rank());
  alone_ = layout::stored_by_columns(placed);
  PlacedDecomposition choice =
      choose_cholesky_for(placed, triangle, grid, communicator.size(), options);
  decomposition_ = std::move(choice.decomposition);
  if (alone_) return;
  if (!decomposition_.in_place()) {
    bring(communicator, std::move(placed));
    return;
  }
  in_place_.emplace(decomposition_, std::move(choice.grid), communicator.rank());
  part_ = {grid->offset, grid->leading};
  buffers_ = in_place_->workspace();
}

// Plans the way to the ranks of the decomposition and back.
template <class T>
void PlacedCholesky<T>::bring(const Communicator& communicator, layout::Arrangement placed) {
  cholesky_.emplace(decomposition_, communicator.rank());
  const bool upper = triangle_ == Triangle::upper;
  if (upper) placed = layout::transposed(std::move(placed));
  const layout::Arrangement pairs = pair_storage(decomposition_, communicator.size());
  comm::TransferOptions how;
  how.part = Part::lower;
  how.conjugate = upper;
  moves_.emplace_back(communicator, placed, pairs, how);
  moves_.emplace_back(communicator, pairs, placed, how);
  buffers_ = cholesky_->workspace();
  for (const Transfer<T>& t : moves_) {
    buffers_ = std::max(buffers_, t.buffer());
  }
}

template <class T>
std::int64_t PlacedCholesky<T>::factor(const Communicator& communicator, T* a, T* workspace,
                                       FactorTraffic& traffic) {
  if (in_place_) {
    const LocalHalf<T> half = {a + part_.offset, part_.leading, triangle_ == Triangle::upper};
    return in_place_->factor(communicator, half, workspace, traffic.factor);
  }
  T* buffers = workspace + storage();
  // A_l = 0 where replica l is not an element's home
  if (decomposition_.replicas > 1) std::fill_n(workspace, storage(), T(0));
  const auto move = [&](Transfer<T>& transfer, const T* from, T* to) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    transfer.execute(communicator, T(1), from, T(0), to, buffers, traffic.redistribute);
  };
  move(moves_[0], a, workspace);
  const std::int64_t found = cholesky_->factor(communicator, workspace, buffers, traffic.factor);
  move(moves_[1], workspace, a);
  return found;
}

template <class T>
std::int64_t PlacedCholesky<T>::execute(Communicator& communicator, T* a, T* workspace,
                                        FactorTraffic& traffic) {
  if (alone_)
    return lapack::cholesky(triangle_ == Triangle::lower ? 'L' : 'U', decomposition_.n,
                            a + alone_->offset, alone_->leading);
  const std::int64_t found = factor(communicator, a, workspace, traffic);
  // the first minor that is not positive on any rank: later ones follow from it
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = -communicator.maximum(-(found == 0 ? none : found));
  return first == none ? 0 : first;
}

template class PlacedCholesky<float>;
template class PlacedCholesky<double>;
template class PlacedCholesky<std::complex<float>>;
template class PlacedCholesky<std::complex<double>>;

}  // namespace redblue::linalg

namespace redblue {

using namespace linalg;
using comm::Communicator;

template <class T>
struct CholeskyPlan<T>::Impl {
  Communicator communicator;
  Words owned;
  std::optional<PlacedCholesky<T>> placed;
  Buffer<T> workspace;
  FactorTraffic traffic;

  Impl(MPI_Comm original, Triangle triangle, const Layout& layout, const FactorOptions& options)
      : communicator(original) {
    check_layout(communicator, "A", layout);
    const layout::Arrangement placed_at = arrangement_of(layout, Op::none, communicator.size());
    if (placed_at.rows != placed_at.columns) {
      throw Error("cholesky of " + std::to_string(placed_at.rows) + " x " +
                      std::to_string(placed_at.columns),
                  "not a square matrix", "give a matrix with as many rows as columns");
    }
    require_same(communicator, "cholesky", options,
                 {static_cast<std::int64_t>(triangle), options.replicas.value_or(0)});
    owned = array_words(layout, communicator.rank());
    reserve(communicator, "cholesky", options.memory, placed, workspace,
            [&] { placed.emplace(communicator, triangle, layout, options); });
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
  return impl_->placed->decomposition();
}
template <class T>
Words CholeskyPlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
std::int64_t CholeskyPlan<T>::execute(T* a) {
  Impl& p = *impl_;
  const T* const arrays[] = {a};
  const Words words[] = {p.owned};
  check_arrays(p.communicator, "cholesky", arrays, words);
  p.traffic = {};
  return p.placed->execute(p.communicator, a, p.workspace.data(), p.traffic);
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
