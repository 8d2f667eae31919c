// SPDX-License-Identifier: BSD-3-Clause
// Householder vectors on their way along grid rows, and products with them.
#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "decomposition/doubling.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/blas/copy_rows.hpp"
#include "linalg/qr/qr.hpp"
#include "linalg/qr/triangles.hpp"

namespace redblue::linalg {

using comm::Communicator;
using comm::Message;

namespace {

enum Tag { vectors_tag = 100, add_tag, share_tag };

std::vector<comm::Run> runs(const std::vector<Range>& ranges) {
  std::vector<comm::Run> result;
  for (const Range& r : ranges) result.push_back({r.begin, r.size()});
  return result;
}

std::int64_t number_of(const std::vector<int>& members, int row) {
  return std::find(members.begin(), members.end(), row) - members.begin();
}

// How many of a rank's first rows are on or above V's diagonal in a column: known to be 0, the last
// may be 1.
std::int64_t known_rows(const QrStep& s, std::int64_t column) {
  return std::upper_bound(s.tops.begin(), s.tops.end(), column) - s.tops.begin();
}

// V without its ones and zeros, and T packed: where they are from the panel's V on.
template <class T>
std::vector<comm::Run> sent_vectors(const QrStep& s, const QrWorkspace<T>& w) {
  std::vector<comm::Run> result;
  for (std::int64_t c = 0; c < s.width; ++c) {
    const std::int64_t known = known_rows(s, c);
    if (known < s.rows) comm::append(result, {c * s.group_rows + known, s.rows - known});
  }
  comm::append(result, {w.message(s) - w.vectors_of(s), triangle_words(s.width)});
  return result;
}

template <class T>
void complete_vectors(const QrStep& s, T* v) {
  for (std::int64_t c = 0; c < s.width; ++c) {
    for (std::int64_t i = 0; i < known_rows(s, c); ++i) {
      v[i + c * s.group_rows] = s.tops[static_cast<std::size_t>(i)] == c ? T(1) : T(0);
    }
  }
}

// V_i^H V_j of the rank's rows for panels i behind j, below the diagonal.
template <class T>
void inner_products(const QrStep* steps, std::int64_t panels, const QrWorkspace<T>& w) {
  const QrStep& last = steps[panels - 1];
  const std::int64_t width = last.column + last.width;
  for (std::int64_t i = 1; i < panels; ++i) {
    const QrStep& s = steps[i];
    const T* const v = w.vectors_of(s);
    blas::gemm(s.width, s.column, s.rows, T(1), {v, s.group_rows, 'C'},
               {w.vectors + s.above, s.group_rows}, T(0), w.gram + s.column, width);
  }
}

// In the rows of the group's panels before.
template <class T>
void clear_above(const QrStep& s, T* v) {
  for (std::int64_t c = 0; c < s.width; ++c) {
    std::fill_n(v + c * s.group_rows - s.above, s.above, T(0));
  }
}

}  // namespace

template <class T>
void Qr<T>::exchange_vectors(const Communicator& communicator, const QrStep& s,
                             const std::vector<std::int64_t>& columns, T* tau,
                             const QrWorkspace<T>& w, Traffic& traffic) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  T* const v = w.vectors_of(s);
  clear_above(s, v);
  const bool is_source = column_ == s.panel.grid_column;
  const auto has_columns = [&](int column) {
    return s.rows > 0 && columns[static_cast<std::size_t>(column)] > 0;
  };
  const std::vector<comm::Run> vectors = sent_vectors(s, w);
  const auto message = [&](int column, bool whole) {
    return Message::of<T>(rank_at(row_, column), vectors_tag,
                          whole ? vectors : std::vector<comm::Run>{{0, s.width}});
  };
  if (!is_source) {
    const bool whole = has_columns(column_);
    if (!whole && tau == nullptr) return;
    std::vector<MPI_Request> arriving;
    communicator.receive(whole ? v : tau, message(s.panel.grid_column, whole), arriving, traffic);
    Communicator::wait(arriving);
    if (!whole) return;
    complete_vectors(s, v);
    unpack_upper(s.width, w.message(s), w.triangle(s));
  }
  const T* const t = w.triangle(s);
  for (std::int64_t j = 0; tau != nullptr && j < s.width; ++j) tau[j] = t[j * (s.width + 1)];
  if (!is_source) return;
  pack_upper(s.width, t, s.width, w.message(s));
  for (int turn = 1; turn < grid_columns_; ++turn) {
    const int column = (column_ + turn) % grid_columns_;
    const bool whole = has_columns(column);
    if (!whole && tau == nullptr) continue;
    communicator.send(whole ? v : tau, message(column, whole), sends_, traffic);
  }
}

