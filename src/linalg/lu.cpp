#include "linalg/lu.hpp"

#include <algorithm>
#include <complex>
#include <cstring>

#include "decomposition/pivot_columns.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { panel_tag = 2, layers_tag, sums_tag };

std::int64_t at_least_one(std::int64_t x) {
  return std::max<std::int64_t>(1, x);
}

// Ranks of a column of the grids, by class of rows.
std::vector<int> grid_column(const LuDecomposition& d, Rank me) {
  std::vector<int> ranks;
  for (int r = 0; r < d.grid_rows * d.layers; ++r) {
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
                              PivotColumns{d.grid_rows, d.layers}.largest_chunk(d.block))),
      pivot_rows_(grid_column(d, me), my_row_, d.layers, d.block, columns_.size(my_column_)) {
  if (!takes_part()) return;
  across_ = columns_.size(my_column_);
  upper_rows_ = CyclicClasses{panels_.extent, d.block, rows_.classes}.size(my_row_);
  storage_ = active_.leading() * across_;
  const std::int64_t own = rows_.size(my_row_);
  message_words_ = words_of_numbers<T>(d.block) + d.block * (d.block + own);
  if (d.layers > 1) {
    const std::int64_t chunk = PivotColumns{d.grid_rows, d.layers}.largest_chunk(d.block);
    others_words_ = chunk * active_.extent();
    copies_words_ = d.block * (active_.extent() + (d.layers - 1) * own);
  }
  workspace_ = 2 * message_words_ + others_words_ + copies_words_ + delayed_.workspace() +
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
  b.others = take(others_words_);
  b.copies = take(copies_words_);
  b.delayed = take(delayed_.workspace());
  b.rows = take(pivot_rows_.workspace());
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
  s.across = across_ - s.trailing;
  return s;
}

// Other layers' rows of the copy start as zeros.
template <class T>
void Lu<T>::clear_copies(T* storage) const {
  for (int s = 0; s < layers(); ++s) {
    const std::int64_t height = rows_.size(my_row_ % grid_rows_ + s * grid_rows_);
    for (std::int64_t c = 0; s != layer() && c < across_; ++c) {
      std::fill_n(storage + active_.start(s) + c * active_.leading(), height, T(0));
    }
  }
}

// On the panel's ranks: what all layers have of the rows this one owns.
template <class T>
void Lu<T>::add_up_panel(const Communicator& communicator, const Step& s, T* a, T* copies,
                         Traffic& traffic) {
  const std::int64_t down = active_.leading();
  const std::int64_t own = active_.count(layer());
  T* sent = copies;
  T* received = copies + active_.extent() * s.width;
  std::vector<MPI_Request> sending;
  for (int turn = 1; turn < layers(); ++turn) {
    const int other = (layer() + turn) % layers();
    const Rank peer{rank_of_layer(other, my_column_)};
    if (own > 0) {
      communicator.receive(received + (turn - 1) * own * s.width,
                           Message::of<T>(peer, sums_tag, {{0, own * s.width}}), receives_,
                           traffic);
    }
    const std::int64_t count = active_.count(other);
    for (std::int64_t c = 0; c < s.width; ++c) {
      std::copy_n(a + active_.start(other) + (s.at + c) * down, count, sent + c * count);
    }
    if (count > 0) {
      communicator.send(sent, Message::of<T>(peer, sums_tag, {{0, count * s.width}}), sending,
                        traffic);
    }
    sent += count * s.width;
  }
  Communicator::wait(receives_);
  for (int turn = 1; turn < layers(); ++turn, received += own * s.width) {
    for (std::int64_t c = 0; c < s.width; ++c) {
      T* column = a + active_.start(layer()) + (s.at + c) * down;
      for (std::int64_t i = 0; i < own; ++i) column[i] += received[i + c * own];
    }
  }
  Communicator::wait(sending);
}

// On the panel's ranks: the pivots and L and U of their square.
template <class T>
void Lu<T>::find_pivots(const Communicator& communicator, const Step& s, const T* a,
                        Traffic& traffic) {
  Candidates<T> candidates =
      best_of(s.width, active_.rows(layer()), a + active_.start(layer()) + s.at * active_.leading(),
              active_.leading(), false);
  std::vector<int> panel;
  for (int r = 0; r < rows_.classes; ++r) panel.push_back(rank_at(r, my_column_));
  Tournament<T>(std::move(panel), my_row_).run(communicator, s.width, candidates, traffic);
  pivots_ = candidates.rows;
  square_ = candidates.values;
}

