#include "linalg/lu.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <numeric>

#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

namespace redblue {

using comm::Communicator;
using comm::Message;
using layout::Arrangement;
using layout::IndexSet;

namespace {

enum Tag { panel_tag = 2, rows_tag = 3 };

std::int64_t at_least_one(std::int64_t x) {
  return std::max<std::int64_t>(1, x);
}

}  // namespace

template <class T>
Lu<T>::Lu(const LuDecomposition& d, Rank me)
    : me_(me.value),
      my_row_(me.value / d.grid_columns),
      my_column_(me.value % d.grid_columns),
      rows_{d.m, d.block, d.grid_rows},
      columns_{d.n, d.block, d.grid_columns},
      panels_{std::min(d.m, d.n), d.block, d.grid_columns} {
  if (!takes_part()) return;
  down_ = rows_.size(my_row_);
  across_ = columns_.size(my_column_);
  const CyclicClasses upper_rows{panels_.extent, d.block, d.grid_rows};
  upper_ = down_ * across_;
  upper_leading_ = at_least_one(upper_rows.size(my_row_));
  storage_ = upper_ + upper_rows.size(my_row_) * across_;
  message_words_ = words_of_numbers<T>(d.block) + d.block * (d.block + down_);
  row_words_ = d.block * across_;
  // two messages and two blocks of sent rows: those of the step before may still be under way
  workspace_ = 2 * message_words_ + 4 * row_words_;
}

template <class T>
BlockCyclic Lu<T>::layout(const LuDecomposition& d, Rank me) {
  BlockCyclic l = block_cyclic(d.m, d.n, d.block, d.grid_rows, d.grid_columns, me);
  const int ranks = d.grid_rows * d.grid_columns;
  if (me.value < ranks) {
    l.leading =
        at_least_one(CyclicClasses{d.m, d.block, d.grid_rows}.size(me.value / d.grid_columns));
  }
  return l;
}

template <class T>
typename Lu<T>::Step Lu<T>::step(std::int64_t number) const {
  Step s{};
  s.number = number;
  s.width = panels_.block_size(number);
  s.panel = panels_.of_block(number) == my_column_;
  s.at = columns_.position(number);
  s.trailing = s.panel ? s.at + s.width : columns_.before(my_column_, number + 1);
  s.across = across_ - s.trailing;
  return s;
}

// On the panel's ranks: the pivots and L and U of their square.
template <class T>
void Lu<T>::find_pivots(const Communicator& communicator, const Step& s, const T* a,
                        Traffic& traffic) {
  const auto count = static_cast<std::int64_t>(active_.size());
  Candidates<T> candidates;
  candidates.rows = active_;
  candidates.values.reserve(static_cast<std::size_t>(count * s.width));
  for (std::int64_t c = 0; c < s.width; ++c) {
    const T* column = a + (s.at + c) * down_;
    candidates.values.insert(candidates.values.end(), column, column + count);
  }
  keep_best(s.width, candidates, false);
  std::vector<int> panel;
  for (int r = 0; r < rows_.classes; ++r) panel.push_back(rank_at(r, my_column_));
  Tournament<T>(std::move(panel), my_row_).run(communicator, s.width, candidates, traffic);
  pivots_ = candidates.rows;
  square_ = candidates.values;
}

// Takes the pivots of this rank out of the active rows; moves_ closes the gaps.
template <class T>
void Lu<T>::retire(const std::vector<std::int64_t>& pivots) {
  std::vector<std::int64_t> gaps;
  for (const std::int64_t p : pivots) {
    if (row_of(p) == my_row_) gaps.push_back(place_[static_cast<std::size_t>(local_row(p))]);
  }
  std::sort(gaps.begin(), gaps.end());
  const auto left = static_cast<std::int64_t>(active_.size() - gaps.size());
  moves_.clear();
  auto gap = gaps.begin();
  for (auto from = left; from < static_cast<std::int64_t>(active_.size()); ++from) {
    if (std::binary_search(gaps.begin(), gaps.end(), from)) continue;
    moves_.push_back({from, *gap});
    ++gap;
  }
  for (const Move& m : moves_) {
    const std::int64_t row = active_[static_cast<std::size_t>(m.from)];
    active_[static_cast<std::size_t>(m.to)] = row;
    place_[static_cast<std::size_t>(local_row(row))] = m.to;
  }
  active_.resize(static_cast<std::size_t>(left));
}

template <class T>
void Lu<T>::close_gaps(T* column) const {
  for (const Move& m : moves_) column[m.to] = column[m.from];
}

// L of the panel, on the panel's ranks, and to all ranks of the grid row: row numbers of the
// pivots, L and pivots of their square, L of the active rows, which the message holds without gaps.
template <class T>
void Lu<T>::share_panel(const Communicator& communicator, const Step& s, T* a, T* message,
                        Traffic& traffic) {
  const auto of_row = [&](std::int64_t rows) { return lower_in_message(s) + s.width * rows; };
  T* next = message + words_of_numbers<T>(s.width);
  T* const lower = message + lower_in_message(s);
  if (!s.panel) {
    // how many of its rows are pivots is in the message
    const auto most = static_cast<std::int64_t>(active_.size());
    const Rank sender{rank_at(my_row_, panels_.of_block(s.number))};
    communicator.receive_up_to(message, Message::of<T>(sender, panel_tag, {{0, of_row(most)}}),
                               traffic);
    pivots_.resize(static_cast<std::size_t>(s.width));
    std::memcpy(pivots_.data(), message, pivots_.size() * sizeof(std::int64_t));
    square_.resize(static_cast<std::size_t>(s.width * s.width));
    for (std::int64_t c = 0; c < s.width; ++c) {
      std::copy_n(next, s.width - c, square_.begin() + c * (s.width + 1));
      next += s.width - c;
    }
    retire(pivots_);
    return;
  }
  retire(pivots_);
  for (std::int64_t c = 0; c < s.width; ++c) close_gaps(a + (s.at + c) * down_);
  const auto count = static_cast<std::int64_t>(active_.size());
  std::memcpy(static_cast<void*>(message), pivots_.data(), pivots_.size() * sizeof(std::int64_t));
  for (std::int64_t c = 0; c < s.width; ++c) {
    next = std::copy_n(square_.begin() + c * (s.width + 1), s.width - c, next);
  }
  for (std::int64_t c = 0; c < s.width; ++c) {
    std::copy_n(a + (s.at + c) * down_, count, lower + c * count);
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
    std::copy_n(lower + c * count, count, a + (s.at + c) * down_);
  }
  for (int c = 0; c < columns_.classes; ++c) {
    if (c == my_column_) continue;
    communicator.send(message,
                      Message::of<T>(Rank{rank_at(my_row_, c)}, panel_tag, {{0, of_row(count)}}),
                      sends_, traffic);
  }
  kept_.push_back({s.number, active_, pivots_, square_});
}

// U of the step on every rank of the grid column: the pivots' rows from the ranks that hold them,
// divided by L of the square. What is left of the rows moves together.
template <class T>
void Lu<T>::gather_pivot_rows(const Communicator& communicator, const Step& s, T* a, T* sent,
                              T* received, T* upper, Traffic& traffic) {
  std::vector<std::vector<std::int64_t>> of_row(static_cast<std::size_t>(rows_.classes));
  for (std::int64_t i = 0; i < s.width; ++i) {
    const int holder = row_of(pivots_[static_cast<std::size_t>(i)]);
    of_row[static_cast<std::size_t>(holder)].push_back(i);
  }
  std::vector<T*> from(of_row.size());
  for (int turn = 1; turn < rows_.classes; ++turn) {
    const int r = (my_row_ + turn) % rows_.classes;
    const auto count = static_cast<std::int64_t>(of_row[static_cast<std::size_t>(r)].size());
    from[static_cast<std::size_t>(r)] = received;
    if (count == 0 || s.across == 0) continue;
    communicator.receive(
        received, Message::of<T>(Rank{rank_at(r, my_column_)}, rows_tag, {{0, count * s.across}}),
        receives_, traffic);
    received += count * s.across;
  }
  const std::vector<std::int64_t>& mine = of_row[static_cast<std::size_t>(my_row_)];
  const auto count = static_cast<std::int64_t>(mine.size());
  std::vector<std::int64_t> places;
  for (const std::int64_t i : mine) {
    places.push_back(
        place_[static_cast<std::size_t>(local_row(pivots_[static_cast<std::size_t>(i)]))]);
  }
  for (std::int64_t c = 0; c < s.across; ++c) {  // out, and the gaps closed, while it is in cache
    T* column = a + (s.trailing + c) * down_;
    for (std::int64_t i = 0; i < count; ++i) {
      sent[i + c * count] = column[places[static_cast<std::size_t>(i)]];
    }
    close_gaps(column);
  }
  from[static_cast<std::size_t>(my_row_)] = sent;
  for (int turn = 1; turn < rows_.classes && count > 0 && s.across > 0; ++turn) {
    const int r = (my_row_ + turn) % rows_.classes;
    communicator.send(
        sent, Message::of<T>(Rank{rank_at(r, my_column_)}, rows_tag, {{0, count * s.across}}),
        sends_, traffic);
  }
  Communicator::wait(receives_);
  for (std::size_t r = 0; r < of_row.size(); ++r) {
    const auto held = static_cast<std::int64_t>(of_row[r].size());
    for (std::int64_t c = 0; c < s.across; ++c) {
      for (std::int64_t i = 0; i < held; ++i) {
        upper[of_row[r][static_cast<std::size_t>(i)] + c * s.width] = from[r][i + c * held];
      }
    }
  }
  lapack::solve({lapack::Side::left, 'L', 'N', true}, s.width, s.across, square_.data(), s.width,
                upper, s.width);
}

// U's rows of the step stay with the grid row that has this block of rows in P A.
template <class T>
void Lu<T>::store_upper(const Step& s, const T* square, const T* upper, T* u) const {
  if (rows_.of_block(s.number) != my_row_) return;
  T* rows = u + rows_.position(s.number);
  if (s.panel) {
    for (std::int64_t c = 0; c < s.width; ++c) {
      std::copy_n(square + c * s.width, s.width, rows + (s.at + c) * upper_leading_);
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
  active_.clear();
  for (std::int64_t b = my_row_; b < rows_.blocks(); b += rows_.classes) {
    for (std::int64_t i = 0; i < rows_.block_size(b); ++i) active_.push_back(b * rows_.block + i);
  }
  place_.resize(active_.size());
  std::iota(place_.begin(), place_.end(), 0);
  std::int64_t info = 0;
  std::vector<MPI_Request> earlier;  // sends of the step before
  T* const rows = workspace + 2 * message_words_;
  for (std::int64_t t = 0; t < panels_.blocks(); ++t) {
    const Step s = step(t);
    T* message = workspace + t % 2 * message_words_;
    T* upper = rows + 3 * row_words_;
    Communicator::wait(earlier);
    std::swap(earlier, sends_);
    if (s.panel) find_pivots(communicator, s, storage, traffic);
    share_panel(communicator, s, storage, message, traffic);
    gather_pivot_rows(communicator, s, storage, rows + t % 2 * row_words_, rows + 2 * row_words_,
                      upper, traffic);
    store_upper(s, square_.data(), upper, storage + upper_);
    const auto count = static_cast<std::int64_t>(active_.size());
    const T* lower = message + lower_in_message(s);
    blas::gemm(count, s.across, s.width, T(-1), {lower, count}, {upper, s.width}, T(1),
               storage + s.trailing * down_, at_least_one(down_));
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
  const CyclicClasses rows{d.m, d.block, d.grid_rows};
  std::vector<std::vector<layout::Interval>> of_row(static_cast<std::size_t>(d.grid_rows));
  std::vector<std::int64_t> used(of_row.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto r = static_cast<std::size_t>(rows.of_block(order[i] / d.block));
    const auto row = static_cast<std::int64_t>(i);
    auto& intervals = of_row[r];
    if (!intervals.empty() && intervals.back().end == row) {
      ++intervals.back().end;
    } else {
      intervals.push_back({row, row + 1, used[r]});
    }
    ++used[r];
  }
  Arrangement result = layout::arrangement(layout(d, me), d.ranks);
  for (int r = 0; r < d.grid_rows; ++r) {
    const IndexSet held(std::move(of_row[static_cast<std::size_t>(r)]));
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
  const LuDecomposition top{std::min(d.m, d.n), d.n, d.ranks, d.block, d.grid_rows, d.grid_columns};
  Arrangement result = layout::arrangement(layout(top, me), d.ranks);
  result.rows = d.m;
  if (me.value < d.grid_rows * d.grid_columns) {
    const CyclicClasses rows{d.m, d.block, d.grid_rows};
    const CyclicClasses columns{d.n, d.block, d.grid_columns};
    for (layout::Patch& p : result.of_rank[static_cast<std::size_t>(me.value)]) {
      p.offset = rows.size(me.value / d.grid_columns) * columns.size(me.value % d.grid_columns);
    }
  }
  return result;
}

template <class T>
void Lu<T>::sort_lower(const std::vector<std::int64_t>& order, T* storage) {
  std::vector<std::int64_t> sorted(static_cast<std::size_t>(down_));  // place of each local row
  std::int64_t next = 0;
  for (const std::int64_t row : order) {
    if (row_of(row) == my_row_) sorted[static_cast<std::size_t>(local_row(row))] = next++;
  }
  std::vector<T> column(static_cast<std::size_t>(down_));
  for (const Panel& panel : kept_) {
    const Step s = step(panel.step);
    for (std::int64_t c = 0; c < s.width; ++c) {
      T* values = storage + (s.at + c) * down_;
      std::copy_n(values, panel.rows.size(), column.begin());
      for (std::size_t i = 0; i < panel.rows.size(); ++i) {
        values[sorted[static_cast<std::size_t>(local_row(panel.rows[i]))]] = column[i];
      }
      for (std::size_t i = 0; i < panel.pivots.size(); ++i) {
        if (row_of(panel.pivots[i]) != my_row_) continue;
        values[sorted[static_cast<std::size_t>(local_row(panel.pivots[i]))]] =
            panel.square[i + static_cast<std::size_t>(c * s.width)];
      }
    }
  }
}

template class Lu<float>;
template class Lu<double>;
template class Lu<std::complex<float>>;
template class Lu<std::complex<double>>;

}  // namespace redblue
