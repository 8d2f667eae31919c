// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/lu/lu.hpp"

#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "decomposition/lu/pivot_columns.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/lapack.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { panel_tag = 2, other_rows_tag, reduce_tag };

std::int64_t at_least_one(std::int64_t x) {
  return std::max<std::int64_t>(1, x);
}

// The ranks of this rank's grid column, in all replicas, by the class of rows they own.
std::vector<int> grid_column(const LuDecomposition& d, Rank me) {
  std::vector<int> ranks;
  for (int r = 0; r < d.grid_rows * d.replicas; ++r) {
    ranks.push_back(r * d.grid_columns + me.value % d.grid_columns);
  }
  return ranks;
}

}  // namespace

template <class T>
Lu<T>::Lu(const LuDecomposition& d, Rank me)
    : me_(me.value),
      my_row_(me.value / d.grid_columns),
      my_column_(me.value % d.grid_columns),
      grid_rows_(d.grid_rows),
      rows_(row_classes(d)),
      columns_{d.n, d.block, d.grid_columns},
      panels_{std::min(d.m, d.n), d.block, d.grid_columns},
      active_(rows_, my_row_ % d.grid_rows, d.grid_rows),
      delayed_(active_.leading(), columns_.size(my_column_),
               delayed_pivots(active_.extent(), columns_.size(my_column_),
                              PivotColumns{d.grid_rows, d.replicas}.largest_chunk(d.block))),
      pivot_rows_(grid_column(d, me), my_row_, d, columns_.size(my_column_)) {
  if (!takes_part()) return;
  local_columns_ = columns_.size(my_column_);
  upper_rows_ = CyclicClasses{panels_.extent, d.block, rows_.classes}.size(my_row_);
  storage_ = active_.leading() * local_columns_;
  const std::int64_t own = rows_.size(my_row_);
  message_words_ = PanelMessage<T>::most_words(d.block, own);
  if (d.replicas > 1) {
    const std::int64_t chunk = PivotColumns{d.grid_rows, d.replicas}.largest_chunk(d.block);
    other_rows_words_ = chunk * active_.extent();
    reduced_words_ = d.block * (active_.extent() + (d.replicas - 1) * own);
  }
  workspace_ = 2 * message_words_ + other_rows_words_ + reduced_words_ + delayed_.workspace() +
               pivot_rows_.workspace();
}

template <class T>
typename Lu<T>::Buffers Lu<T>::cut(T* workspace) const {
  const auto take = [&workspace](std::int64_t words) {
    return std::exchange(workspace, workspace + words);
  };
  Buffers b{};
  // two: a step's message may still be under way while the next one's is made
  for (T*& message : b.messages) message = take(message_words_);
  b.other_rows = take(other_rows_words_);
  b.reduced = take(reduced_words_);
  b.delayed = take(delayed_.workspace());
  b.pivot_rows = take(pivot_rows_.workspace());
  return b;
}

template <class T>
typename Lu<T>::Step Lu<T>::step(std::int64_t number) const {
  Step s{};
  s.number = number;
  s.width = panels_.block_size(number);
  s.column = panels_.of_block(number);
  s.panel = s.column == my_column_;
  s.at = columns_.position(number);
  s.trailing = s.panel ? s.at + s.width : columns_.before(my_column_, number + 1);
  s.across = local_columns_ - s.trailing;
  return s;
}

// A_l = 0 in the rows that other replicas own.
template <class T>
void Lu<T>::clear_copies(T* storage) const {
  for (int l = 0; l < replicas(); ++l) {
    const std::int64_t height = rows_.size(my_row_ % grid_rows_ + l * grid_rows_);
    for (std::int64_t c = 0; l != replica() && c < local_columns_; ++c) {
      std::fill_n(storage + active_.start(l) + c * active_.leading(), height, T(0));
    }
  }
}

