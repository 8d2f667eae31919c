// SPDX-License-Identifier: BSD-3-Clause
// Balanced vertex separators: exact by branch and bound while time lasts, sweeps for large sets.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <queue>

#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

using Clock = std::chrono::steady_clock;

// The induced subgraph without directions, vertices 0, 1, ... in the order of the set.
std::vector<std::vector<int>> neighbours(const Graph& graph, const Subset& vertices) {
  std::vector<std::vector<int>> result(vertices.size());
  const auto index = [&vertices](Vertex v) {
    const auto found = std::lower_bound(vertices.begin(), vertices.end(), v);
    return found == vertices.end() || *found != v ? -1 : static_cast<int>(found - vertices.begin());
  };
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    for (const Vertex o : graph.operands(vertices[i])) {
      if (const int j = index(o); j >= 0) {
        result[i].push_back(j);
        result[static_cast<std::size_t>(j)].push_back(static_cast<int>(i));
      }
    }
  }
  return result;
}

struct Balance {
  std::int64_t n = 0;
  std::int64_t least = 0;  // floor(n / q)
  std::int64_t most = 0;   // floor(n / x), of the smaller part

  bool holds(std::int64_t separator, std::int64_t a, std::int64_t b) const {
    const std::int64_t smaller = std::min(a, b);
    return smaller >= least - separator && smaller <= most;
  }
};

using Neighbours = std::vector<std::vector<int>>;

// The distance of every vertex from one of them.
std::vector<double> distances(const Neighbours& adjacent, std::size_t from) {
  std::vector<double> result(adjacent.size(), 1e9);
  std::queue<std::size_t> waiting;
  result[from] = 0;
  waiting.push(from);
  while (!waiting.empty()) {
    const std::size_t v = waiting.front();
    waiting.pop();
    for (const int w : adjacent[v]) {
      const auto u = static_cast<std::size_t>(w);
      if (result[u] < 1e9) continue;
      result[u] = result[v] + 1;
      waiting.push(u);
    }
  }
  return result;
}

// Ways to line the vertices up: by number, by coordinate, by distance from the ends.
std::vector<std::vector<double>> keys(const Graph& graph, const Subset& vertices,
                                      const Neighbours& adjacent) {
  std::vector<std::vector<double>> result;
  result.push_back(distances(adjacent, 0));
  result.push_back(distances(adjacent, vertices.size() - 1));
  std::vector<double> both;
  for (std::size_t i = 0; i < vertices.size(); ++i) both.push_back(result[0][i] - result[1][i]);
  result.push_back(both);
  const std::size_t dimensions = graph.coordinates(vertices.front()).size();
  for (std::size_t d = 0; d < dimensions; ++d) {
    for (const int sign : {0, 1, -1}) {  // alone, with and against the first coordinate
      std::vector<double> key;
      for (const Vertex v : vertices) {
        const auto where = graph.coordinates(v);
        key.push_back(where[d] + sign * where[0]);
      }
      result.push_back(key);
    }
  }
  return result;
}

// The smallest separator between a beginning and the rest of a line-up, every vertex outside the
// separator on its side.
void sweep(const Neighbours& adjacent, const Balance& balance, const std::vector<double>& key,
           std::vector<int>& best) {
  const std::size_t n = adjacent.size();
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&key](int a, int b) {
    return key[static_cast<std::size_t>(a)] < key[static_cast<std::size_t>(b)];
  });
  // The separator: vertices of the beginning with a neighbour behind it.
  std::vector<int> behind(n);  // neighbours not in the beginning yet
  for (std::size_t v = 0; v < n; ++v) behind[v] = static_cast<int>(adjacent[v].size());
  std::vector<bool> begun(n, false);
  std::int64_t size = 0;
  std::size_t best_length = 0;
  auto smallest = static_cast<std::int64_t>(best.size());
  for (std::size_t length = 1; length < n; ++length) {
    const auto v = static_cast<std::size_t>(order[length - 1]);
    begun[v] = true;
    size += behind[v] > 0 ? 1 : 0;
    for (const int w : adjacent[v]) {
      const auto u = static_cast<std::size_t>(w);
      if (--behind[u] == 0 && begun[u]) --size;
    }
    const auto before = static_cast<std::int64_t>(length) - size;
    if (size < smallest && balance.holds(size, before, static_cast<std::int64_t>(n - length))) {
      smallest = size;
      best_length = length;
    }
  }
  if (best_length == 0) return;
  begun.assign(n, false);
  for (std::size_t i = 0; i < best_length; ++i) begun[static_cast<std::size_t>(order[i])] = true;
  best.clear();
  for (std::size_t i = 0; i < best_length; ++i) {
    const auto v = static_cast<std::size_t>(order[i]);
    if (std::any_of(adjacent[v].begin(), adjacent[v].end(),
                    [&begun](int w) { return !begun[static_cast<std::size_t>(w)]; })) {
      best.push_back(order[i]);
    }
  }
}

