// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/cholesky/cholesky.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/number.hpp"
#include "comm/phases.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::conjugated;
using comm::Message;
using layout::IndexSet;
using layout::Patch;

namespace {

// Every `turns`-th block of a row block, from number `turn` on.
IndexSet indices(const CyclicClasses& rows, int row_block, int turn, int turns) {
  std::vector<layout::Interval> intervals;
  for (std::int64_t b = row_block + std::int64_t{turn} * rows.classes; b < rows.blocks();
       b += std::int64_t{turns} * rows.classes) {
    intervals.push_back({b * rows.block, b * rows.block + rows.block_size(b), rows.position(b)});
  }
  return IndexSet(std::move(intervals));
}

enum Tag { diagonal_tag, reduce_tag, panel_tag };

}  // namespace

layout::Arrangement pair_storage(const CholeskyDecomposition& d, int ranks) {
  const CyclicClasses rows{d.n, d.block, d.row_blocks};
  layout::Arrangement result{d.n, d.n, {}};
  result.of_rank.resize(static_cast<std::size_t>(ranks));
  std::vector<IndexSet> of_row_block;
  std::vector<std::vector<IndexSet>> of_turn;  // blocks of a row block with the same home
  for (int p = 0; p < d.row_blocks; ++p) {
    of_row_block.push_back(indices(rows, p, 0, 1));
    of_turn.emplace_back();
    for (int turn = 0; turn < d.replicas; ++turn) {
      of_turn.back().push_back(indices(rows, p, turn, d.replicas));
    }
  }
  for (std::size_t r = 0; r < d.pairs.size() * static_cast<std::size_t>(d.replicas); ++r) {
    const int replica = static_cast<int>(r / d.pairs.size());
    std::int64_t offset = 0;
    for (const auto& [i, j] : d.pairs[r % d.pairs.size()]) {
      const IndexSet& down = of_row_block[static_cast<std::size_t>(i)];
      const IndexSet& across = of_row_block[static_cast<std::size_t>(j)];
      if (down.empty() || across.empty()) continue;
      // rows of one row block and those columns of the other for which this replica is the home
      const auto add_patch = [&](int row_block, const IndexSet& rows_of_row_block, int other,
                                 bool row_major) {
        std::int64_t step = other;
        while (home_replica(row_block, step, d.row_blocks, d.replicas) != replica)
          step += d.row_blocks;
        const IndexSet& columns =
            of_turn[static_cast<std::size_t>(other)][static_cast<std::size_t>(step / d.row_blocks)];
        if (columns.empty()) return;
        result.of_rank[r].push_back(
            {rows_of_row_block, columns, offset, down.size(), row_major, row_major});
      };
      add_patch(i, down, j, false);
      if (i != j) add_patch(j, across, i, true);
      offset += down.size() * across.size();
    }
  }
  return result;
}

template <class T>
Cholesky<T>::Cholesky(const CholeskyDecomposition& d, Rank me)
    : me_(me.value),
      steps_(d),
      replica_(me_ / steps_.members()),
      member_(me_ % steps_.members()),
      row_blocks_(d.row_blocks),
      panel_of_row_block_(static_cast<std::size_t>(d.row_blocks)) {
  if (idle()) return;
  const CyclicClasses& rows = steps_.rows();
  std::int64_t offset = 0;
  for (const auto& [i, j] : d.pairs[static_cast<std::size_t>(member_)]) {
    pairs_.push_back({i, j, offset, std::max<std::int64_t>(1, rows.size(i))});
    offset += rows.size(i) * rows.size(j);
  }
  storage_ = offset;
  std::int64_t words = 0;
  for (const int p : d.row_blocks_of[static_cast<std::size_t>(member_)]) {
    panel_of_row_block_[static_cast<std::size_t>(p)] = words;
    words += rows.size(p) * d.block;
  }
  buffers_ = buffers_of(d, steps_, static_cast<std::size_t>(member_));
  workspace_ = buffers_.total();
}