// A(R, K) = sum over l of A_l(R, K), each rank of the panel for the rows it owns.
// Reduce-scatter over the replicas of this grid position.
template <class T>
void Lu<T>::reduce_panel(const Communicator& communicator, const Step& s, T* a, T* buffer,
                         Traffic& traffic) {
  const comm::InPhase reduces(comm::Phase::reduce);
  const std::int64_t leading = active_.leading();
  const std::int64_t own = active_.count(replica());
  T* sent = buffer;
  T* received = buffer + active_.extent() * s.width;
  std::vector<MPI_Request> sending;
  for (int turn = 1; turn < replicas(); ++turn) {
    const int other = (replica() + turn) % replicas();
    const Rank peer{rank_in_row(other, my_column_)};
    if (own > 0) {
      communicator.receive(received + (turn - 1) * own * s.width,
                           Message::of<T>(peer, reduce_tag, {{0, own * s.width}}), receives_,
                           traffic);
    }
    const std::int64_t count = active_.count(other);
    for (std::int64_t c = 0; c < s.width; ++c) {
      std::copy_n(a + active_.start(other) + (s.at + c) * leading, count, sent + c * count);
    }
    if (count > 0) {
      communicator.send(sent, Message::of<T>(peer, reduce_tag, {{0, count * s.width}}), sending,
                        traffic);
    }
    sent += count * s.width;
  }
  Communicator::wait(receives_);
  for (int turn = 1; turn < replicas(); ++turn, received += own * s.width) {
    for (std::int64_t c = 0; c < s.width; ++c) {
      T* column = a + active_.start(replica()) + (s.at + c) * leading;
      for (std::int64_t i = 0; i < own; ++i) column[i] += received[i + c * own];
    }
  }
  Communicator::wait(sending);
}

// P, with A(P, K) = L(P, K) U(K, K): a tournament among the panel's ranks, a butterfly along the
// grid column in all replicas.
template <class T>
void Lu<T>::find_pivots(const Communicator& communicator, const Step& s, const T* a,
                        Traffic& traffic) {
  const std::vector<std::int64_t>& rows = active_.rows(replica());
  const T* own = a + active_.start(replica()) + s.at * active_.leading();
  Candidates<T> candidates = best_of(s.width, rows, own, active_.leading(), false);
  std::vector<int> panel;
  for (int r = 0; r < rows_.classes; ++r) panel.push_back(rank_at(r, my_column_));
  Tournament<T>(std::move(panel), my_row_).run(communicator, s.width, candidates, traffic);
  pivots_ = candidates.rows;
  square_ = candidates.values;
}

// R = R \ P;  L(R, K) = A(R, K) U(K, K)^-1, on the panel's ranks for the rows they own: written to
// the message and kept in the storage.
template <class T>
void Lu<T>::make_panel(const Step& s, T* a, const PanelMessage<T>& message) {
  active_.retire(pivots_);
  const std::int64_t leading = active_.leading();
  const std::int64_t count = active_.count(replica());
  for (std::int64_t c = 0; c < s.width; ++c) active_.close_gaps(a + (s.at + c) * leading);
  message.write_head(pivots_, square_);
  T* const lower = message.lower();
  T* const stored = a + active_.start(replica()) + s.at * leading;
  for (std::int64_t c = 0; c < s.width; ++c) {
    std::copy_n(stored + c * leading, count, lower + c * count);
  }
  // where a pivot is zero, so is what is left of its column: any divisor does
  std::vector<T> divisors = square_;
  for (std::int64_t c = 0; c < s.width; ++c) {
    T& pivot = divisors[static_cast<std::size_t>(c * (s.width + 1))];
    if (pivot == T(0)) pivot = T(1);
  }
  lapack::solve({lapack::Side::right, 'U', 'N', false}, count, s.width, divisors.data(), s.width,
                lower, count);
  for (std::int64_t c = 0; c < s.width; ++c) {
    std::copy_n(lower + c * count, count, stored + c * leading);
  }
  // L(P, K): this rank's pivots follow its active rows, in the place that the closed gaps leave
  KeptPanel panel = {s.number, active_.rows(replica())};
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    if (active_.class_of(pivots_[i]) != my_row_) continue;
    T* row = stored + static_cast<std::int64_t>(panel.rows.size());
    const T* of_square = square_.data() + i;
    for (std::int64_t c = 0; c < s.width; ++c) row[c * leading] = of_square[c * s.width];
    panel.rows.push_back(pivots_[i]);
  }
  kept_panels_.push_back(std::move(panel));
}

