// SPDX-License-Identifier: BSD-3-Clause
// Lower against upper bound, as tile and bound --gap show it.
#pragma once

#include <optional>
#include <string>

#include "cli/output.hpp"
#include "redblue/schedule.hpp"

namespace redblue::cli {

struct Gap {
  double lower = 0;  // words: the strongest bound with nothing assumed
  // Words: the better of the program as written and as scheduled, where any are known.
  std::optional<std::int64_t> upper;
  std::string how;  // of `upper`: a replay with Belady's rule, through a cache (lru), or predicted
  double ratio() const {
    const auto moved = static_cast<double>(*upper);
    return moved == lower ? 1 : moved / lower;
  }
};

// Takes back a prediction below the bound: it cannot be right.
Gap gap_of(const BoundReport& report, TiledSchedule& schedule);
Json to_json(const Gap& gap);
Json to_json(const TiledSchedule& schedule, const Gap& gap);

std::string row(const MemoryTraffic& t);     // "30 = 20 loads + 10 stores"
std::string way(const PredictedTraffic& t);  // how it was found
void print(const Gap& gap);

}  // namespace redblue::cli
