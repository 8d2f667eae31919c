// SPDX-License-Identifier: BSD-3-Clause
// Bounds of pieces of a graph, added up [elango2014, section 3.2].
#include <algorithm>

#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

// A piece on its own (Theorem 2), or with its sources tagged as inputs and its sinks as outputs,
// less one word for each tag (Theorem 3): the larger.
std::int64_t piece_bound(const Graph& piece, std::int64_t s) {
  const std::int64_t plain = graph_bound(piece, s, false).moved;
  const auto source = [&piece](Vertex v) { return piece.operands(v).empty(); };
  const auto sink = [&piece](Vertex v) { return piece.readers(v).empty(); };
  std::int64_t tags = 0;
  for (Vertex v = 0; v < piece.size(); ++v) {
    tags += source(v) && !piece.input(v) ? 1 : 0;
    tags += sink(v) && !source(v) && !piece.output(v) ? 1 : 0;
  }
  const Graph tagged =
      piece.retagged([&](Vertex v) { return piece.input(v) || source(v); },
                     [&](Vertex v) { return piece.output(v) || (sink(v) && !source(v)); });
  return std::max(plain, graph_bound(tagged, s, false).moved - tags);
}

}  // namespace

std::int64_t decomposed_bound(const Graph& graph, std::int64_t s, const std::vector<int>& part) {
  if (part.size() != static_cast<std::size_t>(graph.size())) {
    throw Error("a decomposition of " + std::to_string(graph.size()) + " vertices",
                std::to_string(part.size()) + " parts given", "give one number per vertex");
  }
  const int parts = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
  std::int64_t sum = 0;
  for (int p = 0; p < parts; ++p) {
    sum += piece_bound(
        graph.induced([&](Vertex v) { return part[static_cast<std::size_t>(v)] == p; }), s);
  }
  return sum;
}

Decomposition best_decomposition(const Graph& graph, std::int64_t s) {
  Decomposition best{1, graph_bound(graph, s, false).moved};
  for (int pieces = 2; pieces <= 64 && pieces * 4 <= graph.size(); pieces *= 2) {
    std::vector<int> part;
    for (std::int64_t v = 0; v < graph.size(); ++v) {
      part.push_back(static_cast<int>(v * pieces / graph.size()));
    }
    const std::int64_t moved = decomposed_bound(graph, s, part);
    if (moved > best.moved) best = {pieces, moved};
  }
  return best;
}

}  // namespace redblue::cdag
