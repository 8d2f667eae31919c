// SPDX-License-Identifier: BSD-3-Clause
// Moving a matrix between two arrangements: every element goes from the rank that holds it to all
// ranks that want it (or from all that have a contribution to the rank that adds them up), at most
// once to each.
//
// Both ends know both arrangements, so no index is sent. A message is made of overlaps
// (comm/overlap.hpp). The constructor plans: it finds the overlaps with every other rank. start()
// and finish() copy them into and out of messages.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/overlap.hpp"
#include "comm/window.hpp"
#include "layout/arrangement.hpp"

namespace redblue::comm {

// Where the rows of a column-major array are, column by column, when they are not in the
// arrangement's order: row i of column j is at orders[of_column[j]][i].
struct SourceRows {
  static constexpr std::size_t in_order = static_cast<std::size_t>(-1);
  std::vector<std::vector<std::int64_t>> orders;
  std::vector<std::size_t> of_column;  // in_order: the arrangement's

  const std::int64_t* column(std::int64_t j) const {
    const std::size_t order = of_column[static_cast<std::size_t>(j)];
    return order == in_order ? nullptr : orders[order].data();
  }
};

struct TransferOptions {
  int tag = 0;
  bool conjugate = false;
  // Several ranks hold contributions to an element, or the target is not simply overwritten:
  // finish() adds. Else alpha must be 1 and beta 0.
  bool add = false;
  // Send from and receive into the matrices themselves through MPI datatypes instead of buffers;
  // contributions are received two at a time. Column-major arrangements only.
  bool zero_copy = false;
  // Receivers read what senders have put into windows, instead of being sent it; with zero_copy
  // they read it from the matrices (read_from), where no end stores conjugates of the other's.
  bool one_sided = false;
  // This rank's own share is in the target already.
  bool own_in_place = false;
  // Of a column-major source whose rows are not where the arrangement says.
  std::shared_ptr<const SourceRows> source_rows = nullptr;
  // Only these elements of both arrangements count.
  layout::Part part = layout::Part::all;
};

// The messages of one rank for one pair of arrangements, made once, without data. The elements of a
// message are in an order that both ends know: block by block of its overlaps, each line by line as
// the sender stores them, without gaps.
template <class T>
class Transfer {
 public:
  // O(ranks * patches + intervals of this rank's overlaps). Local, one-sided: collective.
  Transfer(const Communicator& communicator, const layout::Arrangement& from,
           const layout::Arrangement& to, const TransferOptions& options);

  // With zero_copy and one_sided: the sources of all ranks, to be there from start() to finish().
  void read_from(Exposure& sources) { exposure_ = &sources; }

  // Words of the buffers execution needs.
  std::int64_t send_buffer() const { return send_words_; }
  std::int64_t receive_buffer() const { return receive_words_; }
  std::int64_t buffer() const { return send_words_ + receive_words_; }  // both, one after another

  // Posts receives and sends. Source, target and buffers must live until finish(). Allocates
  // nothing.
  void start(const Communicator& communicator, const T* source, T* target, T* send_buffer,
             T* receive_buffer, Traffic& count);

  // Completes the moves: target = beta * target + alpha * (what came). beta = 0 does not read the
  // target. Either every element of the target has a contribution or none has.
  void finish(const Communicator& communicator, T alpha, T beta, Traffic& count);

  // Both.
  void execute(const Communicator& communicator, T alpha, const T* source, T beta, T* target,
               T* buffer, Traffic& count) {
    start(communicator, source, target, buffer, buffer + send_words_, count);
    finish(communicator, alpha, beta, count);
  }

 private:
  // Which end of a copy is a message, where elements have no gaps between them.
  enum class Packed { neither, source, target };
  struct PeerMessage {
    Message message;
    std::vector<Overlap> overlaps;
    bool packed;  // goes through a buffer
    std::int64_t buffer_offset;
  };

  bool reads_matrices() const { return options_.one_sided && options_.zero_copy; }
  std::vector<Run> runs_in_matrix(const std::vector<Overlap>& overlaps, bool sends) const;
  void open_window(const Communicator& communicator);
  PeerMessage peer_message(Rank peer, std::vector<Overlap> overlaps, bool sends,
                           std::int64_t buffer_offset) const;

  void post(const Communicator& communicator, Traffic& count);  // the next receive
  template <class Combine>
  void copy_block(const OverlapBlock& block, const T* from, T* to, Packed packed,
                  Combine combine) const;
  // Offsets of some elements of a line from the line's start, at both ends.
  struct LineOffsets {
    std::array<std::int64_t, most_joined> source, target;
  };
  // Of a block's elements from number `first` of the line on; returns how many. `rows`: where the
  // source's rows are, or null.
  std::int64_t list_offsets(const OverlapBlock& block, std::int64_t first, const std::int64_t* rows,
                            Packed packed, LineOffsets& offsets) const;
  void pack(const PeerMessage& message, T* buffer) const;
  template <class Combine>
  void unpack(const PeerMessage& message, Combine combine) const;
  template <class Combine>
  void copy_own(Combine combine) const;
  template <class Combine>
  void combine_all(const Communicator& communicator, Combine combine, Traffic& count);
  void scale_target(T beta) const;

  TransferOptions options_;
  std::vector<PeerMessage> outgoing_, incoming_;
  std::vector<Overlap> own_;  // of this rank's source with its own target
  std::vector<layout::Patch> target_patches_;
  bool once_ = true;       // exactly one contribution to each element of the target
  std::size_t slots_ = 0;  // receives under way at a time
  std::int64_t send_words_ = 0;
  std::int64_t receive_words_ = 0;

  std::optional<Window> window_;              // one-sided
  std::vector<std::int64_t> window_offsets_;  // of each incoming message, in its sender's window

  Exposure* exposure_ = nullptr;         // one-sided and zero-copy
  std::vector<Message> remote_sources_;  // where each incoming message is in its sender's matrix

  const T* source_ = nullptr;
  T* target_ = nullptr;
  T* receive_buffer_ = nullptr;
  std::vector<MPI_Request> sends_, receives_;
  std::size_t posted_ = 0;  // of the incoming messages
};

}  // namespace redblue::comm
