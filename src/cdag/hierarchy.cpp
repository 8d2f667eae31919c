// SPDX-License-Identifier: BSD-3-Clause
// Schedules on machines with several levels and processors, as pebblings of the P-RBW game.
#include <algorithm>
#include <list>
#include <unordered_map>

#include "cdag/index.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

// One unit of one level: its values, the one used last in front.
struct Unit {
  std::list<Vertex> used;
  std::unordered_map<Vertex, std::list<Vertex>::iterator> where;

  bool holds(Vertex v) const { return where.count(v) != 0; }
  void place(Vertex v) {
    used.push_front(v);
    where[v] = used.begin();
  }
  void touch(Vertex v) { used.splice(used.begin(), used, where[v]); }
  void remove(Vertex v) {
    used.erase(where[v]);
    where.erase(v);
  }
};

class Hierarchy {
 public:
  Hierarchy(const Graph& graph, const Game& game)
      : graph_(graph),
        game_(game),
        copies_(at(graph.size()), 0),
        blue_(at(graph.size())),
        readers_left_(at(graph.size())) {
    for (const Level& level : game.levels) {
      units_.emplace_back(static_cast<std::size_t>(level.units));
    }
    for (Vertex v = 0; v < graph.size(); ++v) {
      blue_[at(v)] = graph.input(v);
      readers_left_[at(v)] = static_cast<std::int64_t>(graph.readers(v).size());
    }
  }

  void compute(Vertex v, std::size_t processor) {
    pinned_ = graph_.operands(v);
    for (const Vertex o : graph_.operands(v)) ensure(0, processor, o);
    make_room(0, processor);
    place(Rule::compute, 0, processor, v);
    for (const Vertex o : graph_.operands(v)) --readers_left_[at(o)];
    pinned_ = {};
  }

