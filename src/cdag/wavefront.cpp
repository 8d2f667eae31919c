// SPDX-License-Identifier: BSD-3-Clause
// Wavefronts of explicit graphs, and their sum over pieces.
#include <algorithm>
#include <numeric>

#include "cdag/flow.hpp"
#include "cdag/index.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

using Side = CutProblem::Side;

Cut cut_at(const Graph& graph, Vertex v, const std::vector<bool>& counts) {
  CutProblem problem;
  problem.convex = true;
  problem.counts = counts;
  problem.side.assign(at(graph.size()), Side::free);
  const std::vector<bool> earlier = ancestors(graph, v);
  const std::vector<bool> later = descendants(graph, v);
  for (std::size_t u = 0; u < problem.side.size(); ++u) {
    if (earlier[u]) problem.side[u] = Side::before;
    if (later[u]) problem.side[u] = Side::behind;
  }
  problem.side[at(v)] = Side::before;
  Cut cut = minimum_cut(graph, problem);
  if (graph.readers(v).empty() && counts[at(v)]) {  // itself, just computed
    ++cut.size;
    cut.vertices.push_back(v);
    cut.paths.push_back(v);
  }
  return cut;
}

std::int64_t related(const Graph& graph, Vertex v) {
  const std::vector<bool> earlier = ancestors(graph, v);
  const std::vector<bool> later = descendants(graph, v);
  return std::count(earlier.begin(), earlier.end(), true) +
         std::count(later.begin(), later.end(), true);
}

// One vertex out of each of `samples` stretches of the numbering: the one with the most ancestors
// and descendants, or, where counting those is too much, with the most readers.
std::vector<Vertex> candidates(const Graph& graph, int samples) {
  if (samples == 0) {  // as many as take some seconds
    const std::int64_t affordable = 50'000'000 / (graph.edges() + graph.size() + 1);
    samples = static_cast<int>(std::clamp<std::int64_t>(affordable, 8, 256));
  }
  const bool count_related = graph.size() <= 4000;
  std::vector<Vertex> chosen;
  const std::int64_t n = graph.size();
  for (std::int64_t w = 0; w < samples; ++w) {
    Vertex best = -1;
    std::int64_t most = -1;
    for (auto v = static_cast<Vertex>(w * n / samples); v < (w + 1) * n / samples; ++v) {
      if (graph.input(v)) continue;
      const std::int64_t score =
          count_related ? related(graph, v) : static_cast<std::int64_t>(graph.readers(v).size());
      if (score > most) {
        most = score;
        best = v;
      }
    }
    if (best >= 0) chosen.push_back(best);
  }
  return chosen;
}

}  // namespace

std::int64_t minimum_wavefront(const Graph& graph, Vertex v, Subset* cut) {
  if (v < 0 || v >= graph.size()) {
    throw Error("the wavefront of vertex " + std::to_string(v),
                "the graph has " + std::to_string(graph.size()) + " vertices", "");
  }
  Cut found = cut_at(graph, v, std::vector<bool>(at(graph.size()), true));
  if (cut != nullptr) *cut = std::move(found.vertices);
  return found.size;
}

Wavefront largest_wavefront(const Graph& graph, int samples) {
  Wavefront largest;
  for (const Vertex v : candidates(graph, samples)) {
    const std::int64_t size = minimum_wavefront(graph, v);
    if (size > largest.size) largest = {v, size};
  }
  return largest;
}

WavefrontBound wavefront_bound(const Graph& graph, std::int64_t s, const Subset& wanted,
                               int samples) {
  s = std::min<std::int64_t>(s, graph.size());  // nobody needs more
  std::vector<bool> counts(at(graph.size()), true);
  std::vector<std::pair<std::int64_t, Vertex>> sizes;
  for (const Vertex v : wanted.empty() ? candidates(graph, samples) : wanted) {
    const std::int64_t size = cut_at(graph, v, counts).size;
    if (size > s) sizes.emplace_back(size, v);
  }
  std::stable_sort(sizes.begin(), sizes.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  WavefrontBound bound;
  for (const auto& [size, v] : sizes) {
    Cut cut = cut_at(graph, v, counts);
    if (cut.size <= s) continue;
    for (const Vertex u : cut.paths) counts[at(u)] = false;
    bound.moved += 2 * (cut.size - s);
    bound.pieces.push_back({v, cut.size, std::move(cut.paths)});
  }
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (counts[at(v)] && (graph.input(v) || graph.output(v))) ++bound.moved;
  }
  return bound;
}

}  // namespace redblue::cdag
