// SPDX-License-Identifier: BSD-3-Clause
// The rules of the pebble games, checked move by move.
#include <algorithm>

#include "cdag/partial_board.hpp"
#include "cdag/rules.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

const std::map<std::string, Rule>& rule_names() {
  static const std::map<std::string, Rule> names{
      {"load", Rule::load},       {"store", Rule::store},
      {"compute", Rule::compute}, {"erase", Rule::erase},
      {"get", Rule::get},         {"up", Rule::up},
      {"down", Rule::down},       {"accumulate", Rule::accumulate}};
  return names;
}

std::string text_of(const Graph& graph, const Move& move, bool many_units) {
  std::string text;
  for (const auto& [name, rule] : rule_names()) text = rule == move.rule ? name : text;
  text += " " + graph.name(move.vertex);
  if (move.rule == Rule::accumulate) text += " " + graph.name(move.operand);
  if (many_units) text += " @" + std::to_string(move.level) + "." + std::to_string(move.unit);
  return text;
}

Game red_blue(std::int64_t s) {
  return {Game::Kind::red_blue, {{s, 1}}};
}

Game red_blue_white(std::int64_t s) {
  return {Game::Kind::red_blue_white, {{s, 1}}};
}

Game parallel_red_blue(std::int64_t s, int processors) {
  return {Game::Kind::parallel, {{s, processors}}};
}

Game partial_red_blue(std::int64_t s) {
  return {Game::Kind::partial, {{s, 1}}};
}

Game hierarchical(const std::vector<Level>& levels) {
  const auto refuse = [](const std::string& why) {
    throw Error("a hierarchical game", why,
                "give levels from the processors up, units of a level a multiple of those above");
  };
  if (levels.empty() || levels.size() > 255) refuse("needs 1 to 255 levels");
  for (std::size_t l = 0; l < levels.size(); ++l) {
    if (levels[l].units < 1 || levels[l].units > 65535 || levels[l].words < 1) {
      refuse("level " + std::to_string(l + 1) + " needs 1 to 65,535 units of at least a word");
    }
    if (l > 0 && levels[l - 1].units % levels[l].units != 0) {
      refuse(std::to_string(levels[l - 1].units) + " units do not divide among " +
             std::to_string(levels[l].units) + " above");
    }
  }
  return {Game::Kind::hierarchical, levels};
}

namespace {

class Board {
 public:
  Board(const Graph& graph, const Game& game)
      : graph_(graph), game_(game), blue_(n(), false), white_(n(), false) {
    const bool one_level = game.kind != Game::Kind::hierarchical;
    if (game.levels.empty() || (one_level && game.levels.size() != 1)) {
      throw Error("a pebble game", std::to_string(game.levels.size()) + " levels",
                  "give one, or make the game hierarchical");
    }
    for (const Level& level : game.levels) {
      red_.emplace_back(static_cast<std::size_t>(level.units), std::vector<bool>(n(), false));
      held_.emplace_back(static_cast<std::size_t>(level.units), 0);
      tally.units.emplace_back(static_cast<std::size_t>(level.units));
    }
    for (Vertex v = 0; v < graph.size(); ++v) blue_[at(v)] = graph.input(v);
  }

  // Empty when the move was made, else the rule it breaks.
  std::string make(const Move& move) {
    if (move.vertex < 0 || move.vertex >= graph_.size()) return "no such vertex";
    if (move.level < 1 || move.level > game_.levels.size()) return "no such level";
    if (move.unit >= game_.levels[move.level - 1U].units) return "no such unit";
    switch (move.rule) {
      case Rule::load:
        return load(move);
      case Rule::store:
        return store(move);
      case Rule::compute:
        return compute(move);
      case Rule::erase:
        return erase(move);
      case Rule::get:
        return get(move);
      case Rule::up:
        return up(move);
      case Rule::down:
        return down(move);
      case Rule::accumulate:
        return "only the partial game takes operands one by one";
    }
    return "no such rule";
  }

