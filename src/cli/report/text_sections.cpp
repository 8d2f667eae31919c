// SPDX-License-Identifier: BSD-3-Clause
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "cli/report/listing.hpp"
#include "cli/report/sections.hpp"
#include "json/bounds.hpp"
#include "page/page.hpp"
#include "redblue/cdag.hpp"

namespace redblue::cli {

using namespace page;

namespace {

std::string paragraph(const std::string& text) {
  return "<p>" + html_text(text) + "</p>\n";
}

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& one : all) text += (text.empty() ? "" : ", ") + one;
  return text;
}

Table traffic_table(const KernelReport& r) {
  const TiledSchedule& t = *r.schedule;
  Table table;
  table.caption = "Words moved with S = " + grouped(r.fast_memory());
  table.head = {"order", "fast memory", "loads", "stores", "words", "times the bound"};
  table.numbers = {2, 3, 4, 5};
  const auto add = [&](const char* order, const std::string& memory, const MemoryTraffic& traffic) {
    table.rows.push_back({order, html_text(memory), grouped(traffic.loads), grouped(traffic.stores),
                          grouped(traffic.moved()),
                          ratio_text(static_cast<double>(traffic.moved()), r.gap.lower)});
  };
  const auto replays = [&](const char* order, const Replays& replayed) {
    if (replayed.belady) add(order, "explicit loads and stores (Belady)", *replayed.belady);
    if (replayed.lru) add(order, "cache (LRU)", *replayed.lru);
    if (replayed.tiles)
      add(order, "tile by tile, " + grouped(replayed.tile_words) + " words at most",
          *replayed.tiles);
  };
  replays("as written", t.own);
  replays("as scheduled", t.tiled);
  if (!t.tiled.lru && t.predicted) {
    add("as scheduled",
        fmt::format("cache (LRU), {}, uncertain by {:.1f} %", way(*t.predicted),
                    std::ceil(1000 * t.predicted->residual) / 10),
        t.predicted->traffic);
  }
  return table;
}

std::vector<std::string> tiles_of(const TiledSchedule& t) {
  std::vector<std::string> items;
  for (const TiledBand& band : t.bands) {
    std::string loops;
    for (const auto& loop : band.loops)
      loops += (loops.empty() ? "" : ", ") + grouped(loop.size) +
               (loops.empty() ? " steps of " : " of ") + loop.steps;
    items.push_back("tiles of " + html_text(joined(band.statements) + ": " + loops));
  }
  if (t.triangles)
    items.push_back(html_text(
        fmt::format("triangle blocks of {}: {} blocks, each of {} of {} pieces of the rows",
                    joined(t.triangles->pairs), t.triangles->pieces, t.triangles->touched,
                    t.triangles->pieces)));
  if (t.late)
    items.push_back(html_text("tiles that wait of " + t.late->array + ", side " +
                              grouped(t.late->side) + ": they run steps " + t.late->step +
                              " when others need their values; copies: " + joined(t.late->copies)));
  if (!t.storage.empty()) items.push_back(html_text("storage of its own: " + joined(t.storage)));
  if (!t.reordered.empty())
    items.push_back(html_text("in any order: " + joined(t.reordered) +
                              "; the same bits, and the bound is of the source's order"));
  return items;
}

// Lines of the file that statements stand on, and which.
std::map<int, std::string> marks_of(const KernelReport& r) {
  std::map<int, std::string> marks;
  for (const StatementInfo& s : r.bounds.statements) {
    if (s.line <= 0) continue;
    std::string& mark = marks[s.line];
    constexpr std::size_t most = 8;
    if (mark.size() >= most) {
      if (!mark.ends_with("..")) mark += "..";
    } else {
      mark += (mark.empty() ? "" : " ") + s.name;
    }
  }
  return marks;
}

Table statements_table(const KernelReport& r) {
  std::map<std::string, double> sizes;
  for (const auto& [name, size] : r.request.sizes) sizes[name] = static_cast<double>(size);
  double all = 0;
  for (const StatementInfo& s : r.bounds.statements) all += s.count.at(sizes);
  Table table;
  table.caption = "Statements: what each instance writes, from what it reads";
  table.head = {"statement", "line", "writes <- reads", "instances", "at these sizes", "share"};
  table.numbers = {1, 4};
  for (const StatementInfo& s : r.bounds.statements) {
    const double count = s.count.at(sizes);
    const double share = all > 0 ? 100 * count / all : 0;
    table.rows.push_back(
        {html_text(s.name), s.line > 0 ? std::to_string(s.line) : "-", html_element("code", s.text),
         html_math(s.count.mathml()) +
             (s.count_holds_for.empty() ? "" : " for " + html_text(s.count_holds_for)),
         grouped(count),
         fmt::format("<span class=\"share\" aria-hidden=\"true\"><span style=\"width:{:.1f}%\">"
                     "</span></span>{:.1f}&#160;%",
                     share, share)});
  }
  return table;
}

// Graphviz's picture without what only a file needs.
std::string graph_of(const KernelReport& r) {
  std::string svg = cdag::drawn(to_dot(*r.graph, r.bounds));
  svg.erase(0, svg.find("<svg"));
  const std::string named = "<svg role=\"img\" aria-label=\"" +
                            html_text("Graph of the statements of " + r.bounds.program +
                                      ": an arrow for each array that carries values from one to "
                                      "another; the table of statements has what each reads") +
                            "\"";
  return named + svg.substr(4);
}

