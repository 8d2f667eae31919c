// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/inverse/placed_inverse.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "comm/phases.hpp"
#include "decomposition/cost.hpp"
#include "linalg/inverse/sweeps.hpp"
#include "linalg/plan/caller_layouts.hpp"

namespace redblue::linalg {

using comm::Communicator;
using layout::Arrangement;
using layout::Part;
using layout::Patch;

namespace {

Part part_of(const InverseSetup& setup) {
  if (setup.kernel == InverseKernel::lu) return Part::all;
  return setup.triangle == Triangle::lower ? Part::lower : Part::upper;
}

}  // namespace

BlockCyclic own_layout(const InverseDecomposition& d, Rank me) {
  return block_cyclic(d.n, d.n, d.block, d.grid_rows, d.grid_columns, me);
}

std::optional<InverseDecomposition> on_caller_grid(const std::optional<CallerGrid>& grid,
                                                   const InverseDecomposition& elsewhere,
                                                   const FactorOptions& options) {
  constexpr std::int64_t smallest = 32;  // of blocks that make large products
  if (!grid || (options.block && *options.block != grid->block)) return std::nullopt;
  if (grid->block < smallest && grid->block < elsewhere.block) return std::nullopt;
  InverseDecomposition d = elsewhere;
  d.block = grid->block;
  d.grid_rows = grid->rows;
  d.grid_columns = grid->columns;
  const Cost here = cost_of(d, options.machine);
  Cost there = cost_of(elsewhere, options.machine);
  constexpr double slack = 1.25;  // how much more work the busiest rank may have
  if (here.work > slack * there.work) return std::nullopt;
  // to the grid and back
  if (d.ranks > 1) {
    there.words += Words((d.kernel == InverseKernel::lu ? 2 : 1) * d.n * d.n / d.ranks);
  }
  if (better(there, here, options.objective)) return std::nullopt;
  return d;
}

template <class T>
PlacedInverse<T>::PlacedInverse(const Communicator& communicator, const InverseSetup& setup)
    : setup_(setup), me_(communicator.rank()) {
  const int ranks = communicator.size();
  placed_at_ = arrangement_of(setup.layout, Op::none, ranks);
  choose_grid(communicator);
  place_ = inverse::place_of(steps_of(decomposition_), grid_.ranks, me_);
  const auto rows = place_.inside() ? place_.steps.down.size(place_.row) : 0;
  const auto columns = place_.inside() ? place_.steps.across.size(place_.column) : 0;
  copy_offset_ = in_ ? grid_.leading * columns : 0;
  buffers_offset_ = copy_offset_;
  buffers_ = std::max(inverse::Panels<T>::words(place_),
                      inverse::Panels<T>::words(inverse::transposed(place_)));
  if (setup.kernel == InverseKernel::lu) {
    const std::int64_t placed = placed_at_.words_on(me_);
    buffers_offset_ += std::max(rows * columns, placed);
    // whatever columns are exchanged
    buffers_ = std::max(buffers_, rows * columns + placed);
  }
  if (in_) buffers_ = std::max({buffers_, in_->buffer(), out_ ? out_->buffer() : 0});
}

template <class T>
void PlacedInverse<T>::choose_grid(const Communicator& communicator) {
  const int ranks = communicator.size();
  const InverseRequest request = {setup_.kernel, setup_.triangle == Triangle::upper,
                                  placed_at_.rows, ranks};
  const std::optional<CallerGrid> callers = caller_grid(setup_.layout, me_);
  if (callers) {  // where hardly any memory is needed
    FactorOptions unlimited = setup_.options;
    unlimited.memory.reset();
    const auto stays = on_caller_grid(callers, choose_inverse(request, unlimited), unlimited);
    if (stays) {
      decomposition_ = *stays;
      grid_ = *callers;
      on_grid_ = placed_at_;
      return;
    }
  }
  decomposition_ = choose_inverse(request, setup_.options);
  const BlockCyclic own = own_layout(decomposition_, me_);
  grid_ = *caller_grid(own, me_);
  on_grid_ = arrangement_of(own, Op::none, ranks);
  comm::TransferOptions options;
  options.part = part_of(setup_);
  in_.emplace(communicator, placed_at_, on_grid_, options);
  if (setup_.kernel != InverseKernel::lu) out_.emplace(communicator, on_grid_, placed_at_, options);
}

template <class T>
std::string PlacedInverse<T>::name() const {
  return decomposition_.name() + (in_ ? "" : ", A in place");
}

template <class T>
std::int64_t PlacedInverse<T>::first_zero(Communicator& communicator, const T* matrix) const {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  std::int64_t first = none;
  if (place_.inside()) {
    const InverseSteps& steps = place_.steps;
    const inverse::View<const T> view{matrix, grid_.leading};
    for (std::int64_t k = place_.row; k < steps.count() && first == none; k += steps.down.classes) {
      if (!place_.owns_column(k)) continue;
      for (std::int64_t e = 0; e < steps.down.block_size(k) && first == none; ++e) {
        if (view(steps.down.position(k) + e, steps.across.position(k) + e) == T(0)) {
          first = k * steps.down.block + e + 1;
        }
      }
    }
  }
  first = -communicator.maximum(-first);
  return first == none ? 0 : first;
}

template <class T>
void PlacedInverse<T>::invert(const Communicator& communicator, T* matrix, T* workspace,
                              Traffic& traffic) {
  const bool lu = setup_.kernel == InverseKernel::lu;
  const bool upper = lu || setup_.triangle == Triangle::upper;
  const inverse::Place place = upper ? inverse::transposed(place_) : place_;
  const inverse::View<T> view{matrix, grid_.leading, upper};
  T* const buffers = workspace + buffers_offset_;
  if (setup_.kernel != InverseKernel::square) {
    inverse::invert_triangle(communicator, place, view, setup_.unit, buffers, traffic);
  }
  if (setup_.kernel == InverseKernel::square || setup_.kernel == InverseKernel::cholesky) {
    inverse::square_triangle(communicator, place, view, buffers, traffic);
  }
  if (lu) {
    inverse::solve_with_unit_triangle(communicator, place_, {matrix, grid_.leading},
                                      workspace + copy_offset_, buffers, traffic);
  }
}

template <class T>
void PlacedInverse<T>::leave_with_columns(const Communicator& communicator, const T* matrix,
                                          const std::vector<std::int64_t>& rows, T* a, T* workspace,
                                          Traffic& traffic) {
  std::vector<std::int64_t> source(rows.size());  // the column of X that a column comes from
  for (std::size_t i = 0; i < rows.size(); ++i) {
    source[static_cast<std::size_t>(rows[i])] = static_cast<std::int64_t>(i);
  }
  // every rank's columns of X, ascending; this rank brings its own into order
  Arrangement staged{placed_at_.rows, placed_at_.columns, {}};
  for (const std::vector<Patch>& patches : placed_at_.of_rank) {
    std::int64_t offset = 0;
    std::vector<Patch>& to = staged.of_rank.emplace_back();
    for (const Patch& p : patches) {
      std::vector<std::int64_t> taken;
      for (const layout::Interval& i : p.columns.intervals()) {
        taken.insert(taken.end(), source.begin() + i.begin, source.begin() + i.end);
      }
      std::sort(taken.begin(), taken.end());
      to.push_back(layout::dense_patch(p.rows, layout::dense_set(taken), offset));
      offset += p.size();
    }
  }
  comm::Transfer<T> out(communicator, on_grid_, staged, {});
  T* const stage = workspace + copy_offset_;
  T* const buffers = workspace + buffers_offset_;
  out.execute(communicator, T(1), matrix, T(0), stage, buffers, traffic);
  const auto me = static_cast<std::size_t>(me_.value);
  for (std::size_t x = 0; x < staged.of_rank[me].size(); ++x) {
    const Patch& from = staged.of_rank[me][x];
    const Patch& to = placed_at_.of_rank[me][x];
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // column of X, place in A
    for (const layout::Interval& i : to.columns.intervals()) {
      for (std::int64_t c = i.begin; c < i.end; ++c) {
        taken.emplace_back(source[static_cast<std::size_t>(c)], i.position + c - i.begin);
      }
    }
    std::sort(taken.begin(), taken.end());
    for (std::size_t c = 0; c < taken.size(); ++c) {
      const T* column = stage + from.offset + static_cast<std::int64_t>(c) * from.leading;
      for (const layout::Interval& i : to.rows.intervals()) {
        std::copy_n(column, i.end - i.begin,
                    a + to.offset + i.position + taken[c].second * to.leading);
        column += i.end - i.begin;
      }
    }
  }
}

template <class T>
std::int64_t PlacedInverse<T>::execute(Communicator& communicator, T* a,
                                       const std::vector<std::int64_t>* pivots, T* workspace,
                                       FactorTraffic& traffic) {
  T* const buffers = workspace + buffers_offset_;
  T* matrix = in_ ? workspace : a + grid_.offset;
  const auto move = [&](comm::Transfer<T>& transfer, const T* from, T* to) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    transfer.execute(communicator, T(1), from, T(0), to, buffers, traffic.redistribute);
  };
  if (in_) move(*in_, a, matrix);
  if (setup_.kernel != InverseKernel::square && !setup_.unit) {
    const std::int64_t zero = first_zero(communicator, matrix);
    if (zero > 0) return zero;
  }
  invert(communicator, matrix, workspace, traffic.factor);
  if (pivots != nullptr) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    leave_with_columns(communicator, in_ ? matrix : a, row_order(*pivots, decomposition_.n), a,
                       workspace, traffic.redistribute);
  } else if (out_) {
    move(*out_, matrix, a);
  }
  return 0;
}

template class PlacedInverse<float>;
template class PlacedInverse<double>;
template class PlacedInverse<std::complex<float>>;
template class PlacedInverse<std::complex<double>>;

}  // namespace redblue::linalg
