// SPDX-License-Identifier: BSD-3-Clause
#include "scalapack/page/served_page.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>
#include <vector>

#include "page/numbers.hpp"
#include "page/page.hpp"
#include "page/phases.hpp"
#include "page/words_matrix.hpp"
#include "scalapack/page/calls_chart.hpp"

namespace redblue::scalapack {

using namespace page;

namespace {

using ServedEntry = std::pair<std::pair<std::string, std::string>, ServedCalls>;
using PassedEntry = std::pair<std::pair<std::string, std::string>, PassedCalls>;

constexpr std::size_t most_rows = 300;

std::string whole(std::int64_t number) {
  return grouped(number);
}

std::string plural(std::int64_t number, const std::string& what) {
  return grouped(number) + " " + what + (number == 1 ? "" : "s");
}

struct Sums {
  std::int64_t served = 0, passed = 0;
  double words = 0;              // received by the busiest process of each call
  double judged = 0, bound = 0;  // the same of calls with a bound, and that
  double seconds = 0, passed_seconds = 0;
  comm::PhaseSeconds phases{};
};

Sums sums_of(const History& all) {
  Sums sums;
  for (const auto& [name, calls] : all.served) {
    sums.served += calls.times;
    sums.words += calls.words;
    sums.seconds += calls.seconds;
    if (calls.bound > 0) {
      sums.judged += calls.words;
      sums.bound += calls.bound;
    }
    for (std::size_t p = 0; p < sums.phases.size(); ++p) sums.phases[p] += calls.phases[p];
  }
  for (const auto& [name, calls] : all.passed) {
    sums.passed += calls.times;
    sums.passed_seconds += calls.seconds;
  }
  return sums;
}

std::string lead(const Sums& sums, std::size_t ranks) {
  std::string text = "On " + grouped(static_cast<std::int64_t>(ranks)) +
                     (ranks == 1 ? " process, redblue served " : " processes, redblue served ") +
                     html_element("strong", plural(sums.served, "call")) +
                     " of ScaLAPACK's routines in " + short_seconds(sums.seconds) +
                     " s and passed " + plural(sums.passed, "call") +
                     " on to ScaLAPACK, which took " + short_seconds(sums.passed_seconds) + " s";
  if (sums.bound > 0) {
    text += "; the busiest processes of the calls that were served received " +
            html_element("strong", ratio_text(sums.judged, sums.bound) + " times") +
            " what they must";
  }
  return text + ".";
}

// The kinds of calls that took longest first, at most so many; the number of calls left out.
template <class Calls>
std::vector<std::pair<std::pair<std::string, std::string>, Calls>> longest(
    const std::map<std::pair<std::string, std::string>, Calls>& all, std::int64_t& left_out) {
  std::vector<std::pair<std::pair<std::string, std::string>, Calls>> sorted(all.begin(), all.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second.seconds > b.second.seconds;
  });
  left_out = 0;
  for (std::size_t i = most_rows; i < sorted.size(); ++i) left_out += sorted[i].second.times;
  sorted.resize(std::min(sorted.size(), most_rows));
  return sorted;
}

std::string rest(std::int64_t left_out) {
  return left_out == 0
             ? ""
             : "<p>Left out: " + plural(left_out, "call") + " of kinds that took less time.</p>\n";
}

std::vector<std::string> served_row(const ServedEntry& entry) {
  const ServedCalls& calls = entry.second;
  const auto times = static_cast<double>(calls.times);
  const bool judged = calls.bound > 0;
  return {html_text(entry.first.first),
          "<span class=\"what\">" + html_text(entry.first.second) + "</span>",
          whole(calls.times),
          grouped(calls.words / times),
          judged ? grouped(calls.bound / times) : "-",
          judged ? ratio_text(calls.words, calls.bound) : "-",
          short_seconds(calls.seconds / times),
          short_seconds(calls.seconds),
          grouped(calls.most_bytes)};
}

std::string served_section(const History& all) {
  if (all.served.empty())
    return "<p>No call was served by redblue; the next section says why.</p>\n";
  std::int64_t left_out = 0;
  Table table;
  table.caption = "Calls of one routine, sizes and grid, those that took longest first";
  table.head = {"routine",    "sizes and grid", "calls",    "words, busiest", "bound",
                "over bound", "s of one",       "s of all", "bytes beyond"};
  for (std::size_t c = 2; c < table.head.size(); ++c) table.numbers.insert(c);
  for (const ServedEntry& entry : longest(all.served, left_out))
    table.rows.push_back(served_row(entry));
  return table.html() + rest(left_out) +
         "<p>Words are elements of the matrices. The words of one call are those that its busiest "
         "process received; some process of any execution must receive as "
         "many as the bound says, which is proved. A dash: no "
         "bound is known, as where a call only moves a matrix from one layout to another. Seconds "
         "are of the slowest process, bytes those that one takes beyond the matrices.</p>\n";
}

std::string passed_section(const History& all) {
  if (all.passed.empty()) return "<p>No call was passed on to ScaLAPACK.</p>\n";
  std::int64_t left_out = 0;
  Table table;
  table.caption = "Calls of one routine that went to ScaLAPACK for one reason, longest first";
  table.head = {"routine", "calls", "seconds", "why; of several, the last one's numbers"};
  table.numbers = {1, 2};
  for (const PassedEntry& entry : longest(all.passed, left_out)) {
    table.rows.push_back({html_text(entry.first.first), whole(entry.second.times),
                          short_seconds(entry.second.seconds), html_text(entry.second.why)});
  }
  return table.html() + rest(left_out);
}

Table ranks_table(const ProgramHistory& program) {
  Table table;
  table.caption = "Each process of MPI_COMM_WORLD, in all its calls";
  table.head = {"rank",      "calls served",     "words received",  "words sent",
                "s in them", "of these waiting", "calls passed on", "s in ScaLAPACK"};
  for (std::size_t c = 1; c < table.head.size(); ++c) table.numbers.insert(c);
  constexpr std::size_t most = 256;
  for (std::size_t r = 0; r < std::min(most, program.ranks.size()); ++r) {
    const OwnTotals& own = program.ranks[r];
    double sent = 0;
    for (const auto& [to, words] : own.sent) sent += words;
    const double waiting = own.phases[static_cast<std::size_t>(comm::Phase::wait)];
    table.rows.push_back({std::to_string(r), whole(own.served), grouped(own.received),
                          grouped(sent), short_seconds(own.seconds), short_seconds(waiting),
                          whole(own.passed_on), short_seconds(own.passed_seconds)});
  }
  if (program.ranks.size() > most) table.caption += ": the first " + std::to_string(most);
  return table;
}

std::string matrix_section(const ProgramHistory& program) {
  const std::vector<double>& words = program.matrix.words;
  const std::string ranks = ranks_table(program).html();
  if (std::all_of(words.begin(), words.end(), [](double w) { return w == 0; })) {
    return (program.ranks.size() > program.matrix.ranks
                ? "<p>There are too many processes for a matrix.</p>\n"
                : "<p>No process sent another anything in a call that redblue served.</p>\n") +
           ranks;
  }
  return matrix_figure(program.matrix) +
         "<p>Calls that ScaLAPACK served are not in it: <code>redblue trace</code> counts "
         "those.</p>\n" +
         ranks;
}

std::string phases_section(const Sums& sums) {
  std::vector<std::pair<std::string, double>> phases;
  for (std::size_t p = 0; p < comm::phase_names.size(); ++p)
    phases.emplace_back(comm::phase_names[p], sums.phases[p]);
  return phases_html("Seconds of the mean process in calls that redblue served", phases);
}

std::string chart_section(const ProgramHistory& program) {
  return html_figure(
      calls_chart(program, wide_picture("calls-picture")),
      calls_chart(program, narrow_picture("calls-picture")),
      "When routines were called, and who served them: as the first process of each "
      "grid saw it" +
          (program.all.spans_left_out > 0
               ? "; " + grouped(program.all.spans_left_out) + " later calls are left out"
               : std::string()) +
          ".",
      "");
}

std::string settings_section() {
  Table table;
  table.caption = "Settings of the first process";
  table.head = {"variable", "value"};
  for (const char* name : {"REDBLUE_MEMORY", "REDBLUE_OFF", "REDBLUE_MIN_WORK",
                           "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "LD_PRELOAD"}) {
    const char* value = std::getenv(name);
    table.rows.push_back(
        {html_element("code", name), value == nullptr ? "not set" : html_text(value)});
  }
  return table.html();
}

}  // namespace

std::string served_page(const ProgramHistory& program) {
  const Sums sums = sums_of(program.all);
  const std::string name = program.command.substr(0, program.command.find(' '));
  Page page("ScaLAPACK calls", name.substr(name.rfind('/') + 1), lead(sums, program.ranks.size()));
  page.style(".what { display: inline-block; min-width: 11rem; }\n");
  page.figure(whole(sums.served), "calls served by redblue");
  page.figure(whole(sums.passed), "calls passed on to ScaLAPACK");
  page.figure(grouped(sums.words), "words received by each call's busiest process, added up");
  page.figure(sums.bound > 0 ? ratio_text(sums.judged, sums.bound) : "-",
              "received over bound, calls with a bound");
  page.section("served", "Calls served", served_section(program.all));
  page.section("passed", "Calls passed on, and why", passed_section(program.all));
  if (!program.all.spans.empty()) page.section("calls", "Calls over time", chart_section(program));
  page.section("matrix", "Who sent to whom", matrix_section(program));
  if (sums.served > 0) page.section("phases", "Where the time went", phases_section(sums));
  page.section("settings", "Settings", settings_section());
  page.footer("<p>Made by redblue " REDBLUE_VERSION
              " (REDBLUE_REPORT=html) at MPI_Finalize of <code>" +
              html_text(program.command) + "</code></p>\n");
  return page.html();
}

}  // namespace redblue::scalapack
