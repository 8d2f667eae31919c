// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/lu/pivot_rows.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "comm/phases.hpp"
#include "decomposition/doubling.hpp"
#include "linalg/blas/lapack.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;
using comm::Run;

namespace {

enum Tag { reduce_tag = 16, shares_tag, chunks_tag, groups_tag, owner_tag };

std::int64_t size_of(const std::vector<std::int64_t>& share) {
  return static_cast<std::int64_t>(share.size());
}

}  // namespace

template <class T>
PivotRows<T>::PivotRows(std::vector<int> column, int mine, const LuDecomposition& d,
                        std::int64_t columns)
    : column_(std::move(column)),
      columns_{d.grid_rows, d.replicas},
      replica_(mine / columns_.grid_rows),
      row_(mine % columns_.grid_rows),
      exchange_(d.exchange),
      buffers_(columns_.buffers(d.block, columns)) {}

template <class T>
void PivotRows<T>::Channel::receive(int peer, int tag, T* to, std::int64_t words) const {
  if (words == 0) return;
  communicator.receive(to, Message::of<T>(Rank{peer}, tag, {{0, words}}), receives, traffic);
}

template <class T>
void PivotRows<T>::Channel::send(int peer, int tag, const T* from, std::vector<Run> runs) const {
  std::erase_if(runs, [](const Run& s) { return s.length == 0; });
  if (runs.empty()) return;
  communicator.send(from, Message::of<T>(Rank{peer}, tag, runs), sends, traffic);
}

template <class T>
typename PivotRows<T>::Buffers PivotRows<T>::cut(T* workspace, int parity) const {
  T* next = workspace;
  const auto take = [&next](std::int64_t words) { return std::exchange(next, next + words); };
  const auto one_of_two = [&take, parity](std::int64_t words) {
    T* const both[] = {take(words), take(words)};
    return both[parity];
  };
  Buffers b{};
  b.extracted = one_of_two(buffers_.rows);
  b.upper = take(buffers_.rows);
  b.received = take(buffers_.received);
  b.chunk = one_of_two(buffers_.chunk);
  b.parts = one_of_two(buffers_.slice);
  b.slice = take(buffers_.slice);
  return b;
}

template <class T>
UpperRows<T> PivotRows<T>::gather(const Communicator& communicator, const ActiveRows& active,
                                  const DelayedUpdates<T>& delayed, const PivotStep<T>& step, T* a,
                                  int parity, T* workspace, std::vector<MPI_Request>& sends,
                                  Traffic& traffic) {
  Shares shares(static_cast<std::size_t>(columns_.grid_rows));
  for (std::size_t i = 0; i < step.pivots.size(); ++i) {
    const int holder = active.class_of(step.pivots[i]) % columns_.grid_rows;
    shares[static_cast<std::size_t>(holder)].push_back(static_cast<std::int64_t>(i));
  }
  const std::vector<std::int64_t>& mine = shares[static_cast<std::size_t>(row_)];
  const Buffers b = cut(workspace, parity);
  const Channel channel = {communicator, sends, receives_, traffic};
  extract(active, delayed, step, mine, a, b.extracted);
  if (replicas() == 1) return solve_whole(channel, shares, step, b);
  const T* summed = reduce_over_replicas(channel, size_of(mine), step.across, b);
  solve_slice(channel, shares, step, summed, b);
  exchange_chunks(channel, step, b);
  allgather_groups(channel, step, b);
  return is_owner(step) ? assemble_rows(step, b)
                        : UpperRows<T>{b.chunk, chunk_of(step, replica_).begin,
                                       chunk_of(step, replica_).size()};
}

