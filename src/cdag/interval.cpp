// SPDX-License-Identifier: BSD-3-Clause
// Dependency intervals along a chain, and how they and their separators grow.
#include <algorithm>
#include <bit>
#include <cmath>

#include "cdag/flow.hpp"
#include "cdag/index.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

constexpr Vertex most_for_chain = 6000;

using Bits = std::vector<std::uint64_t>;

// Sets of vertices reached from each vertex, itself included, backwards or forwards.
std::vector<Bits> reaches(const Graph& graph, bool forwards) {
  const std::size_t words = (at(graph.size()) + 63) / 64;
  std::vector<Bits> result(at(graph.size()), Bits(words, 0));
  for (Vertex i = 0; i < graph.size(); ++i) {
    const Vertex v = forwards ? graph.size() - 1 - i : i;
    result[at(v)][at(v) / 64] |= std::uint64_t{1} << (at(v) % 64);
    for (const Vertex o : forwards ? graph.readers(v) : graph.operands(v)) {
      for (std::size_t w = 0; w < words; ++w) result[at(v)][w] |= result[at(o)][w];
    }
  }
  return result;
}

std::int64_t common(const Bits& a, const Bits& b) {
  std::int64_t count = 0;
  for (std::size_t w = 0; w < a.size(); ++w) count += std::popcount(a[w] & b[w]);
  return count;
}

// Halves an interval at the vertex whose two intervals are largest, again and again.
class ChainFinder {
 public:
  explicit ChainFinder(const Graph& graph)
      : graph_(graph), before_(reaches(graph, false)), behind_(reaches(graph, true)) {}

  std::vector<Vertex> find() {
    Vertex first = 0, last = 0;
    std::int64_t most = -1;
    for (Vertex a = 0; a < graph_.size(); ++a) {
      // Only ends that are no operand of a better end: sources and sinks.
      if (!graph_.operands(a).empty()) continue;
      for (Vertex b = a; b < graph_.size(); ++b) {
        if (!graph_.readers(b).empty()) continue;
        const std::int64_t size = between(a, b);
        if (size > most) {
          most = size;
          first = a;
          last = b;
        }
      }
    }
    chain_ = {first};
    halve(first, last);
    return chain_;
  }

 private:
  std::int64_t between(Vertex a, Vertex b) const { return common(behind_[at(a)], before_[at(b)]); }

  void halve(Vertex a, Vertex b) {
    Vertex middle = -1;
    std::int64_t best = -1;
    for (Vertex m = a + 1; m < b; ++m) {
      const bool inside = (behind_[at(a)][at(m) / 64] >> (at(m) % 64) & 1U) != 0 &&
                          (before_[at(b)][at(m) / 64] >> (at(m) % 64) & 1U) != 0;
      if (!inside) continue;
      const std::int64_t smaller = std::min(between(a, m), between(m, b));
      if (smaller > best) {
        best = smaller;
        middle = m;
      }
    }
    if (middle < 0) {
      if (a != b) chain_.push_back(b);
      return;
    }
    halve(a, middle);
    halve(middle, b);
  }

  const Graph& graph_;
  std::vector<Bits> before_, behind_;
  std::vector<Vertex> chain_;
};

struct Line {
  double slope = 0, residual = 0;
};

// Least squares of log y = slope log(x + shift) + constant.
Line fit(const std::vector<std::pair<double, double>>& points, double shift) {
  double x = 0, y = 0, xx = 0, xy = 0, yy = 0, n = 0;
  for (const auto& [p, q] : points) {
    if (q <= 0) continue;
    const double a = std::log(p + shift), b = std::log(q);
    x += a;
    y += b;
    xx += a * a;
    xy += a * b;
    yy += b * b;
    ++n;
  }
  const double spread = n * xx - x * x;
  if (n < 3 || spread <= 0) return {};
  const double slope = (n * xy - x * y) / spread;
  return {slope, (yy - y * y / n) - slope * (xy - x * y / n)};
}

// The exponent of y ~ (x + shift)^exponent with the shift that fits best: what lower-order terms
// do to small sizes, a shift does too. The smallest quarter of the points is left out.
double exponent(const std::vector<std::pair<double, double>>& points) {
  const std::vector<std::pair<double, double>> large(
      points.begin() + static_cast<std::ptrdiff_t>(points.size() / 4), points.end());
  if (large.empty()) return 0;
  Line best = fit(large, 0);
  for (int quarters = 1; quarters <= 16; ++quarters) {
    const Line line = fit(large, quarters / 4.0);
    if (line.residual < best.residual) best = line;
  }
  return best.slope;
}

}  // namespace

Subset interval(const Graph& graph, Vertex a, Vertex b) {
  const std::vector<bool> later = descendants(graph, a);
  const std::vector<bool> earlier = ancestors(graph, b);
  Subset result;
  for (Vertex v = a; v <= b; ++v) {
    if ((v == a || later[at(v)]) && (v == b || earlier[at(v)])) result.push_back(v);
  }
  // Without a chain from a to b there is no interval.
  if (a != b && !later[at(b)]) result.clear();
  return result;
}

std::vector<Vertex> main_chain(const Graph& graph) {
  if (graph.size() > most_for_chain) {
    throw Error("the main chain of " + std::to_string(graph.size()) + " vertices",
                "more than " + std::to_string(most_for_chain), "give the chain or a smaller graph");
  }
  if (graph.size() == 0) return {};
  return ChainFinder(graph).find();
}

IntervalGrowth interval_growth(const Graph& graph, const std::vector<Vertex>& chain) {
  IntervalGrowth growth;
  growth.separators_exact = true;
  std::vector<std::pair<double, double>> sizes, separators;
  const std::size_t last = chain.empty() ? 0 : chain.size() - 1;
  for (std::size_t b = 2; b <= last; b += std::max<std::size_t>(1, b / 4)) {
    // The smallest of a few intervals of this length stands for all.
    Subset smallest;
    for (const std::size_t from : {std::size_t{0}, (last - b) / 2, last - b}) {
      Subset found = interval(graph, chain[from], chain[from + b]);
      if (smallest.empty() || found.size() < smallest.size()) smallest = std::move(found);
    }
    const Separator separator = balanced_separator(graph, smallest, 4, 2, 0.3);
    growth.points.push_back({static_cast<std::int64_t>(b),
                             static_cast<std::int64_t>(smallest.size()), separator.lower,
                             separator.upper});
    growth.separators_exact = growth.separators_exact && separator.lower == separator.upper;
    sizes.emplace_back(static_cast<double>(b), static_cast<double>(smallest.size()));
    separators.emplace_back(static_cast<double>(b), static_cast<double>(separator.upper));
  }
  growth.sigma = exponent(sizes);
  growth.epsilon = exponent(separators);
  return growth;
}

}  // namespace redblue::cdag
