// SPDX-License-Identifier: BSD-3-Clause
// Moving the result of one summation to where the next needs it: from pieces of the ranks' arrays
// into dense boxes or callers' arrays, each element straight from the rank that owns it.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/einsum/chain/pieces.hpp"
#include "redblue/traffic.hpp"

namespace redblue::tensor {

template <class T>
class Fetching {
 public:
  // The pieces that every rank owns, and those that it needs. Local.
  Fetching(const comm::Communicator& communicator,
           const std::vector<std::vector<einsum::Piece>>& owned,
           const std::vector<std::vector<einsum::Piece>>& needed, int tag);

  std::int64_t buffer() const { return send_words_ + receive_words_; }

  // Source, target and buffer must live until finish(). Allocates nothing.
  void start(const comm::Communicator& communicator, const T* source, T* target, T* buffer,
             Traffic& count);
  void finish();

 private:
  // The same elements at both ends, in the same order.
  struct Copy {
    std::vector<std::int64_t> lengths, from, to;  // extents, strides; the first changes fastest
    std::int64_t from_offset = 0, to_offset = 0;
  };
  struct Letter {
    comm::Message message;
    std::vector<Copy> copies;  // into or out of its buffer
    std::int64_t offset = 0;
  };

  using Pieces = std::vector<einsum::Piece>;
  static Copy copy(const einsum::Piece& from, const einsum::Piece& to);
  // Into (or out of) a message, its elements one after another; its words.
  enum class End { sender, receiver };
  static std::int64_t add_copies(const Pieces& owned, const Pieces& needed, End end,
                                 std::vector<Copy>& copies);
  static void run(const Copy& copy, const T* from, T* to);

  std::vector<Letter> outgoing_, incoming_;
  std::vector<Copy> own_;
  std::int64_t send_words_ = 0, receive_words_ = 0;
  T* target_ = nullptr;
  T* received_ = nullptr;
  std::vector<MPI_Request> sends_, receives_;
};

}  // namespace redblue::tensor
