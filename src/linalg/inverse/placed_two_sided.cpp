// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/inverse/placed_two_sided.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/phases.hpp"
#include "linalg/inverse/sweeps.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/two_sided.hpp"

namespace redblue::linalg {

using comm::Communicator;
using layout::Part;

template <class T>
PlacedTwoSided<T>::PlacedTwoSided(const Communicator& communicator, const TwoSidedSetup& setup)
    : setup_(setup) {
  const int ranks = communicator.size();
  const Rank me = communicator.rank();
  const layout::Arrangement a = arrangement_of(setup.a, Op::none, ranks);
  const InverseRequest request = {InverseKernel::two_sided, setup.triangle == Triangle::upper,
                                  a.rows, ranks};
  if (!stay(communicator, request)) {
    decomposition_ = choose_inverse(request, setup.options);
    const BlockCyclic own = own_layout(decomposition_, me);
    grid_ = factor_grid_ = *caller_grid(own, me);
    const layout::Arrangement on_grid = arrangement_of(own, Op::none, ranks);
    comm::TransferOptions options;
    options.part = setup.triangle == Triangle::lower ? Part::lower : Part::upper;
    in_.emplace(communicator, a, on_grid, options);
    factor_in_.emplace(communicator, arrangement_of(setup.factor, Op::none, ranks), on_grid,
                       options);
    out_.emplace(communicator, on_grid, a, options);
    buffers_ = std::max({in_->buffer(), factor_in_->buffer(), out_->buffer()});
  }
  place_ = inverse::place_of(steps_of(decomposition_), grid_.ranks, me);
  const std::int64_t columns = place_.inside() ? place_.steps.across.size(place_.column) : 0;
  factor_offset_ = in_ ? grid_.leading * columns : 0;
  buffers_offset_ = 2 * factor_offset_;
  const bool upper = setup.triangle == Triangle::upper;
  buffers_ =
      std::max(buffers_, inverse::two_sided_words<T>(upper ? inverse::transposed(place_) : place_));
}

// Whether all stays on the caller's grid; sets up that.
template <class T>
bool PlacedTwoSided<T>::stay(const Communicator& communicator, const InverseRequest& request) {
  const Rank me = communicator.rank();
  const std::optional<CallerGrid> at_a = caller_grid(setup_.a, me);
  const std::optional<CallerGrid> at_factor = caller_grid(setup_.factor, me);
  if (!at_a || !at_factor || at_a->block != at_factor->block || at_a->rows != at_factor->rows ||
      at_a->ranks != at_factor->ranks) {
    return false;
  }
  FactorOptions unlimited = setup_.options;
  unlimited.memory.reset();
  const auto stays = on_caller_grid(at_a, choose_inverse(request, unlimited), unlimited);
  if (!stays) return false;
  decomposition_ = *stays;
  grid_ = *at_a;
  factor_grid_ = *at_factor;
  return true;
}

template <class T>
std::string PlacedTwoSided<T>::name() const {
  return decomposition_.name() + (in_ ? "" : ", A in place");
}

template <class T>
void PlacedTwoSided<T>::execute(const Communicator& communicator, T* a, const T* factor,
                                T* workspace, FactorTraffic& traffic) {
  T* const buffers = workspace + buffers_offset_;
  const auto move = [&](comm::Transfer<T>& transfer, const T* from, T* to) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    transfer.execute(communicator, T(1), from, T(0), to, buffers, traffic.redistribute);
  };
  T* const matrix = in_ ? workspace : a + grid_.offset;
  const T* const triangle = in_ ? workspace + factor_offset_ : factor + factor_grid_.offset;
  if (in_) {
    move(*in_, a, workspace);
    move(*factor_in_, factor, workspace + factor_offset_);
  }
  const bool upper = setup_.triangle == Triangle::upper;
  inverse::solve_on_both_sides<T>(communicator, upper ? inverse::transposed(place_) : place_,
                                  {matrix, grid_.leading, upper},
                                  {triangle, factor_grid_.leading, upper}, buffers, traffic.factor);
  if (out_) move(*out_, workspace, a);
}

