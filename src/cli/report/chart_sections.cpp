// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "cli/report/sections.hpp"
#include "page/page.hpp"

namespace redblue::cli {

using namespace page;

namespace {

PagePicture wide(const std::string& id) {
  return wide_picture(id, 400);
}

PagePicture narrow(const std::string& id) {
  return narrow_picture(id, 330);
}

std::string name_of(const MemoryCurve& curve) {
  return (curve.method.empty() ? "strongest" : curve.method) +
         std::string(curve.proved ? "" : ", assumed");
}

// A row per memory, a column per curve, and what schedules move there.
Table numbers(const MemoryPicture& picture, double operations) {
  const auto shown = [operations](double words) {
    if (words <= 0) return std::string("-");
    return operations > 0 ? short_number(operations / words) : grouped(words);
  };
  Table table;
  table.caption = operations > 0 ? picture.unit + " per word, by the words S of fast memory"
                                 : "Words moved, by the words S of fast memory";
  table.head = {"S"};
  for (const MemoryCurve& curve : picture.curves) table.head.push_back(name_of(curve));
  const std::size_t replays = table.head.size() - 1, timed = replays + 2;
  table.head.insert(table.head.end(), {"as written", "schedule found"});
  if (!picture.timed.empty())
    table.head.insert(table.head.end(), {"as written, cache", "ordered for speed, cache"});
  for (std::size_t c = 0; c < table.head.size(); ++c) table.numbers.insert(c);
  std::map<std::int64_t, std::vector<std::string>> rows;
  for (std::size_t c = 0; c < picture.curves.size(); ++c) {
    for (const auto& [s, words] : picture.curves[c].points) {
      auto& row = rows[s];
      row.resize(table.head.size() - 1);
      row[c] = shown(words);
    }
  }
  for (const ReplayedMemory& r : picture.replays) {
    auto& row = rows[r.s];
    row.resize(table.head.size() - 1);
    if (r.as_written) row[replays] = shown(static_cast<double>(*r.as_written));
    if (r.as_scheduled)
      row[replays + 1] =
          shown(static_cast<double>(*r.as_scheduled)) + (r.predicted ? " (predicted)" : "");
  }
  for (const ReplayedMemory& r : picture.timed) {
    auto& row = rows[r.s];
    row.resize(table.head.size() - 1);
    if (r.as_written) row[timed] = shown(static_cast<double>(*r.as_written));
    if (r.as_scheduled) row[timed + 1] = shown(static_cast<double>(*r.as_scheduled));
  }
  for (auto& [s, row] : rows) {
    row.insert(row.begin(), grouped(s));
    table.rows.push_back(row);
  }
  return table;
}

// Which bound is the strongest for which S.
Table pieces_of(const KernelReport& r) {
  Table table;
  table.caption = "The strongest bound with nothing assumed, by fast memory";
  table.head = {"S", "words at least", "method", "formula"};
  table.numbers = {1};
  for (const MemoryRange& piece : r.pieces) {
    const double value = piece.bound.value.value_or(0);
    table.rows.push_back(
        {grouped(piece.from) + (!piece.to                 ? " and more"
                                : *piece.to == piece.from ? ""
                                                          : " to " + grouped(*piece.to)),
         grouped(value) + (value == piece.value_to ? "" : " to " + grouped(piece.value_to)),
         html_text(title(piece.bound)),
         html_math(piece.bound.expression.mathml()) +
             (piece.bound.holds_for.empty() ? "" : " for " + html_text(piece.bound.holds_for))});
  }
  return table;
}

std::string figure_of(const MemoryPicture& picture, MemoryChart chart, const std::string& id,
                      const std::string& caption) {
  const bool words = chart == MemoryChart::words;
  return html_figure(memory_chart(picture, chart, wide(id)),
                     memory_chart(picture, chart, narrow(id)), caption,
                     numbers(picture, words ? 0 : picture.operations).html());
}

}  // namespace

std::string memory_section(const KernelReport& r) {
  if (r.picture.curves.empty()) return "<p>At these sizes nothing must move.</p>\n";
  const bool predicted = std::any_of(r.picture.replays.begin(), r.picture.replays.end(),
                                     [](const ReplayedMemory& at) { return at.predicted; });
  std::string html = figure_of(
      r.picture, MemoryChart::words, "words",
      std::string("Words moved, against the words S of fast memory; both axes are logarithmic. No "
                  "order of computation reaches the shaded region: its edge is the strongest "
                  "proved bound. Thin lines are what each method proves alone; dashed ones (a star "
                  "in the small picture) rest on assumptions. Points are replays: of the program "
                  "as it is written (hollow), and of the best schedule a short search found "
                  "(filled)") +
          (predicted ? "; where that is too large to walk through, predictions." : ".") +
          (r.picture.timed.empty() ? ""
                                   : " Diamonds are what the codes that were timed move through "
                                     "caches: as written (hollow), ordered for speed (filled)."));
  if (!r.picture.note.empty() && r.schedule)
    html += "<p>" + html_text("There are " + r.picture.note) + ".</p>\n";
  if (r.picture.operations > 0) {
    html += "<h3>" + html_text("Intensity: " + r.picture.unit + " per word") + "</h3>\n" +
            figure_of(r.picture, MemoryChart::intensity, "intensity",
                      "The bounds turned over: " + html_text(r.picture.unit) +
                          " per word moved. A processor that computes faster "
                          "than its memory delivers words needs to be high in this picture, and no "
                          "order gets beyond the edge.");
  }
  if (r.pieces.empty()) return html;
  return html + "<h3>Which bound is the strongest</h3>\n" + pieces_of(r).html();
}

std::string roofline_section(const KernelReport& r) {
  std::string html =
      r.peak > 0
          ? fmt::format(
                "<p>On {}: operations per second (upwards, in units of 10<sup>9</sup>) that one "
                "processor can reach at an intensity, for each cache and what is below it. The "
                "roof ends on the right where the bound ends it. Circles are schedules with a fast "
                "memory of that size, as fast as the roof lets them be: they were not timed.",
                html_text(r.machine))
          : "<p>Operations per second (upwards, in units of 10<sup>9</sup>) for each cache of this "
            "host and what is below it. No order gets beyond the bound on the right; no machine "
            "file says how high the roof is.";
  if (r.measured)
    html +=
        " Diamonds were timed on this host: as written (hollow) and ordered for speed "
        "(filled).";
  html += "</p>\n";
  for (std::size_t l = 0; l < r.rooflines.size(); ++l) {
    const RooflineLevel& level = r.rooflines[l];
    Table table;
    table.caption = "Roofline of " + level.name;
    table.head = {"point", r.picture.unit + " per word", r.picture.unit + " per second"};
    table.numbers = {1, 2};
    if (level.most > 0)
      table.rows.push_back({"at most, proved", short_number(level.most),
                            short_number(level.words_per_second > 0
                                             ? std::min(r.peak, level.most * level.words_per_second)
                                             : r.peak)});
    for (const RooflinePoint& p : level.points)
      table.rows.push_back({html_text(p.name), short_number(p.intensity), short_number(p.rate)});
    const std::string id = fmt::format("roofline{}", l);
    html += "<h3>" + html_text(level.name + ", " + grouped(level.capacity) + " words") + "</h3>\n" +
            html_figure(
                roofline_chart(level, r.peak, wide(id)), roofline_chart(level, r.peak, narrow(id)),
                level.words_per_second > 0
                    ? "The slope is what moves between this cache and what is below it."
                : r.peak > 0 ? "The machine file does not say how fast words come into this cache."
                             : "What was timed, and the end that the bound sets.",
                table.rows.empty() ? "" : table.html());
  }
  return html;
}

}  // namespace redblue::cli
