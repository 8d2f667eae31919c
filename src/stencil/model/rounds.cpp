// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/model/rounds.hpp"

#include <algorithm>

namespace redblue::stencil {

Rounds rounds_of(const Tiling& tiling) {
  Rounds rounds;
  const std::vector<int>& passes = tiling.passes();
  for (std::size_t i = 0; i < passes.size(); ++i) {
    const Round round = {passes[i], i == 0 ? -1 : passes[i - 1], i < 2};
    // recent ones are most like it
    auto found = std::find(rounds.distinct.rbegin(), rounds.distinct.rend(), round);
    if (found == rounds.distinct.rend()) {
      rounds.distinct.push_back(round);
      found = rounds.distinct.rbegin();
    }
    rounds.order.push_back(static_cast<int>(rounds.distinct.rend() - found) - 1);
  }
  return rounds;
}

RankRounds rounds_on(const Tiling& tiling, const Rounds& rounds, Rank rank) {
  RankRounds result;
  result.rounds.resize(rounds.distinct.size());
  const auto kind = [&tiling](int k) {
    return k < 0 ? nullptr : &tiling.kinds()[static_cast<std::size_t>(k)];
  };
  for (const ChunkIndex& chunk : tiling.chunks_of(rank)) {
    Needs needs(tiling, chunk);
    const auto into = [&tiling, &chunk](RankStage& stage, const Piece& piece) {
      stage.from[tiling.rank_of(piece.source).value].push_back({chunk, piece});
    };
    for (std::size_t r = 0; r < rounds.distinct.size(); ++r) {
      const Round& round = rounds.distinct[r];
      RankRound& here = result.rounds[r];
      needs.pass(*kind(round.kind), kind(round.before), round.constants,
                 [&](std::int64_t stage, const Piece& piece) { into(here[stage], piece); });
      for (Tile& tile : tiling.tiles(*kind(round.kind), chunk)) {
        here[tile.stage].tiles.emplace_back(chunk, std::move(tile.sweeps));
      }
    }
    if (!tiling.passes().empty()) {
      needs.results(*kind(tiling.passes().back()),
                    [&](std::int64_t, const Piece& piece) { into(result.results, piece); });
    }
  }
  return result;
}

std::int64_t words_of(const std::vector<Delivery>& deliveries) {
  std::int64_t words = 0;
  for (const Delivery& d : deliveries) words += d.piece.box.points();
  return words;
}

}  // namespace redblue::stencil