// On the panel's ranks: L of the rows they own, kept, and as a message: row numbers of the pivots,
// L and pivots of their square, L of the active rows without gaps.
template <class T>
void Lu<T>::make_panel(const Step& s, T* a, T* message) {
  active_.retire(pivots_);
  const std::int64_t down = active_.leading();
  const std::int64_t count = active_.count(layer());
  for (std::int64_t c = 0; c < s.width; ++c) active_.close_gaps(a + (s.at + c) * down);
  std::memcpy(static_cast<void*>(message), pivots_.data(), pivots_.size() * sizeof(std::int64_t));
  T* next = message + words_of_numbers<T>(s.width);
  for (std::int64_t c = 0; c < s.width; ++c) {
    next = std::copy_n(square_.begin() + c * (s.width + 1), s.width - c, next);
  }
  T* const lower = message + head(s);
  T* const stored = a + active_.start(layer()) + s.at * down;
  for (std::int64_t c = 0; c < s.width; ++c) {
    std::copy_n(stored + c * down, count, lower + c * count);
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
    std::copy_n(lower + c * count, count, stored + c * down);
  }
  // behind them, in the gaps: what the pivots' square has of this rank's rows
  Panel panel = {s.number, active_.rows(layer()), {}};
  for (std::size_t i = 0; i < pivots_.size(); ++i) {
    if (active_.class_of(pivots_[i]) != my_row_) continue;
    T* row = stored + static_cast<std::int64_t>(panel.rows.size());
    const T* of_square = square_.data() + i;
    for (std::int64_t c = 0; c < s.width; ++c) row[c * down] = of_square[c * s.width];
    panel.rows.push_back(pivots_[i]);
  }
  kept_.push_back(std::move(panel));
}

// To the ranks of this row of the grid: in this layer with the head, and to all layers their chunk
// of L's columns.
template <class T>
void Lu<T>::send_panel(const Communicator& communicator, const Step& s, const T* message,
                       Traffic& traffic) {
  const std::int64_t count = active_.count(layer());
  for (int l = 0; l < layers(); ++l) {
    const Range columns = chunk(s, l);
    const comm::Segment part = {head(s) + count * columns.begin, count * columns.size()};
    for (int c = 0; c < columns_.classes; ++c) {
      const Rank peer{rank_of_layer(l, c)};
      if (l == layer() && c == my_column_) continue;
      if (l == layer()) {
        std::vector<comm::Segment> segments = {{0, head(s)}};
        comm::append(segments, part);
        communicator.send(message, Message::of<T>(peer, panel_tag, segments), sends(s), traffic);
      } else if (part.length > 0) {
        communicator.send(message, Message::of<T>(peer, layers_tag, {part}), sends(s), traffic);
      }
    }
  }
}

// Off the panel: the pivots and this layer's L.
template <class T>
void Lu<T>::receive_head(const Communicator& communicator, const Step& s, T* message,
                         Traffic& traffic) {
  // how many of its rows are pivots is in the message
  const std::int64_t most = head(s) + active_.count(layer()) * chunk(s, layer()).size();
  communicator.receive_up_to(
      message, Message::of<T>(Rank{rank_of_layer(layer(), s.column)}, panel_tag, {{0, most}}),
      traffic);
  pivots_.resize(static_cast<std::size_t>(s.width));
  std::memcpy(pivots_.data(), message, pivots_.size() * sizeof(std::int64_t));
  const T* next = message + words_of_numbers<T>(s.width);
  square_.resize(static_cast<std::size_t>(s.width * s.width));
  for (std::int64_t c = 0; c < s.width; ++c) {
    std::copy_n(next, s.width - c, square_.begin() + c * (s.width + 1));
    next += s.width - c;
  }
  active_.retire(pivots_);
}

// L of the rows that other layers own, in the columns of this layer's chunk.
template <class T>
void Lu<T>::receive_layers(const Communicator& communicator, const Step& s, T* received,
                           Traffic& traffic) {
  for (int l = 0; l < layers(); ++l) {
    const std::int64_t words = active_.count(l) * chunk(s, layer()).size();
    if (l == layer() || words == 0) continue;
    communicator.receive(received,
                         Message::of<T>(Rank{rank_of_layer(l, s.column)}, layers_tag, {{0, words}}),
                         receives_, traffic);
    received += words;
  }
}