std::vector<std::string> ledger_of(const LowerBound& bound) {
  std::vector<std::string> items;
  for (const Condition& c : bound.ledger) {
    const std::string status = json::status_name(c.status);
    items.push_back("<span class=\"status " + status + "\">" + status + "</span> <span>" +
                    html_text(c.condition) + "</span>");
  }
  return items;
}

std::string ledger_html(const LowerBound& bound) {
  std::string list = html_list(ledger_of(bound));
  if (list.starts_with("<ul>")) list.replace(0, 4, "<ul class=\"ledger\">");
  return list;
}

}  // namespace

std::string schedule_section(const KernelReport& r) {
  if (!r.schedule) return paragraph("No schedule was found: " + r.no_schedule + ".");
  const TiledSchedule& t = *r.schedule;
  const std::vector<std::string> tiles = tiles_of(t);
  std::string html = paragraph(fmt::format(
      "{} instances of statements, in orders that isl proves legal.", grouped(t.vertices)));
  html += t.bands.empty() && !t.triangles && !t.late
              ? paragraph("No tiling that was tried helps at these sizes.")
              : html_list(tiles);
  html += traffic_table(r).html();
  if (!t.tiled.lru && !t.predicted)
    html += paragraph(
        "What the schedule moves through a cache is not known: walks at smaller sizes "
        "and through parts of the order leave it uncertain.");
  return html;
}

std::string code_section(const KernelReport& r) {
  if (!r.schedule) return paragraph("There is none: " + r.no_schedule + ".");
  if (r.schedule->code.empty())
    return paragraph("It cannot be written as C: " + r.schedule->no_code + ".");
  return paragraph("redblue tile writes the same file.") +
         html_code("The schedule as C", listing_html({r.schedule->code}));
}

std::string source_section(const KernelReport& r) {
  std::string html;
  if (r.source.empty()) {
    html += html_code("The einsum", html_text(r.request.einsum));
  } else {
    html += html_code("The source, with its statements",
                      listing_html({r.source, r.request.file.ends_with(".py"), true, marks_of(r)}));
  }
  html += statements_table(r).html();
  if (!r.graph) return html + paragraph("There is no graph of the statements: " + r.no_graph + ".");
  return html + "<h3>Who reads what from whom</h3>\n" +
         html_large_figure(
             "Graph of the statements", graph_of(r),
             "Exact flow dependences between the statements: an arrow's label says "
             "which elements are read. Filled statements are those the bound counts.");
}

std::string conditions_section(const KernelReport& r) {
  std::vector<std::string> outputs, dead;
  std::map<std::pair<bool, std::string>, std::vector<std::string>> groups;
  for (const FinalValues& f : r.bounds.final_values)
    groups[{f.output, f.why}].push_back(f.output ? f.elements : f.array);
  for (const auto& [group, arrays] : groups) {
    (group.first ? outputs : dead)
        .push_back(html_element("code", joined(arrays)) + ": " + html_text(group.second));
  }
  std::string html = "<h3>The strongest proved bound</h3>\n" +
                     paragraph(title(r.best()) + ", " + range_of(r.best().holds_for) + ".") +
                     ledger_html(r.best());
  if (r.bounds.best_assumed != r.bounds.best) {
    const LowerBound& assumed = r.bounds.bounds[r.bounds.best_assumed];
    html += "<h3>The strongest bound with assumptions</h3>\n" +
            paragraph(title(assumed) + ": " + grouped(assumed.value.value_or(0)) +
                      " words, if what is assumed holds.") +
            ledger_html(assumed);
  }
  html += "<h3>Outputs and dead values</h3>\n";
  html += outputs.empty() ? paragraph("No final value must be stored.")
                          : paragraph("Final values that must be stored:") + html_list(outputs);
  if (!dead.empty())
    html += paragraph("Written, but no final value need be stored:") + html_list(dead);
  html += paragraph(std::string("Computed: ") + what_is_computed + ".");
  if (!r.bounds.assume.empty()) {
    html += paragraph("Of the sizes was said:");
    std::vector<std::string> said;
    for (const std::string& condition : r.bounds.assume)
      said.push_back(html_element("code", condition));
    html += html_list(said);
  }
  return html;
}

std::string bounds_section(const KernelReport& r) {
  std::vector<const LowerBound*> sorted;
  for (const LowerBound& b : r.bounds.bounds) sorted.push_back(&b);
  std::stable_sort(sorted.begin(), sorted.end(), [](const LowerBound* a, const LowerBound* b) {
    return a->value.value_or(0) > b->value.value_or(0);
  });
  Table table;
  table.caption = "What each method says at S = " + grouped(r.fast_memory());
  table.head = {"method", "words at least", "leading term", "game", "rests on"};
  table.numbers = {1};
  for (const LowerBound* b : sorted) {
    table.rows.push_back(
        {html_text(b->statement.empty() ? b->method : b->method + " on " + b->statement),
         grouped(b->value.value_or(0)), html_math(b->leading.mathml()),
         b->recomputation ? "values may be computed again" : "each value computed once",
         b->proved() ? "proofs alone" : "assumptions"});
  }
  std::string html = table.html();
  if (r.bounds.gave_up.empty()) return html;
  std::vector<std::string> gave_up;
  for (const GaveUp& g : r.bounds.gave_up)
    gave_up.push_back(
        html_text(g.method + (g.statement.empty() ? "" : " on " + g.statement) + ": " + g.reason));
  return html + paragraph("Methods that gave up where they might have found a bound:") +
         html_list(gave_up);
}

}  // namespace redblue::cli
