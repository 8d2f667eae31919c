// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/by_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "redblue/error.hpp"
#include "redblue/measure.hpp"
#include "redblue/schedule.hpp"

namespace redblue::cli {

namespace {

std::string range(const MemoryRange& piece) {
  const std::string from = grouped(piece.from);
  if (!piece.to) return "S >= " + from;
  return *piece.to == piece.from ? "S = " + from : "S = " + from + " .. " + grouped(*piece.to);
}

// From the first piece on, twice as far as the last change: `number` sizes in equal ratios.
std::vector<std::int64_t> spread(const std::vector<MemoryRange>& pieces, int number) {
  const auto first = static_cast<double>(pieces.front().from);
  const auto change = static_cast<double>(pieces.back().to.value_or(pieces.back().from));
  const double last = std::max(2 * change, 16 * first);
  std::set<std::int64_t> result;
  for (int i = 0; i < number; ++i)
    result.insert(std::llround(first * std::pow(last / first, i / (number - 1.0))));
  return {result.begin(), result.end()};
}

// By Belady's replay, or else through a cache.
std::optional<std::int64_t> moved(const Replays& replays) {
  const auto& traffic = replays.belady ? replays.belady : replays.lru;
  return traffic ? std::optional(traffic->moved()) : std::nullopt;
}

// What schedules move, at each of some memories.
std::vector<ReplayedMemory> replays(const BoundRequest& request,
                                    const std::vector<std::int64_t>& memories) {
  constexpr double millions_of_vertices = 5;
  std::vector<ReplayedMemory> result;
  Progress progress("searching tiled schedules");
  const auto all = static_cast<double>(memories.size());
  for (const std::int64_t s : memories) {
    const auto done = static_cast<double>(result.size());
    ScheduleRequest search;
    search.program = request;
    search.program.sizes["S"] = s;
    search.effort = millions_of_vertices;
    search.progress = [&](const WorkDone& work) {
      progress.show({done + (work.total > 0 ? work.done / work.total : 0), all});
    };
    const TiledSchedule schedule = tiled_schedule(search);
    result.push_back({s, moved(schedule.own), moved(schedule.tiled)});
  }
  return result;
}

// Operations of all instances, or instances where none computes anything.
void count_operations(const BoundRequest& request, const BoundReport& report,
                      MemoryPicture& picture) {
  picture.unit = "operations";
  picture.operations = arithmetic_operations(request);
  if (picture.operations > 0) return;
  picture.unit = "statement instances";
  std::map<std::string, double> sizes;
  for (const auto& [name, size] : request.sizes) sizes[name] = static_cast<double>(size);
  for (const StatementInfo& s : report.statements) picture.operations += s.count.at(sizes);
}

}  // namespace

std::vector<MemoryRange> by_memory(const BoundedProgram& program, const BoundRequest& request) {
  if (request.sizes.count("S") != 0) {
    throw Error("--by-memory with S=" + std::to_string(request.sizes.at("S")), "S is what it is by",
                "give all sizes but S");
  }
  Progress progress("comparing bounds by fast memory");
  return bounds_by_memory(program, request.sizes, request.units, progress.callback());
}

void print(const std::vector<MemoryRange>& pieces) {
  fmt::print("{}\n", bold("by fast memory, nothing assumed"));
  for (const MemoryRange& piece : pieces) {
    const double value = piece.bound.value.value_or(0);
    const std::string to = value == piece.value_to ? "" : " .. " + grouped(piece.value_to);
    fmt::print("  {:<24}  {}   {}   ({}) = {}{} words\n", range(piece),
               piece.bound.expression.text(), range_of(piece.bound.holds_for), title(piece.bound),
               grouped(value), to);
  }
}

MemoryPicture memory_picture(const BoundedProgram& program, const BoundRequest& request,
                             const BoundReport& report, const std::vector<MemoryRange>& pieces) {
  constexpr int places = 32, searched = 6;
  MemoryPicture picture;
  picture.program = report.program;
  count_operations(request, report, picture);
  std::vector<std::int64_t> memories = spread(pieces, places);
  for (const MemoryRange& piece : pieces) memories.push_back(piece.from);
  std::sort(memories.begin(), memories.end());
  memories.erase(std::unique(memories.begin(), memories.end()), memories.end());
  {
    Progress progress("bounds by fast memory");
    picture.curves =
        curves_by_memory(program, request.sizes, memories, request.units, progress.callback());
  }
  try {
    picture.replays = replays(request, spread(pieces, searched));
  } catch (const Error& e) {
    picture.note = "no schedules: " + e.found();
  }
  return picture;
}

void print(const MemoryPicture& picture) {
  fmt::print("{}\n", bold("schedules by fast memory"));
  const auto words = [](const std::optional<std::int64_t>& moved) {
    return moved ? grouped(*moved) : "-";
  };
  if (!picture.note.empty()) fmt::print("  {}\n", picture.note);
  for (const ReplayedMemory& r : picture.replays) {
    fmt::print("  S = {:<20}  as written {}, as scheduled {} words\n", grouped(r.s),
               words(r.as_written), words(r.as_scheduled));
  }
}

Json to_json(const MemoryPicture& picture) {
  Json json = {{"operations", picture.operations}, {"unit", picture.unit}};
  json["curves"] = Json::array();
  for (const MemoryCurve& curve : picture.curves) {
    Json points = Json::array();
    for (const auto& [s, words] : curve.points) points.push_back({s, words});
    json["curves"].push_back({{"method", curve.method.empty() ? "strongest" : curve.method},
                              {"proved", curve.proved},
                              {"points", points}});
  }
  json["schedules"] = Json::array();
  const auto words = [](const std::optional<std::int64_t>& moved) {
    return moved ? Json(*moved) : Json(nullptr);
  };
  for (const ReplayedMemory& r : picture.replays) {
    json["schedules"].push_back(
        {{"S", r.s}, {"as_written", words(r.as_written)}, {"as_scheduled", words(r.as_scheduled)}});
  }
  json["no_schedules"] = picture.note.empty() ? Json(nullptr) : Json(picture.note);
  return json;
}

}  // namespace redblue::cli