template <class T>
void Qr<T>::add_up(const Communicator& communicator, const std::vector<int>& members,
                   const std::vector<std::int64_t>& pieces, T* block, T* staging,
                   Traffic& traffic) {
  const comm::InPhase reduces(comm::Phase::reduce);
  const auto count = static_cast<std::int64_t>(members.size());
  const std::int64_t me = number_of(members, row_);
  const auto peer = [&](std::int64_t i) {
    return rank_at(members[static_cast<std::size_t>((i + count) % count)], column_);
  };
  std::vector<DoublingStage> stages = doubling_stages(count);
  std::reverse(stages.begin(), stages.end());
  for (const DoublingStage& stage : stages) {
    std::vector<MPI_Request> pending;
    const std::vector<Range> added = block_ranges(pieces, me, stage.blocks);
    const std::int64_t words = block_words(pieces, me, stage.blocks);
    if (words > 0) {
      communicator.receive(staging,
                           Message::of<T>(peer(me - stage.distance), add_tag, {{0, words}}),
                           pending, traffic);
    }
    const std::vector<Range> given = block_ranges(pieces, me + stage.distance, stage.blocks);
    if (!given.empty()) {
      communicator.send(block, Message::of<T>(peer(me + stage.distance), add_tag, runs(given)),
                        pending, traffic);
    }
    Communicator::wait_briefly(pending);
    const T* next = staging;
    for (const Range& r : added) {
      for (std::int64_t i = r.begin; i < r.end; ++i) block[i] += *next++;
    }
  }
}

template <class T>
void Qr<T>::share(const Communicator& communicator, const std::vector<int>& members,
                  const std::vector<std::int64_t>& pieces, T* block, Traffic& traffic) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  const auto count = static_cast<std::int64_t>(members.size());
  const std::int64_t me = number_of(members, row_);
  const auto peer = [&](std::int64_t i) {
    return rank_at(members[static_cast<std::size_t>((i + count) % count)], column_);
  };
  for (const DoublingStage& stage : doubling_stages(count)) {
    std::vector<MPI_Request> pending;
    const std::vector<Range> got = block_ranges(pieces, me + stage.distance, stage.blocks);
    if (!got.empty()) {
      communicator.receive(block, Message::of<T>(peer(me + stage.distance), share_tag, runs(got)),
                           pending, traffic);
    }
    const std::vector<Range> given = block_ranges(pieces, me, stage.blocks);
    if (!given.empty()) {
      communicator.send(block, Message::of<T>(peer(me - stage.distance), share_tag, runs(given)),
                        pending, traffic);
    }
    Communicator::wait_briefly(pending);
  }
}

template <class T>
void Qr<T>::add_and_multiply(const Communicator& communicator, const QrStep& s, bool adjoint,
                             std::int64_t columns, T* product, const QrWorkspace<T>& w,
                             Traffic& traffic) {
  const std::vector<int> members = steps_.active(s.panel.begin());
  const auto count = static_cast<std::int64_t>(members.size());
  const std::vector<std::int64_t> pieces = column_pieces(columns, s.width, count);
  add_up(communicator, members, pieces, product, w.added, traffic);
  const auto me = static_cast<std::size_t>(number_of(members, row_));
  T* const mine = product + pieces[me];
  const std::int64_t words = pieces[me + 1] - pieces[me];
  const blas::Factor<T> t = {w.triangle(s), s.width, adjoint ? 'C' : 'N'};
  blas::gemm(s.width, words / s.width, s.width, T(1), t, {mine, s.width}, T(0), w.added, s.width);
  std::copy_n(w.added, words, mine);
  share(communicator, members, pieces, product, traffic);
}

