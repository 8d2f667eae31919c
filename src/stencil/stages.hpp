// SPDX-License-Identifier: BSD-3-Clause
// What this rank does in each stage, with its own chunks by number: the model's rounds
// (stencil/model/rounds.hpp) and what the other ranks ask for.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "stencil/model/rounds.hpp"

namespace redblue::stencil {

// Points of a field in the storage of one of this rank's chunks.
struct Part {
  std::size_t chunk = 0;
  int field = 0;
  int buffer = 0;  // 0: the one with the values before the pass
  bool constant = false;
  MeshBox box;
};

// Between two chunks of this rank, or two sides of a torus.
struct Copy {
  Part from, to;
};

struct PeerParts {
  int peer = 0;
  std::int64_t words = 0;
  std::vector<Part> parts;  // in the order of the message
};

struct ChunkTile {
  std::size_t chunk = 0;
  std::vector<TileSweep> sweeps;
};

struct Stage {
  std::vector<PeerParts> receives, sends;
  std::vector<Copy> copies;
  std::vector<ChunkTile> early;  // computed while messages travel
  std::vector<ChunkTile> tiles;
};

struct Stages {
  std::vector<std::vector<Stage>> rounds;  // of each distinct round, in order
  Stage results;
  std::int64_t send_words = 0;  // the most in a stage
  std::int64_t receive_words = 0;
};

// Collective: every rank tells the others what it needs of them. The messages of the execution
// itself hold values only.
Stages stages_of(const comm::Communicator& communicator, const Tiling& tiling,
                 const Rounds& rounds);

}  // namespace redblue::stencil
