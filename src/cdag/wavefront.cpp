// Wavefronts of explicit graphs, and their sum over pieces.
#include <algorithm>
#include <numeric>

#include "cdag/flow.hpp"
#include "redblue/cdag.hpp"
#include "redblue/error.hpp"

namespace redblue::cdag {

namespace {

using Side = CutProblem::Side;

std::size_t at(Vertex v) {
  return static_cast<std::size_t>(v);
}

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

// Half of them the vertices with the most readers, half spread over the graph; where a look at
// each is cheap, those with the most ancestors and descendants.
std::vector<Vertex> candidates(const Graph& graph, int samples) {
  std::vector<Vertex> all(at(graph.size()));
  std::iota(all.begin(), all.end(), 0);
  std::erase_if(all, [&graph](Vertex v) { return graph.input(v); });
  const auto wanted = static_cast<std::size_t>(std::max(samples, 1));
  if (all.size() <= wanted || samples == 0) return all;
  if (graph.size() <= 4000) {
    std::vector<std::int64_t> score(at(graph.size()), 0);
    for (const Vertex v : all) score[at(v)] = related(graph, v);
    std::stable_sort(all.begin(), all.end(),
                     [&score](Vertex a, Vertex b) { return score[at(a)] > score[at(b)]; });
    all.resize(wanted);
    return all;
  }
  std::vector<Vertex> chosen;
  const std::size_t spread = wanted / 2;
  for (std::size_t i = 0; i < spread; ++i) chosen.push_back(all[i * all.size() / spread]);
  std::stable_sort(all.begin(), all.end(), [&graph](Vertex a, Vertex b) {
    return graph.readers(a).size() > graph.readers(b).size();
  });
  chosen.insert(chosen.end(), all.begin(), all.begin() + static_cast<std::ptrdiff_t>(wanted - spread));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
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
    if (counts[at(v)] && graph.input(v) != graph.output(v)) ++bound.moved;
    if (counts[at(v)] && graph.input(v) && graph.output(v)) ++bound.moved;
  }
  return bound;
}

}  // namespace redblue::cdag
