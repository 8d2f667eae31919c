// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/model/cost.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "machine/sharing.hpp"
#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

// What the stages of one distinct round cost one rank each time.
struct RoundCost {
  std::int64_t words = 0, messages = 0, updates = 0, rows = 0, moved_rows = 0;
  std::set<std::int64_t> exchanges;  // stages with messages of this rank
};

struct Count {
  std::vector<RoundCost> rounds;  // distinct ones, then the results
  std::int64_t storage = 0;
  std::int64_t received = 0, sent = 0;  // the most in a stage
};

using Sent = std::map<std::pair<std::int64_t, int>, std::int64_t>;  // (stage, rank) -> words

void count_stage(Rank rank, std::int64_t number, const RankStage& stage, int along, Count& count,
                 RoundCost& cost, Sent& sent) {
  std::int64_t received = 0;
  for (const auto& [peer, deliveries] : stage.from) {
    if (peer == rank.value) continue;
    const std::int64_t words = words_of(deliveries);
    received += words;
    ++cost.messages;
    cost.exchanges.insert(number);
    sent[{number, peer}] += words;
    for (const Delivery& d : deliveries) cost.moved_rows += rows_of(d.piece.box, along);
  }
  cost.words += received;
  count.received = std::max(count.received, received);
  for (const auto& [chunk, sweeps] : stage.tiles) {
    for (const TileSweep& s : sweeps) {
      cost.updates += s.box.points();
      cost.rows += rows_of(s.box, along);
    }
  }
}

}  // namespace

std::int64_t arrays_of(const Sweeps& sweeps) {
  std::int64_t arrays = 0;
  for (int f = 0; f < sweeps.program().fields; ++f) arrays += sweeps.two_buffers(f) ? 2 : 1;
  return arrays;
}

double default_seconds_per_update(const StencilProgram& program, const Machine& machine) {
  double points_read = 0;
  for (const StencilSweep& s : program.sweeps) {
    for (const StencilRead& r : s.reads) {
      double box = 1;
      double arms = 1;
      for (std::size_t j = 0; j < most_dimensions; ++j) {
        box *= static_cast<double>(r.below[j] + r.above[j] + 1);
        arms += static_cast<double>(r.below[j] + r.above[j]);
      }
      points_read += r.star ? arms : box;
    }
  }
  points_read /= static_cast<double>(program.sweeps.size());
  return std::max(1., points_read) / machine.flops_per_second;
}

std::vector<RankCost> rank_costs(const Tiling& tiling, const std::vector<Rank>& ranks) {
  const Rounds rounds = rounds_of(tiling);
  const std::size_t distinct = rounds.distinct.size();
  const int along = tiling.sweeps().program().dimensions - 1;
  std::vector<Count> counts(ranks.size());
  std::vector<Sent> sent(distinct + 1);
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    Count& count = counts[i];
    count.rounds.resize(distinct + 1);
    const RankRounds on = rounds_on(tiling, rounds, ranks[i]);
    for (std::size_t r = 0; r < distinct; ++r) {
      for (const auto& [number, stage] : on.rounds[r]) {
        count_stage(ranks[i], number, stage, along, count, count.rounds[r], sent[r]);
      }
    }
    count_stage(ranks[i], 0, on.results, along, count, count.rounds[distinct], sent[distinct]);
    for (const ChunkIndex& chunk : tiling.chunks_of(ranks[i])) {
      count.storage += arrays_of(tiling.sweeps()) * tiling.storage(chunk).points();
    }
  }
  for (std::size_t r = 0; r <= distinct; ++r) {
    for (const auto& [stage_and_rank, words] : sent[r]) {
      const auto at = std::lower_bound(ranks.begin(), ranks.end(), Rank{stage_and_rank.second});
      if (at == ranks.end() || at->value != stage_and_rank.second) continue;
      Count& count = counts[static_cast<std::size_t>(at - ranks.begin())];
      count.rounds[r].exchanges.insert(stage_and_rank.first);
      count.sent = std::max(count.sent, words);
    }
  }
  std::vector<std::int64_t> times(distinct + 1, 0);
  for (const int r : rounds.order) ++times[static_cast<std::size_t>(r)];
  times[distinct] = 1;
  std::vector<RankCost> costs(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    for (std::size_t r = 0; r <= distinct; ++r) {
      const RoundCost& c = counts[i].rounds[r];
      costs[i].words += times[r] * c.words;
      costs[i].messages += times[r] * c.messages;
      costs[i].updates += times[r] * c.updates;
      costs[i].rows += times[r] * c.rows;
      costs[i].moved_rows += times[r] * c.moved_rows;
      costs[i].synchronisations += times[r] * static_cast<std::int64_t>(c.exchanges.size());
    }
    costs[i].storage = counts[i].storage;
    costs[i].buffers = counts[i].received + counts[i].sent;
  }
  return costs;
}