// As soon as its columns are up to date: all other ranks wait for it.
template <class T>
void Lu<T>::offer_panel(const Communicator& communicator, const Step& s, T* a, const Buffers& b,
                        Traffic& traffic) {
  Communicator::wait(sends(s));
  delayed_.apply(active_.spans(), s.at, s.width, a);
  if (layers() > 1) add_up_panel(communicator, s, a, b.copies, traffic);
  find_pivots(communicator, s, a, traffic);
  T* const message = b.message(s.number);
  make_panel(s, a, message);
  send_panel(communicator, s, message, traffic);
}

// This layer's chunk of the pivots: U's rows as gathered, L's of the panel's message or those that
// other layers sent.
template <class T>
typename Lu<T>::Factors Lu<T>::factors(const Step& s, const Buffers& b,
                                       const UpperRows<T>& upper) const {
  const Range pivots = chunk(s, layer());
  Factors f;
  f.pivots = pivots.size();
  f.rows = active_.spans();
  const T* received = b.others;
  for (int l = 0; l < layers(); ++l) {
    const std::int64_t count = active_.count(l);
    const T* values = received;
    if (l == layer()) {
      values = b.message(s.number) + head(s) + (s.panel ? count * pivots.begin : 0);
    } else {
      received += count * f.pivots;
    }
    f.lower.push_back({values, at_least_one(count)});
  }
  f.first = s.trailing;
  f.upper = {upper.rows + (pivots.begin - upper.begin), upper.leading};
  return f;
}

template <class T>
void Lu<T>::subtract(const Factors& f, std::int64_t first, std::int64_t columns, T* a) const {
  const blas::Factor<T> upper = {f.upper.data + (first - f.first) * f.upper.leading,
                                 f.upper.leading};
  for (std::size_t l = 0; l < f.rows.size(); ++l) {
    blas::gemm(f.rows[l].count, columns, f.pivots, T(-1), f.lower[l], upper, T(1),
               a + f.rows[l].start + first * active_.leading(), active_.leading());
  }
}

// What the step's pivots take from this rank's copy, at once or put off; the next panel comes
// between, as soon as it can.
template <class T>
void Lu<T>::update(const Communicator& communicator, const Step& s, const Factors& f, T* a,
                   const Buffers& b, Traffic& traffic) {
  const bool later = delayed_.room_for(f.pivots);
  if (later) delayed_.add(f.rows, f.lower, f.pivots, f.first, f.upper);
  std::int64_t first = s.trailing;
  if (s.number + 1 < panels_.blocks() && step(s.number + 1).panel) {
    const Step next = step(s.number + 1);
    if (!later) subtract(f, first, next.width, a);
    offer_panel(communicator, next, a, b, traffic);
    first += next.width;
  }
  if (!later) {
    subtract(f, first, across_ - first, a);
  } else if (!delayed_.room_for(f.pivots)) {
    delayed_.apply(f.rows, first, across_ - first, a);
    delayed_.clear();
  }
}

// U's rows of the step stay with the class that has this block of rows in P A.
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
  kept_.clear();
  if (!takes_part()) return 0;
  active_.reset();
  clear_copies(storage);
  const Buffers b = cut(workspace);
  delayed_.start(b.delayed);
  std::int64_t info = 0;
  if (panels_.blocks() > 0 && step(0).panel) {
    offer_panel(communicator, step(0), storage, b, traffic);
  }
  for (std::int64_t t = 0; t < panels_.blocks(); ++t) {
    const Step s = step(t);
    if (!s.panel) {
      Communicator::wait(sends(s));
      receive_head(communicator, s, b.message(t), traffic);
    }
    receive_layers(communicator, s, b.others, traffic);
    const PivotStep<T> now = {pivots_, square_, s.trailing, s.across, rows_.of_block(t)};
    const UpperRows<T> rows =
        pivot_rows_.gather(communicator, active_, delayed_, now, storage, static_cast<int>(t % 2),
                           b.rows, sends(s), traffic);
    delayed_.close_gaps(active_);
    Communicator::wait(receives_);
    store_upper(s, rows.rows, upper);
    pivots.insert(pivots.end(), pivots_.begin(), pivots_.end());
    for (std::int64_t c = 0; info == 0 && c < s.width; ++c) {
      if (square_[static_cast<std::size_t>(c * (s.width + 1))] == T(0))
        info = t * rows_.block + c + 1;
    }
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
