// SPDX-License-Identifier: BSD-3-Clause
// Words moved, and operations per word, by the size of the fast memory: the picture that `redblue
// bound --by-memory --plot` draws, and the charts of a page.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "page/svg.hpp"
#include "redblue/analysis.hpp"

namespace redblue::cli {

// What schedules move with S words.
struct ReplayedMemory {
  std::int64_t s = 1;
  std::optional<std::int64_t> as_written, as_scheduled;
  bool predicted = false;  // as_scheduled is
};

struct MemoryPicture {
  std::string program;
  double operations = 0;            // of all instances
  std::string unit;                 // what they are: "operations"
  std::vector<MemoryCurve> curves;  // the strongest proved one first
  std::vector<ReplayedMemory> replays;
  std::vector<ReplayedMemory> timed;   // what codes that were timed move through caches
  std::string note;                    // why there are no replays; or empty
  std::optional<std::int64_t> marked;  // a memory to be marked
};

// Words that bounds need and schedules move; operations per word, where a bound is the most that
// any order reaches.
enum class MemoryChart { words, intensity };

// An SVG with both charts over log S, the second where there are operations. What no schedule
// reaches is shaded; a line per method, which its end names.
std::string memory_plot(const MemoryPicture& picture);

// One chart for a page; `place` says how large it is, its title and description are the chart's.
std::string memory_chart(const MemoryPicture& picture, MemoryChart chart, page::PagePicture place);

}  // namespace redblue::cli
