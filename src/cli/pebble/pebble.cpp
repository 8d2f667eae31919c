// SPDX-License-Identifier: BSD-3-Clause
// redblue pebble: its subcommands, and pictures of graphs.
#include "cli/pebble/pebble.hpp"

#include <fmt/core.h>

#include <fstream>
#include <memory>

#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace pebble {

using namespace cdag;

std::int64_t Options::s() const {
  return whole_number("-s", words);
}

std::string game_of(const Options& o) {
  if (o.partial && o.recompute) {
    throw Error("--partial --recompute", "two games", "give one of them");
  }
  if (o.partial) return "partial (operands may enter a value one by one, each once)";
  return o.recompute ? "red-blue (each value is computed, and may be computed again)"
                     : "red-blue-white (each value computed once)";
}

Json size_of(const std::string& name, const Graph& graph) {
  return {{"graph", name},
          {"vertices", graph.size()},
          {"edges", graph.edges()},
          {"inputs", graph.inputs()},
          {"outputs", graph.outputs()},
          {"least_words", graph.most_operands() + 1}};
}

void print_size(const std::string& name, const Graph& graph) {
  fmt::print("{}\n",
             bold(name + ": " + grouped(std::int64_t{graph.size()}) + " vertices, " +
                  grouped(graph.edges()) + " edges, " + grouped(std::int64_t{graph.inputs()}) +
                  " inputs, " + grouped(std::int64_t{graph.outputs()}) + " outputs"));
}

namespace {

// The pebbles on the board after some moves of a pebbling.
Pebbles board_after(const Graph& graph, const Pebbling& pebbling, std::int64_t moves) {
  Pebbles board;
  board.red.assign(static_cast<std::size_t>(graph.size()), false);
  for (Vertex v = 0; v < graph.size(); ++v) board.blue.push_back(graph.input(v));
  const auto some =
      std::min(static_cast<std::size_t>(std::max<std::int64_t>(moves, 0)), pebbling.moves.size());
  for (std::size_t m = 0; m < some; ++m) {
    const Move& move = pebbling.moves[m];
    const auto v = static_cast<std::size_t>(move.vertex);
    if (move.rule == Rule::store) {
      board.blue[v] = true;
    } else {
      board.red[v] = move.rule != Rule::erase;
    }
  }
  return board;
}

}  // namespace

int show(const Options& o, const Flags& flags) {
  const Graph graph = o.source.graph(flags);
  Pebbles board;
  if (!o.pebbling.empty()) {
    const Pebbling pebbling = read_pebbling(o.pebbling, graph);
    board = board_after(graph, pebbling,
                        o.after.empty() ? static_cast<std::int64_t>(pebbling.moves.size())
                                        : whole_number("--after", o.after));
  }
  if (!o.dot.empty()) write_file(o.dot, to_dot(graph, board));
  if (!o.edges.empty()) write_file(o.edges, to_edges(graph));
  if (!o.svg.empty()) {
    if (graph.size() > 5000) {
      throw Error("--svg " + o.svg, grouped(std::int64_t{graph.size()}) + " vertices",
                  "a picture holds at most 5,000");
    }
    write_file(o.svg, to_svg(graph, board));
  }
  if (o.json) {
    print_json(size_of(o.source.text(), graph));
  } else {
    print_size(o.source.text(), graph);
    fmt::print("  fast memory     at least {} words\n", graph.most_operands() + 1);
  }
  return 0;
}

}  // namespace pebble