template <class T>
void Qr<T>::update(const Communicator& communicator, const QrStep* steps,
                   const std::vector<std::int64_t>& columns, bool adjoint, const LocalPart<T>& c,
                   const QrWorkspace<T>& w, Traffic& traffic) {
  if (columns.empty() || columns.front() == 0 || steps->rows == 0) return;
  const auto panels = static_cast<std::int64_t>(columns.size());
  const std::int64_t all = columns.front();
  const std::int64_t rows = steps->rows;
  const std::int64_t leading = steps->group_rows;
  const std::int64_t width = steps[panels - 1].column + steps[panels - 1].width - steps->column;
  const T* const v = w.vectors_of(*steps);
  blas::gemm(width, all, rows, T(1), {v, leading, 'C'}, {c.data, c.leading}, T(0), w.sums, width);
  if (panels > 1) inner_products(steps, panels, w);
  for (std::int64_t turn = 0; turn < panels; ++turn) {
    const std::int64_t number = adjoint ? turn : panels - 1 - turn;
    const QrStep& s = steps[number];
    const std::int64_t mine = columns[static_cast<std::size_t>(number)];
    const std::int64_t at = s.column - steps->column;
    T* const sums = w.sums + at;
    for (std::int64_t j = 0; j < (s.rows > 0 ? all - mine : all); ++j) {
      std::fill_n(sums + j * width, s.width, T(0));
    }
    if (s.rows == 0) continue;
    T* const own = sums + (all - mine) * width;
    // what the panels before do to C
    const std::int64_t first = adjoint ? 0 : at + s.width;
    const std::int64_t before = adjoint ? at : width - first;
    const blas::Factor<T> gram = adjoint ? blas::Factor<T>{w.gram + at, width}
                                         : blas::Factor<T>{w.gram + first + at * width, width, 'C'};
    blas::gemm(s.width, mine, before, T(-1), gram, {own - at + first, width}, T(1), own, width);
    copy_rows(s.width, mine, own, width, w.product, s.width);
    add_and_multiply(communicator, s, adjoint, mine, w.product, w, traffic);
    copy_rows(s.width, mine, w.product, s.width, own, width);
  }
  blas::gemm(rows, all, width, T(-1), {v, leading}, {w.sums, width}, T(1), c.data, c.leading);
}

template <class T>
void Qr<T>::load_vectors(const Communicator& communicator, const QrStep& s, const T* a,
                         std::int64_t leading, const T* tau, const QrWorkspace<T>& w,
                         Traffic& traffic) {
  if (s.rows == 0) return;
  const auto tops = static_cast<std::int64_t>(s.tops.size());
  for (std::int64_t c = 0; c < s.width; ++c) {
    T* const v = w.vectors_of(s) + c * s.group_rows;
    std::copy_n(a + c * leading, s.rows, v);
    for (std::int64_t i = 0; i < tops; ++i) {
      const std::int64_t row = s.tops[static_cast<std::size_t>(i)];
      if (row <= c) v[i] = row == c ? T(1) : T(0);
    }
  }
  const std::vector<int> members = steps_.active(s.panel.begin());
  const std::vector<std::int64_t> pieces =
      column_pieces(s.width, s.width, static_cast<std::int64_t>(members.size()));
  T* const gram = w.square(QrWorkspace<T>::y);
  const blas::Factor<T> v = {w.vectors_of(s), s.group_rows};
  blas::gemm(s.width, s.width, s.rows, T(1), {v.data, v.leading, 'C'}, v, T(0), gram, s.width);
  add_up(communicator, members, pieces, gram, w.square(QrWorkspace<T>::scratch), traffic);
  share(communicator, members, pieces, gram, traffic);
  triangle_of(s.width, gram, tau, w.triangle(s));
}

template class Qr<float>;
template class Qr<double>;
template class Qr<std::complex<float>>;
template class Qr<std::complex<double>>;

}  // namespace redblue::linalg