  // Empty when the game is complete, else what is missing.
  std::string missing() const {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (graph_.output(v) && !blue_[at(v)])
        return "output " + graph_.name(v) + " is not in slow memory";
    }
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (!white_[at(v)] && (white_game() || !graph_.input(v)))
        return graph_.name(v) + (graph_.input(v) ? " was never loaded" : " was never computed");
    }
    return "";
  }

  Tally tally;

 private:
  std::size_t n() const { return static_cast<std::size_t>(graph_.size()); }
  static std::size_t at(Vertex v) { return static_cast<std::size_t>(v); }
  bool white_game() const {
    return game_.kind == Game::Kind::red_blue_white || game_.kind == Game::Kind::hierarchical;
  }
  bool top(const Move& m) const { return m.level == game_.levels.size(); }
  bool red(std::size_t level, std::size_t unit, Vertex v) const {
    return red_[level - 1][unit][at(v)];
  }
  UnitTraffic& traffic(const Move& m) { return tally.units[m.level - 1U][m.unit]; }

  std::size_t parent(const Move& m) const {
    return m.unit /
           static_cast<std::size_t>(game_.levels[m.level - 1U].units / game_.levels[m.level].units);
  }

  std::string place(const Move& m) {
    if (red(m.level, m.unit, m.vertex)) return "";
    std::int64_t& held = held_[m.level - 1U][m.unit];
    const std::int64_t words = game_.levels[m.level - 1U].words;
    if (held >= words)
      return "all " + std::to_string(words) + " words of the fast memory are taken";
    ++held;
    red_[m.level - 1U][m.unit][at(m.vertex)] = true;
    traffic(m).most_words = std::max(traffic(m).most_words, held);
    return "";
  }

  std::string load(const Move& m) {
    if (!top(m)) return "only the top level loads from slow memory";
    if (!blue_[at(m.vertex)]) return "it is not in slow memory";
    std::string fault = place(m);
    if (!fault.empty()) return fault;
    white_[at(m.vertex)] = true;
    ++traffic(m).in;
    ++tally.loads;
    return "";
  }

  std::string store(const Move& m) {
    if (!top(m)) return "only the top level stores to slow memory";
    if (!red(m.level, m.unit, m.vertex)) return "it is not in fast memory";
    blue_[at(m.vertex)] = true;
    ++traffic(m).out;
    ++tally.stores;
    return "";
  }

  std::string compute(const Move& m) {
    if (m.level != 1) return "only level 1 computes";
    if (graph_.input(m.vertex)) return "inputs are loaded, not computed";
    if (white_game() && white_[at(m.vertex)]) return "it was computed before";
    for (const Vertex o : graph_.operands(m.vertex)) {
      if (!red(1, m.unit, o)) return "operand " + graph_.name(o) + " is not in fast memory";
    }
    std::string fault = place(m);
    if (!fault.empty()) return fault;
    white_[at(m.vertex)] = true;
    ++traffic(m).computed;
    ++tally.computed;
    return "";
  }

  std::string erase(const Move& m) {
    if (!red(m.level, m.unit, m.vertex)) return "it is not in fast memory";
    red_[m.level - 1U][m.unit][at(m.vertex)] = false;
    --held_[m.level - 1U][m.unit];
    return "";
  }

  std::string get(const Move& m) {
    if (!top(m) || game_.levels.back().units < 2)
      return "only units of the top level get from others";
    bool elsewhere = false;
    for (int u = 0; u < game_.levels.back().units; ++u) {
      elsewhere = elsewhere || (u != m.unit && red(m.level, static_cast<std::size_t>(u), m.vertex));
    }
    if (!elsewhere) return "no other unit holds it";
    std::string fault = place(m);
    if (!fault.empty()) return fault;
    ++traffic(m).in;
    ++traffic(m).gets;
    ++tally.gets;
    return "";
  }

  std::string up(const Move& m) {
    if (top(m)) return "the top level has no parent; load or get";
    if (!red(m.level + 1U, parent(m), m.vertex)) return "its parent unit does not hold it";
    std::string fault = place(m);
    if (fault.empty()) ++traffic(m).in;
    return fault;
  }

  std::string down(const Move& m) {
    if (m.level == 1) return "level 1 has no children";
    const int ratio = game_.levels[m.level - 2U].units / game_.levels[m.level - 1U].units;
    for (int child = m.unit * ratio; child < (m.unit + 1) * ratio; ++child) {
      if (!red(m.level - 1U, static_cast<std::size_t>(child), m.vertex)) continue;
      std::string fault = place(m);
      if (fault.empty()) ++tally.units[m.level - 2U][static_cast<std::size_t>(child)].out;
      return fault;
    }
    return "no child unit holds it";
  }

  const Graph& graph_;
  const Game& game_;
  std::vector<std::vector<std::vector<bool>>> red_;  // by level, by unit
  std::vector<std::vector<std::int64_t>> held_;
  std::vector<bool> blue_, white_;
};

}  // namespace

namespace {

template <class AnyBoard>
Tally played(const Graph& graph, const Game& game, std::span<const Move> moves) {
  AnyBoard board(graph, game);
  const bool many = game.levels.size() > 1 || game.levels.front().units > 1;
  for (std::size_t at = 0; at < moves.size(); ++at) {
    const std::string fault = board.make(moves[at]);
    if (fault.empty()) continue;
    const Vertex v = moves[at].vertex;
    const bool known = v >= 0 && v < graph.size();
    throw Error("move " + std::to_string(at + 1) +
                    (known ? " (" + text_of(graph, moves[at], many) + ")" : ""),
                fault, "every move must follow the rules of the game");
  }
  const std::string missing = board.missing();
  if (!missing.empty()) {
    throw Error("the end after move " + std::to_string(moves.size()), missing,
                "a complete game computes what it must and stores all outputs");
  }
  return board.tally;
}

}  // namespace

Tally play(const Graph& graph, const Game& game, std::span<const Move> moves) {
  return game.kind == Game::Kind::partial ? played<PartialBoard>(graph, game, moves)
                                          : played<Board>(graph, game, moves);
}

}  // namespace redblue::cdag
