// SPDX-License-Identifier: BSD-3-Clause
// The page of a program: what is proved, what schedules reach, and why.
#include <fmt/core.h>

#include <algorithm>

#include "cli/report/kernel_report.hpp"
#include "cli/report/measured.hpp"
#include "cli/report/sections.hpp"
#include "page/page.hpp"

namespace redblue::cli {

using namespace page;

namespace {

std::string strong(const std::string& text) {
  return html_element("strong", text);
}

// "its best known schedule moves 1.02 times that"
std::string schedule_sentence(const KernelReport& r) {
  if (!r.schedule && r.no_schedule.empty()) return "a schedule has not been searched for";
  if (!r.gap.upper) return "no schedule is known at these sizes";
  const bool predicted = r.gap.how == "predicted";
  const std::string moves = predicted ? "is predicted to move " : "moves ";
  const std::string how = r.gap.how == "belady" ? "" : " through a cache";
  if (*r.gap.upper == 0) return "its best known schedule moves none";
  if (r.gap.lower <= 0) return "its best known schedule " + moves + grouped(*r.gap.upper) + how;
  if (r.gap.ratio() < 1.0005) return "its best known schedule moves no more" + how;
  const double ratio = r.gap.ratio();
  return "its best known schedule " + moves +
         strong(ratio < 10 ? fmt::format("{:.3f} times", ratio) : short_number(ratio) + " times") +
         " that" + how;
}

std::string lead(const KernelReport& r) {
  const double bound = r.best().value.value_or(0);
  return html_text(r.bounds.program) + " moves at least " + strong(grouped(bound) + " words") +
         " between slow memory and a fast memory of S&#160;=&#160;" + grouped(r.fast_memory()) +
         " words, in whatever order it computes" +
         (r.best().recomputation ? "" : " each value once") + "; " + schedule_sentence(r) + ".";
}

void add_figures(Page& page, const KernelReport& r) {
  const double bound = r.best().value.value_or(0);
  page.figure(grouped(bound), "words at least, proved");
  if (r.gap.upper) page.figure(grouped(*r.gap.upper), "words of the best known schedule");
  if (r.schedule && r.schedule->own.lru)
    page.figure(grouped(r.schedule->own.belady ? r.schedule->own.belady->moved()
                                               : r.schedule->own.lru->moved()),
                "words as written");
  if (bound > 0 && r.picture.operations > 0)
    page.figure(short_number(r.picture.operations / bound),
                r.picture.unit + " per word at most, proved");
}

std::string sizes_sentence(const KernelReport& r) {
  std::string text;
  for (const auto& [name, size] : r.request.sizes)
    text += (text.empty() ? "" : ", ") + html_element("code", name) + " = " + grouped(size);
  return "<p>Here " + text +
         ". A word is one element of an array; loads and stores count one each. " +
         (r.best().recomputation ? "The bound holds also where values are computed again."
                                 : "The bound is for orders that compute each value once.") +
         "</p>\n";
}

std::string derivation(const KernelReport& r) {
  std::string html = explanation(r.bounds, r.best(), Markup::html);
  if (r.bounds.best_assumed != r.bounds.best) {
    html += "<details>\n<summary>A stronger bound that rests on assumptions</summary>\n" +
            explanation(r.bounds, r.bounds.bounds[r.bounds.best_assumed], Markup::html) +
            "</details>\n";
  }
  return html;
}

}  // namespace

Page kernel_page(const KernelReport& r) {
  Page page("Data movement", r.bounds.program, lead(r));
  add_figures(page, r);
  page.section("memory", "Words against fast memory", sizes_sentence(r) + memory_section(r));
  page.section("schedule", "Schedules", schedule_section(r));
  if (!r.rooflines.empty()) page.section("roofline", "Roofline", roofline_section(r));
  if (r.measured || !r.not_measured.empty()) page.section("measured", "Timed", measured_section(r));
  page.section("source", "Source and statements", source_section(r));
  page.section("derivation", "How the bound is derived", derivation(r));
  page.section("conditions", "Conditions", conditions_section(r));
  page.section("bounds", "Every bound", bounds_section(r));
  page.section("code", "The schedule as C", code_section(r));
  return page;
}

}  // namespace redblue::cli
