// SPDX-License-Identifier: BSD-3-Clause
// The passes of an execution as few distinct rounds, repeated, and what each rank does in them.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "stencil/model/needs.hpp"

namespace redblue::stencil {

// A pass and what its exchanges depend on.
struct Round {
  int kind = 0;
  int before = -1;  // kind of the pass before; -1: none
  bool constants = false;
  bool operator==(const Round&) const = default;
};

struct Rounds {
  std::vector<Round> distinct;
  std::vector<int> order;  // indices of distinct
};

Rounds rounds_of(const Tiling& tiling);

// A piece with the chunk that receives it.
struct Delivery {
  ChunkIndex target;
  Piece piece;
};

// What one rank computes and receives in a stage. Pieces from the rank itself are copies.
struct RankStage {
  std::map<int, std::vector<Delivery>> from;  // by sending rank
  std::vector<std::pair<ChunkIndex, std::vector<TileSweep>>> tiles;
};

// By stage; only stages in which something is to be done.
using RankRound = std::map<std::int64_t, RankStage>;

// Of every distinct round, then what brings the results home.
struct RankRounds {
  std::vector<RankRound> rounds;
  RankStage results;
};

RankRounds rounds_on(const Tiling& tiling, const Rounds& rounds, Rank rank);

std::int64_t words_of(const std::vector<Delivery>& deliveries);

}  // namespace redblue::stencil
