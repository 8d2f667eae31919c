// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/triangular/triangular_product.hpp"

#include <algorithm>
#include <complex>
#include <limits>
#include <utility>

#include "decomposition/ownership.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/plan/caller_layouts.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue::linalg {

using comm::Communicator;
using layout::Arrangement;
using layout::IndexSet;
using layout::Patch;
using triangular::Share;

TriangularProductSetup setup_of(const TrmmLayouts& layouts, int ranks) {
  const bool right = layouts.side == Side::right;
  // B op(T) is the transposed of op(T)^T B^T
  const bool turned = (layouts.op != Op::none) != right;
  const Op transpose = Op::transpose;
  TriangularProductSetup setup;
  setup.matrices.lower = (layouts.triangle == Triangle::lower) != turned;
  setup.matrices.t = arrangement_of(layouts.t, turned ? transpose : Op::none, ranks);
  setup.matrices.b = arrangement_of(layouts.b, right ? transpose : Op::none, ranks);
  setup.conjugate_t = layouts.op == Op::conjugate_transpose;
  setup.unit = layouts.unit;
  return setup;
}

template <class T>
TriangularProduct<T>::TriangularProduct(Communicator& communicator,
                                        const TriangularProductSetup& setup,
                                        std::optional<Words> limit)
    : setup_(setup),
      sharing_(triangular::choose_sharing(setup.matrices)),
      me_(static_cast<std::size_t>(communicator.rank().value)) {
  mine_ = sharing_.of_rank[me_];
  if (mine_.empty()) mine_ = {};
  Arrangement panels{setup.matrices.b.rows, setup.matrices.b.columns, {}};
  for (const Share& s : sharing_.of_rank) {
    std::vector<Patch>& patches = panels.of_rank.emplace_back();
    if (!s.empty()) patches.push_back(layout::dense_patch(s.rows, s.columns));
  }
  comm::TransferOptions options;
  options.tag = 2;
  options.add = true;
  out_.emplace_back(communicator, panels, setup.matrices.b, options);
  t_offset_ = mine_.rows.size() * mine_.columns.size();
  std::int64_t rounds = rounds_of(communicator.size());
  plan_rounds(communicator, rounds);
  if (!limit) return;
  constexpr std::int64_t shallowest = 16;
  const std::int64_t most = std::max(rounds, setup.matrices.t.rows / shallowest);
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  const std::int64_t first = rounds;
  fits_in_rounds(rounds, most, *limit, least, [&] {
    if (rounds > first) plan_rounds(communicator, rounds);
    return communicator.maximum(workspace());
  });
}

template <class T>
void TriangularProduct<T>::plan_rounds(const Communicator& communicator, std::int64_t rounds) {
  rounds_.clear();
  for (std::int64_t r = 0; r < rounds; ++r) plan_round(communicator, r, rounds);
  std::int64_t t_words = 0;
  std::int64_t b_words = 0;
  buffers_ = out_.front().buffer();
  for (const Round& round : rounds_) {
    t_words = std::max(t_words, round.rows.size() * round.depth.size());
    b_words = std::max(b_words, round.depth.size() * mine_.columns.size());
    buffers_ = std::max(buffers_, round.t.buffer() + round.b.buffer());
  }
  b_offset_ = t_offset_ + t_words;
  buffers_offset_ = b_offset_ + b_words;
}

// So many that T's and B's parts of one take as much memory as C's, on the largest rank.
template <class T>
std::int64_t TriangularProduct<T>::rounds_of(std::int64_t ranks) const {
  constexpr std::int64_t shallowest = 256;
  std::int64_t rounds = 1;
  for (const Share& s : sharing_.of_rank) {
    if (s.empty()) continue;
    const std::int64_t rows = s.rows.size();
    const std::int64_t depth = s.depth.size();
    const std::int64_t columns = s.columns.size();
    const std::int64_t place = rows * columns + rows * rows / ranks;
    const std::int64_t wanted = (rows * depth + depth * columns + place - 1) / place;
    rounds = std::max(rounds, std::min(wanted, depth / shallowest));
  }
  return rounds;
}

template <class T>
void TriangularProduct<T>::plan_round(const Communicator& communicator, std::int64_t number,
                                      std::int64_t rounds) {
  const triangular::Matrices& m = setup_.matrices;
  const std::int64_t n = m.t.rows;
  const Range range = round_of({0, n}, number, rounds);
  Arrangement of_t{n, n, {}};
  Arrangement of_b{n, m.b.columns, {}};
  IndexSet my_rows;
  IndexSet my_depth;
  for (std::size_t r = 0; r < sharing_.of_rank.size(); ++r) {
    const Share& s = sharing_.of_rank[r];
    std::vector<Patch>& t = of_t.of_rank.emplace_back();
    std::vector<Patch>& b = of_b.of_rank.emplace_back();
    if (s.empty()) continue;
    const IndexSet depth = within(s.depth, range).dense();
    // above (below) the first (last) of the columns there is nothing
    const IndexSet rows =
        within(s.rows, m.lower ? Range{range.begin, n} : Range{0, range.end}).dense();
    if (!depth.empty()) {
      if (!rows.empty()) t.push_back(layout::dense_patch(rows, depth));
      b.push_back(layout::dense_patch(depth, s.columns));
    }
    if (r != me_) continue;
    my_rows = rows;
    my_depth = depth;
  }
  comm::TransferOptions options;
  options.part = m.part();
  options.conjugate = setup_.conjugate_t;
  comm::Transfer<T> t(communicator, m.t, of_t, options);
  options = {};
  options.tag = 1;
  rounds_.push_back({my_rows, my_depth, std::move(t), {communicator, m.b, of_b, options}});
}

