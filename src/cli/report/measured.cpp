// SPDX-License-Identifier: BSD-3-Clause
#include "cli/report/measured.hpp"

#include <fmt/core.h>

#include <vector>

#include "cli/analysis/measure_levels.hpp"
#include "page/page.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

using namespace page;

namespace {

std::optional<std::int64_t> moved(const std::optional<MemoryTraffic>& traffic) {
  if (!traffic) return std::nullopt;
  return traffic->moved();
}

std::optional<std::int64_t> moved_for_speed(const Measurement& m, const LevelTraffic& level) {
  return m.schedule.changed ? moved(level.schedule) : std::nullopt;
}

void add_points(const Measurement& m, const LevelTraffic& level, double operations,
                RooflineLevel& roofline) {
  const auto add = [&](const std::optional<std::int64_t>& words, double seconds, const char* name,
                       bool filled) {
    if (!words || *words <= 0 || seconds <= 0 || operations <= 0) return;
    roofline.points.push_back(
        {operations / static_cast<double>(*words), operations / seconds, name, filled, true});
  };
  add(moved(level.original), m.original_seconds, "as written, timed", false);
  add(moved_for_speed(m, level), m.schedule_seconds, "for speed, timed", true);
}

Table times(const KernelReport& r) {
  const Measurement& m = *r.measured;
  Table table;
  table.caption = fmt::format("Timed on this host: medians of {}, taking turns", m.repetitions);
  table.head = {"order", "time", "times as fast", r.picture.unit + " per second"};
  table.numbers = {1, 2, 3};
  const auto add = [&](const char* order, double seconds) {
    table.rows.push_back({order, time_text(seconds),
                          fmt::format("{:.2f}", m.original_seconds / seconds),
                          short_number(r.picture.operations / seconds)});
  };
  add("as written", m.original_seconds);
  if (m.schedule.changed) add("ordered for speed", m.schedule_seconds);
  return table;
}

Table words(const Measurement& m) {
  Table table;
  table.caption =
      "Words that both move through caches that keep the words used last (lines of one word)";
  table.head = {"memory", "holds", "at least, proved", "as written", "/ bound", "ordered for speed",
                "/ bound"};
  table.numbers = {1, 2, 3, 4, 5, 6};
  const auto text = [](const std::optional<std::int64_t>& words) {
    return words ? grouped(*words) : std::string("-");
  };
  const auto ratio = [](const std::optional<std::int64_t>& words, double bound) {
    return words ? ratio_text(static_cast<double>(*words), bound, 2) : std::string("-");
  };
  for (const LevelTraffic& at : m.levels) {
    const auto speed = moved_for_speed(m, at);
    table.rows.push_back({html_text(at.name), grouped(at.capacity), grouped(at.bound),
                          text(moved(at.original)), ratio(moved(at.original), at.bound),
                          text(speed), ratio(speed, at.bound)});
  }
  return table;
}

}  // namespace

void measure_orders(KernelReport& report) {
  if (report.request.file.empty()) {
    report.not_measured = "an einsum is no C that could be compiled";
    return;
  }
  Progress progress("scheduling and timing");
  MeasureRequest request;
  request.code.program = report.request;
  request.search_folder = search_folder();
  request.progress = progress.callback();
  request.levels.push_back({"S", 0, report.fast_memory()});
  std::vector<RooflineLevel*> caches;  // those of which a bound can say something
  for (RooflineLevel& level : report.rooflines) {
    if (level.capacity < report.bounds.least_s) continue;
    caches.push_back(&level);
    request.levels.push_back({level.name, 0, level.capacity});
  }
  try {
    report.measured = measure(request);
  } catch (const Error& e) {
    report.not_measured = e.what();
    return;
  }
  const Measurement& m = *report.measured;
  for (const LevelTraffic& at : m.levels) {
    if (at.original)
      report.picture.timed.push_back(
          {at.capacity, moved(at.original), moved_for_speed(m, at), false});
  }
  for (std::size_t l = 0; l < caches.size(); ++l)
    add_points(m, m.levels[l + 1], report.picture.operations, *caches[l]);
}

std::string measured_section(const KernelReport& r) {
  if (!r.measured) return "<p>" + html_text("Nothing was timed: " + r.not_measured) + "</p>\n";
  const Measurement& m = *r.measured;
  std::string html =
      "<p>The source, and its loops in an order that a model of this host's processor expects to "
      "be fast (<code>redblue measure</code>; another order than the schedule for S above), "
      "compiled with <code>" +
      html_text(m.compiler) + "</code>. ";
  if (m.tried_seconds) {
    html +=
        fmt::format("The order took {}, no gain, and is not taken. ", time_text(*m.tried_seconds));
  } else if (!m.schedule.changed) {
    html += "No order is expected to be faster than the source's own. ";
  } else {
    std::string same = html_text(results(m));
    const std::string option = "-ffp-contract=off";
    const std::size_t at = same.find(option);
    if (at != std::string::npos)
      same.replace(at, option.size(), "<code class=\"whole\">" + option + "</code>");
    html += "Results of both: " + same + ". ";
  }
  if (!m.schedule.reordered.empty())
    html += "Updates run in another order: the bound is of the source's. ";
  html += "</p>\n" + times(r).html() + words(m).html();
  if (r.rooflines.empty())
    html +=
        "<p>This host does not say which caches it has: words are counted for S alone. A machine "
        "file (<code>--machine</code>) names caches.</p>\n";
  if (!m.levels.front().not_counted.empty())
    html += "<p>" + html_text("Not counted: " + m.levels.front().not_counted) + ".</p>\n";
  return html;
}

}  // namespace redblue::cli
