// SPDX-License-Identifier: BSD-3-Clause
// redblue pebble optimum, schedule, hierarchy, check, partition.
#include <fmt/core.h>

#include <cstdio>
#include <sstream>

#include "cli/options.hpp"
#include "cli/pebble/pebble.hpp"
#include "redblue/error.hpp"

namespace redblue::cli::pebble {

using namespace cdag;

namespace {

void save(const std::string& path, const Graph& graph, Pebbling pebbling, const std::string& name) {
  if (path.empty()) return;
  pebbling.graph = name;
  std::ostringstream text;
  write_pebbling(text, graph, pebbling);
  write_file(path, text.str());
}

// The pebbling in a file with its graph.
std::pair<Graph, Pebbling> loaded(const std::string& path, const Flags& flags) {
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

void print_units(const Tally& tally) {
  for (std::size_t l = 0; l < tally.units.size(); ++l) {
    for (std::size_t u = 0; u < tally.units[l].size(); ++u) {
      const UnitTraffic& t = tally.units[l][u];
      fmt::print("  level {} unit {}  {} in, {} out, {} computed, {} words at most\n", l + 1, u,
                 grouped(t.in), grouped(t.out), grouped(t.computed), grouped(t.most_words));
    }
  }
}

// Level by level beside what its units moved together, in and out.
void print_bounds(const Tally& tally, const Game& game, const std::vector<std::int64_t>& least) {
  for (std::size_t l = 0; l < least.size(); ++l) {
    std::int64_t moved = 0;
    for (const UnitTraffic& t : tally.units[l]) moved += t.in + t.out;
    const std::int64_t units = game.levels[l].units;
    fmt::print(
        "  level {} needs   {} words in and out of all units (moved: {}), {} of the busiest\n",
        l + 1, grouped(least[l]), grouped(moved), grouped((least[l] + units - 1) / units));
  }
}

// "8x4,64x1" as levels.
std::vector<Level> levels_of(const std::string& text) {
  std::vector<Level> levels;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    const auto times = part.find('x');
    if (times == std::string::npos) {
      throw Error("--levels " + text, "'" + part + "' is no level",
                  "write words x units: 8x4,64x1");
    }
    const std::int64_t units = whole_number("--levels", part.substr(times + 1));
    if (units < 1 || units > 65535)
      throw Error("--levels " + text, "units out of range", "1 to 65,535");
    levels.push_back({whole_number("--levels", part.substr(0, times)), static_cast<int>(units)});
  }
  return levels;
}

}  // namespace

int optimum(const Options& o, const Flags& flags) {
  const std::string game = game_of(o);
  const Graph graph = o.source.graph(flags);
  ExactOptions exact;
  exact.recomputation = o.recompute;
  exact.seconds = static_cast<double>(whole_number("--seconds", o.seconds));
  const Exact found = [&] {
    Progress progress("searching the cheapest pebbling");
    exact.progress = progress.callback();
    return o.partial ? optimal_partial_pebbling(graph, o.s(), exact)
                     : optimal_pebbling(graph, o.s(), exact);
  }();
  const Tally tally = play(graph, found.pebbling.game, found.pebbling.moves);
  save(o.output, graph, found.pebbling, o.source.text());
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update({{"words", o.s()},
                 {"recomputation", o.recompute},
                 {"partial", o.partial},
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
  fmt::print("  game            {}, S = {}\n", game, o.s());
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

namespace {

// The schedule of Kwasniewski, section 3.5, for a generated matrix product.
int outer_product_schedule(const Options& o, const Graph& graph) {
  std::int32_t m = 0, n = 0, k = 0;
  char end = 0;
  if (std::sscanf(o.source.description.c_str(), "matmul:%d,%d,%d%c", &m, &n, &k, &end) != 3) {
    throw Error("--order outer-product", o.source.description + " is no generated matrix product",
                "use matmul:M,N,K");
  }
  const OuterProduct blocks = outer_product(m, n, k, o.s());
  const Pebbling pebbling = outer_product_pebbling(m, n, k, o.s());
  const Tally tally = play(graph, pebbling.game, pebbling.moves);
  save(o.output, graph, pebbling, o.source.text());
  if (o.json) {
    Json json = size_of(o.source.text(), graph);
    json.update({{"words", o.s()},
                 {"order", "outer-product"},
                 {"a", blocks.a},
                 {"b", blocks.b},
                 {"loads", tally.loads},
                 {"stores", tally.stores},
                 {"moved", tally.moved()}});
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  schedule        outer products of {} x {}, S = {}\n", blocks.a, blocks.b, o.s());
  fmt::print("  moved           {} = {} loads + {} stores\n", grouped(tally.moved()),
             grouped(tally.loads), grouped(tally.stores));
  return 0;
}

}  // namespace

int schedule(const Options& o, const Flags& flags) {
  const Graph graph = o.source.graph(flags);
  const bool record = !o.output.empty();
  const Replacement replacement = o.lru ? Replacement::lru : Replacement::belady;
  if (o.order == "outer-product") return outer_product_schedule(o, graph);
  Schedule found;
  {
    Progress progress("searching a schedule");
    if (o.order == "best") {
      ScheduleSearch search;
      search.seconds = static_cast<double>(whole_number("--seconds", o.seconds));
      search.progress = progress.callback();
      found = good_schedule(graph, o.s(), search);
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

// Processors take equal stretches of the natural order.
int hierarchy(const Options& o, const Flags& flags) {
  const Graph graph = o.source.graph(flags);
  const Game game = hierarchical(levels_of(o.levels));
  const Order order = natural_order(graph);
  std::vector<int> owner(static_cast<std::size_t>(graph.size()), 0);
  const auto processors = static_cast<std::size_t>(game.levels.front().units);
  for (std::size_t i = 0; i < order.size(); ++i) {
    owner[static_cast<std::size_t>(order[i])] = static_cast<int>(i * processors / order.size());
  }
  const Pebbling pebbling = hierarchical_pebbling(graph, order, owner, game);
  const Tally tally = play(graph, game, pebbling.moves);
  const std::vector<std::int64_t> least = hierarchical_bounds(graph, game);
  save(o.output, graph, pebbling, o.source.text());
  if (o.json) {
    Json json = to_json(tally);
    json["at_least"] = least;
    print_json(json);
    return 0;
  }
  print_size(o.source.text(), graph);
  fmt::print("  moved           {} loads, {} stores, {} between units of the top level\n",
             grouped(tally.loads), grouped(tally.stores), grouped(tally.gets));
  print_units(tally);
  print_bounds(tally, game, least);
  return 0;
}

int check(const Options& o, const Flags& flags) {
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
  if (tally.units.size() > 1 || tally.units.front().size() > 1) print_units(tally);
  return 0;
}

int partition(const Options& o, const Flags& flags) {
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

}  // namespace redblue::cli::pebble
