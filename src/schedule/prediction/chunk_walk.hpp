// SPDX-License-Identifier: BSD-3-Clause
// What a walk to a chunk of an order finds there.
#pragma once

#include <optional>

#include "schedule/prediction/chunks.hpp"
#include "schedule/prediction/last_touches.hpp"
#include "schedule/prediction/part.hpp"
#include "schedule/prediction/strata.hpp"
#include "schedule/prediction/value_readers.hpp"

namespace redblue::schedule {

// Work is counted as chunks count it (Chunks::work).
struct Looked {
  Found found;
  std::int64_t enough = 0;  // work before the chunk that would have been enough
  std::size_t touches = 0;
};

// Walks from some chunks before the ones that count.
class ChunkWalk {
 public:
  // Without `last` dead values stay. The first three must live on.
  ChunkWalk(const LoopProgram& loops, const Chunks& chunks, const LastTouches* last,
            std::optional<ValueReaders> readers, std::int64_t s);

  // At a run of chunks at `node`, from so much work before it; longer walks where that tells too
  // little.
  Looked look(std::size_t node, const ChunkRun& run, std::int64_t before);

 private:
  // A walk from so much work before its own, and how many elements it met.
  struct Walked {
    std::int64_t before = 0;
    double elements = 0;
  };

  std::int64_t more(const Part& part, std::int64_t before, Walked& last) const;
  std::optional<Found> found_in(const Part& part, bool longest_walk);

  const LoopProgram& loops_;
  const Chunks& chunks_;
  const LastTouches* last_;
  std::optional<ValueReaders> readers_;
  std::int64_t s_;
  Notes notes_;
};

}  // namespace redblue::schedule
