// SPDX-License-Identifier: BSD-3-Clause
// The picture that `redblue bound --by-memory --plot` draws.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"

namespace redblue::cli {

// What schedules move with S words.
struct ReplayedMemory {
  std::int64_t s = 1;
  std::optional<std::int64_t> as_written, as_scheduled;
};

struct MemoryPicture {
  std::string program;
  double operations = 0;  // of all instances
  std::string unit;       // what they are: "operations"
  std::vector<MemoryCurve> curves;
  std::vector<ReplayedMemory> replays;
  std::string note;  // below the picture: why there are no replays; or empty
};

// An SVG with two frames over log S: words that bounds need and schedules move; operations per
// word, where a bound is the most that any order reaches. Beside them what each line is.
std::string memory_plot(const MemoryPicture& picture);

}  // namespace redblue::cli
