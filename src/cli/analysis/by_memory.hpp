// SPDX-License-Identifier: BSD-3-Clause
// What bound --by-memory prints and draws.
#pragma once

#include <vector>

#include "cli/analysis/memory_plot.hpp"
#include "cli/output.hpp"
#include "redblue/analysis.hpp"
#include "redblue/schedule.hpp"

namespace redblue::cli {

// Shared with the report of one S.
std::string title(const LowerBound& bound);
std::string range_of(const std::string& holds_for);

// The strongest bound by size of the fast memory. Throws Error where S is given.
std::vector<MemoryRange> by_memory(const BoundedProgram& program, const BoundRequest& request);
void print(const std::vector<MemoryRange>& pieces);

// Curves alone, at these memories.
MemoryPicture memory_curves(const BoundedProgram& program, const BoundRequest& request,
                            const BoundReport& report, const std::vector<std::int64_t>& memories);

// What a search at S words found.
ReplayedMemory replayed(std::int64_t s, const TiledSchedule& schedule);

// Instances on whose graph a picture's schedules are searched: at one S after another, which takes
// half a minute each where a graph has ten million. Beyond, they are streamed through a cache.
constexpr std::int64_t most_pictured_on_graph = 4'000'000;

// What a picture has besides.
struct PictureRequest {
  std::optional<ReplayedMemory> marked;  // a memory whose schedules are known, and is marked
  std::vector<std::int64_t> more_memories = {};  // where schedules are searched, too
  int searched = 6;                              // memories that have points, all together
  int places = 32;                               // of the curves, and where bounds change
  double effort = 5;                             // of a search at one of them: millions of vertices
};

// Curves at some 30 memories between the ends of `pieces`, and what schedules move at some of
// them: a shorter search than that of tile.
MemoryPicture memory_picture(const BoundedProgram& program, const BoundRequest& request,
                             const BoundReport& report, const std::vector<MemoryRange>& pieces,
                             const PictureRequest& wanted = {});
void print(const MemoryPicture& picture);
Json to_json(const MemoryPicture& picture);

}  // namespace redblue::cli
