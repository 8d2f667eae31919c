// SPDX-License-Identifier: BSD-3-Clause
// The board of the partial game: operands enter a value one after the other.
#pragma once

#include <string>
#include <vector>

#include "cdag/index.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

// A value whose operands have not all entered may be stored and loaded like any other; once one
// more enters, what slow memory held of it is out of date.
class PartialBoard {
 public:
  // Throws Error where the game has more than one level or unit.
  PartialBoard(const Graph& graph, const Game& game);

  // Empty when the move was made, else the rule it breaks.
  std::string make(const Move& move);
  // Empty when the game is complete, else what is missing.
  std::string missing() const;

  Tally tally;

 private:
  bool complete(Vertex v) const { return missing_[at(v)] == 0; }
  std::string place(Vertex v);
  std::string load(Vertex v);
  std::string store(Vertex v);
  std::string begin(Vertex v);
  std::string accumulate(Vertex v, Vertex operand);
  std::string erase(Vertex v);
  void entered(Vertex v);

  const Graph& graph_;
  std::int64_t words_, held_ = 0;
  std::vector<bool> red_, blue_;
  std::vector<std::vector<Vertex>> entered_;  // operands of each vertex so far
  std::vector<int> missing_;                  // operands; 1 of what is made from nothing, at first
  std::vector<int> readers_;                  // that have yet to take the value
};

}  // namespace redblue::cdag
