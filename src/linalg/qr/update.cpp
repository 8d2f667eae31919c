// SPDX-License-Identifier: BSD-3-Clause
// Householder vectors on their way along grid rows, and products with them.
#include <algorithm>
#include <complex>

#include "comm/phases.hpp"
#include "decomposition/doubling.hpp"
#include "linalg/blas/blas.hpp"
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

// V without its ones and zeros, and T behind it.
std::vector<comm::Run> sent_vectors(const QrStep& s) {
  std::vector<comm::Run> result;
  for (std::int64_t c = 0; c < s.width; ++c) {
    const std::int64_t known = known_rows(s, c);
    if (known < s.rows) comm::append(result, {c * s.rows + known, s.rows - known});
  }
  comm::append(result, {s.width * s.rows, triangle_words(s.width)});
  return result;
}

template <class T>
void complete_vectors(const QrStep& s, T* v) {
  for (std::int64_t c = 0; c < s.width; ++c) {
    for (std::int64_t i = 0; i < known_rows(s, c); ++i) {
      v[i + c * s.rows] = s.tops[static_cast<std::size_t>(i)] == c ? T(1) : T(0);
    }
  }
}

}  // namespace

template <class T>
void Qr<T>::exchange_vectors(const Communicator& communicator, const QrStep& s,
                             const std::vector<std::int64_t>& columns, T* tau,
                             const QrWorkspace<T>& w, Traffic& traffic) {
  const comm::InPhase exchanges(comm::Phase::exchange);
  const bool is_source = column_ == s.panel.grid_column;
  const auto has_columns = [&](int column) {
    return s.rows > 0 && columns[static_cast<std::size_t>(column)] > 0;
  };
  T* const packed = w.vectors + s.rows * s.width;
  const std::vector<comm::Run> vectors = sent_vectors(s);
  const auto message = [&](int column, bool whole) {
    return Message::of<T>(rank_at(row_, column), vectors_tag,
                          whole ? vectors : std::vector<comm::Run>{{0, s.width}});
  };
  if (!is_source) {
    const bool whole = has_columns(column_);
    if (!whole && tau == nullptr) return;
    std::vector<MPI_Request> arriving;
    communicator.receive(whole ? w.vectors : tau, message(s.panel.grid_column, whole), arriving,
                         traffic);
    Communicator::wait(arriving);
    if (!whole) return;
    complete_vectors(s, w.vectors);
    unpack_upper(s.width, packed, w.square(QrWorkspace<T>::t));
  }
  const T* const t = w.square(QrWorkspace<T>::t);
  for (std::int64_t j = 0; tau != nullptr && j < s.width; ++j) tau[j] = t[j * (s.width + 1)];
  if (!is_source) return;
  pack_upper(s.width, t, s.width, packed);
  for (int turn = 1; turn < grid_columns_; ++turn) {
    const int column = (column_ + turn) % grid_columns_;
    const bool whole = has_columns(column);
    if (!whole && tau == nullptr) continue;
    communicator.send(whole ? w.vectors : tau, message(column, whole), sends_, traffic);
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
void Qr<T>::update(const Communicator& communicator, const QrStep& s, bool adjoint,
                   const LocalPart<T>& c, std::int64_t columns, const QrWorkspace<T>& w,
                   Traffic& traffic) {
  if (s.rows == 0 || columns == 0) return;
  const std::vector<int> members = steps_.active(s.panel.begin());
  const auto count = static_cast<std::int64_t>(members.size());
  const std::vector<std::int64_t> pieces = column_pieces(columns, s.width, count);
  const blas::Factor<T> v = {w.vectors, s.rows};
  blas::gemm(s.width, columns, s.rows, T(1), {w.vectors, s.rows, 'C'}, {c.data, c.leading}, T(0),
             w.product, s.width);
  add_up(communicator, members, pieces, w.product, w.added, traffic);
  const auto me = static_cast<std::size_t>(number_of(members, row_));
  T* const mine = w.product + pieces[me];
  const std::int64_t words = pieces[me + 1] - pieces[me];
  const blas::Factor<T> t = {w.square(QrWorkspace<T>::t), s.width, adjoint ? 'C' : 'N'};
  blas::gemm(s.width, words / s.width, s.width, T(1), t, {mine, s.width}, T(0), w.added, s.width);
  std::copy_n(w.added, words, mine);
  share(communicator, members, pieces, w.product, traffic);
  blas::gemm(s.rows, columns, s.width, T(-1), v, {w.product, s.width}, T(1), c.data, c.leading);
}

template <class T>
void Qr<T>::load_vectors(const Communicator& communicator, const QrStep& s, const T* a,
                         std::int64_t leading, const T* tau, const QrWorkspace<T>& w,
                         Traffic& traffic) {
  if (s.rows == 0) return;
  const auto tops = static_cast<std::int64_t>(s.tops.size());
  for (std::int64_t c = 0; c < s.width; ++c) {
    T* const v = w.vectors + c * s.rows;
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
  blas::gemm(s.width, s.width, s.rows, T(1), {w.vectors, s.rows, 'C'}, {w.vectors, s.rows}, T(0),
             gram, s.width);
  add_up(communicator, members, pieces, gram, w.square(QrWorkspace<T>::scratch), traffic);
  share(communicator, members, pieces, gram, traffic);
  triangle_of(s.width, gram, tau, w.square(QrWorkspace<T>::t));
}

template class Qr<float>;
template class Qr<double>;
template class Qr<std::complex<float>>;
template class Qr<std::complex<double>>;

}  // namespace redblue::linalg
