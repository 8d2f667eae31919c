// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solve/solve.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/number.hpp"
#include "comm/phases.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "linalg/solve/on_one_rank.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::conjugated;
using comm::Transfer;
using layout::Arrangement;
using layout::Interval;
using layout::Part;
using layout::Patch;

SolveSetup setup_of(const TrsmLayouts& layouts, int ranks) {
  const bool right = layouts.side == Side::right;
  SolveSetup setup;
  Op op = layouts.op;
  // X op(T) = B is op(T)^T X^T = B^T, and with the conjugate transpose T X' = B'
  if (right) op = op == Op::none ? Op::transpose : Op::none;
  setup.conjugate_rhs = right && layouts.op == Op::conjugate_transpose;
  setup.passes.push_back({layouts.triangle, op, layouts.unit});
  setup.triangles = layouts.t;
  setup.part = layouts.triangle == Triangle::lower ? Part::lower : Part::upper;
  setup.rhs = arrangement_of(layouts.b, right ? Op::transpose : Op::none, ranks);
  return setup;
}

Arrangement copies(const TrsmDecomposition& d, bool transposed_pass, int ranks) {
  Arrangement result{d.n, d.n, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  const int grid = d.grid_rows * d.grid_columns;
  auto rank = result.of_rank.begin();
  for (int l = 0; l < d.replicas; ++l) {
    for (int at = 0; at < grid; ++at, ++rank) {
      const int row = at / d.grid_columns;
      const int column = at % d.grid_columns;
      layout::IndexSet down = indices_of({d.n, d.block, d.grid_rows}, row);
      layout::IndexSet across = indices_of({d.n, d.block, d.grid_columns}, column);
      if (transposed_pass) std::swap(down, across);
      if (down.empty() || across.empty()) continue;
      rank->push_back(layout::dense_patch(down, across));
    }
  }
  return result;
}

template <class T>
PlacedSolve<T>::PlacedSolve(const Communicator& communicator, const SolveSetup& setup)
    : setup_(setup), me_(communicator.rank().value) {
  if (setup.scheme == TrsvScheme::wavefront) {
    plan_wavefront(communicator);
  } else if (setup.scheme == TrsvScheme::in_place || has_few_right_hand_sides(setup)) {
    plan_steps(communicator);
  } else if (alone_ = on_one_rank(setup, communicator.size()); alone_) {
    decomposition_ = choose_trsm(setup_.rhs.rows, setup_.rhs.columns, 1, setup_.options);
    decomposition_.backward = setup.passes.front().backward();
    return;
  } else {
    plan_blocks(communicator);
  }
  plan_transfers(communicator);
}

template <class T>
void PlacedSolve<T>::bring_triangle(const Communicator& communicator, const TrsmDecomposition& d) {
  const int ranks = communicator.size();
  const bool transposed_pass = setup_.passes.front().transposed();
  const Arrangement all = copies(d, transposed_pass, ranks);
  const auto& mine = all.of_rank[static_cast<std::size_t>(me_)];
  grid_ = {d.block,     d.grid_rows, d.grid_columns,
           ranks_of(d), 0,           mine.empty() ? 1 : mine[0].leading};
  if (transposed_pass) {
    grid_.ranks = transposed(grid_.ranks, d.replicas, d.grid_rows, d.grid_columns);
    std::swap(grid_.rows, grid_.columns);
  }
  comm::TransferOptions options;
  options.part = setup_.part;
  triangle_in_.emplace(communicator, arrangement_of(setup_.triangles, Op::none, ranks), all,
                       options);
  if (!mine.empty()) x_offset_ = mine[0].size();
}

template <class T>
void PlacedSolve<T>::plan_blocks(const Communicator& communicator) {
  const int ranks = communicator.size();
  const Pass& first = setup_.passes.front();
  const Blocks chosen = choose_blocks(setup_, ranks, communicator.rank());
  const TrsmDecomposition& d = decomposition_ = chosen.decomposition;
  if (chosen.grid) {
    grid_ = *chosen.grid;
  } else {
    bring_triangle(communicator, d);
  }
  for (const Pass& pass : setup_.passes) {
    if (d.rhs_in_place) {
      rhs_.push_back(rhs_in_place(d, chosen.rhs_grid, ranks));
      methods_.emplace_back(
          RightLooking<T>(of_pass(d, first, pass), chosen.rhs_grid, communicator.rank()));
      continue;
    }
    TrsmDecomposition here = pass.transposed() == first.transposed() ? d : transposed(d);
    here.backward = pass.backward();
    const GridRanks where = pass.transposed()
                                ? transposed(grid_.ranks, d.replicas, grid_.rows, grid_.columns)
                                : grid_.ranks;
    rhs_.push_back(rhs_arrangement(here, where, ranks));
    methods_.emplace_back(Substitution<T>(here, where, communicator.rank()));
  }
}

// X between the caller's layout and those of the passes, and where in the workspace all is.
template <class T>
void PlacedSolve<T>::plan_transfers(const Communicator& communicator) {
  std::int64_t most = 0;
  for (const Method& method : methods_) {
    most = std::max(most, std::visit([](const auto& m) { return m.storage(); }, method));
    buffers_ = std::max(buffers_, std::visit([](const auto& m) { return m.workspace(); }, method));
  }
  staging_offset_ = x_offset_ + most;
  buffers_offset_ = staging_offset_ + most;
  comm::TransferOptions options;
  for (std::size_t p = 1; p < rhs_.size(); ++p) {
    between_.emplace_back();
    if (few_ || decomposition_.rhs_in_place ||
        setup_.passes[p].transposed() == setup_.passes[p - 1].transposed())
      continue;
    between_.back().emplace(communicator, rhs_[p - 1], rhs_[p], options);
  }
  options.conjugate = setup_.conjugate_rhs;
  in_.emplace(communicator, setup_.rhs, rhs_.front(), options);
  out_.emplace(communicator, rhs_.back(), setup_.rhs, options);
  buffers_ = std::max({buffers_, in_->buffer(), out_->buffer()});
  if (triangle_in_) buffers_ = std::max(buffers_, triangle_in_->buffer());
  for (const auto& t : between_) buffers_ = std::max(buffers_, t ? t->buffer() : 0);
}

// X = op(T)^-1 X of one pass.
template <class T>
void PlacedSolve<T>::run(const Communicator& communicator, std::size_t pass, const T* triangles,
                         T* workspace, Traffic& traffic) {
  T* const x = workspace + x_offset_;
  T* const buffers = workspace + buffers_offset_;
  Method& method = methods_[pass];
  if (auto* steps = std::get_if<solve::Stepwise<T>>(&method)) {
    return steps->execute(communicator, triangles, x, buffers, traffic);
  }
  const LocalTriangle<T> local = {triangle_in_ ? workspace : triangles + grid_.offset,
                                  grid_.leading, letter(setup_.passes[pass].op),
                                  setup_.passes[pass].unit};
  if (auto* wavefront = std::get_if<solve::Wavefront<T>>(&method)) {
    return wavefront->execute(communicator, local, x, buffers, traffic);
  }
  if (auto* right_looking = std::get_if<RightLooking<T>>(&method)) {
    return right_looking->execute(communicator, local, x, buffers, traffic);
  }
  std::get<Substitution<T>>(method).execute(communicator, local, x, buffers, traffic);
}

template <class T>
T* PlacedSolve<T>::more(std::int64_t words, T* workspace) {
  if (words <= buffers_) return workspace + buffers_offset_;
  if (more_.size() < words) more_.resize(words);
  return more_.data();
}

template <class T>
Arrangement PlacedSolve<T>::staged(const std::vector<std::int64_t>& rows, std::size_t pass) const {
  Arrangement result = rhs_[pass];
  for (std::vector<Patch>& patches : result.of_rank) {
    for (Patch& p : patches) {
      std::vector<std::int64_t> taken;
      for (const Interval& i : p.rows.intervals()) {
        taken.insert(taken.end(), rows.begin() + i.begin, rows.begin() + i.end);
      }
      std::sort(taken.begin(), taken.end());
      p.rows = layout::dense_set(taken);
    }
  }
  return result;
}

template <class T>
void PlacedSolve<T>::reorder(const std::vector<std::int64_t>& rows, std::size_t pass, const T* from,
                             T* to, bool before) const {
  for (const Patch& p : rhs_[pass].of_rank[static_cast<std::size_t>(me_)]) {
    std::vector<std::pair<std::int64_t, std::int64_t>> taken;  // row of the matrix, place in X
    for (const Interval& i : p.rows.intervals()) {
      for (std::int64_t r = i.begin; r < i.end; ++r) {
        taken.emplace_back(rows[static_cast<std::size_t>(r)], i.position + r - i.begin);
      }
    }
    std::sort(taken.begin(), taken.end());
    for (std::int64_t c = 0; c < p.columns.size(); ++c) {
      const T* x = from + p.offset + c * p.leading;
      T* y = to + p.offset + c * p.leading;
      for (std::size_t r = 0; r < taken.size(); ++r) {
        const auto sorted = static_cast<std::int64_t>(r);
        y[before ? taken[r].second : sorted] = x[before ? sorted : taken[r].second];
      }
    }
  }
}

// B to the first pass's arrangement (redistribution), its rows permuted where an order is given.
template <class T>
void PlacedSolve<T>::take(const Communicator& communicator, const T* b, const RowOrder& order,
                          T* workspace, SolveTraffic& traffic) {
  const comm::InPhase redistributes(comm::Phase::redistribute);
  T* const x = workspace + x_offset_;
  if (order.rows == nullptr || !order.before) {
    in_->execute(communicator, T(1), b, T(0), x, workspace + buffers_offset_, traffic.redistribute);
    return;
  }
  comm::TransferOptions options;
  options.conjugate = setup_.conjugate_rhs;
  Transfer<T> in(communicator, setup_.rhs, staged(*order.rows, 0), options);
  in.execute(communicator, T(1), b, T(0), workspace + staging_offset_, more(in.buffer(), workspace),
             traffic.redistribute);
  reorder(*order.rows, 0, workspace + staging_offset_, x, true);
}

// X from the last pass's arrangement to the caller's (redistribution), its rows permuted likewise.
template <class T>
void PlacedSolve<T>::leave(const Communicator& communicator, T* b, const RowOrder& order,
                           T* workspace, SolveTraffic& traffic) {
  const comm::InPhase redistributes(comm::Phase::redistribute);
  T* const x = workspace + x_offset_;
  if (order.rows == nullptr || order.before) {
    out_->execute(communicator, T(1), x, T(0), b, workspace + buffers_offset_,
                  traffic.redistribute);
    return;
  }
  const std::size_t last = rhs_.size() - 1;
  reorder(*order.rows, last, x, workspace + staging_offset_, false);
  comm::TransferOptions options;
  options.conjugate = setup_.conjugate_rhs;
  Transfer<T> out(communicator, staged(*order.rows, last), setup_.rhs, options);
  out.execute(communicator, T(1), workspace + staging_offset_, T(0), b,
              more(out.buffer(), workspace), traffic.redistribute);
}

template <class T>
void PlacedSolve<T>::execute(const Communicator& communicator, T alpha, const T* triangles, T* b,
                             const RowOrder& order, T* workspace, SolveTraffic& traffic) {
  if (alone_) return solve_on_one_rank(setup_, *alone_, alpha, triangles, b, order);
  T* const x = workspace + x_offset_;
  const auto move = [&](Transfer<T>& transfer, const T* from, T* to) {
    const comm::InPhase redistributes(comm::Phase::redistribute);
    transfer.execute(communicator, T(1), from, T(0), to, workspace + buffers_offset_,
                     traffic.redistribute);
  };
  if (alpha == T(0)) {
    std::fill_n(x, staging_offset_ - x_offset_, T(0));
    move(*out_, x, b);
    return;
  }
  if (triangle_in_) move(*triangle_in_, triangles, workspace);
  take(communicator, b, order, workspace, traffic);
  if (alpha != T(1)) {
    const T scale = setup_.conjugate_rhs ? conjugated(alpha) : alpha;
    const std::int64_t words =
        std::visit([](const auto& m) { return m.storage(); }, methods_.front());
    for (std::int64_t i = 0; i < words; ++i) x[i] *= scale;
  }
  for (std::size_t p = 0; p < setup_.passes.size(); ++p) {
    if (p > 0 && between_[p - 1]) {
      T* other = workspace + staging_offset_;
      move(*between_[p - 1], x, other);
      std::copy_n(other, std::visit([](const auto& m) { return m.storage(); }, methods_[p]), x);
    }
    run(communicator, p, triangles, workspace, traffic.solve);
  }
  leave(communicator, b, order, workspace, traffic);
}

template class PlacedSolve<float>;
template class PlacedSolve<double>;
template class PlacedSolve<std::complex<float>>;
template class PlacedSolve<std::complex<double>>;

}  // namespace redblue::linalg