// Longer than 60 lines: a list of subcommands and their options, one after the other.
void add_pebble(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  using Body = int (*)(const pebble::Options&, const pebble::Flags&);
  CLI::App* group = app.add_subcommand(
      "pebble", "Computational DAGs and the pebble games on them: optima, schedules, bounds");
  group->require_subcommand(1);
  const auto o = std::make_shared<pebble::Options>();
  const auto add = [&, group, o](const std::string& name, const std::string& what, Body body,
                                 const std::string& example) {
    CLI::App* command = group->add_subcommand(name, what);
    command->add_flag("--json", o->json, "Print JSON");
    command->footer("Compiler flags for C sources go after --.\n\nExample:\n  redblue pebble " +
                    example);
    command->callback([o, body, &action, &compiler_flags] {
      action = [o, body, &compiler_flags] { return body(*o, compiler_flags); };
    });
    return command;
  };
  const auto with_graph = [o](CLI::App* command) {
    o->source.add_to(*command);
    return command;
  };
  const auto with_words = [o](CLI::App* command) {
    command->add_option("-s,--words", o->words, "S: words of fast memory")->required();
    return command;
  };
  const auto with_seconds = [o](CLI::App* command) {
    command->add_option("--seconds", o->seconds, "Time for the search")->capture_default_str();
  };
  const auto with_output = [o](CLI::App* command) {
    command->add_option("-o", o->output, "Write the pebbling to this file");
  };

  CLI::App* c = with_graph(add("show", "Size, picture, other formats", pebble::show,
                               "show matmul:2,2,2 --svg matmul.svg"));
  c->add_option("--dot", o->dot, "Write Graphviz text");
  c->add_option("--svg", o->svg, "Write a picture");
  c->add_option("--edges", o->edges, "Write a list of edges");
  c->add_option("--pebbling", o->pebbling, "Show the pebbles of this pebbling ...");
  c->add_option("--after", o->after, "... after this many moves (default: all)");

  c = with_words(with_graph(add("optimum", "The cheapest pebbling of a small graph, proved",
                                pebble::optimum, "optimum matmul:2,2,2 -s 5 -o matmul.pebbling")));
  c->add_flag("--recompute", o->recompute, "Values may be computed again (the red-blue game)");
  const auto with_partial = [o](CLI::App* command) {
    command->add_flag("--partial", o->partial,
                      "Operands may enter a value one by one (the partial game)");
  };
  with_partial(c);
  with_seconds(c);
  with_output(c);

  c = with_words(with_graph(add("schedule", "A cheap schedule of a graph of any size",
                                pebble::schedule, "schedule cholesky:30 -s 64 --seconds 5")));
  c->add_option("--order", o->order, "natural, greedy, best, or outer-product (matmul only)")
      ->check(CLI::IsMember({"natural", "greedy", "best", "outer-product"}))
      ->capture_default_str();
  c->add_flag("--lru", o->lru, "Replace the value used longest ago, not Belady's choice");
  with_seconds(c);
  with_output(c);

  c = with_graph(add("hierarchy", "A schedule on several levels and processors, counted by unit",
                     pebble::hierarchy, "hierarchy matmul:8,8,8 --levels 8x4,64x1"));
  c->add_option("--levels", o->levels, "Words x units of each level, processors first: 8x4,64x1")
      ->required();
  with_output(c);

  c = with_words(
      with_graph(add("bound", "Lower bounds of one graph", pebble::bound, "bound cg:3,8,2 -s 16")));
  c->add_flag("--recompute", o->recompute, "For the game in which values may be computed again");
  with_partial(c);

  c = with_graph(add("wavefront", "The fewest values alive at a vertex, at least",
                     pebble::wavefront, "wavefront cg:2,16,2 --at 'a(2,0)'"));
  c->add_option("--at", o->vertex, "The vertex (default: the one with the largest found)");

  c = with_graph(add("intervals", "How dependency intervals grow along a chain", pebble::intervals,
                     "intervals diamond:20,20"));
  c->add_option("--chain", o->chain, "Names of its vertices, with spaces between");

  c = add("check", "Plays a pebbling file by the rules", pebble::check, "check matmul.pebbling");
  c->add_option("file", o->pebbling, "The pebbling")->required();

  c = add("partition", "The X-partition of a pebbling file", pebble::partition,
          "partition matmul.pebbling --transfers 5");
  c->add_option("file", o->pebbling, "The pebbling")->required();
  c->add_option("--transfers", o->transfers, "Loads and stores per segment (default: S)");
}

}  // namespace redblue::cli
