// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/inverse/placed_two_sided.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/phases.hpp"
#include "linalg/inverse/sweeps.hpp"
#include "linalg/plan/caller_layouts.hpp"

namespace redblue::linalg {

using comm::Communicator;
using layout::Part;

template <class T>
PlacedTwoSided<T>::PlacedTwoSided(const Communicator& communicator, const TwoSidedSetup& setup)
    : setup_(setup) {
  const int ranks = communicator.size();
  const Rank me = communicator.rank();
  const layout::Arrangement a = arrangement_of(setup.a, Op::none, ranks);
  const InverseRequest request = {setup.kernel, setup.triangle == Triangle::upper, a.rows, ranks};
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
  if (setup.triangle == Triangle::upper) place_ = inverse::transposed(place_);
  buffers_ = std::max(buffers_, setup.kernel == InverseKernel::two_sided_solve
                                    ? inverse::two_sided_solve_words<T>(place_)
                                    : inverse::two_sided_product_words<T>(place_));
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
  const auto sweep = setup_.kernel == InverseKernel::two_sided_solve
                         ? inverse::solve_on_both_sides<T>
                         : inverse::multiply_on_both_sides<T>;
  sweep(communicator, place_, {matrix, grid_.leading, upper},
        {triangle, factor_grid_.leading, upper}, buffers, traffic.factor);
  if (out_) move(*out_, workspace, a);
}

template class PlacedTwoSided<float>;
template class PlacedTwoSided<double>;
template class PlacedTwoSided<std::complex<float>>;
template class PlacedTwoSided<std::complex<double>>;

}  // namespace redblue::linalg