template class PlacedTwoSided<float>;
template class PlacedTwoSided<double>;
template class PlacedTwoSided<std::complex<float>>;
template class PlacedTwoSided<std::complex<double>>;

}  // namespace redblue::linalg

namespace redblue {

using namespace linalg;

template <class T>
struct TwoSidedSolvePlan<T>::Impl {
  comm::Communicator communicator;
  Words owned[2];
  std::optional<PlacedTwoSided<T>> placed;
  Buffer<T> workspace;
  FactorTraffic traffic;

  Impl(MPI_Comm original, const TwoSidedSetup& setup) : communicator(original) {
    const std::string name = "two-sided solve";
    check_layout(communicator, "A", setup.a);
    check_layout(communicator, "L", setup.factor);
    const layout::Arrangement a = arrangement_of(setup.a, Op::none, communicator.size());
    const layout::Arrangement l = arrangement_of(setup.factor, Op::none, communicator.size());
    if (a.rows != a.columns || l.rows != a.rows || l.columns != a.rows) {
      throw Error(name, "matrices that do not fit together",
                  "A and the factor must be square, of one size");
    }
    const FactorOptions& o = setup.options;
    if (!communicator.same_everywhere({static_cast<std::int64_t>(setup.triangle),
                                       o.block.value_or(0), static_cast<std::int64_t>(o.objective),
                                       o.memory.value_or(Words(-1)).value,
                                       static_cast<std::int64_t>(o.machine.latency_seconds * 1e12),
                                       static_cast<std::int64_t>(o.machine.bytes_per_second)})) {
      throw Error(name, "ranks ask for different things", "pass the same on all ranks");
    }
    owned[0] = array_words(setup.a, communicator.rank());
    owned[1] = array_words(setup.factor, communicator.rank());
    reserve(communicator, name, o.memory, placed, workspace,
            [&] { placed.emplace(communicator, setup); });
  }
};

template <class T>
TwoSidedSolvePlan<T>::TwoSidedSolvePlan(MPI_Comm communicator, Triangle triangle, const Layout& a,
                                        const Layout& factor, const FactorOptions& options)
    : impl_(std::make_unique<Impl>(communicator, TwoSidedSetup{triangle, a, factor, options})) {}
template <class T>
TwoSidedSolvePlan<T>::~TwoSidedSolvePlan() = default;
template <class T>
TwoSidedSolvePlan<T>::TwoSidedSolvePlan(TwoSidedSolvePlan&&) noexcept = default;
template <class T>
TwoSidedSolvePlan<T>& TwoSidedSolvePlan<T>::operator=(TwoSidedSolvePlan&&) noexcept = default;
template <class T>
const InverseDecomposition& TwoSidedSolvePlan<T>::decomposition() const {
  return impl_->placed->decomposition();
}
template <class T>
std::string TwoSidedSolvePlan<T>::name() const {
  return impl_->placed->name();
}
template <class T>
Words TwoSidedSolvePlan<T>::memory() const {
  return Words(impl_->workspace.size());
}
template <class T>
void TwoSidedSolvePlan<T>::execute(T* a, const T* factor) {
  const T* const arrays[] = {a, factor};
  check_arrays(impl_->communicator, "two-sided solve", arrays, impl_->owned);
  impl_->traffic = {};
  impl_->placed->execute(impl_->communicator, a, factor, impl_->workspace.data(), impl_->traffic);
}
template <class T>
const FactorTraffic& TwoSidedSolvePlan<T>::traffic() const {
  return impl_->traffic;
}

template class TwoSidedSolvePlan<float>;
template class TwoSidedSolvePlan<double>;
template class TwoSidedSolvePlan<std::complex<float>>;
template class TwoSidedSolvePlan<std::complex<double>>;

}  // namespace redblue
