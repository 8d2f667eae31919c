// Explicit graphs of small programs and what schedules of them move: upper bounds for the tests.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::test {

struct Graph {
  // Vertices in program order; inputs have no operands. A vertex stands for one value.
  std::vector<std::vector<int>> operands;
  std::vector<bool> input;
  std::vector<bool> output;  // must end in slow memory

  std::size_t most_operands() const;
};

// The program at the given sizes, executed symbolically element by element.
Graph graph_of(const program::Program& program, const std::map<std::string, std::int64_t>& sizes);

// Computes the vertices in program order, or greedily the ready one with the fewest operands out of
// the `window` values used last.
std::vector<int> program_order(const Graph& graph);
std::vector<int> greedy_order(const Graph& graph, std::size_t window);

// Loads + stores of an order with a fast memory of s words, each value computed once, the value
// used farthest in the future leaving first. s must exceed most_operands().
std::int64_t replay(const Graph& graph, const std::vector<int>& order, std::size_t s);

}  // namespace redblue::test
