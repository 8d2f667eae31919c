// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/stages.hpp"

#include <algorithm>
#include <map>

#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

using Numbers = std::map<ChunkIndex, std::size_t>;
using StageMap = std::map<std::int64_t, Stage>;

// A request for a piece as whole numbers: round, stage, field, buffer, constant, source chunk, box.
constexpr std::size_t request_length = 14;

void append_request(std::vector<std::int64_t>& list, std::int64_t round, std::int64_t stage,
                    const Piece& piece) {
  list.insert(list.end(), {round, stage, piece.field, piece.buffer, piece.constant ? 1 : 0,
                           piece.source[0], piece.source[1], piece.source[2]});
  for (std::size_t j = 0; j < most_dimensions; ++j)
    list.push_back(piece.box.begin[j] - piece.shift[j]);
  for (std::size_t j = 0; j < most_dimensions; ++j)
    list.push_back(piece.box.end[j] - piece.shift[j]);
}

Part target_part(const Numbers& numbers, const Delivery& d) {
  return {numbers.at(d.target), d.piece.field, d.piece.buffer, d.piece.constant, d.piece.box};
}

Part source_part(const Numbers& numbers, const Piece& piece) {
  Part part = {numbers.at(piece.source), piece.field, piece.buffer, piece.constant, piece.box};
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    part.box.begin[j] -= piece.shift[j];
    part.box.end[j] -= piece.shift[j];
  }
  return part;
}

void add_part(std::vector<PeerParts>& to, int peer, const Part& part) {
  if (to.empty() || to.back().peer != peer) to.push_back({peer, 0, {}});
  to.back().words += part.box.points();
  to.back().parts.push_back(part);
}

// This rank's own side of a stage, and its requests.
void add_stage(Rank self, const Numbers& numbers, std::int64_t round, std::int64_t number,
               const RankStage& from, Stage& stage,
               std::vector<std::vector<std::int64_t>>& requests) {
  for (const auto& [peer, deliveries] : from.from) {
    for (const Delivery& d : deliveries) {
      if (peer == self.value) {
        stage.copies.push_back({source_part(numbers, d.piece), target_part(numbers, d)});
        continue;
      }
      add_part(stage.receives, peer, target_part(numbers, d));
      append_request(requests[static_cast<std::size_t>(peer)], round, number, d.piece);
    }
  }
  for (const auto& [chunk, sweeps] : from.tiles) {
    stage.tiles.push_back({numbers.at(chunk), sweeps});
  }
}

void add_sends(const Numbers& numbers, int peer, const std::vector<std::int64_t>& requests,
               std::vector<StageMap>& rounds) {
  for (std::size_t i = 0; i + request_length <= requests.size(); i += request_length) {
    const std::int64_t* r = requests.data() + i;
    Part part;
    part.field = static_cast<int>(r[2]);
    part.buffer = static_cast<int>(r[3]);
    part.constant = r[4] != 0;
    part.chunk =
        numbers.at({static_cast<int>(r[5]), static_cast<int>(r[6]), static_cast<int>(r[7])});
    part.box = {{r[8], r[9], r[10]}, {r[11], r[12], r[13]}};
    add_part(rounds[static_cast<std::size_t>(r[0])][r[1]].sends, peer, part);
  }
}

std::int64_t words_of(const std::vector<PeerParts>& messages) {
  std::int64_t words = 0;
  for (const PeerParts& m : messages) words += m.words;
  return words;
}

}  // namespace

Stages stages_of(const comm::Communicator& communicator, const Tiling& tiling,
                 const Rounds& rounds) {
  const Rank self = communicator.rank();
  const RankRounds mine = rounds_on(tiling, rounds, self);
  Numbers numbers;
  for (const ChunkIndex& chunk : tiling.chunks_of(self)) {
    const std::size_t number = numbers.size();
    numbers[chunk] = number;
  }
  const std::size_t distinct = rounds.distinct.size();
  std::vector<StageMap> stages(distinct + 1);  // the results last
  std::vector<std::vector<std::int64_t>> requests(static_cast<std::size_t>(communicator.size()));
  for (std::size_t r = 0; r < distinct; ++r) {
    for (const auto& [number, stage] : mine.rounds[r]) {
      add_stage(self, numbers, static_cast<std::int64_t>(r), number, stage, stages[r][number],
                requests);
    }
  }
  add_stage(self, numbers, static_cast<std::int64_t>(distinct), 0, mine.results,
            stages[distinct][0], requests);
  const auto asked = communicator.exchange(requests);
  for (std::size_t peer = 0; peer < asked.size(); ++peer) {
    add_sends(numbers, static_cast<int>(peer), asked[peer], stages);
  }
  Stages result;
  for (std::size_t r = 0; r <= distinct; ++r) {
    std::vector<Stage> in_order;
    for (auto& [number, stage] : stages[r]) {
      result.send_words = std::max(result.send_words, words_of(stage.sends));
      result.receive_words = std::max(result.receive_words, words_of(stage.receives));
      in_order.push_back(std::move(stage));
    }
    if (r == distinct) {
      result.results = std::move(in_order.front());
    } else {
      result.rounds.push_back(std::move(in_order));
    }
  }
  return result;
}

}  // namespace redblue::stencil