// Broadcast along the grid row: the head and L(R, K_l) to this replica l's ranks, L(R, K_l) alone
// to those of every other replica l. The grid column with the next panel is the first to get it.
template <class T>
void Lu<T>::send_panel(const Communicator& communicator, const Step& s,
                       const PanelMessage<T>& message, Traffic& traffic) {
  const std::int64_t count = active_.count(replica());
  for (int turn = 1; turn <= columns_.classes; ++turn) {
    const int c = (my_column_ + turn) % columns_.classes;
    for (int l = 0; l < replicas(); ++l) {
      const comm::Run columns = message.columns(count, chunk(s, l));
      const Rank peer{rank_in_row(l, c)};
      if (l == replica() && c == my_column_) continue;
      if (l == replica()) {
        std::vector<comm::Run> runs = {message.head()};
        comm::append(runs, columns);
        communicator.send(message.words, Message::of<T>(peer, panel_tag, runs), sends(s), traffic);
      } else if (columns.length > 0) {
        communicator.send(message.words, Message::of<T>(peer, other_rows_tag, {columns}), sends(s),
                          traffic);
      }
    }
  }
}

// Off the panel: P, L(P, K) and L(R, K_l) of the rows that this replica l owns. R = R \ P.
template <class T>
void Lu<T>::receive_panel(const Communicator& communicator, const Step& s,
                          const PanelMessage<T>& message, Traffic& traffic) {
  // how many of the sender's rows are pivots, and not in the message, only the message tells
  const std::int64_t most =
      message.head_words() + active_.count(replica()) * chunk(s, replica()).size();
  communicator.receive_up_to(
      message.words, Message::of<T>(Rank{rank_in_row(replica(), s.column)}, panel_tag, {{0, most}}),
      traffic);
  message.read_head(pivots_, square_);
  active_.retire(pivots_);
}

// L(R, K_l) of the rows that other replicas own, for this replica l.
template <class T>
void Lu<T>::receive_other_rows(const Communicator& communicator, const Step& s, T* received,
                               Traffic& traffic) {
  for (int l = 0; l < replicas(); ++l) {
    const std::int64_t words = active_.count(l) * chunk(s, replica()).size();
    if (l == replica() || words == 0) continue;
    communicator.receive(
        received, Message::of<T>(Rank{rank_in_row(l, s.column)}, other_rows_tag, {{0, words}}),
        receives_, traffic);
    received += words;
  }
}

// On the panel's ranks, as soon as A_l(R, K) is up to date: all other ranks wait for the panel.
template <class T>
void Lu<T>::factor_panel(const Communicator& communicator, const Step& s, T* a, const Buffers& b,
                         Traffic& traffic) {
  Communicator::wait(sends(s));
  delayed_.apply(active_.runs(), s.at, s.width, a);
  if (replicas() > 1) reduce_panel(communicator, s, a, b.reduced, traffic);
  find_pivots(communicator, s, a, traffic);
  make_panel(s, a, b.message(s));
  send_panel(communicator, s, b.message(s), traffic);
}

// L(R, K_l) from the panel's message and from other replicas' rows, U(K_l, J) as PivotRows gives
// it.
template <class T>
typename Lu<T>::Factors Lu<T>::factors(const Step& s, const Buffers& b,
                                       const UpperRows<T>& upper) const {
  const Range pivots = chunk(s, replica());
  Factors f;
  f.pivots = pivots.size();
  f.rows = active_.runs();
  const T* received = b.other_rows;
  for (int l = 0; l < replicas(); ++l) {
    const std::int64_t count = active_.count(l);
    const T* values = received;
    if (l == replica()) {
      // the panel's ranks have all columns of L(R, K), others received only those of K_l
      values = b.message(s).lower() + (s.panel ? count * pivots.begin : 0);
    } else {
      received += count * f.pivots;
    }
    f.lower.push_back({values, at_least_one(count)});
  }
  f.first = s.trailing;
  f.upper = {upper.rows + (pivots.begin - upper.begin), upper.leading};
  return f;
}

