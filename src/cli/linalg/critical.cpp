// SPDX-License-Identifier: BSD-3-Clause
// redblue critical: what an execution waits for, on the machine it ran on or any other.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "cli/commands.hpp"
#include "cli/linalg/factor_options.hpp"
#include "cli/linalg/gemm_options.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "cli/plots/timeline_plot.hpp"
#include "redblue/error.hpp"
#include "redblue/gemm_model.hpp"
#include "redblue/machine.hpp"
#include "task_graph/plans.hpp"
#include "task_graph/recording_file.hpp"
#include "task_graph/timeline.hpp"

namespace redblue::cli {

using task_graph::Costs;
using task_graph::Execution;
using task_graph::Piece;
using task_graph::Timeline;
using task_graph::Waiting;

namespace {

struct Options {
  std::string file, machine, svg, ranks;
  GemmOptionTexts gemm;      // of a plan of gemm
  FactorOptionTexts kernel;  // of any other plan
  bool json = false;
};

// What is known of an execution on a machine.
struct Analysis {
  Execution execution;
  Machine machine;
  Timeline timeline;
  task_graph::LongestPath apart;  // where nothing overlaps
  std::vector<Waiting> measured;
};

Analysis analysed(Execution execution, const Machine& machine) {
  Analysis a{std::move(execution), machine, {}, {}, {}};
  a.timeline = task_graph::timeline(a.execution, machine);
  a.apart = task_graph::longest_path(task_graph::schedule_of(a.execution, a.timeline.order),
                                     task_graph::prices(machine));
  if (a.execution.seconds > 0) {
    a.measured = task_graph::measured_waiting(a.execution, task_graph::matched(a.execution));
  }
  return a;
}

// Pieces of one rank's computation that follow each other are one.
std::vector<Piece> joined(const std::vector<Piece>& path) {
  std::vector<Piece> result;
  for (const Piece& p : path) {
    if (!result.empty() && p.kind == Piece::Kind::compute &&
        result.back().kind == Piece::Kind::compute && result.back().rank == p.rank) {
      result.back().end = p.end;
      result.back().costs += p.costs;
    } else {
      result.push_back(p);
    }
  }
  return result;
}

const char* name_of(Piece::Kind kind) {
  switch (kind) {
    case Piece::Kind::compute:
      return "compute";
    case Piece::Kind::message:
      return "message";
    case Piece::Kind::wait:
      return "wait";
    case Piece::Kind::collective:
      return "collective";
  }
  return "";
}

double seconds_of(const std::vector<Piece>& path, Piece::Kind kind) {
  double seconds = 0;
  for (const Piece& p : path) {
    if (p.kind == kind) seconds += p.end - p.begin;
  }
  return seconds;
}

// Who waited for whom: predicted and measured seconds, longest first.
struct WaitingRow {
  int rank, peer;
  double predicted = 0, measured = 0;
};

std::vector<WaitingRow> waiting_table(const Analysis& a) {
  std::map<std::pair<int, int>, WaitingRow> rows;
  const auto row = [&rows](const Waiting& w) -> WaitingRow& {
    return rows.emplace(std::pair(w.rank, w.peer), WaitingRow{w.rank, w.peer}).first->second;
  };
  for (const Waiting& w : a.timeline.waiting) row(w).predicted += w.seconds;
  for (const Waiting& w : a.measured) row(w).measured += w.seconds;
  std::vector<WaitingRow> table;
  for (const auto& [pair, r] : rows) table.push_back(r);
  std::stable_sort(table.begin(), table.end(), [](const WaitingRow& x, const WaitingRow& y) {
    return std::max(x.predicted, x.measured) > std::max(y.predicted, y.measured);
  });
  return table;
}

Json to_json(const Costs& c) {
  return {
      {"S", c.synchronisations}, {"W", c.words}, {"F", c.flops}, {"memory_words", c.memory_words}};
}

Json to_json(const Analysis& a) {
  const bool ran = a.execution.seconds > 0;
  const std::vector<Piece> path = joined(a.timeline.path);
  Json json = {{"command", a.execution.command},
               {"ranks", a.execution.ranks.size()},
               {"machine", a.machine.name}};
  json.update(to_json(a.timeline.costs));
  json["seconds"] = a.timeline.seconds;
  json["measured_seconds"] = ran ? Json(a.execution.seconds) : Json(nullptr);
  json["computing_seconds"] = seconds_of(path, Piece::Kind::compute);
  json["message_seconds"] = seconds_of(path, Piece::Kind::message);
  json["collective_seconds"] = seconds_of(path, Piece::Kind::collective);
  json["turn_seconds"] = seconds_of(path, Piece::Kind::wait);
  json["without_overlap"] = to_json(a.apart.costs);
  json["without_overlap"]["seconds"] = a.apart.seconds;
  json["path"] = Json::array();
  for (const Piece& p : path) {
    Json piece = {{"kind", name_of(p.kind)}, {"rank", p.rank}};
    if (p.peer >= 0) piece["peer"] = p.peer;
    piece["begin"] = p.begin;
    piece["end"] = p.end;
    piece.update(to_json(p.costs));
    json["path"].push_back(piece);
  }
  json["waiting"] = Json::array();
  for (const WaitingRow& r : waiting_table(a)) {
    json["waiting"].push_back({{"rank", r.rank},
                               {"peer", r.peer},
                               {"seconds", r.predicted},
                               {"measured_seconds", ran ? Json(r.measured) : Json(nullptr)}});
  }
  return json;
}

std::string text_of(const Costs& c) {
  return fmt::format("S = {}, W = {}, F = {:.4g}, W^ = {}", grouped(c.synchronisations),
                     grouped(c.words), c.flops, grouped(c.memory_words));
}

void print_waiting(const Analysis& a) {
  const std::vector<WaitingRow> table = waiting_table(a);
  if (table.empty()) return;
  constexpr std::size_t most = 12;
  const bool ran = a.execution.seconds > 0;
  fmt::print("  {:>6} waits for {:>6} {:>14}{}\n", "rank", "rank", "predicted s",
             ran ? fmt::format(" {:>14}", "measured s") : "");
  for (std::size_t i = 0; i < std::min(most, table.size()); ++i) {
    fmt::print("  {:>6} {:>16} {:>14.4g}{}\n", table[i].rank, table[i].peer, table[i].predicted,
               ran ? fmt::format(" {:>14.4g}", table[i].measured) : "");
  }
  if (table.size() > most) fmt::print("  and {} pairs that wait less\n", table.size() - most);
}

void print(const Analysis& a) {
  fmt::print("{}\n", bold(a.execution.command));
  const Timeline& t = a.timeline;
  const double whole = std::max(t.seconds, 1e-300);
  const auto percent = [&](Piece::Kind kind) { return 100 * seconds_of(t.path, kind) / whole; };
  fmt::print("  predicted      {:.4g} s on machine {}{}\n", t.seconds, a.machine.name,
             a.execution.seconds > 0
                 ? fmt::format("; it took {:.4g} s where it was recorded", a.execution.seconds)
                 : "");
  fmt::print("  critical path  {}\n", text_of(t.costs));
  fmt::print("  of its time    {:.0f} % computing, {:.0f} % messages, {:.0f} % collectives\n",
             percent(Piece::Kind::compute), percent(Piece::Kind::message),
             percent(Piece::Kind::collective));
  fmt::print("  where nothing overlaps: {:.4g} s, {}\n", a.apart.seconds, text_of(a.apart.costs));
  print_waiting(a);
}

int report(Execution execution, const Machine& machine, const Options& options) {
  const Analysis a = analysed(std::move(execution), machine);
  if (!options.svg.empty()) {
    write_file(options.svg, timeline_plot(a.execution.command, a.execution, a.timeline));
  }
  if (options.json) {
    print_json(to_json(a));
  } else {
    print(a);
  }
  return 0;
}

int analyse_file(const Options& options) {
  if (options.file.empty()) {
    throw Error("redblue critical", "nothing to analyse",
                "give a file that redblue run --record wrote");
  }
  Execution execution = task_graph::read_recording(options.file);
  Machine machine;
  if (!options.machine.empty()) {
    machine = read_machine(options.machine);
  } else if (execution.flops_per_second > 0) {
    machine.flops_per_second = execution.flops_per_second;
  }
  return report(std::move(execution), machine, options);
}

template <class D>
Execution small_plan(const D& decomposition) {
  constexpr double most = 2e7;  // a few GiB
  if (task_graph::planned_actions(decomposition) > most) {
    throw Error("redblue critical", "this plan has more than 20 million messages and computations",
                "give fewer ranks or a smaller matrix");
  }
  return task_graph::planned(decomposition);
}

int analyse_gemm(const Options& options) {
  const GemmPlanRequest request =
      options.gemm.request(rank_count(whole_number("-p", options.ranks)));
  return report(small_plan(choose_gemm(request)), request.machine, options);
}

int analyse_plan(Kernel kernel, const Options& options) {
  const int ranks = rank_count(whole_number("-p", options.ranks));
  const FactorOptionTexts& texts = options.kernel;
  const FactorOptions factor = texts.factor();
  const auto analyse = [&](const auto& decomposition) {
    return report(small_plan(decomposition), factor.machine, options);
  };
  if (kernel == Kernel::cholesky) return analyse(choose_cholesky(texts.columns(), ranks, factor));
  if (kernel == Kernel::lu) {
    return analyse(choose_lu(texts.rows(), texts.columns(), ranks, factor));
  }
  return analyse(choose_trsm(texts.columns(), texts.right_hand_sides(), ranks, factor));
}

// What is printed of an execution, recorded or planned.
void add_output(CLI::App& command, Options& options) {
  command.add_option("--svg", options.svg, "Draw the ranks' time and the path into this file");
  command.add_flag("--json", options.json, "Print JSON");
}

CLI::App* add_plan_of(CLI::App& command, Options& options, const char* name, const char* what,
                      const std::string& example) {
  CLI::App* sub = command.add_subcommand(name, what);
  sub->add_option("-p", options.ranks, "Ranks")->required();
  add_output(*sub, options);
  sub->footer("Example:\n  redblue critical " + example);
  return sub;
}

void add_plans(CLI::App& command, Action& action) {
  const auto gemm = std::make_shared<Options>();
  CLI::App* sub =
      add_plan_of(command, *gemm, "gemm", "Of the plan of C (m x n) = A (m x k) B (k x n)",
                  "gemm -m 1200 -n 1200 -k 1200 -p 8");
  gemm->gemm.add_to(*sub);
  gemm->gemm.add_exchange_to(*sub);
  sub->callback([gemm, &action] { action = [gemm] { return analyse_gemm(*gemm); }; });
  struct Planned {
    Kernel kernel;
    const char *name, *what, *example;
  };
  for (const Planned& p :
       {Planned{Kernel::cholesky, "cholesky", "Of the plan of A = L L'", "cholesky -n 4096 -p 16"},
        Planned{Kernel::lu, "lu", "Of the plan of P A = L U", "lu -n 4096 -p 16"},
        Planned{Kernel::trsm, "trsm", "Of the plan of L X = B, k right-hand sides",
                "trsm -n 4096 -k 512 -p 16"}}) {
    const auto options = std::make_shared<Options>();
    sub = add_plan_of(command, *options, p.name, p.what, p.example);
    options->kernel.add_to(*sub, p.kernel);
    sub->callback([options, kernel = p.kernel, &action] {
      action = [options, kernel] { return analyse_plan(kernel, *options); };
    });
  }
}

}  // namespace

void add_critical(CLI::App& app, Action& action) {
  const auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "critical",
      "Find the critical path of a recorded run, or of a plan, and its time on any machine");
  command->add_option("file", options->file, "A recording of redblue run --record");
  command->add_option("--machine", options->machine,
                      "Machine file to predict for (redblue machine writes one)");
  add_output(*command, *options);
  command->footer(
      "Example:\n  mpirun -n 4 redblue run lu -n 1024 --record lu.rec\n"
      "  redblue critical lu.rec --svg lu.svg\n  redblue critical lu -n 4096 -p 16");
  command->callback([options, &action] {
    if (!action) action = [options] { return analyse_file(*options); };
  });
  add_plans(*command, action);
}

}  // namespace redblue::cli
