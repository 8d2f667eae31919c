// SPDX-License-Identifier: BSD-3-Clause
// Lower against upper bound, as tile and bound --gap show it.
#pragma once

#include "cli/output.hpp"
#include "redblue/schedule.hpp"

namespace redblue::cli {

struct Gap {
  double lower = 0;        // words: the strongest bound with nothing assumed
  std::int64_t upper = 0;  // words: the better of the program as written and as scheduled
  bool streamed = false;   // `upper`: through a cache (LRU), without a graph; else Belady's replay
  double ratio() const {
    const auto moved = static_cast<double>(upper);
    return moved == lower ? 1 : moved / lower;
  }
};

Gap gap_of(const BoundReport& report, const TiledSchedule& schedule);
Json to_json(const Gap& gap);
void print(const Gap& gap);

}  // namespace redblue::cli