// A_l(R, J') -= L(R, K_l) U(K_l, J') for the columns J' = first .. first + columns - 1.
template <class T>
void Lu<T>::subtract(const Factors& f, std::int64_t first, std::int64_t columns, T* a) const {
  const blas::Factor<T> upper = {f.upper.data + (first - f.first) * f.upper.leading,
                                 f.upper.leading};
  for (std::size_t l = 0; l < f.rows.size(); ++l) {
    blas::gemm(f.rows[l].count, columns, f.pivots, T(-1), f.lower[l], upper, T(1),
               a + f.rows[l].start + first * active_.leading(), active_.leading());
  }
}

// A_l(R, J) -= L(R, K_l) U(K_l, J), at once or as a delayed rank-k update. Look-ahead: the next
// panel is brought up to date, factored and sent first.
template <class T>
void Lu<T>::update(const Communicator& communicator, const Step& s, const Factors& f, T* a,
                   const Buffers& b, Traffic& traffic) {
  const bool delay = delayed_.room_for(f.pivots);
  if (delay) delayed_.add(f.rows, f.lower, f.pivots, f.first, f.upper);
  std::int64_t first = s.trailing;
  if (s.number + 1 < panels_.blocks() && step(s.number + 1).panel) {
    const Step next = step(s.number + 1);
    if (!delay) subtract(f, first, next.width, a);
    factor_panel(communicator, next, a, b, traffic);
    first += next.width;
  }
  if (!delay) {
    subtract(f, first, local_columns_ - first, a);
  } else if (!delayed_.room_for(f.pivots)) {
    delayed_.apply(f.rows, first, local_columns_ - first, a);
    delayed_.clear();
  }
}

// U(K, K) and U(K, J) stay with the class of rows that has block K of P A.
template <class T>
void Lu<T>::store_upper(const Step& s, const T* rows, const Upper& upper) const {
  if (rows_.of_block(s.number) != my_row_) return;
  T* u = upper.u + rows_.position(s.number);
  if (s.panel) {
    for (std::int64_t c = 0; c < s.width; ++c) {
      std::copy_n(square_.data() + c * s.width, s.width, u + (s.at + c) * upper.leading);
    }
  }
  for (std::int64_t c = 0; c < s.across; ++c) {
    std::copy_n(rows + c * s.width, s.width, u + (s.trailing + c) * upper.leading);
  }
}

template <class T>
std::int64_t Lu<T>::factor(const Communicator& communicator, T* storage, const Upper& upper,
                           T* workspace, std::vector<std::int64_t>& pivots, Traffic& traffic) {
  pivots.clear();
  kept_panels_.clear();
  if (!takes_part()) return 0;
  active_.reset();
  clear_copies(storage);
  const Buffers b = cut(workspace);
  delayed_.start(b.delayed);
  std::int64_t info = 0;
  if (panels_.blocks() > 0 && step(0).panel) {
    factor_panel(communicator, step(0), storage, b, traffic);
  }
  for (std::int64_t k = 0; k < panels_.blocks(); ++k) {
    const Step s = step(k);
    // the panel's ranks factored it in step k - 1
    if (!s.panel) {
      Communicator::wait(sends(s));
      receive_panel(communicator, s, b.message(s), traffic);
    }
    receive_other_rows(communicator, s, b.other_rows, traffic);
    // U(K, J) = L(P, K)^-1 A(P, J)
    const PivotStep<T> now = {pivots_, square_, s.trailing, s.across, rows_.of_block(k)};
    const UpperRows<T> rows =
        pivot_rows_.gather(communicator, active_, delayed_, now, storage, static_cast<int>(k % 2),
                           b.pivot_rows, sends(s), traffic);
    delayed_.close_gaps(active_);
    Communicator::wait(receives_);
    store_upper(s, rows.rows, upper);
    pivots.insert(pivots.end(), pivots_.begin(), pivots_.end());
    for (std::int64_t c = 0; info == 0 && c < s.width; ++c) {
      if (square_[static_cast<std::size_t>(c * (s.width + 1))] == T(0))
        info = k * rows_.block + c + 1;
    }
    // A_l(R, J) -= L(R, K_l) U(K_l, J)
    update(communicator, s, factors(s, b, rows), storage, b, traffic);
  }
  for (std::vector<MPI_Request>& pending : sends_) Communicator::wait(pending);
  return info;
}

template class Lu<float>;
template class Lu<double>;
template class Lu<std::complex<float>>;
template class Lu<std::complex<double>>;

}  // namespace redblue::linalg
