#include "linalg/pivot_rows.hpp"

#include <algorithm>
#include <complex>
#include <utility>

#include "linalg/lapack.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;
using comm::Segment;

namespace {

enum Tag { copies_tag = 16, shares_tag, chunks_tag, groups_tag, keeper_tag };

std::int64_t size_of(const std::vector<std::int64_t>& share) {
  return static_cast<std::int64_t>(share.size());
}

}  // namespace

template <class T>
PivotRows<T>::PivotRows(std::vector<int> column, int mine, int layers, std::int64_t block,
                        std::int64_t columns)
    : column_(std::move(column)),
      columns_{static_cast<int>(column_.size()) / layers, layers},
      layer_(mine / columns_.grid_rows),
      row_(mine % columns_.grid_rows),
      buffers_(columns_.buffers(block, columns)) {}

template <class T>
void PivotRows<T>::Wire::receive(int peer, int tag, T* to, std::int64_t words) const {
  if (words == 0) return;
  communicator.receive(to, Message::of<T>(Rank{peer}, tag, {{0, words}}), receives, traffic);
}

template <class T>
void PivotRows<T>::Wire::send(int peer, int tag, const T* from,
                              std::vector<Segment> segments) const {
  std::erase_if(segments, [](const Segment& s) { return s.length == 0; });
  if (segments.empty()) return;
  communicator.send(from, Message::of<T>(Rank{peer}, tag, segments), sends, traffic);
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
  b.taken = one_of_two(buffers_.rows);
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
  const Wire wire = {communicator, sends, receives_, traffic};
  take_out(active, delayed, step, mine, a, b.taken);
  if (layers() == 1) return whole(wire, shares, step, b);
  const T* summed = add_up_copies(wire, size_of(mine), step.across, b);
  solve_slice(wire, shares, step, summed, b);
  spread_over_layers(wire, step, b);
  spread_in_layer(wire, step, b);
  return keeps(step)
             ? all_rows(step, b)
             : UpperRows<T>{b.chunk, chunk_of(step, layer_).begin, chunk_of(step, layer_).size()};
}

// The rows leave, slice by slice of all layers, and gaps are closed while a column is in cache.
template <class T>
void PivotRows<T>::take_out(const ActiveRows& active, const DelayedUpdates<T>& delayed,
                            const PivotStep<T>& step, const std::vector<std::int64_t>& mine, T* a,
                            T* taken) const {
  std::vector<std::int64_t> places;
  for (const std::int64_t i : mine) {
    places.push_back(active.place(step.pivots[static_cast<std::size_t>(i)]));
  }
  const std::vector<T> lower = delayed.lower_rows(places);
  const std::int64_t leading = active.leading();
  constexpr std::int64_t ahead = 2;  // columns; their rows stand far apart in memory
  for (int s = 0; s < layers() * columns_.grid_rows; ++s) {
    const Range slice = columns_.slice(step.across, s / columns_.grid_rows, s % columns_.grid_rows);
    T* const rows = taken;
    for (std::int64_t c = slice.begin; c < slice.end; ++c) {
      T* column = a + (step.first + c) * leading;
      if (c + ahead < slice.end) {
        for (const std::int64_t p : places) __builtin_prefetch(column + ahead * leading + p, 1);
      }
      for (const std::int64_t p : places) *taken++ = column[p];
      active.close_gaps(column);
    }
    delayed.apply_to(size_of(places), lower, step.first + slice.begin, slice.size(), rows);
  }
}

// Within a layer, each rank's rows to the others: all columns, or those of the receiver's slice.
// Returns where each grid row's are.
template <class T>
std::vector<const T*> PivotRows<T>::swap_shares(const Wire& wire, const Shares& shares,
                                                const T* taken, std::int64_t across, bool slices,
                                                T* received) const {
  const std::int64_t held = size_of(shares[static_cast<std::size_t>(row_)]);
  const auto columns_for = [&](int r) {
    return slices ? columns_.slice(across, layer_, r).size() : across;
  };
  std::vector<const T*> from(shares.size());
  const T* next = taken;
  for (int r = 0; r < columns_.grid_rows; ++r) {
    const std::int64_t words = held * columns_for(r);
    if (r == row_) {
      from[static_cast<std::size_t>(r)] = next;
    } else {
      wire.send(rank_at(layer_, r), shares_tag, next, {{0, words}});
    }
    if (slices) next += words;
  }
  for (int turn = 1; turn < columns_.grid_rows; ++turn) {
    const int r = (row_ + turn) % columns_.grid_rows;
    const std::int64_t words = size_of(shares[static_cast<std::size_t>(r)]) * columns_for(row_);
    wire.receive(rank_at(layer_, r), shares_tag, received, words);
    from[static_cast<std::size_t>(r)] = std::exchange(received, received + words);
  }
  Communicator::wait(wire.receives);
  return from;
}

