// SPDX-License-Identifier: BSD-3-Clause
#include "comm/transfer.hpp"

#include <algorithm>
#include <complex>

#include "comm/number.hpp"
#include "comm/phases.hpp"

namespace redblue::comm {

using layout::Arrangement;
using layout::OverlapInterval;
using layout::Part;
using layout::Patch;

namespace {

template <class T>
T product(T a, T b) {
  return a * b;
}
// Without the search for infinities of the standard's.
template <class T>
std::complex<T> product(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

// Combines `lines` lines of `length` contiguous elements of a source into a target with any
// strides.
template <class T, class Combine>
void copy_lines(std::int64_t length, std::int64_t lines, const T* from, std::int64_t from_across,
                T* to, std::int64_t to_along, std::int64_t to_across, Combine combine) {
  if (to_along == 1) {
    for (std::int64_t line = 0; line < lines; ++line) {
      const T* x = from + line * from_across;
      T* y = to + line * to_across;
      for (std::int64_t e = 0; e < length; ++e) combine(y[e], x[e]);
    }
    return;
  }
  // a transposition, in tiles that stay in cache
  constexpr std::int64_t tile = 16;
  for (std::int64_t line0 = 0; line0 < lines; line0 += tile) {
    const std::int64_t line1 = std::min(line0 + tile, lines);
    for (std::int64_t e0 = 0; e0 < length; e0 += tile) {
      const std::int64_t e1 = std::min(e0 + tile, length);
      for (std::int64_t e = e0; e < e1; ++e) {
        for (std::int64_t line = line0; line < line1; ++line) {
          combine(to[e * to_along + line * to_across], from[line * from_across + e]);
        }
      }
    }
  }
}

}  // namespace

// The runs of a message's words in the matrix itself, where MPI may take them from there or put
// them there; else none.
template <class T>
std::vector<Run> Transfer<T>::runs_in_matrix(const std::vector<Overlap>& overlaps,
                                             bool sends) const {
  std::vector<Run> runs;
  if (!sends && (options_.add || options_.conjugate)) return runs;
  if (sends && options_.source_rows != nullptr) return runs;
  bool possible = true;
  for_each_block(overlaps, options_.part, [&](const OverlapBlock& b) {
    const Overlap& o = *b.overlap;
    possible = possible && (sends ? !o.conjugated : o.target_along == 1) &&
               (options_.zero_copy || runs.size() < 2);
    if (!possible) return;
    for (std::int64_t x = 0; x < b.lines; ++x) {
      for (const OverlapInterval& t : b.intervals) {
        const std::int64_t at =
            sends ? o.source_offset + t.from + (b.source_line + x) * o.source_leading
                  : o.target_offset + t.to + (b.target_line + x) * o.target_across;
        append(runs, {at, t.length});
      }
    }
  });
  if (!possible || (runs.size() > 1 && !options_.zero_copy)) runs.clear();
  return runs;
}

template <class T>
typename Transfer<T>::PeerMessage Transfer<T>::peer_message(Rank peer,
                                                            std::vector<Overlap> overlaps,
                                                            bool sends,
                                                            std::int64_t buffer_offset) const {
  // What a one-sided transfer sends is fetched: packed from a window, or from the matrix.
  std::vector<Run> runs;
  if (!(sends && options_.one_sided)) runs = runs_in_matrix(overlaps, sends);
  if (!runs.empty()) {
    return {Message::of<T>(peer, options_.tag, runs), std::move(overlaps), false, 0};
  }
  const std::vector<Run> packed = {{buffer_offset, words_of(overlaps, options_.part)}};
  return {Message::of<T>(peer, options_.tag, packed), std::move(overlaps), true, buffer_offset};
}

template <class T>
Transfer<T>::Transfer(const Communicator& communicator, const Arrangement& from,
                      const Arrangement& to, const TransferOptions& options)
    : options_(options) {
  const int ranks = communicator.size();
  const int me = communicator.rank().value;
  const auto of = [](const Arrangement& a, int rank) -> const std::vector<Patch>& {
    return a.of_rank[static_cast<std::size_t>(rank)];
  };
  target_patches_ = of(to, me);
  own_ = find_overlaps(of(from, me), of(to, me), options.part);
  std::int64_t arriving = words_of(own_, options_.part);
  std::int64_t largest = 0;
  std::vector<std::pair<Rank, std::vector<Overlap>>> senders;
  // an all-to-all of point-to-point messages: in turn 1, every rank sends to the next, so that not
  // all send to rank 0 at once
  for (int turn = 1; turn < ranks; ++turn) {
    const Rank receiver{(me + turn) % ranks};
    const Rank sender{(me - turn + ranks) % ranks};
    std::vector<Overlap> sent = find_overlaps(of(from, me), of(to, receiver.value), options.part);
    if (!sent.empty()) {
      outgoing_.push_back(peer_message(receiver, std::move(sent), true, send_words_));
      if (outgoing_.back().packed && !reads_matrices())
        send_words_ += outgoing_.back().message.words().value;
    }
    std::vector<Overlap> received = find_overlaps(of(from, sender.value), of(to, me), options.part);
    if (received.empty()) continue;
    arriving += words_of(received, options_.part);
    largest = std::max(largest, words_of(received, options_.part));
    senders.emplace_back(sender, std::move(received));
  }
  const bool two_slots = options.add && options.zero_copy;
  for (auto& [sender, received] : senders) {
    if (reads_matrices())
      remote_sources_.push_back(
          Message::of<T>(sender, options.tag, runs_in_matrix(received, true)));
    const auto slot = static_cast<std::int64_t>(incoming_.size() % 2);
    incoming_.push_back(peer_message(sender, std::move(received), false,
                                     two_slots ? slot * largest : receive_words_));
    if (!two_slots && incoming_.back().packed) {
      receive_words_ += incoming_.back().message.words().value;
    }
  }
  slots_ = two_slots ? std::min<std::size_t>(2, incoming_.size()) : incoming_.size();
  if (two_slots) receive_words_ = static_cast<std::int64_t>(slots_) * largest;
  once_ = arriving == to.words_on(Rank{me}, options.part);
  sends_.reserve(outgoing_.size());
  receives_.reserve(incoming_.size());
  if (options.one_sided && !options.zero_copy) open_window(communicator);
}

template <class T>
void Transfer<T>::open_window(const Communicator& communicator) {
  std::vector<std::int64_t> places(static_cast<std::size_t>(communicator.size()));
  std::vector<int> readers;
  std::vector<int> sources;
  for (const PeerMessage& p : outgoing_) {
    readers.push_back(p.message.peer().value);
    places[static_cast<std::size_t>(p.message.peer().value)] = p.buffer_offset;
  }
  const std::vector<std::int64_t> theirs = communicator.exchange(places);
  for (const PeerMessage& p : incoming_) {
    sources.push_back(p.message.peer().value);
    window_offsets_.push_back(theirs[static_cast<std::size_t>(p.message.peer().value)]);
  }
  window_.emplace(communicator, send_words_ * static_cast<std::int64_t>(sizeof(T)), readers,
                  sources);
  send_words_ = 0;  // the window is the buffer
}

template <class T>
void Transfer<T>::post(const Communicator& communicator, Traffic& count) {
  const PeerMessage& next = incoming_[posted_];
  T* place = next.packed ? receive_buffer_ : target_;
  if (exposure_ != nullptr) {
    exposure_->get(place, next.message, remote_sources_[posted_], count);
  } else {
    communicator.receive(place, next.message, receives_, count);
  }
  ++posted_;
}

template <class T>
void Transfer<T>::start(const Communicator& communicator, const T* source, T* target,
                        T* send_buffer, T* receive_buffer, Traffic& count) {
  const InPhase moves(options_.add ? Phase::reduce : Phase::exchange);
  source_ = source;
  target_ = target;
  receive_buffer_ = receive_buffer;
  if (window_) {
    for (const PeerMessage& p : outgoing_) {
      pack(p, static_cast<T*>(window_->memory()));
      count.words_sent += p.message.words();
      count.messages_sent += Messages(1);
    }
    window_->open();
    for (std::size_t i = 0; i < incoming_.size(); ++i) {
      window_->get(incoming_[i].packed ? receive_buffer : target, incoming_[i].message,
                   window_offsets_[i], count);
    }
    return;
  }
  posted_ = 0;
  while (posted_ < slots_) post(communicator, count);
  for (const PeerMessage& p : outgoing_) {
    if (exposure_ != nullptr) {  // its receiver fetches it
      count.words_sent += p.message.words();
      count.messages_sent += Messages(1);
      continue;
    }
    if (p.packed) pack(p, send_buffer);
    communicator.send(p.packed ? send_buffer : source, p.message, sends_, count);
  }
}

template <class T>
std::int64_t Transfer<T>::list_offsets(const OverlapBlock& b, std::int64_t first,
                                       const std::int64_t* rows, Packed packed,
                                       LineOffsets& offsets) const {
  std::size_t listed = 0;
  std::int64_t before = 0;  // elements of the intervals passed
  for (const OverlapInterval& t : b.intervals) {
    const std::int64_t skipped = std::max<std::int64_t>(0, first - before);
    for (std::int64_t i = skipped; i < t.length && listed < offsets.target.size(); ++i, ++listed) {
      const std::int64_t from = packed == Packed::source ? before + i : t.from + i;
      offsets.source[listed] = rows == nullptr ? from : rows[from];
      offsets.target[listed] =
          packed == Packed::target ? before + i : (t.to + i) * b.overlap->target_along;
    }
    before += t.length;
  }
  return static_cast<std::int64_t>(listed);
}

// At the end that is a message, the block's lines follow one another without gaps.
template <class T>
template <class Combine>
void Transfer<T>::copy_block(const OverlapBlock& b, const T* from, T* to, Packed packed,
                             Combine combine) const {
  const Overlap& o = *b.overlap;
  const bool unpacks = packed == Packed::source;
  const bool packs = packed == Packed::target;
  const std::int64_t from_across = unpacks ? b.length : o.source_leading;
  const std::int64_t to_across = packs ? b.length : o.target_across;
  if (!unpacks) from += o.source_offset + b.source_line * from_across;
  if (!packs) to += o.target_offset + b.target_line * to_across;
  const bool rows_elsewhere = !unpacks && options_.source_rows != nullptr;
  if (b.intervals.size() == 1 && !rows_elsewhere) {
    const OverlapInterval& t = b.intervals.front();
    const std::int64_t to_along = packs ? 1 : o.target_along;
    copy_lines(b.length, b.lines, from + (unpacks ? 0 : t.from), from_across,
               to + (packs ? 0 : t.to * to_along), to_along, to_across, combine);
    return;
  }
  LineOffsets offsets;
  for (std::int64_t first = 0; first < b.length; first += most_joined) {
    const std::int64_t* listed = nullptr;  // the rows that `offsets` is for
    std::int64_t count = 0;
    for (std::int64_t line = 0; line < b.lines; ++line) {
      const std::int64_t* rows = nullptr;
      if (rows_elsewhere) rows = options_.source_rows->column(b.source_line + line);
      if (line == 0 || rows != listed) count = list_offsets(b, first, rows, packed, offsets);
      listed = rows;
      const T* x = from + line * from_across;
      T* y = to + line * to_across;
      for (std::int64_t i = 0; i < count; ++i) {
        const auto at = static_cast<std::size_t>(i);
        __builtin_prefetch(x + from_across + offsets.source[at]);  // of the next line
        combine(y[offsets.target[at]], x[offsets.source[at]]);
      }
    }
  }
}

template <class T>
void Transfer<T>::pack(const PeerMessage& message, T* buffer) const {
  T* next = buffer + message.buffer_offset;
  for_each_block(message.overlaps, options_.part, [&](const OverlapBlock& b) {
    if (b.overlap->conjugated) {
      copy_block(b, source_, next, Packed::target,
                 [](T& to, const T& from) { to = conjugated(from); });
    } else {
      copy_block(b, source_, next, Packed::target, [](T& to, const T& from) { to = from; });
    }
    next += b.length * b.lines;
  });
}

template <class T>
template <class Combine>
void Transfer<T>::unpack(const PeerMessage& message, Combine combine) const {
  const T* next = receive_buffer_ + message.buffer_offset;
  for_each_block(message.overlaps, options_.part, [&](const OverlapBlock& b) {
    copy_block(b, next, target_, Packed::source, combine);
    next += b.length * b.lines;
  });
}

template <class T>
template <class Combine>
void Transfer<T>::copy_own(Combine combine) const {
  for_each_block(own_, options_.part, [&](const OverlapBlock& b) {
    if (b.overlap->conjugated) {
      copy_block(b, source_, target_, Packed::neither,
                 [&combine](T& to, const T& from) { combine(to, conjugated(from)); });
    } else {
      copy_block(b, source_, target_, Packed::neither, combine);
    }
  });
}

template <class T>
template <class Combine>
void Transfer<T>::combine_all(const Communicator& communicator, Combine combine, Traffic& count) {
  if (!options_.own_in_place) copy_own(combine);
  if (window_) {
    window_->complete();
    for (const PeerMessage& p : incoming_) {
      if (p.packed) unpack(p, combine);
    }
    window_->close();
    return;
  }
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    if (exposure_ != nullptr) {
      exposure_->complete(incoming_[i].message.peer());
    } else {
      Communicator::wait(receives_[i]);
    }
    if (incoming_[i].packed) unpack(incoming_[i], combine);
    if (posted_ < incoming_.size()) post(communicator, count);
  }
}

template <class T>
void Transfer<T>::scale_target(T beta) const {
  for (const Patch& p : target_patches_) {
    const layout::IndexSet& along = p.row_major ? p.columns : p.rows;
    const layout::IndexSet& across = p.row_major ? p.rows : p.columns;
    const bool after = (options_.part == Part::lower) != p.row_major;
    for (const layout::Interval& s : across.intervals()) {
      for (std::int64_t line = s.begin; line < s.end; ++line) {
        T* x = target_ + p.offset + (s.position + line - s.begin) * p.leading;
        for (const layout::Interval& t : along.intervals()) {
          Range kept = {t.begin, t.end};
          if (options_.part != Part::all) {
            kept = layout::beside_diagonal(t.begin, t.end - t.begin, line, after);
          }
          for (std::int64_t e = kept.begin; e < kept.end; ++e) {
            T& y = x[t.position + e - t.begin];
            y = beta == T(0) ? T(0) : product(beta, y);
          }
        }
      }
    }
  }
}

template <class T>
void Transfer<T>::finish(const Communicator& communicator, T alpha, T beta, Traffic& count) {
  const InPhase moves(options_.add ? Phase::reduce : Phase::exchange);
  if (!once_ && beta != T(1)) scale_target(beta);
  const T kept = once_ ? beta : T(1);
  const auto run = [&](auto taken) {
    if (alpha == T(1) && kept == T(0)) {
      combine_all(
          communicator, [taken](T& to, const T& from) { to = taken(from); }, count);
    } else if (alpha == T(1) && kept == T(1)) {
      combine_all(
          communicator, [taken](T& to, const T& from) { to += taken(from); }, count);
    } else if (kept == T(0)) {
      combine_all(
          communicator, [taken, alpha](T& to, const T& from) { to = product(alpha, taken(from)); },
          count);
    } else {
      combine_all(
          communicator,
          [taken, alpha, kept](T& to, const T& from) {
            to = product(kept, to) + product(alpha, taken(from));
          },
          count);
    }
  };
  if (options_.conjugate) {
    run([](const T& x) { return conjugated(x); });
  } else {
    run([](const T& x) { return x; });
  }
  receives_.clear();
  Communicator::wait(sends_);
}

template class Transfer<int>;
template class Transfer<float>;
template class Transfer<double>;
template class Transfer<std::complex<float>>;
template class Transfer<std::complex<double>>;

}  // namespace redblue::comm