// A_l(P_r, J) of this rank out of its storage, slice by slice (l, r), with delayed updates applied.
// Gaps are closed while a column is in cache.
template <class T>
void PivotRows<T>::extract(const ActiveRows& active, const DelayedUpdates<T>& delayed,
                           const PivotStep<T>& step, const std::vector<std::int64_t>& mine, T* a,
                           T* extracted) const {
  std::vector<std::int64_t> places;
  for (const std::int64_t i : mine) {
    places.push_back(active.storage_row(step.pivots[static_cast<std::size_t>(i)]));
  }
  const std::vector<T> lower = delayed.lower_rows(places);
  const std::int64_t leading = active.leading();
  constexpr std::int64_t ahead = 2;  // columns, to prefetch: their rows are far apart in memory
  for (int s = 0; s < replicas() * columns_.grid_rows; ++s) {
    const Range slice = columns_.slice(step.across, s / columns_.grid_rows, s % columns_.grid_rows);
    T* const rows = extracted;
    for (std::int64_t c = slice.begin; c < slice.end; ++c) {
      T* column = a + (step.first + c) * leading;
      if (c + ahead < slice.end) {
        for (const std::int64_t p : places) __builtin_prefetch(column + ahead * leading + p, 1);
      }
      for (const std::int64_t p : places) *extracted++ = column[p];
      active.close_gaps(column);
    }
    delayed.apply_to(size_of(places), lower, step.first + slice.begin, slice.size(), rows);
  }
}

// Along the grid column, within the replica: all-to-all, if `slices`, each rank's rows in the
// columns of the receiver's slice; else allgather, its rows in all columns. Returns where each
// P_r's rows are.
template <class T>
std::vector<const T*> PivotRows<T>::exchange_shares(const Channel& channel, const Shares& shares,
                                                    const T* rows, std::int64_t across, bool slices,
                                                    T* received) const {
  const std::int64_t own_pivots = size_of(shares[static_cast<std::size_t>(row_)]);
  const auto columns_for = [&](int r) {
    return slices ? columns_.slice(across, replica_, r).size() : across;
  };
  std::vector<const T*> from(shares.size());
  const T* next = rows;
  for (int r = 0; r < columns_.grid_rows; ++r) {
    const std::int64_t words = own_pivots * columns_for(r);
    if (r == row_) {
      from[static_cast<std::size_t>(r)] = next;
    } else {
      channel.send(rank_at(replica_, r), shares_tag, next, {{0, words}});
    }
    if (slices) next += words;
  }
  for (int turn = 1; turn < columns_.grid_rows; ++turn) {
    const int r = (row_ + turn) % columns_.grid_rows;
    const std::int64_t words = size_of(shares[static_cast<std::size_t>(r)]) * columns_for(row_);
    channel.receive(rank_at(replica_, r), shares_tag, received, words);
    from[static_cast<std::size_t>(r)] = std::exchange(received, received + words);
  }
  Communicator::wait(channel.receives);
  return from;
}

// Along the grid column, within the replica: blocks that begin and end at begins[r], begins[r + 1]
// of `block`, of which this rank has its own at first.
template <class T>
void PivotRows<T>::allgather_by_doubling(const Channel& channel,
                                         const std::vector<std::int64_t>& begins, T* block,
                                         int tag) const {
  const auto rank = [this](std::int64_t row) {
    return rank_at(replica_, static_cast<int>((row + columns_.grid_rows) % columns_.grid_rows));
  };
  const auto runs = [&begins](std::int64_t first, std::int64_t blocks) {
    std::vector<Run> result;
    for (const Range& r : block_ranges(begins, first, blocks)) {
      comm::append(result, {r.begin, r.size()});
    }
    return result;
  };
  for (const DoublingStage& s : doubling_stages(columns_.grid_rows)) {
    const std::vector<Run> far = runs(row_ + s.distance, s.blocks);
    if (!far.empty()) {
      channel.communicator.receive(block, Message::of<T>(Rank{rank(row_ + s.distance)}, tag, far),
                                   channel.receives, channel.traffic);
    }
    channel.send(rank(row_ - s.distance), tag, block, runs(row_, s.blocks));
    Communicator::wait(channel.receives);
  }
}

// The same as exchange_shares for all columns, by doubling.
template <class T>
std::vector<const T*> PivotRows<T>::double_shares(const Channel& channel, const Shares& shares,
                                                  const T* rows, std::int64_t across,
                                                  T* received) const {
  std::vector<std::int64_t> begins = {0};
  std::vector<const T*> from;
  for (const std::vector<std::int64_t>& share : shares) {
    from.push_back(received + begins.back());
    begins.push_back(begins.back() + size_of(share) * across);
  }
  const auto me = static_cast<std::size_t>(row_);
  std::copy_n(rows, begins[me + 1] - begins[me], received + begins[me]);
  // what was received is passed on, and its place is needed in the next step
  std::vector<MPI_Request> sends;
  allgather_by_doubling({channel.communicator, sends, channel.receives, channel.traffic}, begins,
                        received, shares_tag);
  Communicator::wait(sends);
  return from;
}