namespace {

// U's rows: the grid rows' shares in the pivots' order, solved with L of the square.
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

// Every rank gets all rows and solves for all of U's.
template <class T>
UpperRows<T> PivotRows<T>::whole(const Wire& wire, const Shares& shares, const PivotStep<T>& step,
                                 const Buffers& b) const {
  const auto from = swap_shares(wire, shares, b.taken, step.across, false, b.received);
  solve_rows(shares, from, step, step.across, b.upper);
  return {b.upper, 0, static_cast<std::int64_t>(step.pivots.size())};
}

// What all layers have of this grid row's pivots, in the columns of this layer.
template <class T>
T* PivotRows<T>::add_up_copies(const Wire& wire, std::int64_t held, std::int64_t across,
                               const Buffers& b) const {
  T* own = b.taken;
  T* next = b.taken;
  T* received = b.received;
  const std::int64_t words = held * columns_.of_layer(across, layer_);
  for (int l = 0; l < layers(); ++l) {
    const std::int64_t theirs = held * columns_.of_layer(across, l);
    if (l == layer_) {
      own = next;
    } else {
      wire.send(rank_at(l, row_), copies_tag, next, {{0, theirs}});
      wire.receive(rank_at(l, row_), copies_tag, received, words);
      received += words;
    }
    next += theirs;
  }
  Communicator::wait(wire.receives);
  for (int other = 1; other < layers(); ++other) {
    const T* copy = b.received + (other - 1) * words;
    for (std::int64_t i = 0; i < words; ++i) own[i] += copy[i];
  }
  return own;
}

// U in this rank's slice of the columns.
template <class T>
void PivotRows<T>::solve_slice(const Wire& wire, const Shares& shares, const PivotStep<T>& step,
                               const T* taken, const Buffers& b) const {
  const auto from = swap_shares(wire, shares, taken, step.across, true, b.received);
  solve_rows(shares, from, step, own_slice(step).size(), b.slice);
}

// To the rank that stores all rows: the slice's chunks that are not of its layer.
template <class T>
void PivotRows<T>::post_to_keeper(const Wire& wire, const PivotStep<T>& step,
                                  const Buffers& b) const {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  if (!keeps(step)) {
    const std::int64_t own = own_slice(step).size();
    const Range kept = chunk_of(step, step.keeper / columns_.grid_rows);
    wire.send(column_[static_cast<std::size_t>(step.keeper)], keeper_tag, b.parts,
              {{0, kept.begin * own}, {kept.end * own, (width - kept.end) * own}});
    return;
  }
  const std::int64_t missing = width - chunk_of(step, layer_).size();
  T* received = b.received;
  for (int l = 0; l < layers(); ++l) {
    for (int r = 0; r < columns_.grid_rows; ++r) {
      if (l == layer_ && r == row_) continue;
      const std::int64_t words = missing * columns_.slice(step.across, l, r).size();
      wire.receive(rank_at(l, r), keeper_tag, received, words);
      received += words;
    }
  }
}

// Each layer's chunk of the slice to the rank of that layer in this grid row, and what the keeper
// lacks to it.
template <class T>
void PivotRows<T>::spread_over_layers(const Wire& wire, const PivotStep<T>& step,
                                      const Buffers& b) const {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  const Range own = own_slice(step);
  const Range mine = chunk_of(step, layer_);
  T* part = b.parts;
  for (int l = 0; l < layers(); ++l) {
    const Range rows = chunk_of(step, l);
    const T* const begin = part;
    for (std::int64_t c = 0; c < own.size(); ++c) {
      part = std::copy_n(b.slice + rows.begin + c * width, rows.size(), part);
    }
    if (l == layer_) {
      std::copy_n(begin, part - begin, b.chunk + mine.size() * own.begin);
      continue;
    }
    const Range theirs = columns_.slice(step.across, l, row_);
    wire.send(rank_at(l, row_), chunks_tag, begin, {{0, part - begin}});
    wire.receive(rank_at(l, row_), chunks_tag, b.chunk + mine.size() * theirs.begin,
                 mine.size() * theirs.size());
  }
  post_to_keeper(wire, step, b);
  Communicator::wait(wire.receives);
}

// This layer's chunk of the grid row's columns to the other grid rows.
template <class T>
void PivotRows<T>::spread_in_layer(const Wire& wire, const PivotStep<T>& step,
                                   const Buffers& b) const {
  const std::int64_t height = chunk_of(step, layer_).size();
  const Range own = columns_.group(step.across, row_);
  for (int turn = 1; turn < columns_.grid_rows; ++turn) {
    const int r = (row_ + turn) % columns_.grid_rows;
    const Range theirs = columns_.group(step.across, r);
    wire.receive(rank_at(layer_, r), groups_tag, b.chunk + height * theirs.begin,
                 height * theirs.size());
    wire.send(rank_at(layer_, r), groups_tag, b.chunk + height * own.begin,
              {{0, height * own.size()}});
  }
  Communicator::wait(wire.receives);
}

// On the rank that stores them: this layer's chunk and what came of the others.
template <class T>
UpperRows<T> PivotRows<T>::all_rows(const PivotStep<T>& step, const Buffers& b) const {
  const auto width = static_cast<std::int64_t>(step.pivots.size());
  const Range mine = chunk_of(step, layer_);
  const T* next = b.received;
  for (int s = 0; s < layers() * columns_.grid_rows; ++s) {
    const int l = s / columns_.grid_rows;
    const int r = s % columns_.grid_rows;
    const Range columns = columns_.slice(step.across, l, r);
    if (l == layer_ && r == row_) {
      std::copy_n(b.slice, width * columns.size(), b.upper + width * columns.begin);
      continue;
    }
    for (int other = 0; other < layers(); ++other) {
      const Range rows = chunk_of(step, other);
      for (std::int64_t c = columns.begin; c < columns.end; ++c) {
        T* to = b.upper + rows.begin + c * width;
        if (other == layer_) {
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