std::vector<Rank> representatives(const Tiling& tiling) {
  constexpr int all = 128;
  const std::array<int, 3>& g = tiling.decomposition().grid;
  std::array<std::set<int>, 3> chosen;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    const std::int64_t extent =
        tiling.sweeps().worked_on().end[j] - tiling.sweeps().worked_on().begin[j];
    const int larger = static_cast<int>(extent % g[j]);
    for (int q = 0; q < g[j]; ++q) {
      const auto near = [q](int x) { return std::abs(q - x) <= 3; };
      const bool looked_at = near(0) || near(g[j] - 1) || near(larger) || near(g[j] / 2);
      if (looked_at || tiling.decomposition().used() <= all) chosen[j].insert(q);
    }
  }
  std::vector<Rank> ranks;
  for (const int q0 : chosen[0]) {
    for (const int q1 : chosen[1]) {
      for (const int q2 : chosen[2]) ranks.push_back(Rank{(q0 * g[1] + q1) * g[2] + q2});
    }
  }
  return ranks;
}

std::optional<LocalMemory> local_memory(const Machine& machine, const StencilRates& rates) {
  const std::vector<MemoryLevel>& levels = machine.levels;
  if (levels.size() < 2 || levels.back().words_per_flop <= 0) return std::nullopt;
  const double word_size = static_cast<double>(rates.word_bytes) / 8;  // in a level's words
  const MemoryLevel& last = levels[levels.size() - 2];
  const MemoryLevel* own = &levels.front();  // the largest that each core has
  for (std::size_t l = 0; l + 1 < levels.size(); ++l) {
    if (levels[l].units == levels.front().units) own = &levels[l];
  }
  const double all = static_cast<double>(last.words) * static_cast<double>(last.units);
  const double of_rank = all / static_cast<double>(levels.front().units);
  LocalMemory memory;
  memory.cache_words = machine.cached_bytes > 0 ? machine.cached_bytes / rates.word_bytes
                                                : static_cast<std::int64_t>(of_rank / word_size);
  memory.tile_words = static_cast<std::int64_t>(static_cast<double>(own->words) / 2 / word_size);
  memory.seconds_per_word = word_size / (levels.back().words_per_flop * machine.flops_per_second);
  return memory;
}

namespace {

// How far the sides of a tile move in one time step, in the dimension where it is most.
std::int64_t moved_per_step(const Sweeps& sweeps) {
  const Slopes s = slopes(sweeps, 0, sweeps.per_step() + 1);
  const MeshIndex& moved = s.upper.back();
  return std::max<std::int64_t>(1, *std::max_element(moved.begin(), moved.end()));
}

}  // namespace

CacheBlocking cache_blocking(const Sweeps& sweeps, const MeshBox& storage, std::int64_t count,
                             const LocalMemory& memory) {
  CacheBlocking blocking;
  blocking.depth = count;
  const std::int64_t arrays = arrays_of(sweeps);
  if (arrays * storage.points() <= memory.cache_words || count <= sweeps.per_step()) {
    return blocking;
  }
  // All but the contiguous dimension are cut; that one, too, where rows leave no room for others.
  // What a sweep of a strip reads and sets stays in cache for the next sweep.
  const int last = sweeps.program().dimensions - 1;
  const std::int64_t points = std::max<std::int64_t>(1, memory.tile_words / arrays);
  const auto side_beside = [&](std::int64_t row) {
    return std::pow(static_cast<double>(points) / static_cast<double>(row), 1. / last);
  };
  constexpr std::int64_t short_row = 1024;
  constexpr double least_side = 12;
  const std::int64_t row = storage.size(last);
  double side = static_cast<double>(points);
  if (last > 0) {
    const bool cut = row > short_row && side_beside(row) < least_side;
    if (cut) blocking.width[static_cast<std::size_t>(last)] = short_row;
    side = side_beside(cut ? short_row : row);
  }
  const std::int64_t moved = moved_per_step(sweeps);
  const auto most = static_cast<std::int64_t>(side);
  const std::int64_t width = std::max({std::int64_t{1}, most / 2, most - 2 * moved});
  for (int j = 0; j < std::max(1, last); ++j) blocking.width[static_cast<std::size_t>(j)] = width;
  const std::int64_t steps = std::max<std::int64_t>(1, width / moved);
  blocking.depth = std::min(steps * sweeps.per_step(), count);
  return blocking;
}