template <class T>
Words TriangularProduct<T>::words() const {
  return Words(triangular::words_received(setup_.matrices, sharing_, me_));
}

template <class T>
double TriangularProduct<T>::bound() const {
  const triangular::Matrices& m = setup_.matrices;
  return trmm_lower_bound(
      m.b.rows, m.b.columns,
      {static_cast<int>(m.b.of_rank.size()), triangular::busiest_work(m, sharing_), {}});
}

template <class T>
void TriangularProduct<T>::complete_diagonal(const Round& round, T* t) const {
  if (!setup_.unit) return;
  for (const layout::OverlapInterval& o : shared(round.rows, round.depth, false)) {
    for (std::int64_t e = 0; e < o.length; ++e) {
      t[o.from + e + (o.to + e) * round.rows.size()] = T(1);
    }
  }
}

// C' += alpha T B. Some columns of T at a time, all rows that are below (above) the diagonal in all
// of them; the rest of these columns, around the diagonal, in fewer at a time.
template <class T>
void TriangularProduct<T>::multiply(const Round& round, T alpha, const T* t, const T* b,
                                    T* c) const {
  constexpr std::int64_t joined = 256;
  constexpr std::int64_t few = 32;
  const std::int64_t rows = round.rows.size();
  const std::int64_t depth = round.depth.size();
  if (rows == 0 || depth == 0) return;
  const bool lower = setup_.matrices.lower;
  T* const from = c + triangular::count_below(mine_.rows, round.rows.intervals().front().begin);
  const auto add = [&](const Range& down, std::int64_t d, std::int64_t wide) {
    if (down.size() <= 0) return;
    blas::gemm(down.size(), mine_.columns.size(), wide, alpha, {t + down.begin + d * rows, rows},
               {b + d, depth}, T(1), from + down.begin, mine_.rows.size());
  };
  // the rows from the first of these columns on, and behind the last
  const auto beside = [&](std::int64_t d, std::int64_t wide) {
    const IndexSet columns = round.depth.slice(d, d + wide);
    return Range{triangular::count_below(round.rows, columns.intervals().front().begin),
                 triangular::count_below(round.rows, columns.intervals().back().end)};
  };
  for (std::int64_t d = 0; d < depth; d += joined) {
    const std::int64_t wide = std::min(joined, depth - d);
    const Range around = beside(d, wide);
    add(lower ? Range{around.end, rows} : Range{0, around.begin}, d, wide);
    for (std::int64_t e = d; e < d + wide; e += few) {
      const std::int64_t width = std::min(few, d + wide - e);
      const Range here = beside(e, width);
      add(lower ? Range{here.begin, around.end} : Range{around.begin, here.end}, e, width);
    }
  }
}

template <class T>
void TriangularProduct<T>::execute(const Communicator& communicator, T alpha, const T* t, T* b,
                                   T* workspace, GemmTraffic& traffic) {
  T* const t_here = workspace + t_offset_;
  T* const b_here = workspace + b_offset_;
  T* const buffers = workspace + buffers_offset_;
  std::fill_n(workspace, t_offset_, T(0));
  for (std::size_t r = 0; alpha != T(0) && r < rounds_.size(); ++r) {
    Round& round = rounds_[r];
    std::fill_n(t_here, round.rows.size() * round.depth.size(), T(0));
    T* const behind = buffers + round.t.buffer();
    round.t.start(communicator, t, t_here, buffers, buffers + round.t.send_buffer(),
                  traffic.exchange);
    round.b.start(communicator, b, b_here, behind, behind + round.b.send_buffer(),
                  traffic.exchange);
    round.t.finish(communicator, T(1), T(0), traffic.exchange);
    round.b.finish(communicator, T(1), T(0), traffic.exchange);
    complete_diagonal(round, t_here);
    multiply(round, alpha, t_here, b_here, workspace);
  }
  out_.front().execute(communicator, T(1), workspace, T(0), b, buffers, traffic.reduce);
}

template class TriangularProduct<float>;
template class TriangularProduct<double>;
template class TriangularProduct<std::complex<float>>;
template class TriangularProduct<std::complex<double>>;

}  // namespace redblue::linalg