template <class T>
const typename Cholesky<T>::Pair* Cholesky<T>::find(int a, int b) const {
  const auto found = std::find_if(pairs_.begin(), pairs_.end(), [&](const Pair& p) {
    return p.i == std::max(a, b) && p.j == std::min(a, b);
  });
  return found == pairs_.end() ? nullptr : &*found;
}

template <class T>
typename Cholesky<T>::PanelBlock Cholesky<T>::panel_block(int row_block, std::int64_t step) const {
  const CyclicClasses& rows = steps_.rows();
  const int q = rows.of_block(step);
  const Pair& pair = *find(row_block, q);
  const std::int64_t at = rows.position(step);
  const std::int64_t width = rows.block_size(step);
  const std::int64_t left = rows.after(row_block, step);
  if (row_block == q) {
    return {pair.offset + at * (pair.leading + 1), pair.leading, width + left, width, true};
  }
  const std::int64_t first = rows.before(row_block, step + 1);
  if (pair.i == row_block) {
    return {pair.offset + first + at * pair.leading, pair.leading, left, width, false};
  }
  return {pair.offset + at + first * pair.leading, pair.leading, width, left, false};
}

// A(I > k, K) = sum over l of A_l(I > k, K) for this rank's pairs with K. Reduce over replicas,
// each row block I to its home.
template <class T>
void Cholesky<T>::reduce_panel(const Communicator& communicator, std::int64_t step, T* a, T* sent,
                               T* received, Traffic& traffic) {
  const comm::InPhase reduces(comm::Phase::reduce);
  const int q = steps_.rows().of_block(step);
  std::vector<MPI_Request> arriving;
  std::vector<PanelBlock> home;
  T* next = received;
  const auto each_column = [](const PanelBlock& s, auto f) {
    for (std::int64_t c = 0; c < s.columns; ++c) {
      const std::int64_t above = s.diagonal ? c : 0;
      f(s.offset + above + c * s.leading, s.height - above);
    }
  };
  for (int p = 0; p < row_blocks_; ++p) {
    const std::int64_t words = steps_.panel_words(p, step);
    if (words == 0 || steps_.owner(p, q) != member_) continue;
    const PanelBlock s = panel_block(p, step);
    if (steps_.home(p, step) != replica_) {
      const T* const copy = sent;
      each_column(s, [&](std::int64_t at, std::int64_t n) { sent = std::copy_n(a + at, n, sent); });
      communicator.send(copy,
                        Message::of<T>(Rank{steps_.solver(p, step)}, reduce_tag, {{0, words}}),
                        sends_[static_cast<std::size_t>(step % 2)], traffic);
      continue;
    }
    home.push_back(s);
    for (int l = 0; l < steps_.replicas(); ++l) {
      if (l == replica_) continue;
      const Rank peer{steps_.rank_at(l, member_)};
      communicator.receive(next, Message::of<T>(peer, reduce_tag, {{0, words}}), arriving, traffic);
      next += words;
    }
  }
  Communicator::wait(arriving);
  const T* copy = received;
  for (const PanelBlock& s : home) {
    for (int other = 1; other < steps_.replicas(); ++other) {
      each_column(s, [&](std::int64_t at, std::int64_t n) {
        for (std::int64_t i = 0; i < n; ++i) a[at + i] += *copy++;
      });
    }
  }
}

