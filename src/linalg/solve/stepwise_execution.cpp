// SPDX-License-Identifier: BSD-3-Clause
// The steps themselves.
#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "decomposition/ownership.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"
#include "linalg/solve/stepwise.hpp"

namespace redblue::linalg::solve {

using comm::Communicator;
using comm::Message;

// All messages of a step that are known before it: T(k, k) leaves, and whatever comes may come.
template <class T>
void Stepwise<T>::post(const Communicator& communicator, std::int64_t step, const T* t,
                       T* workspace, Traffic& traffic) {
  Step& here = at(step);
  const auto parity = static_cast<std::size_t>(step % 2);
  const auto receive = [&](T* buffer, const Message& message, std::vector<MPI_Request>& pending,
                           HalfStep& count) {
    communicator.receive(buffer, message, pending, traffic);
    count.words += message.words().value;
    ++count.messages;
  };
  HalfStep& solving = half_steps_[static_cast<std::size_t>(2 * step)];
  HalfStep& updating = half_steps_[static_cast<std::size_t>(2 * step + 1)];
  if (here.triangle_out) communicator.send(t, *here.triangle_out, sends_, traffic);
  if (here.solution_in) receive(workspace, *here.solution_in, for_updates_[parity], updating);
  if (!here.solver) return;
  const auto turn = static_cast<std::int64_t>(here.solver->turn % 2);
  T* const triangle = workspace + triangles_offset_ + turn * triangle_words_;
  T* const contributions = workspace + contributions_offset_ + turn * contribution_words_;
  for (const Message& m : here.solver->triangle_in) {
    receive(triangle, m, for_solves_[parity], solving);
  }
  for (const Contribution& c : here.solver->sums_in) {
    receive(contributions, c.message, for_solves_[parity], solving);
  }
}

// X(k) = op(T)(k, k)^-1 (B(k) - sum over r of S_r(k)), and to all that have columns of it.
template <class T>
void Stepwise<T>::solve(const Communicator& communicator, std::int64_t step, const T* t, T* x,
                        T* workspace, Traffic& traffic) {
  const Step& here = at(step);
  const Solver& solver = *here.solver;
  const auto turn = static_cast<std::int64_t>(solver.turn % 2);
  T* const triangle = workspace + triangles_offset_ + turn * triangle_words_;
  const T* const contributions = workspace + contributions_offset_ + turn * contribution_words_;
  const auto subtract = [x](const std::vector<Copy>& copies, const T* sums) {
    const comm::InPhase reduces(comm::Phase::reduce);
    for (const Copy& c : copies) {
      for (std::int64_t i = 0; i < c.length; ++i) x[c.to + i] -= sums[c.from + i];
    }
  };
  if (!solver.whole_triangle) {
    for (const Copy& c : solver.own_triangle) std::copy_n(t + c.from, c.length, triangle + c.to);
  }
  subtract(solver.own_sums, workspace + sums_offset_);
  Communicator::wait_briefly(for_solves_[static_cast<std::size_t>(step % 2)]);
  for (const Contribution& c : solver.sums_in) subtract(c.subtracted, contributions);
  const T* const factor = solver.whole_triangle ? t + solver.whole_triangle->offset : triangle;
  const std::int64_t leading = solver.whole_triangle ? solver.whole_triangle->leading : here.width;
  if (how_.m == 1) {
    blas::trsv(triangle_, {factor, leading, op_}, unit_, here.width, x + solver.x.offset);
  } else {
    lapack::solve({lapack::Side::left, triangle_, op_, unit_}, here.width, how_.m, factor, leading,
                  x + solver.x.offset, solver.x.leading);
  }
  half_steps_[static_cast<std::size_t>(2 * step)].operations =
      here.width * (here.width + 1) / 2 * how_.m;
  for (const Message& m : solver.solution_out) communicator.send(x, m, sends_, traffic);
  for (const Copy& c : solver.own_solution) std::copy_n(x + c.from, c.length, workspace + c.to);
}

// S_r(out) += op(T)(out, in) X(in).
template <class T>
void Stepwise<T>::multiply(const T* t, const PartialSums& sums, T* workspace,
                           HalfStep& half_step) const {
  if (sums.in.first >= sums.in.second || sums.out.first >= sums.out.second) return;
  const Range all = of_steps(out_before_, sums.out);
  const Range share = round_of(all, sums.share, sums.shares);
  for (const Block& b : blocks_) {
    const Range from = of_steps(b.in_before, sums.in);
    const Range all_here = of_steps(b.out_before, sums.out);
    const Range to = {std::max(all_here.begin, share.begin - b.out_first),
                      std::min(all_here.end, share.end - b.out_first)};
    if (from.size() == 0 || to.size() <= 0) continue;
    half_step.operations += from.size() * to.size() * how_.m;
    const T* x = workspace + b.in_first + from.begin;
    T* const y = workspace + sums_offset_ + b.out_first + to.begin;
    const T* factor =
        t + b.offset +
        (op_ == 'N' ? to.begin + from.begin * b.leading : from.begin + to.begin * b.leading);
    if (how_.m == 1) {
      blas::gemv<T>(to.size(), from.size(), T(1), {factor, b.leading, op_}, x, T(1), y);
    } else {
      blas::gemm<T>(to.size(), how_.m, from.size(), T(1), {factor, b.leading, op_}, {x, in_.size()},
                    T(1), y, out_.size());
    }
  }
}

// S_r(k + 1), as far as it is still missing, to its solver; then what later solvers need.
template <class T>
void Stepwise<T>::update(const Communicator& communicator, std::int64_t step, const T* t,
                         T* workspace, Traffic& traffic) {
  HalfStep& count_here = half_steps_[static_cast<std::size_t>(2 * step + 1)];
  Communicator::wait_briefly(for_updates_[static_cast<std::size_t>(step % 2)]);
  const Step& next = at(step + 1);
  const UpdateOrder::Update due = order_.next(next.solver.has_value());
  for (const PartialSums& sums : due.awaited) multiply(t, sums, workspace, count_here);
  if (next.sums_out) {
    communicator.send(workspace + sums_offset_, *next.sums_out, sends_, traffic);
  }
  for (const PartialSums& sums : due.rest) multiply(t, sums, workspace, count_here);
}

template <class T>
void Stepwise<T>::execute(const Communicator& communicator, const T* t, T* x, T* workspace,
                          Traffic& traffic) {
  if (steps_.empty()) return;
  std::fill(half_steps_.begin(), half_steps_.end(), HalfStep{});
  std::fill_n(workspace + sums_offset_, out_.size() * how_.m, T(0));
  order_ = UpdateOrder(how_);
  post(communicator, 0, t, workspace, traffic);
  for (std::int64_t k = 0; k < count(); ++k) {
    if (k + 1 < count()) post(communicator, k + 1, t, workspace, traffic);
    if (at(k).solver) solve(communicator, k, t, x, workspace, traffic);
    if (k + 1 < count()) update(communicator, k, t, workspace, traffic);
  }
  Communicator::wait(sends_);
}

template class Stepwise<float>;
template class Stepwise<double>;
template class Stepwise<std::complex<float>>;
template class Stepwise<std::complex<double>>;

}  // namespace redblue::linalg::solve
