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

}  // namespace

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

std::optional<std::string> below_bound(const std::vector<LevelTraffic>& levels) {
  for (const LevelTraffic& at : levels) {
    const auto below = [&](const std::optional<MemoryTraffic>& traffic) {
      return traffic && static_cast<double>(traffic->moved()) < at.bound;
    };
    if (below(at.original) || below(at.schedule)) return at.name;
  }
  return std::nullopt;
}

}  // namespace redblue::cli