  void finish() {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (graph_.output(v) && !blue_[at(v)]) {
        raise(v);
        store(holder(top(), v), v);
      }
      if (graph_.input(v) && graph_.readers(v).empty()) {
        make_room(top(), 0);
        place(Rule::load, top(), 0, v);
        erase(top(), 0, v);
      }
    }
  }

  std::vector<Move> moves;

 private:
  std::size_t top() const { return units_.size() - 1; }

  std::size_t parent(std::size_t level, std::size_t unit) const {
    return unit / (units_[level].size() / units_[level + 1].size());
  }

  // A unit of the level that holds v, or the number of units.
  std::size_t holder(std::size_t level, Vertex v) const {
    const auto& units = units_[level];
    return static_cast<std::size_t>(
        std::find_if(units.begin(), units.end(), [v](const Unit& u) { return u.holds(v); }) -
        units.begin());
  }

  void note(Rule rule, std::size_t level, std::size_t unit, Vertex v) {
    moves.push_back(
        {rule, static_cast<std::uint8_t>(level + 1), static_cast<std::uint16_t>(unit), v});
  }

  void place(Rule rule, std::size_t level, std::size_t unit, Vertex v) {
    note(rule, level, unit, v);
    units_[level][unit].place(v);
    ++copies_[at(v)];
  }

  void erase(std::size_t level, std::size_t unit, Vertex v) {
    note(Rule::erase, level, unit, v);
    units_[level][unit].remove(v);
    --copies_[at(v)];
  }

  void store(std::size_t unit, Vertex v) {
    note(Rule::store, top(), unit, v);
    blue_[at(v)] = true;
  }

  void ensure(std::size_t level, std::size_t unit, Vertex v) {
    Unit& here = units_[level][unit];
    // What brings v to the parent may bring it here, or fill the room made.
    do {
      if (here.holds(v)) {
        here.touch(v);
        return;
      }
      make_room(level, unit);
      if (level > 0 && child_holds(level, unit, v)) {
        place(Rule::down, level, unit, v);
        return;
      }
      if (level < top()) {
        ensure(level + 1, parent(level, unit), v);
      } else if (!blue_[at(v)]) {
        raise(v);
      }
    } while (here.holds(v) || static_cast<std::int64_t>(here.used.size()) >= words(level));
    const Rule from_above = level < top() ? Rule::up : blue_[at(v)] ? Rule::load : Rule::get;
    place(from_above, level, unit, v);
  }

  std::int64_t words(std::size_t level) const { return game_.levels[level].words; }

  bool child_holds(std::size_t level, std::size_t unit, Vertex v) const {
    const std::size_t children = units_[level - 1].size() / units_[level].size();
    for (std::size_t c = unit * children; c < (unit + 1) * children; ++c) {
      if (units_[level - 1][c].holds(v)) return true;
    }
    return false;
  }

  // Moves a value that is in no slow memory down to the top level, from wherever it is.
  void raise(Vertex v) {
    std::size_t level = 0;  // the highest that has it saves moves
    for (std::size_t l = 0; l < units_.size(); ++l) {
      if (holder(l, v) < units_[l].size()) level = l;
    }
    for (std::size_t unit = holder(level, v); level < top(); ++level) {
      move_down(level, unit, v);
      unit = parent(level, unit);
    }
  }

  void move_down(std::size_t level, std::size_t unit, Vertex v) {
    const std::size_t above = parent(level, unit);
    make_room(level + 1, above);
    place(Rule::down, level + 1, above, v);
  }

  void make_room(std::size_t level, std::size_t unit) {
    Unit& here = units_[level][unit];
    while (static_cast<std::int64_t>(here.used.size()) >= words(level)) {
      leave(level, unit, victim(level, here));
    }
  }

  Vertex victim(std::size_t level, const Unit& here) const {
    for (auto v = here.used.rbegin(); v != here.used.rend(); ++v) {
      if (level > 0 || std::find(pinned_.begin(), pinned_.end(), *v) == pinned_.end()) return *v;
    }
    throw Error("level 1 of " + std::to_string(game_.levels.front().words) + " words",
                "a vertex has " + std::to_string(pinned_.size()) + " operands",
                "give at least " + std::to_string(graph_.most_operands() + 1),
                graph_.most_operands() + 1);
  }

  void leave(std::size_t level, std::size_t unit, Vertex v) {
    const bool wanted = readers_left_[at(v)] > 0 || graph_.output(v);
    if (wanted && !blue_[at(v)] && copies_[at(v)] == 1) {
      if (level == top()) {
        store(unit, v);
      } else {
        move_down(level, unit, v);
      }
    }
    erase(level, unit, v);
  }

  const Graph& graph_;
  const Game& game_;
  std::vector<std::vector<Unit>> units_;
  std::vector<int> copies_;
  std::vector<bool> blue_;
  std::vector<std::int64_t> readers_left_;
  std::span<const Vertex> pinned_;
};

}  // namespace

Pebbling hierarchical_pebbling(const Graph& graph, const Order& order,
                               const std::vector<int>& owner, const Game& game) {
  if (game.kind != Game::Kind::hierarchical) {
    throw Error("a hierarchical pebbling", "a game of one level", "make it hierarchical");
  }
  for (const Vertex v : order) {
    const int processor = at(v) < owner.size() ? owner[at(v)] : -1;
    if (processor < 0 || processor >= game.levels.front().units) {
      throw Error("the owner of " + graph.name(v), "processor " + std::to_string(processor),
                  "give one of the " + std::to_string(game.levels.front().units));
    }
  }
  Hierarchy hierarchy(graph, game);
  for (const Vertex v : order) {
    hierarchy.compute(v, static_cast<std::size_t>(owner[at(v)]));
  }
  hierarchy.finish();
  return {"", game, std::move(hierarchy.moves)};
}

std::vector<std::int64_t> hierarchical_bounds(const Graph& graph, const Game& game) {
  if (game.kind != Game::Kind::hierarchical) {
    throw Error("bounds of a hierarchy", "a game of one level", "make it hierarchical");
  }
  check_room(graph, game.levels.front().words);
  // An input that nobody reads is loaded by the last level, and may stay there.
  const auto is_read = [&graph](Vertex v) { return !graph.input(v) || !graph.readers(v).empty(); };
  const Graph read = graph.induced(is_read);
  std::vector<std::int64_t> result;
  std::int64_t words = 0;
  for (const Level& level : game.levels) {
    words += level.words * level.units;
    const bool last = result.size() + 1 == game.levels.size();
    result.push_back(graph_bound(last ? graph : read, words, false).moved);
  }
  return result;
}

}  // namespace redblue::cdag
