// redblue pebble: graphs, the games on them, optima, schedules, bounds.
#include <fmt/core.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/graph_source.hpp"
#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/cdag.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

using namespace cdag;

struct Options {
  GraphOptions source;
  std::string words, seconds = "60", output, order = "best", transfers, vertex, chain;
  std::string dot, svg, edges, pebbling, after;
  bool recompute = false, lru = false, json = false;

  std::int64_t s() const { return whole_number("-s", words); }
};

void write_file(const std::string& path, const std::string& text) {
  std::ofstream out(path);
  out << text;
  if (!out.flush()) throw Error(path, "cannot be written", "give a path that can");
}

void save(const std::string& path, const Graph& graph, Pebbling pebbling, const std::string& name) {
  if (path.empty()) return;
  pebbling.graph = name;
  std::ostringstream text;
  write_pebbling(text, graph, pebbling);
  write_file(path, text.str());
}

std::string game_of(bool recompute) {
  return recompute ? "red-blue (values may be computed again)"
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
  fmt::print("{}\n", bold(name + ": " + grouped(std::int64_t{graph.size()}) + " vertices, " +
                          grouped(graph.edges()) + " edges, " +
                          grouped(std::int64_t{graph.inputs()}) + " inputs, " +
                          grouped(std::int64_t{graph.outputs()}) + " outputs"));
}

