// SPDX-License-Identifier: BSD-3-Clause
#include "cdag/brute_force.hpp"

#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <unordered_map>
#include <vector>

namespace redblue::test {

using cdag::Graph;
using cdag::Vertex;
using Mask = std::uint32_t;

namespace {

Mask bit(Vertex v) {
  return Mask{1} << static_cast<unsigned>(v);
}

Mask operands(const Graph& graph, Vertex v) {
  Mask result = 0;
  for (const Vertex o : graph.operands(v)) result |= bit(o);
  return result;
}

}  // namespace

std::int64_t optimum_by_boards(const Graph& graph, std::int64_t s, bool recomputation) {
  const auto n = static_cast<unsigned>(graph.size());
  Mask inputs = 0, outputs = 0;
  for (Vertex v = 0; v < graph.size(); ++v) {
    inputs |= graph.input(v) ? bit(v) : 0;
    outputs |= graph.output(v) ? bit(v) : 0;
  }
  const Mask all = (Mask{1} << n) - 1;
  // `white`: vertices computed so far, and without recomputation inputs loaded.
  const auto pack = [n](Mask red, Mask blue, Mask white) {
    return red | static_cast<std::uint64_t>(blue) << n | static_cast<std::uint64_t>(white) << 2 * n;
  };
  std::unordered_map<std::uint64_t, std::int64_t> cost;
  std::deque<std::uint64_t> waiting;  // 0-1 breadth first
  const auto reach = [&](Mask red, Mask blue, Mask white, std::int64_t c, bool free) {
    const std::uint64_t key = pack(red, blue, recomputation ? white & ~inputs : white);
    const auto known = cost.find(key);
    if (known != cost.end() && known->second <= c) return;
    cost[key] = c;
    if (free) {
      waiting.push_front(key);
    } else {
      waiting.push_back(key);
    }
  };
  reach(0, inputs, 0, 0, true);
  while (!waiting.empty()) {
    const std::uint64_t key = waiting.front();
    waiting.pop_front();
    const Mask red = static_cast<Mask>(key) & all;
    const Mask blue = static_cast<Mask>(key >> n) & all;
    const Mask white = static_cast<Mask>(key >> 2 * n) & all;
    const std::int64_t c = cost[key];
    if ((outputs & ~blue) == 0 && (all & ~white & (recomputation ? ~inputs : all)) == 0) return c;
    const bool room = std::popcount(red) < s;
    for (Vertex v = 0; v < graph.size(); ++v) {
      const Mask b = bit(v);
      if ((red & b) != 0) {
        reach(red & ~b, blue, white, c, true);
        if ((blue & b) == 0) reach(red, blue | b, white, c + 1, false);
        continue;
      }
      if (!room) continue;
      if ((blue & b) != 0) reach(red | b, blue, white | b, c + 1, false);
      const bool fresh = recomputation || (white & b) == 0;
      if ((inputs & b) == 0 && fresh && (operands(graph, v) & ~red) == 0) {
        reach(red | b, blue, white | b, c, true);
      }
    }
  }
  return -1;
}

std::int64_t wavefront_by_sets(const Graph& graph, Vertex v) {
  Mask descendants = 0, ancestors = bit(v);
  for (Vertex u = 0; u < graph.size(); ++u) {
    if ((operands(graph, u) & (descendants | bit(v))) != 0) descendants |= bit(u);
  }
  for (Vertex u = v; u >= 0; --u) {
    if ((ancestors & bit(u)) != 0) ancestors |= operands(graph, u);
  }
  std::int64_t best = graph.size();
  for (Mask done = 0; done < Mask{1} << static_cast<unsigned>(graph.size()); ++done) {
    if ((ancestors & ~done) != 0 || (descendants & done) != 0) continue;
    bool closed = true;
    Mask alive = bit(v);
    for (Vertex u = 0; u < graph.size(); ++u) {
      if ((done & bit(u)) != 0) {
        closed = closed && (operands(graph, u) & ~done) == 0;
      } else {
        alive |= operands(graph, u) & done;
      }
    }
    if (closed) best = std::min<std::int64_t>(best, std::popcount(alive));
  }
  return best;
}

std::int64_t dominator_by_sets(const Graph& graph, const cdag::Subset& h) {
  Mask target = 0;
  for (const Vertex v : h) target |= bit(v);
  std::int64_t best = graph.size();
  for (Mask cut = 0; cut < Mask{1} << static_cast<unsigned>(graph.size()); ++cut) {
    Mask open = 0;  // reached from an input without meeting the cut
    for (Vertex v = 0; v < graph.size(); ++v) {
      const bool reached = graph.input(v) || (operands(graph, v) & open) != 0;
      if (reached && (cut & bit(v)) == 0) open |= bit(v);
    }
    if ((open & target) == 0) best = std::min<std::int64_t>(best, std::popcount(cut));
  }
  return best;
}

std::int64_t separator_by_sets(const Graph& graph, double q, double x) {
  const int n = graph.size();
  std::vector<Mask> adjacent(static_cast<std::size_t>(n), 0);
  for (Vertex v = 0; v < n; ++v) {
    for (const Vertex o : graph.operands(v)) {
      adjacent[static_cast<std::size_t>(v)] |= bit(o);
      adjacent[static_cast<std::size_t>(o)] |= bit(v);
    }
  }
  const auto least = static_cast<int>(std::floor(n / q));
  const auto most = static_cast<int>(std::floor(n / x));
  int best = n;
  // Every vertex to one side, the other or the separator.
  const std::function<void(int, Mask, Mask)> place = [&](int v, Mask a, Mask b) {
    if (v == n) {
      const int smaller = std::min(std::popcount(a), std::popcount(b));
      const int cut = n - std::popcount(a) - std::popcount(b);
      if (smaller >= least - cut && smaller <= most) best = std::min(best, cut);
      return;
    }
    const Mask near = adjacent[static_cast<std::size_t>(v)];
    if ((near & b) == 0) place(v + 1, a | bit(v), b);
    if ((near & a) == 0) place(v + 1, a, b | bit(v));
    place(v + 1, a, b);
  };
  place(0, 0, 0);
  return best;
}

}  // namespace redblue::test
