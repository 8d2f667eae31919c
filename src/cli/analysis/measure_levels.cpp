// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/measure_levels.hpp"

#include <fmt/core.h>

namespace redblue::cli {

namespace {

Json words(const std::optional<MemoryTraffic>& traffic) {
  return traffic ? Json(traffic->moved()) : Json(nullptr);
}

std::string text(const std::optional<MemoryTraffic>& traffic, double bound) {
  if (!traffic) return fmt::format("{:>16} {:>8}", "-", "-");
  const auto moved = static_cast<double>(traffic->moved());
  return fmt::format("{:>16} {:>8}", grouped(traffic->moved()), ratio_text(moved, bound, 2));
}

Json levels_json(const std::vector<LevelTraffic>& levels) {
  Json result = Json::array();
  for (const LevelTraffic& at : levels) {
    Json level = {
        {"name", at.name},
        {"capacity", at.capacity},
        {"words", words(at.schedule)},
        {"loads", at.schedule ? Json(at.schedule->loads) : Json(nullptr)},
        {"stores", at.schedule ? Json(at.schedule->stores) : Json(nullptr)},
        {"original_words", words(at.original)},
        {"original_loads", at.original ? Json(at.original->loads) : Json(nullptr)},
        {"bound", at.bound},
        {"predicted", at.predicted ? Json(at.predicted->traffic.moved()) : Json(nullptr)}};
    if (!at.not_counted.empty()) level["not_counted"] = at.not_counted;
    result.push_back(level);
  }
  return result;
}

Json search_json(const std::optional<OrderSearch>& search) {
  if (!search) return nullptr;
  return {{"seconds", search->seconds},
          {"tried", search->tried},
          {"best_seconds", search->best_seconds},
          {"model_seconds", search->model_seconds},
          {"choice", search->choice},
          {"other_bits", search->other_bits}};
}

// A level where something counted or predicted is less than the bound.
std::optional<std::string> below_bound(const std::vector<LevelTraffic>& levels) {
  for (const LevelTraffic& at : levels) {
    const auto below = [&](const std::optional<MemoryTraffic>& traffic) {
      return traffic && static_cast<double>(traffic->moved()) < at.bound;
    };
    if (below(at.original) || below(at.schedule)) return at.name;
  }
  return std::nullopt;
}

}  // namespace

Json to_json(const Measurement& m) {
  return {
      {"program", m.schedule.program},
      {"changed", m.schedule.changed},
      {"blocks", m.schedule.blocks},
      {"calls", m.schedule.calls},
      {"storage", m.schedule.storage},
      {"reordered", m.schedule.reordered},
      {"compiler", m.compiler},
      {"threads", m.threads},
      {"repetitions", m.repetitions},
      {"original_seconds", m.original_seconds},
      {"schedule_seconds", m.schedule_seconds},
      {"one_thread_seconds", m.one_thread_seconds ? Json(*m.one_thread_seconds) : Json(nullptr)},
      {"tried_seconds", m.tried_seconds ? Json(*m.tried_seconds) : Json(nullptr)},
      {"speedup", m.speedup()},
      {"same_results", m.same_results},
      {"tolerance", m.tolerance ? Json(*m.tolerance) : Json(nullptr)},
      {"rounding_difference",
       m.rounding_difference.empty() ? Json(nullptr) : Json(m.rounding_difference)},
      {"largest_difference", m.largest_difference ? Json(*m.largest_difference) : Json(nullptr)},
      {"operations", m.operations},
      {"compared", search_json(m.compared)},
      {"search", search_json(m.search)},
      {"remembered", m.remembered},
      {"levels", levels_json(m.levels)}};
}

void print_levels(const std::vector<LevelTraffic>& levels) {
  if (levels.empty()) return;
  fmt::print("\n{:<12} {:>12} {:>14} {:>16} {:>8} {:>16} {:>8} {:>16}\n", "words moved", "holds",
             "at least", "as written", "/bound", "as scheduled", "/bound", "predicted");
  for (const LevelTraffic& at : levels) {
    fmt::print("{:<12} {:>12} {:>14} {} {} {:>16}\n", at.name, grouped(at.capacity),
               grouped(at.bound), text(at.original, at.bound), text(at.schedule, at.bound),
               at.predicted ? grouped(at.predicted->traffic.moved()) : "-");
  }
  if (!levels.front().not_counted.empty()) {
    // Where the source was counted, more accesses would tell no more about the schedule.
    fmt::print("Not counted: {}{}.\n", levels.front().not_counted,
               levels.front().original ? "" : " (--walk ACCESSES)");
    return;
  }
  fmt::print(
      "Counted, every access in its turn, for fully associative caches of single words whose "
      "value\n"
      "used longest ago leaves. Copies that the code makes of its operands are not counted.\n");
}

std::string fault_of(const Measurement& m) {
  // A bound of the source's order says nothing about another one of its updates.
  const auto level = below_bound(m.levels);
  if (level && m.schedule.reordered.empty())
    return *level + ": fewer words than the bound: a fault of redblue";
  for (const auto& orders : {m.compared, m.search}) {
    if (orders && !orders->other_bits.empty() && !m.tolerance)
      return orders->other_bits.front() +
             ": other bits than the source: a fault of redblue; not taken";
  }
  return "";
}

std::string results(const Measurement& m) {
  if (!m.same_results) return "DIFFER: " + m.first_difference;
  if (!m.tolerance) return "the same, bit for bit (-ffp-contract=off)";
  return fmt::format(
      "at most {:.1e} apart, of {:.0e} allowed ({})", *m.largest_difference, *m.tolerance,
      m.schedule.calls.empty() ? "sums in any order" : "calls of BLAS round as they like");
}

}  // namespace redblue::cli