// L(K, K) = chol(A(K, K)) at its owner. Broadcast to the ranks that solve with it.
template <class T>
std::int64_t Cholesky<T>::factor_diagonal(const Communicator& communicator, std::int64_t step, T* a,
                                          T* diagonal, Traffic& traffic) {
  const CyclicClasses& rows = steps_.rows();
  const int q = rows.of_block(step);
  const std::int64_t width = rows.block_size(step);
  const std::vector<int> solvers = steps_.panel_ranks(step);
  const std::vector<comm::Run> whole = {{0, width * width}};
  std::int64_t info = 0;
  if (steps_.solver(q, step) == me_) {
    const PanelBlock s = panel_block(q, step);
    T* block = a + s.offset;
    info = lapack::cholesky('L', width, block, s.leading);
    for (std::int64_t c = 0; c < width; ++c) {
      std::copy_n(block + c * s.leading, width, diagonal + c * width);
    }
    for (const int r : solvers) {
      communicator.send(diagonal, Message::of<T>(Rank{r}, diagonal_tag, whole),
                        sends_[static_cast<std::size_t>(step % 2)], traffic);
    }
  } else if (std::binary_search(solvers.begin(), solvers.end(), me_)) {
    std::vector<MPI_Request> arriving;
    communicator.receive(diagonal,
                         Message::of<T>(Rank{steps_.solver(q, step)}, diagonal_tag, whole),
                         arriving, traffic);
    Communicator::wait(arriving);
  }
  return info == 0 ? 0 : step * rows.block + info;
}

// L(I > k, K) = A(I > k, K) L(K, K)'^-1 for the row blocks I whose pair with K this rank has, at
// their home. Multicast: columns K_l to the ranks of replica l that have a pair with I.
template <class T>
void Cholesky<T>::solve_panel(const Communicator& communicator, std::int64_t step, T* a,
                              const T* diagonal, T* panel, Traffic& traffic) {
  const CyclicClasses& rows = steps_.rows();
  const int q = rows.of_block(step);
  const std::int64_t width = rows.block_size(step);
  for (int turn = 0; turn < row_blocks_; ++turn) {
    const int p = (q + 1 + turn) % row_blocks_;
    const std::int64_t count = rows.after(p, step);
    if (count == 0 || steps_.solver(p, step) != me_) continue;
    const PanelBlock s = panel_block(p, step);
    const bool column_major = p >= q;  // else row-major, conjugated
    T* block = a + s.offset + (s.diagonal ? width : 0);
    T* rows_of_l = panel + panel_of_row_block_[static_cast<std::size_t>(p)];
    const auto each = [&](auto f) {
      for (std::int64_t c = 0; c < width; ++c) {
        for (std::int64_t r = 0; r < count; ++r) {
          f(rows_of_l[r + c * count], block[column_major ? r + c * s.leading : c + r * s.leading]);
        }
      }
    };
    each([column_major](T& x, const T& stored) { x = column_major ? stored : conjugated(stored); });
    lapack::solve({lapack::Side::right, 'L', 'C', false}, count, width, diagonal, width, rows_of_l,
                  count);
    each([column_major](const T& x, T& stored) { stored = column_major ? x : conjugated(x); });
    const std::vector<int> needers = steps_.needers(p, step);
    for (int l = 0; l < steps_.replicas(); ++l) {
      const Range columns = steps_.chunk(step, l);
      if (columns.size() == 0) continue;
      const std::vector<comm::Run> part = {{count * columns.begin, count * columns.size()}};
      for (const int m : needers) {
        const Rank peer{steps_.rank_at(l, m)};
        if (peer.value == me_) continue;
        communicator.send(rows_of_l, Message::of<T>(peer, panel_tag + p, part),
                          sends_[static_cast<std::size_t>(step % 2)], traffic);
      }
    }
  }
}