namespace {

// U(K, J') = L(P, K)^-1 A(P, J') in some columns J': the grid rows' A(P_r, J') in the order of P,
// then a trsm.
template <class T>
void solve_rows(const std::vector<std::vector<std::int64_t>>& shares,
                const std::vector<const T*>& from, const PivotStep<T>& step, std::int64_t columns,
                T* solved) {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  for (std::size_t r = 0; r < shares.size(); ++r) {
    const T* rows = from[r];
    for (std::int64_t c = 0; c < columns; ++c) {
      for (const std::int64_t i : shares[r]) solved[i + c * width] = *rows++;
    }
  }
  lapack::solve({lapack::Side::left, 'L', 'N', true}, width, columns, step.square.data(), width,
                solved, width);
}

}  // namespace

// With one replica: allgather along the grid column, U(K, J) = L(P, K)^-1 A(P, J) on every rank.
template <class T>
UpperRows<T> PivotRows<T>::solve_whole(const Channel& channel, const Shares& shares,
                                       const PivotStep<T>& step, const Buffers& b) const {
  const auto from =
      exchange_ == Exchange::doubling
          ? double_shares(channel, shares, b.extracted, step.across, b.received)
          : exchange_shares(channel, shares, b.extracted, step.across, false, b.received);
  solve_rows(shares, from, step, step.across, b.upper);
  return {b.upper, 0, static_cast<std::int64_t>(step.pivots.size())};
}

// A(P_r, J_l) = sum over all replicas of their A(P_r, J_l), J_l the slices of this replica l.
// Reduce-scatter over the replicas.
template <class T>
T* PivotRows<T>::reduce_over_replicas(const Channel& channel, std::int64_t own_pivots,
                                      std::int64_t across, const Buffers& b) const {
  const comm::InPhase reduces(comm::Phase::reduce);
  T* own = b.extracted;
  T* next = b.extracted;
  T* received = b.received;
  const std::int64_t words = own_pivots * columns_.of_replica(across, replica_);
  for (int l = 0; l < replicas(); ++l) {
    const std::int64_t theirs = own_pivots * columns_.of_replica(across, l);
    if (l == replica_) {
      own = next;
    } else {
      channel.send(rank_at(l, row_), reduce_tag, next, {{0, theirs}});
      channel.receive(rank_at(l, row_), reduce_tag, received, words);
      received += words;
    }
    next += theirs;
  }
  Communicator::wait(channel.receives);
  for (int other = 1; other < replicas(); ++other) {
    const T* copy = b.received + (other - 1) * words;
    for (std::int64_t i = 0; i < words; ++i) own[i] += copy[i];
  }
  return own;
}

// U(K, slice) = L(P, K)^-1 A(P, slice). All-to-all along the grid column, then a trsm.
template <class T>
void PivotRows<T>::solve_slice(const Channel& channel, const Shares& shares,
                               const PivotStep<T>& step, const T* rows, const Buffers& b) const {
  const auto from = exchange_shares(channel, shares, rows, step.across, true, b.received);
  solve_rows(shares, from, step, own_slice(step).size(), b.slice);
}

// The owner's replica sends it U(K_l, J) like to any rank; this adds the other chunks of every
// slice. Gather at the owner.
template <class T>
void PivotRows<T>::gather_at_owner(const Channel& channel, const PivotStep<T>& step,
                                   const Buffers& b) const {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  if (!is_owner(step)) {
    const std::int64_t own = own_slice(step).size();
    const Range kept = chunk_of(step, step.owner / columns_.grid_rows);
    channel.send(column_[static_cast<std::size_t>(step.owner)], owner_tag, b.parts,
                 {{0, kept.begin * own}, {kept.end * own, (width - kept.end) * own}});
    return;
  }
  const std::int64_t missing = width - chunk_of(step, replica_).size();
  T* received = b.received;
  for (int l = 0; l < replicas(); ++l) {
    for (int r = 0; r < columns_.grid_rows; ++r) {
      if (l == replica_ && r == row_) continue;
      const std::int64_t words = missing * columns_.slice(step.across, l, r).size();
      channel.receive(rank_at(l, r), owner_tag, received, words);
      received += words;
    }
  }
}

