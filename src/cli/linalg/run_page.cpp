// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/run_page.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "cli/new_file.hpp"
#include "cli/plots/timeline_plot.hpp"
#include "comm/communicator.hpp"
#include "page/page.hpp"
#include "page/phases.hpp"
#include "page/words_matrix.hpp"
#include "redblue/error.hpp"
#include "task_graph/timeline.hpp"

namespace redblue::cli {

using namespace page;

using task_graph::Action;
using task_graph::Execution;

namespace {

std::string strong(const std::string& text) {
  return html_element("strong", text);
}

std::string lead(const RunFacts& f) {
  const auto received = static_cast<double>(f.received);
  const int ranks = f.efficiency.ranks;
  std::string text =
      html_text(f.title) + fmt::format(" on {} rank{}: ", ranks, ranks == 1 ? "" : "s");
  if (f.bound > 0) {
    text += "the busiest rank received " + strong(grouped(f.received) + " words") + ", " +
            strong(ratio_text(received, f.bound) + " times") +
            " what the busiest rank of any "
            "execution must receive";
  } else {
    text += "the busiest rank received " + strong(grouped(f.received) + " words") +
            ", and none are proved necessary";
  }
  return text + fmt::format("; it took {}, {:.2g}&#160;% of the ranks' peak.",
                            time_text(f.efficiency.time.seconds), f.efficiency.percent_of_peak());
}

std::string facts_section(const RunFacts& f) {
  Table table;
  table.caption = f.seconds.size() == 1
                      ? "One execution"
                      : "The fastest of " + std::to_string(f.seconds.size()) + " executions";
  table.head = {"quantity", "value"};
  table.numbers = {1};
  const auto add = [&table](const std::string& what, const std::string& value) {
    table.rows.push_back({html_text(what), html_text(value)});
  };
  add("words received, busiest rank", grouped(f.received));
  add("lower bound of that, proved", grouped(f.bound));
  add("received over bound", ratio_text(static_cast<double>(f.received), f.bound));
  add("words received, mean of the ranks", grouped(f.mean_received));
  if (f.redistributed > 0)
    add("words more from the caller's layout and back, busiest rank", grouped(f.redistributed));
  add("messages received, busiest rank", grouped(f.messages));
  add("words of memory, busiest rank", grouped(f.memory));
  add("GFLOP/s", fmt::format("{:.2f}", 1e-9 * f.efficiency.flops / f.efficiency.time.seconds));
  add("the ranks' peak, GFLOP/s", fmt::format("{:.2f}", 1e-9 * f.efficiency.peak));
  add("result", f.residual);
  return "<p>The plan: " + html_text(f.decomposition) + ".</p>\n" + table.html();
}

std::string percent(double part) {
  return fmt::format("{:.3g} %", 100 * part);
}

std::string mue_text(const Efficiency& e) {
  const Json mue = e.mue();
  return mue.is_null() ? "-" : percent(mue.get<double>());
}

// MUE is how much of what moved had to, times how much of the network that used.
std::string efficiency_section(const RunFacts& f) {
  const Efficiency& e = f.efficiency;
  if (e.words == 0) return "<p>Nothing was sent, so there is no network's part to speak of.</p>\n";
  Table table;
  table.caption = "Memory usage efficiency and the roofline of the network";
  table.head = {"quantity", "value", "which is"};
  table.numbers = {1};
  table.rows = {
      {"MUE", mue_text(e), "the product of the two below"},
      {"Q/D", percent(e.transfer_efficiency()),
       "words that had to be received, over words that were, redistribution included"},
      {"B/B&#770;", percent(e.bandwidth_efficiency()),
       html_text(fmt::format("bytes received per second, over what machine {} says its network "
                             "carries",
                             f.machine.name))},
      {"operations per word", short_number(e.flops_per_word()), "of a rank, per word it received"},
      {"balance", short_number(e.balanced_flops_per_word()),
       e.flops_per_word() < e.balanced_flops_per_word()
           ? "from here on the network keeps pace: this execution is bound by the network"
           : "from here on the network keeps pace: this execution is bound by the processors"}};
  return table.html();
}

std::string phases_section(const RunFacts& f) {
  std::vector<std::pair<std::string, double>> phases;
  for (std::size_t p = 0; p < comm::phase_names.size(); ++p)
    phases.emplace_back(comm::phase_names[p], f.efficiency.time.phases[p]);
  return phases_html("Seconds of the rank that took longest", phases);
}

struct OfRank {
  double sent = 0, received = 0, computing = 0, waiting = 0;
  std::int64_t messages = 0;
};

std::vector<OfRank> by_rank(const Execution& execution) {
  std::vector<OfRank> result(execution.ranks.size());
  for (std::size_t r = 0; r < result.size(); ++r) {
    OfRank& rank = result[r];
    for (const Action& a : execution.ranks[r].actions) {
      if (a.kind == Action::Kind::send) {
        const auto words = static_cast<double>(a.words);
        rank.sent += words;
        result[static_cast<std::size_t>(a.peer)].received += words;
        ++result[static_cast<std::size_t>(a.peer)].messages;
      }
      if (a.kind == Action::Kind::compute) rank.computing += a.end - a.begin;
      if (a.kind == Action::Kind::wait || a.kind == Action::Kind::collective)
        rank.waiting += a.end - a.begin;
    }
  }
  return result;
}

Table ranks_table(const RunFacts& f, const Execution& execution) {
  Table table;
  table.caption = "Each rank, redistribution included; the bound is of the busiest without it";
  table.head = {"rank",     "words received", "over bound", "words sent",
                "messages", "computing, s",   "waiting, s"};
  for (std::size_t c = 1; c < table.head.size(); ++c) table.numbers.insert(c);
  const std::vector<OfRank> ranks = by_rank(execution);
  constexpr std::size_t most = 256;
  for (std::size_t r = 0; r < std::min(most, ranks.size()); ++r) {
    const OfRank& rank = ranks[r];
    table.rows.push_back({std::to_string(r), grouped(rank.received),
                          ratio_text(rank.received, f.bound), grouped(rank.sent),
                          grouped(rank.messages), fmt::format("{:.3g}", rank.computing),
                          fmt::format("{:.3g}", rank.waiting)});
  }
  if (ranks.size() > most) table.caption += fmt::format(": the first {}", most);
  return table;
}

// Of the messages that were sent. Collectives (barriers) move no words.
WordsMatrix words_matrix(const Execution& execution) {
  WordsMatrix matrix;
  matrix.ranks = execution.ranks.size();
  matrix.words.resize(matrix.ranks * matrix.ranks);
  for (std::size_t from = 0; from < matrix.ranks; ++from) {
    for (const Action& a : execution.ranks[from].actions) {
      if (a.kind == Action::Kind::send)
        matrix.words[from * matrix.ranks + static_cast<std::size_t>(a.peer)] +=
            static_cast<double>(a.words);
    }
  }
  return matrix;
}

std::string matrix_section(const RunFacts& f, const Execution& execution) {
  const WordsMatrix matrix = words_matrix(execution);
  if (std::all_of(matrix.words.begin(), matrix.words.end(), [](double w) { return w == 0; }))
    return "<p>No rank sent another anything.</p>\n" + ranks_table(f, execution).html();
  return matrix_figure(matrix) + ranks_table(f, execution).html();
}

std::string waiting_table(const Execution& execution) {
  const auto waits =
      task_graph::added_up(task_graph::measured_waiting(execution, task_graph::matched(execution)));
  if (waits.empty()) return "";
  constexpr std::size_t most = 12;
  Table table;
  table.caption = "Who waited for whom, longest first";
  table.head = {"rank", "waited for rank", "seconds"};
  table.numbers = {1, 2};
  for (std::size_t w = 0; w < std::min(most, waits.size()); ++w)
    table.rows.push_back({std::to_string(waits[w].rank), std::to_string(waits[w].peer),
                          fmt::format("{:.3g}", waits[w].seconds)});
  return table.html();
}

std::string timeline_section(const RunFacts& f, const Execution& execution) {
  Machine machine = f.machine;
  if (execution.flops_per_second > 0) machine.flops_per_second = execution.flops_per_second;
  const task_graph::Timeline timeline = task_graph::timeline(execution, machine);
  return html_figure(
             timeline_chart(execution, timeline, wide_picture("timeline-picture")),
             timeline_chart(execution, timeline, narrow_picture("timeline-picture")),
             html_text(fmt::format(
                 "Thick bars: what a model of machine {} makes of the same messages and "
                 "computations, {:.3g} s in all, with its critical path; thin bars: as measured, "
                 "{:.3g} s.",
                 machine.name, timeline.seconds, execution.seconds)),
             "") +
         waiting_table(execution);
}

}  // namespace

std::string run_page(const RunFacts& f, const Execution& execution) {
  Page page("Execution", f.title, lead(f));
  page.figure(grouped(f.received), "words received, busiest rank");
  page.figure(grouped(f.bound), "words at least, proved");
  page.figure(ratio_text(static_cast<double>(f.received), f.bound), "received over bound");
  page.figure(mue_text(f.efficiency), "MUE");
  page.section("moved", "What moved", facts_section(f));
  page.section("matrix", "Who sent to whom", matrix_section(f, execution));
  page.section("phases", "Where the time went", phases_section(f));
  page.section("timeline", "Timeline", timeline_section(f, execution));
  page.section("efficiency", "MUE and roofline", efficiency_section(f));
  page.footer("<p>Made by redblue " REDBLUE_VERSION " from " + html_text(execution.command) +
              "</p>\n");
  return page.html();
}

void write_run_page(const std::string& path, const RunFacts& facts,
                    const std::optional<Execution>& recorded) {
  if (path.empty()) return;
  comm::Communicator world(MPI_COMM_WORLD);
  bool written = true;
  if (recorded) {
    try {
      NewFile("--report", path).write(run_page(facts, *recorded));
    } catch (const Error&) {
      written = false;
    }
  }
  if (!world.all(written))
    throw Error("--report " + path, "it cannot be written", "give a path with room");
}

}  // namespace redblue::cli
