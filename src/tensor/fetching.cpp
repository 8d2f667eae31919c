// SPDX-License-Identifier: BSD-3-Clause
#include "tensor/fetching.hpp"

#include <algorithm>
#include <array>
#include <complex>
#include <utility>

#include "comm/phases.hpp"

namespace redblue::tensor {

using einsum::Piece;

namespace {

constexpr std::size_t most_indices = 64;

// The shared elements one after another from `offset` on, in the order in which both ends have
// them.
Piece packed(const Piece& overlap, std::int64_t offset) {
  Piece result = overlap;
  result.offset = offset;
  std::int64_t next = 1;
  for (std::size_t t = 0; t < overlap.ranges.size(); ++t) {
    result.strides[t] = next;
    next *= overlap.ranges[t].size();
  }
  return result;
}

}  // namespace

// `from` and `to` have the same ranges.
template <class T>
typename Fetching<T>::Copy Fetching<T>::copy(const Piece& from, const Piece& to) {
  Copy c;
  c.from_offset = from.offset;
  c.to_offset = to.offset;
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < from.ranges.size(); ++t) {
    if (from.ranges[t].size() != 1) order.push_back(t);
  }
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return std::max(from.strides[a], to.strides[a]) < std::max(from.strides[b], to.strides[b]);
  });
  for (const std::size_t t : order) {
    const std::int64_t length = from.ranges[t].size();
    const bool follows = !c.lengths.empty() &&
                         from.strides[t] == c.from.back() * c.lengths.back() &&
                         to.strides[t] == c.to.back() * c.lengths.back();
    if (follows) {
      c.lengths.back() *= length;
      continue;
    }
    c.lengths.push_back(length);
    c.from.push_back(from.strides[t]);
    c.to.push_back(to.strides[t]);
  }
  return c;
}

template <class T>
void Fetching<T>::run(const Copy& c, const T* from, T* to) {
  from += c.from_offset;
  to += c.to_offset;
  if (c.lengths.empty()) {
    *to = *from;
    return;
  }
  std::array<std::int64_t, most_indices> at{};
  for (;;) {
    for (std::int64_t x = 0; x < c.lengths[0]; ++x) to[x * c.to[0]] = from[x * c.from[0]];
    std::size_t t = 1;
    for (; t < c.lengths.size(); ++t) {
      from += c.from[t];
      to += c.to[t];
      if (++at[t] < c.lengths[t]) break;
      from -= c.from[t] * c.lengths[t];
      to -= c.to[t] * c.lengths[t];
      at[t] = 0;
    }
    if (t >= c.lengths.size()) return;
  }
}

template <class T>
std::int64_t Fetching<T>::add_copies(const Pieces& owned, const Pieces& needed, End end,
                                     std::vector<Copy>& copies) {
  std::int64_t words = 0;
  for (const Piece& piece : owned) {
    for (const Piece& box : needed) {
      if (einsum::words_shared(piece, box) == 0) continue;
      if (end == End::sender) {
        const Piece from = einsum::shared(piece, box);
        copies.push_back(copy(from, packed(from, words)));
      } else {
        const Piece to = einsum::shared(box, piece);
        copies.push_back(copy(packed(to, words), to));
      }
      words += einsum::words_shared(piece, box);
    }
  }
  return words;
}

template <class T>
Fetching<T>::Fetching(const comm::Communicator& communicator,
                      const std::vector<std::vector<Piece>>& owned,
                      const std::vector<std::vector<Piece>>& needed, int tag) {
  const int me = communicator.rank().value;
  const int ranks = communicator.size();
  const auto of = [](const auto& list, int rank) -> const auto& {
    return list[static_cast<std::size_t>(rank)];
  };
  for (const Piece& piece : of(owned, me)) {
    for (const Piece& box : of(needed, me)) {
      if (einsum::words_shared(piece, box) == 0) continue;
      own_.push_back(copy(einsum::shared(piece, box), einsum::shared(box, piece)));
    }
  }
  for (int turn = 1; turn < ranks; ++turn) {
    const int receiver = (me + turn) % ranks;
    const int sender = (me - turn + ranks) % ranks;
    std::vector<Copy> out, in;
    std::int64_t words = add_copies(of(owned, me), of(needed, receiver), End::sender, out);
    if (words > 0) {
      outgoing_.push_back({comm::Message::of<T>(Rank{receiver}, tag, {{send_words_, words}}),
                           std::move(out), send_words_});
      send_words_ += words;
    }
    words = add_copies(of(owned, sender), of(needed, me), End::receiver, in);
    if (words == 0) continue;
    incoming_.push_back({comm::Message::of<T>(Rank{sender}, tag, {{receive_words_, words}}),
                         std::move(in), receive_words_});
    receive_words_ += words;
  }
  sends_.reserve(outgoing_.size());
  receives_.reserve(incoming_.size());
}

template <class T>
void Fetching<T>::start(const comm::Communicator& communicator, const T* source, T* target,
                        T* buffer, Traffic& count) {
  const comm::InPhase moves(comm::Phase::redistribute);
  target_ = target;
  received_ = buffer + send_words_;
  for (const Letter& l : incoming_) communicator.receive(received_, l.message, receives_, count);
  for (const Letter& l : outgoing_) {
    for (const Copy& c : l.copies) run(c, source, buffer + l.offset);
    communicator.send(buffer, l.message, sends_, count);
  }
  for (const Copy& c : own_) run(c, source, target);
}

template <class T>
void Fetching<T>::finish() {
  const comm::InPhase moves(comm::Phase::redistribute);
  for (std::size_t i = 0; i < incoming_.size(); ++i) {
    comm::Communicator::wait(receives_[i]);
    for (const Copy& c : incoming_[i].copies) run(c, received_ + incoming_[i].offset, target_);
  }
  receives_.clear();
  comm::Communicator::wait(sends_);
}

template class Fetching<float>;
template class Fetching<double>;
template class Fetching<std::complex<float>>;
template class Fetching<std::complex<double>>;

}  // namespace redblue::tensor
