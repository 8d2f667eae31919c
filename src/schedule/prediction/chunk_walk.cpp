// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/chunk_walk.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "redblue/schedule.hpp"
#include "schedule/prediction/fates.hpp"
#include "schedule/traffic/lru.hpp"
#include "schedule/traffic/walk.hpp"

namespace redblue::schedule {

namespace {

// Whether the run that counts begins with the memory that a longer walk would leave: it was full,
// or it is nearly, and after as many elements more words would hardly come.
bool is_settled(const Part& part, const Lru& memory, std::int64_t s) {
  constexpr std::int64_t nearly = 64, many = 3;
  return memory.was_full(0) || (memory.held(0) + std::max(nearly, s / 128) >= s &&
                                static_cast<std::int64_t>(part.met) >= many * s);
}

// Touches of a walk: where most words leave at once, none of many more may fill the memory.
constexpr double longest = 6e6;

// Without fates all values stay until their turn comes. A result's store is counted where it is
// computed: where it stays for longer than the walk, no other instance of the walk would tell.
Found played(const Part& part, const std::optional<Fates>& fates, std::int64_t s) {
  Lru memory({s}, static_cast<std::int64_t>(part.elements.size()));
  Found result;
  for (std::size_t i = 0; i < part.counted_until(); ++i) {
    if (2 * i == part.begin || 2 * i + 1 == part.begin)
      result.settled = is_settled(part, memory, s);
    const std::size_t first = i > 0 ? part.ends[i - 1] : 0;
    const auto live = [&](std::size_t t) { return fates->values[first + t] == Fate::read; };
    const MemoryTraffic before{memory.loads(0), memory.stores(0)};
    const std::uint32_t* touched = part.touches.data() + first;
    if (!fates) {
      memory.access(touched, part.ends[i] - first);
    } else {
      memory.step(touched, part.ends[i] - first, live);
    }
    const bool is_result = fates && fates->results[i];
    if (is_result) memory.save(part.touches[part.ends[i] - 1]);
    if (memory.was_full(0) && result.full_at == 0) result.full_at = part.ends[i];
    if (!part.instances[i].counts) continue;
    ++result.instances;
    result.loads += static_cast<double>(memory.loads(0) - before.loads);
    result.stores += static_cast<double>(memory.stores(0) - before.stores + (is_result ? 1 : 0));
    // What nobody touches again is stored when it leaves.
    for (std::size_t t = first; t < part.ends[i] && fates; ++t)
      result.stores +=
          fates->values[t] == Fate::final && memory.unsaved(0, part.touches[t]) ? 1 : 0;
  }
  return result;
}

std::int64_t scaled(std::int64_t work, double factor) {
  return static_cast<std::int64_t>(std::ceil(static_cast<double>(work) * factor));
}

double walked(const Part& part) {
  return static_cast<double>(part.touches.size());
}

}  // namespace

ChunkWalk::ChunkWalk(const LoopProgram& loops, const Chunks& chunks, const LastTouches* last,
                     std::optional<ValueReaders> readers, std::int64_t s)
    : loops_(loops), chunks_(chunks), last_(last), readers_(std::move(readers)), s_(s) {
  notes_.number.resize(static_cast<std::size_t>(loops.elements), 0);
  if (readers_) notes_.counters_of_each = loops.counters;
}

Looked ChunkWalk::look(std::size_t node, const ChunkRun& run, std::int64_t before) {
  Looked result;
  Walked last;
  std::int64_t most = std::numeric_limits<std::int64_t>::max();  // longer walks never end
  for (;;) {
    const std::size_t place = chunks_.place_before(run.first, before);
    Part part(chunks_, static_cast<std::int64_t>(place) * chunks_.spacing, node, run, notes_,
              static_cast<std::size_t>(s_));
    Walk<Direction::forward, Part> walk(loops_, part);
    walk.from(chunks_.places[place]);
    result.touches += part.touches.size();
    before = std::max(before, chunks_.work_between(place, run.first));
    if (part.too_long() && before > 1) {
      most = before / 2;
      before = std::min(most, scaled(before, 0.25));
      continue;
    }
    const std::optional<Found> found = found_in(part, place == 0 || before >= most);
    if (!found) {
      before = std::min(most, more(part, before, last));
      continue;
    }
    result.found = *found;
    result.enough = before;
    if (found->settled) {
      const double needed = std::min(1.0, 1.1 * part.needed_by(found->full_at));
      result.enough = std::max<std::int64_t>(1, scaled(before, needed));
    }
    return result;
  }
}

// Work to walk through where `before` told too little: twice what fills the memory, if it meets
// new elements at the rate of that between the last walk and this one.
std::int64_t ChunkWalk::more(const Part& part, std::int64_t before, Walked& last) const {
  constexpr double least = 1.1, most = 8, most_by_rate = 64;
  const auto elements = static_cast<double>(part.elements.size());
  const auto words = static_cast<double>(s_);
  double factor = std::clamp(2 * words / elements, 2.0, most);
  if (const auto needed = part.needed(); needed && *needed > 1) {
    factor = std::clamp(1.1 * *needed, least, most);
  } else if (last.before > 0 && elements < words && elements > last.elements) {
    const double rate = (elements - last.elements) / static_cast<double>(before - last.before);
    const double fills = static_cast<double>(before) + (words - elements) / rate;
    factor = std::clamp(2.1 * fills / static_cast<double>(before), 2.0, most_by_rate);
  }
  // No walk is much longer than the longest that is needed.
  factor = std::min(factor, std::max(least, 1.2 * longest / std::max(1.0, walked(part))));
  last = {before, elements};
  return std::max(before + 1, scaled(before, factor));
}

// Nothing where a longer walk would tell more.
std::optional<Found> ChunkWalk::found_in(const Part& part, bool longest_walk) {
  const bool long_enough = longest_walk || walked(part) >= longest;
  if (!part.may_fill && !long_enough) return std::nullopt;
  std::optional<Fates> known;
  if (last_ != nullptr) known = fates(part, loops_.arrays, *last_, readers_ ? &*readers_ : nullptr);
  const Found found = played(part, known, s_);
  const bool many = part.elements.size() >= 16 * static_cast<std::size_t>(s_);
  return found.settled || long_enough || many ? std::optional(found) : std::nullopt;
}

}  // namespace redblue::schedule
