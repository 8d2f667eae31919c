// SPDX-License-Identifier: BSD-3-Clause
#include "cdag/partial_board.hpp"

#include <algorithm>

#include "redblue/error.hpp"

namespace redblue::cdag {

PartialBoard::PartialBoard(const Graph& graph, const Game& game) : graph_(graph) {
  if (game.levels.size() != 1 || game.levels.front().units != 1) {
    throw Error("a partial pebble game", "several levels or units", "give one level of one unit");
  }
  words_ = game.levels.front().words;
  const auto n = static_cast<std::size_t>(graph.size());
  red_.assign(n, false);
  entered_.resize(n);
  for (Vertex v = 0; v < graph.size(); ++v) {
    blue_.push_back(graph.input(v));
    const auto operands = static_cast<int>(graph.operands(v).size());
    missing_.push_back(graph.input(v) ? 0 : std::max(operands, 1));
    readers_.push_back(static_cast<int>(graph.readers(v).size()));
  }
  tally.units = {std::vector<UnitTraffic>(1)};
}

std::string PartialBoard::make(const Move& move) {
  if (move.vertex < 0 || move.vertex >= graph_.size()) return "no such vertex";
  if (move.level != 1 || move.unit != 0) return "no such unit";
  switch (move.rule) {
    case Rule::load:
      return load(move.vertex);
    case Rule::store:
      return store(move.vertex);
    case Rule::compute:
      return begin(move.vertex);
    case Rule::accumulate:
      return accumulate(move.vertex, move.operand);
    case Rule::erase:
      return erase(move.vertex);
    default:
      return "no move of the partial game";
  }
}

std::string PartialBoard::missing() const {
  for (Vertex v = 0; v < graph_.size(); ++v) {
    if (!complete(v)) return graph_.name(v) + " has not taken all its operands";
    if (graph_.output(v) && !blue_[at(v)])
      return "output " + graph_.name(v) + " is not in slow memory";
  }
  return "";
}

std::string PartialBoard::place(Vertex v) {
  if (red_[at(v)]) return "";
  if (held_ >= words_)
    return "all " + std::to_string(words_) + " words of the fast memory are taken";
  red_[at(v)] = true;
  UnitTraffic& unit = tally.units[0][0];
  unit.most_words = std::max(unit.most_words, ++held_);
  return "";
}

std::string PartialBoard::load(Vertex v) {
  if (!blue_[at(v)]) return "it is not in slow memory, or out of date there";
  std::string fault = place(v);
  if (!fault.empty()) return fault;
  ++tally.loads;
  ++tally.units[0][0].in;
  return "";
}

std::string PartialBoard::store(Vertex v) {
  if (!red_[at(v)]) return "it is not in fast memory";
  blue_[at(v)] = true;
  ++tally.stores;
  ++tally.units[0][0].out;
  return "";
}

std::string PartialBoard::begin(Vertex v) {
  if (graph_.input(v)) return "inputs are loaded, not computed";
  if (!graph_.operands(v).empty()) return "its operands enter one by one";
  if (complete(v)) return "it was computed before";
  std::string fault = place(v);
  if (fault.empty()) entered(v);
  return fault;
}

std::string PartialBoard::accumulate(Vertex v, Vertex operand) {
  const auto operands = graph_.operands(v);
  if (operand < 0 || std::find(operands.begin(), operands.end(), operand) == operands.end())
    return "that is none of its operands";
  std::vector<Vertex>& in = entered_[at(v)];
  if (std::find(in.begin(), in.end(), operand) != in.end()) return "that operand entered before";
  if (!complete(operand)) return "operand " + graph_.name(operand) + " has not all of its own";
  if (!red_[at(operand)]) return "operand " + graph_.name(operand) + " is not in fast memory";
  if (!red_[at(v)] && !in.empty()) return "what entered before is not in fast memory";
  std::string fault = place(v);
  if (!fault.empty()) return fault;
  in.push_back(operand);
  --readers_[at(operand)];
  blue_[at(v)] = false;
  entered(v);
  return "";
}

void PartialBoard::entered(Vertex v) {
  if (--missing_[at(v)] > 0) return;
  ++tally.computed;
  ++tally.units[0][0].computed;
}

std::string PartialBoard::erase(Vertex v) {
  if (!red_[at(v)]) return "it is not in fast memory";
  if (!blue_[at(v)] && (!complete(v) || readers_[at(v)] > 0))
    return "it is needed, and slow memory does not hold it";
  red_[at(v)] = false;
  --held_;
  return "";
}

}  // namespace redblue::cdag
