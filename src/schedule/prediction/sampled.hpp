// SPDX-License-Identifier: BSD-3-Clause
// What an order moves at sizes too large to walk, from walks through parts of it.
#pragma once

#include <limits>
#include <optional>

#include "redblue/schedule.hpp"
#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

constexpr std::size_t usual_touches = 800'000'000;  // half a minute at most

// Loads and stores on a fast memory of s words whose value used longest ago leaves, from some
// chunks (prediction/chunks.hpp) of every kind, drawn at random and always the same; kinds that
// move 0.5 % together, even if as much an instance as any, are taken to move as others do. A walk
// begins some chunks before the one that counts: after s different words were touched, what such a
// memory holds does not depend on what came before. What an instance moves in chunks of a kind,
// times the kind's instances, adds up; where these take too long to count, words moved and
// instances of the kinds add up to a ratio, and the program's instances are known [cochran1977,
// 6.10 to 6.12]. Where values that nobody needs leave at once and what follows the chunk does not
// tell, a walk at smaller sizes does, or of orders without one who reads each value
// (prediction/fates.hpp); results that nothing overwrites are stored once, and count where they are
// computed. `residual`: twice the standard error of the ratio, and s words for begin
// and end, as a part of what moves. Walks end where it is small enough: 0.5 % after 40 million
// touches, more in proportion to the touches, 4 % at most. Nothing where it is above 5 % after
// `most_touches` or will be far above it, where one walk through a chunk of every kind would take
// half as many again, or where all elements fit into s words. Walks also end, however large
// `residual` is, where it is clear that more than `most` words move.
std::optional<PredictedTraffic> sampled_lru(
    const SizedOrder& order, const program::Sizes& sizes, std::int64_t s,
    DeadValues dead = DeadValues::leave,
    std::int64_t most = std::numeric_limits<std::int64_t>::max(),
    std::size_t most_touches = usual_touches);

}  // namespace redblue::schedule