// A_l(I > k, J > k) -= L(I, K_l) L(J, K_l)' for every pair (I, J) of this rank: in what the next
// step's panel needs, or in all else.
template <class T>
void Cholesky<T>::update(std::int64_t step, bool ahead, T* a, const T* workspace) const {
  const CyclicClasses& rows = steps_.rows();
  const Range columns = steps_.chunk(step, replica_);
  const std::int64_t width = columns.size();
  if (width == 0) return;
  // L(I > k, K_l) from a row on: all columns of K where this rank solved for them
  const auto l_of = [&](int p, std::int64_t first) -> blas::Factor<T> {
    const std::int64_t left = rows.after(p, step);
    return {workspace + buffers_at(step) + panel_of_row_block_[static_cast<std::size_t>(p)] +
                (steps_.solver(p, step) == me_ ? left * columns.begin : 0) + first,
            left};
  };
  for (const Pair& pair : pairs_) {
    T* const c = a + pair.offset + rows.before(pair.i, step + 1) +
                 rows.before(pair.j, step + 1) * pair.leading;
    for (const CholeskySteps::Update& u : steps_.updates({pair.i, pair.j}, step, ahead)) {
      if (u.down.size() == 0 || u.across.size() == 0) continue;
      T* const part = c + u.down.begin + u.across.begin * pair.leading;
      const blas::Factor<T> left = l_of(pair.i, u.down.begin);
      if (u.triangle) {
        blas::rank_k(true, 'L', u.down.size(), width, T(-1), left, T(1), part, pair.leading);
        continue;
      }
      blas::Factor<T> right = l_of(pair.j, u.across.begin);
      right.op = 'C';
      blas::gemm(u.down.size(), u.across.size(), width, T(-1), left, right, T(1), part,
                 pair.leading);
    }
  }
}

// The step's columns are eliminated, and its panel is on its way.
template <class T>
std::int64_t Cholesky<T>::prepare(const Communicator& communicator, std::int64_t step, T* a,
                                  T* workspace, Traffic& traffic) {
  const auto parity = static_cast<std::size_t>(step % 2);
  T* const panel = workspace + buffers_at(step);
  T* const diagonal = panel + buffers_.panel;
  T* const received = workspace + 2 * (buffers_.panel + buffers_.diagonal + buffers_.sent);
  Communicator::wait(sends_[parity]);  // of two steps before, from the same buffers
  const std::int64_t columns = steps_.chunk(step, replica_).size();
  // L(I > k, K_l) for the row blocks I of this rank
  for (const int p : steps_.needed(member_, step)) {
    const Rank source{steps_.solver(p, step)};
    if (source.value == me_ || columns == 0) continue;
    communicator.receive(
        panel + panel_of_row_block_[static_cast<std::size_t>(p)],
        Message::of<T>(source, panel_tag + p, {{0, steps_.rows().after(p, step) * columns}}),
        receives_[parity], traffic);
  }
  // A(I > k, K) = sum over l of A_l(I > k, K)
  if (steps_.replicas() > 1) {
    reduce_panel(communicator, step, a, diagonal + buffers_.diagonal, received, traffic);
  }
  // L(K, K) = chol(A(K, K))
  const std::int64_t found = factor_diagonal(communicator, step, a, diagonal, traffic);
  // L(I > k, K) = A(I > k, K) L(K, K)'^-1
  solve_panel(communicator, step, a, diagonal, panel, traffic);
  return found;
}

template <class T>
std::int64_t Cholesky<T>::factor(const Communicator& communicator, T* a, T* workspace,
                                 Traffic& traffic) {
  if (idle() || steps_.count() == 0) return 0;
  std::int64_t info = prepare(communicator, 0, a, workspace, traffic);
  for (std::int64_t k = 0; k < steps_.count(); ++k) {
    Communicator::wait(receives_[static_cast<std::size_t>(k % 2)]);
    // A_l(I > k, J > k) -= L(I, K_l) L(J, K_l)'
    if (k + 1 < steps_.count()) {
      update(k, true, a, workspace);
      const std::int64_t found = prepare(communicator, k + 1, a, workspace, traffic);
      if (info == 0) info = found;
    }
    update(k, false, a, workspace);
  }
  for (std::vector<MPI_Request>& sends : sends_) Communicator::wait(sends);
  return info;
}

template class Cholesky<float>;
template class Cholesky<double>;
template class Cholesky<std::complex<float>>;
template class Cholesky<std::complex<double>>;

}  // namespace redblue::linalg