// U(K_l, slice (l', r)) from the rank of every replica l' in this grid row r: all-to-all over the
// replicas, each sends replica l its chunk K_l. What the owner needs beyond that goes to it, too.
template <class T>
void PivotRows<T>::exchange_chunks(const Channel& channel, const PivotStep<T>& step,
                                   const Buffers& b) const {
  const comm::InPhase exchanges(comm::Phase::exchange);
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  const Range own = own_slice(step);
  const Range mine = chunk_of(step, replica_);
  T* part = b.parts;
  for (int l = 0; l < replicas(); ++l) {
    const Range rows = chunk_of(step, l);
    const T* const begin = part;
    for (std::int64_t c = 0; c < own.size(); ++c) {
      part = std::copy_n(b.slice + rows.begin + c * width, rows.size(), part);
    }
    if (l == replica_) {
      std::copy_n(begin, part - begin, b.chunk + mine.size() * own.begin);
      continue;
    }
    const Range theirs = columns_.slice(step.across, l, row_);
    channel.send(rank_at(l, row_), chunks_tag, begin, {{0, part - begin}});
    channel.receive(rank_at(l, row_), chunks_tag, b.chunk + mine.size() * theirs.begin,
                    mine.size() * theirs.size());
  }
  gather_at_owner(channel, step, b);
  Communicator::wait(channel.receives);
}

// U(K_l, group r') from every grid row r'. Allgather along the grid column, within the replica.
template <class T>
void PivotRows<T>::allgather_groups(const Channel& channel, const PivotStep<T>& step,
                                    const Buffers& b) const {
  const std::int64_t height = chunk_of(step, replica_).size();
  if (exchange_ == Exchange::doubling) {
    std::vector<std::int64_t> begins;
    for (int r = 0; r < columns_.grid_rows; ++r) {
      begins.push_back(height * columns_.group(step.across, r).begin);
    }
    begins.push_back(height * step.across);
    allgather_by_doubling(channel, begins, b.chunk, groups_tag);
    return;
  }
  const Range own = columns_.group(step.across, row_);
  for (int turn = 1; turn < columns_.grid_rows; ++turn) {
    const int r = (row_ + turn) % columns_.grid_rows;
    const Range theirs = columns_.group(step.across, r);
    channel.receive(rank_at(replica_, r), groups_tag, b.chunk + height * theirs.begin,
                    height * theirs.size());
    channel.send(rank_at(replica_, r), groups_tag, b.chunk + height * own.begin,
                 {{0, height * own.size()}});
  }
  Communicator::wait(channel.receives);
}

// U(K, J) at the owner, from its replica's chunk and the others that were gathered.
template <class T>
UpperRows<T> PivotRows<T>::assemble_rows(const PivotStep<T>& step, const Buffers& b) const {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  const Range mine = chunk_of(step, replica_);
  const T* next = b.received;
  for (int s = 0; s < replicas() * columns_.grid_rows; ++s) {
    const int l = s / columns_.grid_rows;
    const int r = s % columns_.grid_rows;
    const Range columns = columns_.slice(step.across, l, r);
    if (l == replica_ && r == row_) {
      std::copy_n(b.slice, width * columns.size(), b.upper + width * columns.begin);
      continue;
    }
    for (int other = 0; other < replicas(); ++other) {
      const Range rows = chunk_of(step, other);
      for (std::int64_t c = columns.begin; c < columns.end; ++c) {
        T* to = b.upper + rows.begin + c * width;
        if (other == replica_) {
          std::copy_n(b.chunk + c * mine.size(), mine.size(), to);
        } else {
          std::copy_n(next, rows.size(), to);
          next += rows.size();
        }
      }
    }
  }
  return {b.upper, 0, width};
}

template class PivotRows<float>;
template class PivotRows<double>;
template class PivotRows<std::complex<float>>;
template class PivotRows<std::complex<double>>;

}  // namespace redblue::linalg
