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
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/error.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Transfer;
using layout::Part;

template <class T>
PlacedCholesky<T>::PlacedCholesky(const Communicator& communicator, Triangle triangle,
                                  layout::Arrangement placed_at, const FactorOptions& options)
    : decomposition_(choose_cholesky(placed_at.rows, communicator.size(), options)),
      cholesky_(decomposition_, communicator.rank()),
      alone_(layout::stored_by_columns(placed_at)),
      triangle_(triangle) {
  if (alone_) return;
  const bool upper = triangle == Triangle::upper;
  if (upper) placed_at = layout::transposed(std::move(placed_at));
  const layout::Arrangement pairs = pair_storage(decomposition_, communicator.size());
  comm::TransferOptions how;
  how.part = Part::lower;
  how.conjugate = upper;
  moves_.emplace_back(communicator, placed_at, pairs, how);
  moves_.emplace_back(communicator, pairs, placed_at, how);
  buffers_ = cholesky_.workspace();
  for (const Transfer<T>& t : moves_) {
    buffers_ = std::max(buffers_, t.buffer());
  }
}

template <class T>
std::int64_t PlacedCholesky<T>::execute(Communicator& communicator, T* a, T* workspace,
                                        FactorTraffic& traffic) {
  if (alone_)
    return lapack::cholesky(triangle_ == Triangle::lower ? 'L' : 'U', decomposition_.n,
                            a + alone_->offset, alone_->leading);
  T* buffers = workspace + cholesky_.storage();
  // A_l = 0 where replica l is not an element's home
  if (decomposition_.replicas > 1) std::fill_n(workspace, cholesky_.storage(), T(0));
  const auto move = [&](Transfer<T>& transfer, const T* from, T* to) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    transfer.execute(communicator, T(1), from, T(0), to, buffers, traffic.redistribute);
  };
  move(moves_[0], a, workspace);
  const std::int64_t found = cholesky_.factor(communicator, workspace, buffers, traffic.factor);
  move(moves_[1], workspace, a);
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
    layout::Arrangement placed_at = arrangement_of(layout, Op::none, communicator.size());
    if (placed_at.rows != placed_at.columns) {
      throw Error("cholesky of " + std::to_string(placed_at.rows) + " x " +
                      std::to_string(placed_at.columns),
                  "not a square matrix", "give a matrix with as many rows as columns");
    }
    if (!communicator.same_everywhere({static_cast<std::int64_t>(triangle),
                                       options.block.value_or(0), options.replicas.value_or(0),
                                       options.memory.value_or(Words(-1)).value})) {
      throw Error("cholesky", "ranks ask for different things", "pass the same on all ranks");
    }
    owned = array_words(layout, communicator.rank());
    reserve(communicator, "cholesky", options.memory, placed, workspace,
            [&] { placed.emplace(communicator, triangle, std::move(placed_at), options); });
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
