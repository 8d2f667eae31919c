// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/solve/wavefront.hpp"

#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"

namespace redblue::linalg::solve {

using comm::Communicator;
using comm::Message;
using comm::Run;
using layout::IndexSet;
using layout::Interval;

namespace {

constexpr int sum_tag = 11;  // unlike those of other solves

// The panels' rows of a class, side by side.
std::vector<Interval> rows_of_class(const WavefrontSteps& steps, int c) {
  std::vector<Interval> rows;
  std::int64_t position = 0;
  for (std::int64_t b = c; b < steps.panels(); b += steps.classes()) {
    const Range r = steps.rows(steps.block(b));  // block() is its own inverse
    rows.push_back({r.begin, r.end, position});
    position += r.size();
  }
  return rows;
}

}  // namespace

layout::Arrangement rhs_arrangement(const TrsvDecomposition& d, const std::vector<int>& ranks,
                                    int all_ranks) {
  const WavefrontSteps steps(d);
  layout::Arrangement result{d.n, d.m, {}};
  result.of_rank.resize(static_cast<std::size_t>(all_ranks));
  for (std::size_t c = 0; c < ranks.size(); ++c) {
    const IndexSet rows(rows_of_class(steps, static_cast<int>(c)));
    if (rows.empty() || d.m == 0) continue;
    result.of_rank[static_cast<std::size_t>(ranks[c])].push_back(
        {rows, IndexSet(Range{0, d.m}), 0, rows.size(), false, false});
  }
  return result;
}

template <class T>
Wavefront<T>::Wavefront(const TrsvDecomposition& d, const std::vector<int>& ranks, Rank me)
    : steps_(d), order_(d.n), columns_(d.m), block_(d.block) {
  const auto found = std::find(ranks.begin(), ranks.end(), me.value);
  if (d.n == 0 || d.m == 0 || found == ranks.end()) return;
  const auto mine = static_cast<int>(found - ranks.begin());
  for (const Interval& i : rows_of_class(steps_, mine)) {
    first_.push_back(i.position);
    height_ = i.position + i.end - i.begin;
  }
  const auto rank_of = [&](std::int64_t panel) {
    return Rank{ranks[static_cast<std::size_t>(steps_.class_of(panel))]};
  };
  std::int64_t received = 0;
  for (const WavefrontVisit& v : steps_.visits(mine)) {
    Visit& here = visits_.emplace_back(Visit{v, 0, {}, {}});
    const std::int64_t words = v.rows.size() * columns_;
    if (v.receives) {
      here.buffer = order_ * columns_ + received++ % 2 * block_ * columns_;
      here.in.emplace(Message::of<T>(rank_of(v.panel - 1), sum_tag, {{here.buffer, words}}));
    }
    if (!v.travels || v.solves) continue;
    std::vector<Run> sums;
    for (std::int64_t c = 0; c < columns_; ++c) {
      comm::append(sums, {v.rows.begin + c * order_, v.rows.size()});
    }
    here.out.emplace(Message::of<T>(rank_of(v.panel + 1), sum_tag, sums));
  }
  storage_ = height_ * columns_;
  half_steps_.resize(static_cast<std::size_t>(steps_.half_steps()));
  workspace_ = (order_ + 2 * block_) * columns_;
  sends_.reserve(visits_.size());
}

// Where this rank stores a panel of op(T), in its columns, and X(panel).
template <class T>
std::int64_t Wavefront<T>::first_of(std::int64_t panel) const {
  return first_[static_cast<std::size_t>(steps_.block(panel) / steps_.classes())];
}

// S(i) += op(T)(i, l) X(l).
template <class T>
void Wavefront<T>::multiply(const WavefrontVisit& v, const LocalTriangle<T>& t, const T* x,
                            T* sums) const {
  const std::int64_t width = steps_.rows(v.panel).size();
  const std::int64_t column = first_of(v.panel);
  const blas::Factor<T> factor = {t.data + (t.op == 'N' ? v.rows.begin + column * t.leading
                                                        : column + v.rows.begin * t.leading),
                                  t.leading, t.op};
  if (columns_ == 1) {
    blas::gemv<T>(v.rows.size(), width, T(1), factor, x + column, T(1), sums + v.rows.begin);
  } else {
    blas::gemm<T>(v.rows.size(), columns_, width, T(1), factor, {x + column, height_}, T(1),
                  sums + v.rows.begin, order_);
  }
}

// X(l) = op(T)(l, l)^-1 (B(l) - S(l)).
template <class T>
void Wavefront<T>::solve(const WavefrontVisit& v, const LocalTriangle<T>& t, T* x,
                         const T* sums) const {
  const std::int64_t first = first_of(v.panel);
  const std::int64_t width = v.rows.size();
  for (std::int64_t c = 0; c < columns_; ++c) {
    for (std::int64_t i = 0; i < width; ++i) {
      x[first + i + c * height_] -= sums[v.rows.begin + i + c * order_];
    }
  }
  const T* diagonal =
      t.data + (t.op == 'N' ? v.rows.begin + first * t.leading : first + v.rows.begin * t.leading);
  const bool lower = steps_.backward() != (t.op == 'N');
  if (columns_ == 1) {
    blas::trsv(lower ? 'L' : 'U', {diagonal, t.leading, t.op}, t.unit, width, x + first);
  } else {
    lapack::solve({lapack::Side::left, lower ? 'L' : 'U', t.op, t.unit}, width, columns_, diagonal,
                  t.leading, x + first, height_);
  }
}

template <class T>
void Wavefront<T>::execute(const Communicator& communicator, const LocalTriangle<T>& t, T* x,
                           T* workspace, Traffic& traffic) {
  if (visits_.empty()) return;
  std::fill(half_steps_.begin(), half_steps_.end(), HalfStep{});
  std::fill_n(workspace, order_ * columns_, T(0));
  auto next = visits_.begin();  // whose S(i) may not come yet
  const auto expect_next = [&] {
    while (next != visits_.end() && !next->in) ++next;
    if (next == visits_.end()) return;
    communicator.receive(workspace, *next->in, coming_, traffic);
    ++next;
  };
  expect_next();
  for (const Visit& here : visits_) {
    const WavefrontVisit& v = here.of;
    HalfStep& count = half_steps_[static_cast<std::size_t>(v.half_step)];
    if (here.in) {
      Communicator::wait_briefly(coming_);
      expect_next();
      count.words += here.in->words().value;
      ++count.messages;
      const comm::InPhase reduces(comm::Phase::reduce);
      for (std::int64_t c = 0; c < columns_; ++c) {
        const T* came = workspace + here.buffer + c * v.rows.size();
        T* sums = workspace + v.rows.begin + c * order_;
        for (std::int64_t i = 0; i < v.rows.size(); ++i) sums[i] += came[i];
      }
    }
    if (v.solves) {
      solve(v, t, x, workspace);
    } else {
      multiply(v, t, x, workspace);
    }
    count.operations += v.operations(steps_.rows(v.panel).size()) * columns_;
    if (here.out) communicator.send(workspace, *here.out, sends_, traffic);
  }
  Communicator::wait(sends_);
}

template class Wavefront<float>;
template class Wavefront<double>;
template class Wavefront<std::complex<float>>;
template class Wavefront<std::complex<double>>;

}  // namespace redblue::linalg::solve