namespace {

// Every sweep reads its fields and sets one, from and to main memory where a chunk exceeds the
// cache; with cache blocking once in `depth` sweeps.
std::int64_t memory_traffic(const Tiling& tiling, Rank rank, std::int64_t updates,
                            const LocalMemory& memory) {
  const Sweeps& sweeps = tiling.sweeps();
  const std::vector<ChunkIndex> chunks = tiling.chunks_of(rank);
  if (chunks.empty() || tiling.kinds().empty()) return 0;
  const MeshBox storage = tiling.storage(chunks.front());
  const std::int64_t arrays = arrays_of(sweeps);
  if (arrays * storage.points() * static_cast<std::int64_t>(chunks.size()) <= memory.cache_words) {
    return 0;
  }
  double moved_per_update = 0;  // reads and one write, on average over the sweeps
  for (const StencilSweep& s : sweeps.program().sweeps) {
    std::set<int> fields = {s.field};
    for (const StencilRead& r : s.reads) fields.insert(r.field);
    const bool twice = sweeps.two_buffers(s.field);
    moved_per_update += static_cast<double>(fields.size()) + 1 + (twice ? 1 : 0);
  }
  moved_per_update /= static_cast<double>(sweeps.per_step());
  const CacheBlocking blocking =
      cache_blocking(sweeps, storage, tiling.kinds().front().sweeps, memory);
  const double depth = static_cast<double>(blocking.depth) / static_cast<double>(sweeps.per_step());
  return static_cast<std::int64_t>(static_cast<double>(updates) * moved_per_update / depth);
}

// Seconds of a rank's processor, and of the network where ranks wait for it; `busy`: how many ranks
// compute at a time.
double seconds_of(const RankCost& c, std::int64_t traffic, int busy, const Tiling& tiling,
                  const Machine& machine, const StencilRates& rates) {
  const int ranks = tiling.decomposition().used();
  double gamma = rates.seconds_per_update.value_or(
      default_seconds_per_update(tiling.sweeps().program(), machine));
  double memory = 0;
  if (traffic > 0) {
    // in tiles, or as from cache while memory is waited for
    gamma = rates.seconds_per_blocked_update.value_or(gamma);
    memory = local_memory(machine, rates)->seconds_per_word * static_cast<double>(traffic);
  }
  // the caller's values go into all arrays and come back from half of them; a moved word is two
  // copies
  const double copied = 0.75 * static_cast<double>(c.storage);
  const double processor = gamma * static_cast<double>(c.updates) +
                           rates.seconds_per_row * static_cast<double>(c.rows) + memory +
                           rates.seconds_per_moved_word * (static_cast<double>(c.words) + copied) +
                           rates.seconds_per_moved_row * static_cast<double>(c.moved_rows);
  return slowdown_by_sharing(machine, busy) * processor +
         seconds_per_exchange(machine) * static_cast<double>(c.synchronisations) +
         static_cast<double>(rates.word_bytes) * seconds_per_exchanged_byte(machine, ranks) *
             static_cast<double>(c.words);
}

}  // namespace

StencilCost worst_cost(const Tiling& tiling, const std::vector<Rank>& ranks, const Machine& machine,
                       const StencilRates& rates) {
  StencilCost worst;
  RankCost most;  // of each
  double updates = 0;
  for (const RankCost& c : rank_costs(tiling, ranks)) {
    most.words = std::max(most.words, c.words);
    most.synchronisations = std::max(most.synchronisations, c.synchronisations);
    most.updates = std::max(most.updates, c.updates);
    updates += static_cast<double>(c.updates);
    most.rows = std::max(most.rows, c.rows);
    most.moved_rows = std::max(most.moved_rows, c.moved_rows);
    most.storage = std::max(most.storage, c.storage);
    worst.messages = std::max(worst.messages, Messages(c.messages));
    worst.memory = std::max(worst.memory, Words(c.storage + c.buffers));
  }
  worst.words = Words(most.words);
  worst.synchronisations = most.synchronisations;
  worst.updates = most.updates;
  for (const int pass : tiling.passes()) {
    worst.stages += tiling.kinds()[static_cast<std::size_t>(pass)].stages;
  }
  if (const std::optional<LocalMemory> memory = local_memory(machine, rates)) {
    worst.memory_traffic =
        Words(memory_traffic(tiling, ranks[ranks.size() / 2], worst.updates, *memory));
  }
  // where the busiest has more to do than others, these wait meanwhile
  const int used = tiling.decomposition().used();
  const double share = updates / static_cast<double>(std::max<std::int64_t>(1, most.updates)) /
                       static_cast<double>(ranks.size());
  const int busy = std::clamp(static_cast<int>(std::lround(share * used)), 1, used);
  worst.seconds = seconds_of(most, worst.memory_traffic.value, busy, tiling, machine, rates);
  return worst;
}

}  // namespace redblue::stencil
