// SPDX-License-Identifier: BSD-3-Clause
// The ranks of a grid line exchange the parts of a block by doubling (decomposition/doubling.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/traffic.hpp"

namespace redblue::linalg {

template <class T>
class LineExchange {
 public:
  enum class Way {
    gather,  // every rank has its share in its block, and gets the others
    add_up   // every rank has contributions to all of the block; in its share their sum is left,
             // in the rest something or other
  };

  // The cell's elements, one after another without gaps, are what every rank that needs it calls
  // its block; `member` is this rank's number among these. Local.
  LineExchange(const Cell& cell, std::size_t member, Way way, int tag);

  std::size_t stages() const { return stages_.size(); }
  std::int64_t staging() const { return staging_; }  // words that add_up needs beside the block

  // Stage after stage, each started, then finished; others may be under way. Allocate nothing.
  void start(const comm::Communicator& communicator, std::size_t stage, T* block, T* staging,
             Traffic& count);
  void finish(std::size_t stage, T* block, const T* staging);

 private:
  struct Stage {
    std::optional<comm::Message> sent, received;
    std::vector<Range> added;  // where in the block what was received belongs, one after the other
  };

  Way way_;
  std::vector<Stage> stages_;
  std::int64_t staging_ = 0;
  std::vector<MPI_Request> pending_;
};

}  // namespace redblue::linalg