// Is there a separator of exactly k vertices? Vertices go to one side, the other or the separator
// in turn; neighbours never stand on opposite sides.
class Exhaustive {
 public:
  Exhaustive(const Neighbours& adjacent, const Balance& balance, Clock::time_point end)
      : adjacent_(adjacent), balance_(balance), end_(end), place_(adjacent.size(), unset) {}

  // 1 yes, 0 no, -1 out of time.
  int find(std::int64_t k) {
    k_ = k;
    counts_[0] = counts_[1] = counts_[2] = 0;
    std::fill(place_.begin(), place_.end(), unset);
    const bool found = visit(0);
    return found ? 1 : out_of_time_ ? -1 : 0;
  }

  std::vector<int> separator() const {
    std::vector<int> result;
    for (std::size_t v = 0; v < place_.size(); ++v) {
      if (place_[v] == 2) result.push_back(static_cast<int>(v));
    }
    return result;
  }

 private:
  static constexpr int unset = -1;

  bool allowed(std::size_t v, int side) const {
    if (side == 2) return counts_[2] < k_;
    // The two sides are alike: the first vertex outside the separator goes to side 0.
    if (side == 1 && counts_[0] == 0) return false;
    for (const int w : adjacent_[v]) {
      if (place_[static_cast<std::size_t>(w)] == 1 - side) return false;
    }
    return true;
  }

  bool hopeful(std::size_t placed) const {
    const auto left = static_cast<std::int64_t>(place_.size() - placed);
    const std::int64_t outside = left - (k_ - counts_[2]);  // go to the sides still
    if (outside < 0) return false;
    const std::int64_t need = balance_.least - k_;
    return counts_[0] + outside >= need && counts_[1] + outside >= need;
  }

  bool visit(std::size_t v) {
    if (++steps_ % 65536 == 0 && Clock::now() > end_) out_of_time_ = true;
    if (out_of_time_ || !hopeful(v)) return false;
    if (v == place_.size()) return balance_.holds(counts_[2], counts_[0], counts_[1]);
    for (const int side : {0, 1, 2}) {
      if (!allowed(v, side)) continue;
      place_[v] = side;
      ++counts_[side];
      if (visit(v + 1)) return true;
      --counts_[side];
      place_[v] = unset;
    }
    return false;
  }

  const Neighbours& adjacent_;
  const Balance& balance_;
  Clock::time_point end_;
  std::vector<int> place_;
  std::int64_t counts_[3] = {};
  std::int64_t k_ = 0, steps_ = 0;
  bool out_of_time_ = false;
};

}  // namespace

Separator balanced_separator(const Graph& graph, const Subset& vertices, double q, double x,
                             double seconds) {
  Separator result;
  if (vertices.empty()) return result;
  const Neighbours adjacent = neighbours(graph, vertices);
  const auto n = static_cast<double>(vertices.size());
  const Balance balance{static_cast<std::int64_t>(vertices.size()),
                        static_cast<std::int64_t>(std::floor(n / q)),
                        static_cast<std::int64_t>(std::floor(n / x))};
  // To begin with: any floor(n/q) vertices are a separator, as the smaller part may then be empty.
  std::vector<int> best(static_cast<std::size_t>(balance.least));
  std::iota(best.begin(), best.end(), 0);
  for (const auto& key : keys(graph, vertices, adjacent)) sweep(adjacent, balance, key, best);
  const auto end =
      Clock::now() + std::chrono::microseconds(static_cast<std::int64_t>(seconds * 1e6));
  Exhaustive search(adjacent, balance, end);
  while (result.lower < static_cast<std::int64_t>(best.size())) {
    const int found = vertices.size() > 4096 ? -1 : search.find(result.lower);
    if (found < 0) break;
    if (found == 1) best = search.separator();
    if (found == 0) ++result.lower;
  }
  result.upper = static_cast<std::int64_t>(best.size());
  for (const int i : best) result.vertices.push_back(vertices[static_cast<std::size_t>(i)]);
  std::sort(result.vertices.begin(), result.vertices.end());
  return result;
}

}  // namespace redblue::cdag
