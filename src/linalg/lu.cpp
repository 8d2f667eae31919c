#include "linalg/lu.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include "decomposition/pivot_columns.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

namespace redblue {

using comm::Communicator;
using comm::Message;
using layout::Arrangement;
using layout::IndexSet;

namespace {

enum Tag { panel_tag = 2, layers_tag, sums_tag };

std::int64_t at_least_one(std::int64_t x) {
  return std::max<std::int64_t>(1, x);
}

// Classes of rows, as ranks own them; every grid row of each layer has one.
CyclicClasses row_classes(const LuDecomposition& d, std::int64_t extent) {
  return {extent, d.block, d.grid_rows * d.layers};
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
      rows_(row_classes(d, d.m)),
      columns_{d.n, d.block, d.grid_columns},
      panels_{std::min(d.m, d.n), d.block, d.grid_columns},
      active_(rows_, my_row_ % d.grid_rows, d.grid_rows),
      delayed_(active_.leading(), columns_.size(my_column_),
               delayed_pivots(active_.extent(), columns_.size(my_column_),
                              PivotColumns{d.grid_rows, d.layers}.largest_chunk(d.block))),
      pivot_rows_(grid_column(d, me), my_row_, d.layers, d.block, columns_.size(my_column_)) {
  if (!takes_part()) return;
  across_ = columns_.size(my_column_);
  const CyclicClasses upper_rows = row_classes(d, panels_.extent);
  upper_ = column_stride(active_.extent()) * across_;
  upper_leading_ = at_least_one(upper_rows.size(my_row_));
  storage_ = upper_ + upper_rows.size(my_row_) * across_;
  const std::int64_t own = rows_.size(my_row_);
  message_words_ = words_of_numbers<T>(d.block) + d.block * (d.block + own);
  // other layers' rows of L, or what they have of the panel
  if (d.layers > 1) others_words_ = d.block * std::max(active_.extent(), d.layers * own);
  // two messages: those of the step before may still be under way
  workspace_ = 2 * message_words_ + others_words_;
  if (d.layers > 1) workspace_ += d.block * active_.extent();
  workspace_ += delayed_.workspace() + pivot_rows_.workspace();
}

template <class T>
Arrangement Lu<T>::before(const LuDecomposition& d, Rank me) {
  const int classes = d.grid_rows * d.layers;
  BlockCyclic l = block_cyclic(d.m, d.n, d.block, classes, d.grid_columns, me);
  Arrangement result = layout::arrangement(l, d.ranks);
  const int row = me.value / d.grid_columns;
  if (row >= classes) return result;
  const CyclicClasses rows = row_classes(d, d.m);
  const ActiveRows storage(rows, row % d.grid_rows, d.grid_rows);
  for (layout::Patch& p : result.of_rank[static_cast<std::size_t>(me.value)]) {
    p.offset = storage.start(row / d.grid_rows);
    p.leading = storage.leading();
  }
  return result;
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
void Lu<T>::add_up_panel(const Communicator& communicator, const Step& s, T* a, T* workspace,
                         Traffic& traffic) {
  const std::int64_t down = active_.leading();
  const std::int64_t own = active_.count(layer());
  T* sent = workspace;
  T* received = workspace + active_.extent() * s.width;
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
  kept_.push_back({s.number, active_.rows(layer()), pivots_, square_});
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
        communicator.send(message, Message::of<T>(peer, panel_tag, segments), sends_, traffic);
      } else if (part.length > 0) {
        communicator.send(message, Message::of<T>(peer, layers_tag, {part}), sends_, traffic);
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

// What this layer's chunk of the pivots takes from its copy, at once or put off.
template <class T>
void Lu<T>::update(const Step& s, const T* message, const T* received, const UpperRows<T>& upper,
                   T* a) {
  const Range pivots = chunk(s, layer());
  const blas::Factor<T> rows = {upper.rows + (pivots.begin - upper.begin), upper.leading};
  const bool later = delayed_.room_for(pivots.size());
  for (int l = 0; l < layers(); ++l) {
    const std::int64_t count = active_.count(l);
    const T* values = received;
    if (l == layer()) {
      values = message + head(s) + (s.panel ? count * pivots.begin : 0);
    } else {
      received += count * pivots.size();
    }
    const blas::Factor<T> lower = {values, at_least_one(count)};
    if (later) {
      delayed_.add_lower(active_, l, pivots.size(), lower);
    } else {
      blas::gemm(count, s.across, pivots.size(), T(-1), lower, rows, T(1),
                 a + active_.start(l) + s.trailing * active_.leading(), active_.leading());
    }
  }
  if (!later) return;
  delayed_.add_upper(s.trailing, pivots.size(), rows);
  delayed_.added(pivots.size());
  if (delayed_.room_for(pivots.size())) return;
  delayed_.apply(active_, s.trailing, s.across, a);
  delayed_.clear();
}

// U's rows of the step stay with the class that has this block of rows in P A.
template <class T>
void Lu<T>::store_upper(const Step& s, const T* upper, T* u) const {
  if (rows_.of_block(s.number) != my_row_) return;
  T* rows = u + rows_.position(s.number);
  if (s.panel) {
    for (std::int64_t c = 0; c < s.width; ++c) {
      std::copy_n(square_.data() + c * s.width, s.width, rows + (s.at + c) * upper_leading_);
    }
  }
  for (std::int64_t c = 0; c < s.across; ++c) {
    std::copy_n(upper + c * s.width, s.width, rows + (s.trailing + c) * upper_leading_);
  }
}

template <class T>
std::int64_t Lu<T>::factor(const Communicator& communicator, T* storage, T* workspace,
                           std::vector<std::int64_t>& pivots, Traffic& traffic) {
  pivots.clear();
  kept_.clear();
  if (!takes_part()) return 0;
  active_.reset();
  clear_copies(storage);
  std::int64_t info = 0;
  std::vector<MPI_Request> earlier;  // sends of the step before
  T* const others = workspace + 2 * message_words_;
  T* const for_rows = workspace + workspace_ - pivot_rows_.workspace();
  delayed_.start(for_rows - delayed_.workspace());
  for (std::int64_t t = 0; t < panels_.blocks(); ++t) {
    const Step s = step(t);
    T* message = workspace + t % 2 * message_words_;
    Communicator::wait(earlier);
    std::swap(earlier, sends_);
    if (s.panel) {
      delayed_.apply(active_, s.at, s.width, storage);
      if (layers() > 1) add_up_panel(communicator, s, storage, others, traffic);
      find_pivots(communicator, s, storage, traffic);
      make_panel(s, storage, message);
      send_panel(communicator, s, message, traffic);
    } else {
      receive_head(communicator, s, message, traffic);
    }
    receive_layers(communicator, s, others, traffic);
    const PivotStep<T> now = {pivots_, square_, s.trailing, s.across, rows_.of_block(t)};
    const UpperRows<T> upper =
        pivot_rows_.gather(communicator, active_, delayed_, now, storage, static_cast<int>(t % 2),
                           for_rows, sends_, traffic);
    delayed_.close_gaps(active_);
    Communicator::wait(receives_);
    store_upper(s, upper.rows, storage + upper_);
    update(s, message, others, upper, storage);
    pivots.insert(pivots.end(), pivots_.begin(), pivots_.end());
    for (std::int64_t c = 0; info == 0 && c < s.width; ++c) {
      if (square_[static_cast<std::size_t>(c * (s.width + 1))] == T(0))
        info = t * rows_.block + c + 1;
    }
  }
  Communicator::wait(earlier);
  Communicator::wait(sends_);
  return info;
}

template <class T>
Arrangement Lu<T>::lower(const LuDecomposition& d, const std::vector<std::int64_t>& order,
                         Rank me) {
  const CyclicClasses rows = row_classes(d, d.m);
  std::vector<std::vector<std::int64_t>> of_row(static_cast<std::size_t>(rows.classes));
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto r = static_cast<std::size_t>(rows.of_block(order[i] / d.block));
    of_row[r].push_back(static_cast<std::int64_t>(i));
  }
  Arrangement result = before(d, me);
  for (int r = 0; r < rows.classes; ++r) {
    const IndexSet held = layout::dense_set(of_row[static_cast<std::size_t>(r)]);
    for (int c = 0; c < d.grid_columns; ++c) {
      for (layout::Patch& p :
           result.of_rank[static_cast<std::size_t>(r) * static_cast<std::size_t>(d.grid_columns) +
                          static_cast<std::size_t>(c)]) {
        p.rows = held;
      }
    }
  }
  return result;
}

template <class T>
Arrangement Lu<T>::upper(const LuDecomposition& d, Rank me) {
  const int classes = d.grid_rows * d.layers;
  Arrangement result = layout::arrangement(
      block_cyclic(std::min(d.m, d.n), d.n, d.block, classes, d.grid_columns, me), d.ranks);
  result.rows = d.m;
  const int row = me.value / d.grid_columns;
  if (row >= classes) return result;
  const std::int64_t height =
      column_stride(ActiveRows(row_classes(d, d.m), row % d.grid_rows, d.grid_rows).extent());
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  for (layout::Patch& p : result.of_rank[static_cast<std::size_t>(me.value)]) {
    p.offset = height * columns.size(me.value % d.grid_columns);
  }
  return result;
}

template <class T>
void Lu<T>::sort_lower(const std::vector<std::int64_t>& order, T* storage) {
  const auto own = static_cast<std::size_t>(takes_part() ? rows_.size(my_row_) : 0);
  std::vector<std::int64_t> sorted(own);  // place of each row this rank owns
  std::int64_t next = 0;
  for (const std::int64_t row : order) {
    if (active_.class_of(row) != my_row_) continue;
    sorted[static_cast<std::size_t>(active_.position(row))] = next++;
  }
  const auto place = [&](std::int64_t row) {
    return sorted[static_cast<std::size_t>(active_.position(row))];
  };
  std::vector<T> column(own);
  std::vector<std::int64_t> rows;                             // of the storage, where L's go
  std::vector<std::pair<std::size_t, std::int64_t>> squares;  // and the pivots' this rank owns
  for (const Panel& panel : kept_) {
    const Step s = step(panel.step);
    rows.clear();
    squares.clear();
    for (const std::int64_t row : panel.rows) rows.push_back(place(row));
    for (std::size_t i = 0; i < panel.pivots.size(); ++i) {
      const std::int64_t pivot = panel.pivots[i];
      if (active_.class_of(pivot) == my_row_) squares.emplace_back(i, place(pivot));
    }
    for (std::int64_t c = 0; c < s.width; ++c) {
      T* values = storage + active_.start(layer()) + (s.at + c) * active_.leading();
      const T* square = panel.square.data() + c * s.width;
      std::copy_n(values, rows.size(), column.begin());
      for (std::size_t i = 0; i < rows.size(); ++i) values[rows[i]] = column[i];
      for (const auto& [i, to] : squares) values[to] = square[i];
    }
  }
}

template class Lu<float>;
template class Lu<double>;
template class Lu<std::complex<float>>;
template class Lu<std::complex<double>>;

}  // namespace redblue