// The pebbles on the board after some moves of a pebbling.
Pebbles board_after(const Graph& graph, const Pebbling& pebbling, std::int64_t moves) {
  Pebbles board;
  board.red.assign(static_cast<std::size_t>(graph.size()), false);
  for (Vertex v = 0; v < graph.size(); ++v) board.blue.push_back(graph.input(v));
  const auto some = std::min(static_cast<std::size_t>(std::max<std::int64_t>(moves, 0)),
                             pebbling.moves.size());
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

int show(const Options& o, const std::vector<std::string>& flags) {
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

int optimum(const Options& o, const std::vector<std::string>& flags) {
  const Graph graph = o.source.graph(flags);
  ExactOptions exact;
  exact.recomputation = o.recompute;
  exact.seconds = static_cast<double>(whole_number("--seconds", o.seconds));
  const Exact found = [&] {
    const Progress progress("searching the cheapest pebbling");
    return optimal_pebbling(graph, o.s(), exact);
  }();
  const Tally tally = play(graph, found.pebbling.game, found.pebbling.moves);
  save(o.output, graph, found.pebbling, o.source.text());
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update({{"words", o.s()},
                 {"recomputation", o.recompute},
                 {"lower", found.lower},
                 {"upper", found.upper},
                 {"proved", found.proved()},
                 {"loads", tally.loads},
                 {"stores", tally.stores},
                 {"computed", tally.computed},
                 {"states", found.states},
                 {"seconds", found.seconds}});
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  game            {}, S = {}\n", game_of(o.recompute), o.s());
  if (found.proved()) {
    fmt::print("  optimum         {} = {} loads + {} stores, proved\n", found.upper, tally.loads,
               tally.stores);
  } else {
    fmt::print("  optimum         between {} and {}; the search ended without a proof\n",
               found.lower, found.upper);
  }
  fmt::print("  search          {} states, {:.2f} s\n", grouped(found.states), found.seconds);
  return 0;
}

int schedule(const Options& o, const std::vector<std::string>& flags) {
  const Graph graph = o.source.graph(flags);
  const bool record = !o.output.empty();
  const Replacement replacement = o.lru ? Replacement::lru : Replacement::belady;
  Schedule found;
  {
    const Progress progress("searching a schedule");
    if (o.order == "best") {
      found = good_schedule(graph, o.s(),
                            static_cast<double>(whole_number("--seconds", o.seconds)));
    } else {
      found.order = o.order == "greedy" ? greedy_order(graph, o.s()) : natural_order(graph);
      found.how = o.order + " order";
    }
    found.cost = replay(graph, found.order, o.s(), replacement, record);
  }
  save(o.output, graph, {"", red_blue_white(o.s()), found.cost.moves}, o.source.text());
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update({{"words", o.s()},
                 {"order", found.how},
                 {"replacement", o.lru ? "lru" : "belady"},
                 {"loads", found.cost.loads},
                 {"stores", found.cost.stores},
                 {"moved", found.cost.moved()}});
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  schedule        {}, {}, S = {}\n", found.how, o.lru ? "LRU" : "Belady", o.s());
  fmt::print("  moved           {} = {} loads + {} stores\n", grouped(found.cost.moved()),
             grouped(found.cost.loads), grouped(found.cost.stores));
  return 0;
}

int bound(const Options& o, const std::vector<std::string>& flags) {
  const Graph graph = o.source.graph(flags);
  const GraphBound best = graph_bound(graph, o.s(), o.recompute);
  const WavefrontBound waves = o.recompute ? WavefrontBound{} : wavefront_bound(graph, o.s());
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update({{"words", o.s()},
                 {"recomputation", o.recompute},
                 {"moved", best.moved},
                 {"method", best.method}});
    json["wavefronts"] = Json::array();
    for (const WavefrontPiece& p : waves.pieces) {
      json["wavefronts"].push_back({{"vertex", graph.name(p.vertex)}, {"size", p.size}});
    }
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  game            {}, S = {}\n", game_of(o.recompute), o.s());
  fmt::print("  Q >= {}   ({})\n", grouped(best.moved), best.method);
  std::size_t shown = 0;
  for (const WavefrontPiece& p : waves.pieces) {
    if (++shown > 10) break;
    fmt::print("  wavefront       {} values alive at {}\n", grouped(p.size), graph.name(p.vertex));
  }
  if (waves.pieces.size() > shown) {
    fmt::print("  wavefront       ... and {} more\n", waves.pieces.size() - shown + 1);
  }
  return 0;
}

// The pebbling in a file with its graph.
std::pair<Graph, Pebbling> loaded(const std::string& path, const std::vector<std::string>& flags) {
  Graph graph = graph_options_of(graph_of_pebbling(path)).graph(flags);
  Pebbling pebbling = read_pebbling(path, graph);
  return {std::move(graph), std::move(pebbling)};
}

Json to_json(const Tally& tally) {
  Json json = {{"loads", tally.loads},
               {"stores", tally.stores},
               {"gets", tally.gets},
               {"computed", tally.computed},
               {"moved", tally.moved()}};
  json["levels"] = Json::array();
  for (const auto& level : tally.units) {
    Json units = Json::array();
    for (const UnitTraffic& u : level) {
      units.push_back({{"in", u.in},
                       {"out", u.out},
                       {"gets", u.gets},
                       {"computed", u.computed},
                       {"most_words", u.most_words}});
    }
    json["levels"].push_back(units);
  }
  return json;
}

int check(const Options& o, const std::vector<std::string>& flags) {
  const auto [graph, pebbling] = loaded(o.pebbling, flags);
  const Tally tally = [&, &g = graph, &p = pebbling] {
    try {
      return play(g, p.game, p.moves);
    } catch (const Error& e) {
      throw Error(o.pebbling, e.what());
    }
  }();
  if (o.json) {
    print_json(to_json(tally));
    return 0;
  }
  print_size(pebbling.graph, graph);
  fmt::print("  legal           {} moves: {} loads + {} stores{}, {} computed\n",
             grouped(static_cast<std::int64_t>(pebbling.moves.size())), grouped(tally.loads),
             grouped(tally.stores),
             tally.gets > 0 ? " + " + grouped(tally.gets) + " from other units" : "",
             grouped(tally.computed));
  for (std::size_t l = 0; l < tally.units.size() && tally.units.size() + tally.units[0].size() > 2;
       ++l) {
    for (std::size_t u = 0; u < tally.units[l].size(); ++u) {
      const UnitTraffic& t = tally.units[l][u];
      fmt::print("  level {} unit {}  {} in, {} out, {} computed, {} words at most\n", l + 1, u,
                 grouped(t.in), grouped(t.out), grouped(t.computed), grouped(t.most_words));
    }
  }
  return 0;
}

int partition(const Options& o, const std::vector<std::string>& flags) {
  const auto [graph, pebbling] = loaded(o.pebbling, flags);
  const std::int64_t s = pebbling.game.levels.front().words;
  const std::int64_t transfers = o.transfers.empty() ? s : whole_number("--transfers", o.transfers);
  const SegmentedPebbling cut = segments_of(graph, pebbling, transfers);
  const std::string fault =
      partition_fault(graph, cut.partition(), cut.x, PartitionKind::dominator);
  const auto h = static_cast<std::int64_t>(cut.segments.size());
  const std::int64_t implied = (cut.x - cut.most_reused + cut.least_moved) * (h - 1);
  if (o.json) {
    print_json({{"transfers", transfers},
                {"segments", h},
                {"x", cut.x},
                {"most_reused", cut.most_reused},
                {"least_moved", cut.least_moved},
                {"moved", cut.moved},
                {"implied", implied},
                {"valid", fault.empty()},
                {"fault", fault}});
    return fault.empty() ? 0 : 1;
  }
  print_size(pebbling.graph, graph);
  fmt::print("  segments        {} of {} transfers each; X = {}, R(S) = {}, T(S) = {}\n", h,
             transfers, cut.x, cut.most_reused, cut.least_moved);
  fmt::print("  X-partition     {}\n", fault.empty() ? "valid" : "not valid: " + fault);
  fmt::print("  Lemma 3.2       {} moved >= (X - R + T)(h - 1) = {}\n", grouped(cut.moved),
             grouped(implied));
  return fault.empty() ? 0 : 1;
}

int wavefront(const Options& o, const std::vector<std::string>& flags) {
  const Graph graph = o.source.graph(flags);
  Wavefront found;
  Subset cut;
  {
    const Progress progress("cutting");
    found = o.vertex.empty() ? largest_wavefront(graph, 64) : Wavefront{graph.find(o.vertex), 0};
    found.size = found.vertex < 0 ? 0 : minimum_wavefront(graph, found.vertex, &cut);
  }
  const std::string at = found.vertex < 0 ? "" : graph.name(found.vertex);
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json["vertex"] = at;
    json["size"] = found.size;
    json["alive"] = Json::array();
    for (const Vertex v : cut) json["alive"].push_back(graph.name(v));
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  wavefront       {} values alive at least when {} is computed\n",
             grouped(found.size), at);
  fmt::print("  Q >= 2 ({} - S) where no value is computed twice\n", grouped(found.size));
  return 0;
}

std::vector<Vertex> chain_of(const Options& o, const Graph& graph) {
  if (o.chain.empty()) return main_chain(graph);
  std::istringstream in(o.chain);
  std::vector<Vertex> chain;
  for (std::string name; in >> name;) chain.push_back(graph.find(name));
  return chain;
}

int intervals(const Options& o, const std::vector<std::string>& flags) {
  const Graph graph = o.source.graph(flags);
  std::vector<Vertex> chain;
  IntervalGrowth growth;
  {
    const Progress progress("measuring intervals");
    chain = chain_of(o, graph);
    growth = interval_growth(graph, chain);
  }
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json["chain"] = chain.size();
    json["sigma"] = growth.sigma;
    json["epsilon"] = growth.epsilon;
    json["points"] = Json::array();
    for (const auto& p : growth.points) {
      json["points"].push_back({{"distance", p.distance},
                                {"interval", p.interval},
                                {"separator_lower", p.separator_lower},
                                {"separator_upper", p.separator_upper}});
    }
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  chain           {} vertices, {} to {}\n", chain.size(), graph.name(chain.front()),
             graph.name(chain.back()));
  fmt::print("  {:>8}  {:>10}  {:>12}\n", "distance", "interval", "separator");
  for (const auto& p : growth.points) {
    fmt::print("  {:>8}  {:>10}  {:>12}\n", p.distance, grouped(p.interval),
               p.separator_lower == p.separator_upper
                   ? std::to_string(p.separator_upper)
                   : fmt::format("{} to {}", p.separator_lower, p.separator_upper));
  }
  fmt::print("  interval ~ b^{:.2f}, separator ~ b^{:.2f}{}\n", growth.sigma, growth.epsilon,
             growth.separators_exact ? "" : " (fitted to the upper ends)");
  fmt::print("  for some b, a chain of n vertices costs\n    work F ~ b^{:.2f} n, words W ~ "
             "b^{:.2f} n, synchronisations S ~ n / b\n",
             growth.sigma - 1, growth.epsilon - 1);
  return 0;
}

