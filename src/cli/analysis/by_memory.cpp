// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/by_memory.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "json/bounds.hpp"
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

// From the first piece on, twice as far as the last change, or as a marked memory: `number` sizes
// in equal ratios.
std::vector<std::int64_t> memories_of(const std::vector<MemoryRange>& pieces, int number,
                                      std::int64_t marked) {
  const auto first = static_cast<double>(pieces.front().from);
  const auto change = static_cast<double>(pieces.back().to.value_or(pieces.back().from));
  const double last = std::max({2 * change, 16 * first, 2 * static_cast<double>(marked)});
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

}  // namespace

ReplayedMemory replayed(std::int64_t s, const TiledSchedule& schedule) {
  ReplayedMemory result{s, moved(schedule.own), moved(schedule.tiled), false};
  // Beyond what is walked through, a prediction; taken back where a bound says it is wrong.
  if (!result.as_scheduled && schedule.predicted) {
    result.as_scheduled = schedule.predicted->traffic.moved();
    result.predicted = true;
  }
  return result;
}

namespace {

// What schedules move, at each of some memories, ascending; `bounds`: the strongest proved bound's
// curve.
std::vector<ReplayedMemory> replays(const BoundRequest& request,
                                    const std::set<std::int64_t>& memories,
                                    const std::map<std::int64_t, double>& bounds, double effort) {
  std::vector<ReplayedMemory> result;
  Progress progress("searching tiled schedules");
  const auto all = static_cast<double>(memories.size());
  for (const std::int64_t s : memories) {
    // With more memory both move no more than before, and no less than the bound.
    const auto least = bounds.find(s);
    if (!result.empty() && least != bounds.end()) {
      ReplayedMemory last = result.back();
      const auto reached = [&](const std::optional<std::int64_t>& moved) {
        return moved && static_cast<double>(*moved) == least->second;
      };
      if (reached(last.as_written) && reached(last.as_scheduled) && !last.predicted) {
        last.s = s;
        result.push_back(last);
        continue;
      }
    }
    const auto done = static_cast<double>(result.size());
    ScheduleRequest search;
    search.program = request;
    search.program.sizes["S"] = s;
    search.effort = effort;
    search.most_on_graph = most_pictured_on_graph;
    search.progress = [&](const WorkDone& work) {
      progress.show({done + (work.total > 0 ? work.done / work.total : 0), all});
    };
    result.push_back(replayed(s, tiled_schedule(search)));
  }
  return result;
}

// Of the strongest proved bound.
std::map<std::int64_t, double> strongest_of(const MemoryPicture& picture) {
  if (picture.curves.empty()) return {};
  const auto& points = picture.curves.front().points;
  return {points.begin(), points.end()};
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

// A prediction below the strongest bound cannot be right.
void take_back_predictions(MemoryPicture& picture) {
  const std::map<std::int64_t, double> bounds = strongest_of(picture);
  for (ReplayedMemory& r : picture.replays) {
    const auto at = bounds.find(r.s);
    if (r.predicted && at != bounds.end() && static_cast<double>(*r.as_scheduled) < at->second) {
      r.as_scheduled.reset();
      r.predicted = false;
    }
  }
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

MemoryPicture memory_curves(const BoundedProgram& program, const BoundRequest& request,
                            const BoundReport& report, const std::vector<std::int64_t>& memories) {
  MemoryPicture picture;
  picture.program = report.program;
  count_operations(request, report, picture);
  Progress progress("bounds by fast memory");
  picture.curves =
      curves_by_memory(program, request.sizes, memories, request.units, progress.callback());
  return picture;
}

MemoryPicture memory_picture(const BoundedProgram& program, const BoundRequest& request,
                             const BoundReport& report, const std::vector<MemoryRange>& pieces,
                             const PictureRequest& wanted) {
  const std::int64_t marked = wanted.marked ? wanted.marked->s : 0;
  std::set<std::int64_t> searched(wanted.more_memories.begin(), wanted.more_memories.end());
  const int others =
      std::max(2, wanted.searched - static_cast<int>(searched.size()) - (wanted.marked ? 1 : 0));
  for (const std::int64_t s : memories_of(pieces, others, marked)) searched.insert(s);
  searched.erase(marked);
  std::set<std::int64_t> memories = searched;
  for (const std::int64_t s : memories_of(pieces, wanted.places, marked)) memories.insert(s);
  for (const MemoryRange& piece : pieces) memories.insert(piece.from);
  if (wanted.marked) memories.insert(marked);
  MemoryPicture picture =
      memory_curves(program, request, report, {memories.begin(), memories.end()});
  if (wanted.marked) picture.marked = marked;
  try {
    picture.replays = replays(request, searched, strongest_of(picture), wanted.effort);
  } catch (const Error& e) {
    picture.note = "no schedules: " + e.found();
  }
  if (wanted.marked) picture.replays.push_back(*wanted.marked);
  std::sort(picture.replays.begin(), picture.replays.end(),
            [](const ReplayedMemory& a, const ReplayedMemory& b) { return a.s < b.s; });
  take_back_predictions(picture);
  return picture;
}

void print(const MemoryPicture& picture) {
  fmt::print("{}\n", bold("schedules by fast memory"));
  const auto words = [](const std::optional<std::int64_t>& moved) {
    return moved ? grouped(*moved) : "-";
  };
  if (!picture.note.empty()) fmt::print("  {}\n", picture.note);
  for (const ReplayedMemory& r : picture.replays) {
    fmt::print("  S = {:<20}  as written {}, as scheduled {} words{}\n", grouped(r.s),
               words(r.as_written), words(r.as_scheduled), r.predicted ? ", predicted" : "");
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
  const auto words = [](const std::optional<std::int64_t>& moved) {
    return moved ? Json(*moved) : Json(nullptr);
  };
  const auto points = [&](const std::vector<ReplayedMemory>& all) {
    Json list = Json::array();
    for (const ReplayedMemory& r : all)
      list.push_back({{"S", r.s},
                      {"as_written", words(r.as_written)},
                      {"as_scheduled", words(r.as_scheduled)},
                      {"predicted", r.predicted}});
    return list;
  };
  json["schedules"] = points(picture.replays);
  if (!picture.timed.empty()) json["timed"] = points(picture.timed);
  json["no_schedules"] = picture.note.empty() ? Json(nullptr) : Json(picture.note);
  return json;
}

}  // namespace redblue::cli
