// SPDX-License-Identifier: BSD-3-Clause
// redblue pebble bound, wavefront, intervals.
#include <fmt/core.h>

#include <sstream>

#include "cli/pebble/pebble.hpp"

namespace redblue::cli::pebble {

using namespace cdag;

namespace {

int bound_of_partial_game(const Options& o, const Graph& graph) {
  const std::int64_t moved = partial_bound(graph);
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update(
        {{"words", o.s()}, {"game", "partial"}, {"moved", moved}, {"method", "compulsory"}});
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  game            {}, S = {}\n", game_of(o), o.s());
  fmt::print("  Q >= {}   (compulsory)\n", grouped(moved));
  return 0;
}

}  // namespace

int bound(const Options& o, const Flags& flags) {
  const std::string game = game_of(o);
  const Graph graph = o.source.graph(flags);
  if (o.partial) return bound_of_partial_game(o, graph);
  check_room(graph, o.s());
  const GraphBound best = graph_bound(graph, o.s(), o.recompute);
  const Decomposition pieces =
      o.recompute ? Decomposition{1, best.moved} : best_decomposition(graph, o.s());
  const WavefrontBound& waves = best.wavefronts;
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update({{"words", o.s()},
                 {"recomputation", o.recompute},
                 {"moved", best.moved},
                 {"method", best.method},
                 {"pieces", pieces.pieces},
                 {"pieces_moved", pieces.moved}});
    json["wavefronts"] = Json::array();
    for (const WavefrontPiece& p : waves.pieces) {
      json["wavefronts"].push_back({{"vertex", graph.name(p.vertex)}, {"size", p.size}});
    }
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  game            {}, S = {}\n", game, o.s());
  fmt::print("  Q >= {}   ({})\n", grouped(best.moved), best.method);
  if (pieces.pieces > 1) {
    fmt::print("  Q >= {}   (sum over {} pieces)\n", grouped(pieces.moved), pieces.pieces);
  }
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

int wavefront(const Options& o, const Flags& flags) {
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

namespace {

std::vector<Vertex> chain_of(const Options& o, const Graph& graph) {
  if (o.chain.empty()) return main_chain(graph);
  std::istringstream in(o.chain);
  std::vector<Vertex> chain;
  for (std::string name; in >> name;) chain.push_back(graph.find(name));
  return chain;
}

}  // namespace

int intervals(const Options& o, const Flags& flags) {
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
  fmt::print(
      "  for some b, a chain of n vertices costs\n    work F ~ b^{:.2f} n, words W ~ "
      "b^{:.2f} n, synchronisations S ~ n / b\n",
      growth.sigma - 1, growth.epsilon - 1);
  return 0;
}

}  // namespace redblue::cli::pebble