using Body = int (*)(const Options&, const std::vector<std::string>&);

}  // namespace

void add_pebble(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags) {
  CLI::App* pebble = app.add_subcommand(
      "pebble", "Computational DAGs and the pebble games on them: optima, schedules, bounds");
  pebble->require_subcommand(1);
  const auto o = std::make_shared<Options>();
  const auto add = [&, pebble, o](const std::string& name, const std::string& what, Body body,
                                  const std::string& example) {
    CLI::App* command = pebble->add_subcommand(name, what);
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

  CLI::App* c = with_graph(add("show", "Size, picture, other formats", show,
                               "show matmul:2,2,2 --svg matmul.svg"));
  c->add_option("--dot", o->dot, "Write Graphviz text");
  c->add_option("--svg", o->svg, "Write a picture");
  c->add_option("--edges", o->edges, "Write a list of edges");
  c->add_option("--pebbling", o->pebbling, "Show the pebbles of this pebbling ...");
  c->add_option("--after", o->after, "... after this many moves (default: all)");

  c = with_words(with_graph(add("optimum", "The cheapest pebbling of a small graph, proved",
                                optimum, "optimum matmul:2,2,2 -s 5 -o matmul.pebbling")));
  c->add_flag("--recompute", o->recompute, "Values may be computed again (the red-blue game)");
  with_seconds(c);
  with_output(c);

  c = with_words(with_graph(add("schedule", "A cheap schedule of a graph of any size", schedule,
                                "schedule cholesky:30 -s 64 --seconds 5")));
  c->add_option("--order", o->order, "natural, greedy or best")
      ->check(CLI::IsMember({"natural", "greedy", "best"}))
      ->capture_default_str();
  c->add_flag("--lru", o->lru, "Replace the value used longest ago, not Belady's choice");
  with_seconds(c);
  with_output(c);

  c = with_words(with_graph(add("bound", "Lower bounds of one graph", bound, "bound cg:3,8,2 -s 16")));
  c->add_flag("--recompute", o->recompute, "For the game in which values may be computed again");

  c = with_graph(add("wavefront", "The fewest values alive at a vertex, at least", wavefront,
                     "wavefront cg:2,16,2 --at 'a(2,0)'"));
  c->add_option("--at", o->vertex, "The vertex (default: the one with the largest found)");

  c = with_graph(add("intervals", "How dependency intervals grow along a chain", intervals,
                     "intervals diamond:20,20"));
  c->add_option("--chain", o->chain, "Names of its vertices, with spaces between");

  c = add("check", "Plays a pebbling file by the rules", check, "check matmul.pebbling");
  c->add_option("file", o->pebbling, "The pebbling")->required();

  c = add("partition", "The X-partition of a pebbling file", partition,
          "partition matmul.pebbling --transfers 5");
  c->add_option("file", o->pebbling, "The pebbling")->required();
  c->add_option("--transfers", o->transfers, "Loads and stores per segment (default: S)");
}

}  // namespace redblue::cli
