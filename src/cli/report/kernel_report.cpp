// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/kernel_report.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>

#include "cli/analysis/measure_levels.hpp"
#include "json/bounds.hpp"
#include "json/schedules.hpp"
#include "redblue/error.hpp"
#ifdef REDBLUE_HAS_MODEL
#include "cli/analysis/cache_levels.hpp"
#include "redblue/machine.hpp"
#endif
#include "cli/report/measured.hpp"

namespace redblue::cli {

namespace {

std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void check_sizes(const BoundedProgram& program, const BoundRequest& request) {
  std::vector<std::string> needed = program.parameters();
  needed.emplace_back("S");
  std::string missing;
  for (const std::string& name : needed) {
    if (!request.sizes.contains(name)) missing += (missing.empty() ? "" : ", ") + name;
  }
  if (!missing.empty())
    throw Error("redblue report", "no size for " + missing,
                "give all sizes and S, as in --set N=1000,S=1024");
}

void draw_graph(KernelReport& report, const BoundedProgram& program) {
  const Progress progress("drawing the statements");
  try {
    report.graph = statement_graph(program, report.bounds);
  } catch (const Error& e) {
    report.no_graph = e.what();
  }
}

double value_at(const BoundedProgram& program, BoundRequest request, std::int64_t s) {
  request.sizes["S"] = s;
  const BoundReport at = program.at(request.sizes, request.units);
  return at.bounds[at.best].value.value_or(0);
}

#ifdef REDBLUE_HAS_MODEL
// A level's roofline, with what replays say of schedules at its size: at best as fast as the
// memory and the processor allow.
RooflineLevel roofline_of(const KernelReport& report, const BoundedProgram& program,
                          const CacheLevel& cache, double words_per_second) {
  constexpr std::int64_t word_bytes = 8;
  RooflineLevel level;
  level.name = cache.name;
  level.capacity = cache.bytes / word_bytes;
  level.words_per_second = words_per_second;
  const double operations = report.picture.operations;
  if (level.capacity < report.bounds.least_s) {
    level.no_points = "too small for a statement's operands";
    return level;
  }
  const double bound = value_at(program, report.request, level.capacity);
  level.most = bound > 0 ? operations / bound : 0;
  const auto add = [&](const std::optional<std::int64_t>& moved, const char* name, bool filled) {
    if (!moved || *moved <= 0 || operations <= 0 || report.peak <= 0) return;
    const double intensity = operations / static_cast<double>(*moved);
    const double memory = words_per_second > 0 ? intensity * words_per_second : report.peak;
    level.points.push_back({intensity, std::min(report.peak, memory), name, filled});
  };
  for (const ReplayedMemory& r : report.picture.replays) {
    if (r.s != level.capacity) continue;
    add(r.as_written, "as written", false);
    add(r.as_scheduled, "schedule found", true);
  }
  if (level.points.empty()) level.no_points = "no schedule is known at this size";
  return level;
}
#endif

}  // namespace

void derive_bounds(KernelReport& report, const BoundedProgram& program) {
  check_sizes(program, report.request);
  const Progress progress("deriving bounds");
  report.bounds = program.at(report.request.sizes, report.request.units);
  report.gap.lower = report.best().value.value_or(0);
}

void search_schedule(KernelReport& report, const std::optional<double>& effort) {
  Progress progress("searching a tiled schedule");
  ScheduleRequest search;
  search.program = report.request;
  search.effort = effort;
  search.most_on_graph = most_pictured_on_graph;  // as the points of the picture beside it
  search.progress = progress.callback();
  try {
    report.schedule = tiled_schedule(search);
    report.gap = gap_of(report.bounds, *report.schedule);
  } catch (const Error& e) {
    report.no_schedule = e.what();
  }
}

KernelReport kernel_report(const KernelReportRequest& asked) {
  KernelReport report;
  report.request = asked.program;
#ifdef REDBLUE_HAS_MODEL
  Caches caches;
  if (!asked.machine.empty() || asked.measure) caches = caches_of(asked.machine);
  caches.roof.words_per_second.resize(caches.levels.size());
  if (!asked.machine.empty()) {
    report.machine = read_machine(asked.machine).name;
    report.peak = caches.roof.operations_per_second;
  }
#endif
  const BoundedProgram program(asked.program);
  derive_bounds(report, program);
  if (!asked.program.file.empty()) report.source = text_of(asked.program.file);
  search_schedule(report, asked.effort);
  draw_graph(report, program);
  BoundRequest over_s = asked.program;
  over_s.sizes.erase("S");
  report.pieces = by_memory(program, over_s);
  // Fewer searches than for a picture alone, each longer: as much work together.
  PictureRequest picture;
  picture.searched = 4;
  picture.places = 20;
  constexpr double million_vertices = 10;
  picture.effort = std::min(million_vertices, asked.effort.value_or(million_vertices));
  const std::int64_t s = report.fast_memory();
  picture.marked = report.schedule ? replayed(s, *report.schedule)
                                   : ReplayedMemory{s, std::nullopt, std::nullopt, false};
#ifdef REDBLUE_HAS_MODEL
  for (const CacheLevel& cache : caches.levels) {
    constexpr std::int64_t word_bytes = 8;
    if (cache.bytes / word_bytes >= report.bounds.least_s)
      picture.more_memories.push_back(cache.bytes / word_bytes);
  }
#endif
  report.picture = memory_picture(program, over_s, report.bounds, report.pieces, picture);
#ifdef REDBLUE_HAS_MODEL
  for (std::size_t l = 0; l < caches.levels.size(); ++l) {
    report.rooflines.push_back(
        roofline_of(report, program, caches.levels[l], caches.roof.words_per_second[l]));
  }
#endif
  if (asked.measure) measure_orders(report);
  return report;
}

Json to_json(const KernelReport& report) {
  Json json = json::to_json(report.bounds);
  json["S"] = report.fast_memory();
  json["sizes"] = report.request.sizes;
  json["by_memory"] = Json::array();
  for (const MemoryRange& piece : report.pieces) json["by_memory"].push_back(json::to_json(piece));
  json["plot"] = to_json(report.picture);
  json["schedule"] = report.schedule ? json::to_json(*report.schedule, report.gap) : Json(nullptr);
  json["no_schedule"] = report.schedule ? Json(nullptr) : Json(report.no_schedule);
  json["gap"] = json::to_json(report.gap);
  json["graph"] = report.graph ? json::to_json(*report.graph, report.bounds) : Json(nullptr);
  json["explanation"] = explanation(report.bounds, report.best(), Markup::none);
  json["machine"] = report.machine.empty() ? Json(nullptr) : Json(report.machine);
  json["measured"] = report.measured ? to_json(*report.measured) : Json(nullptr);
  if (!report.not_measured.empty()) json["not_measured"] = report.not_measured;
  json["rooflines"] = Json::array();
  for (const RooflineLevel& level : report.rooflines) {
    Json points = Json::array();
    for (const RooflinePoint& p : level.points)
      points.push_back({{"name", p.name},
                        {"timed", p.timed},
                        {"operations_per_word", p.intensity},
                        {"operations_per_second", p.rate}});
    json["rooflines"].push_back(
        {{"level", level.name},
         {"words", level.capacity},
         {"operations_per_word_at_most", level.most > 0 ? Json(level.most) : Json(nullptr)},
         {"words_per_second",
          level.words_per_second > 0 ? Json(level.words_per_second) : Json(nullptr)},
         {"points", points}});
  }
  return json;
}

}  // namespace redblue::cli
