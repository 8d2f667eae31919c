// SPDX-License-Identifier: BSD-3-Clause
// Products of one explicit graph, by counting.
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "redblue/error.hpp"
#include "redblue/pebble.hpp"
#include "redblue/tradeoff.hpp"

namespace redblue::cdag {

namespace {

constexpr std::size_t most_chain_vertices = 300;
constexpr int highest_order = 4;

using Bits = std::vector<std::uint64_t>;

std::size_t at(Vertex v) {
  return static_cast<std::size_t>(v);
}

void insert(Bits& bits, Vertex v) {
  bits[at(v) / 64] |= std::uint64_t{1} << (at(v) % 64);
}
bool holds(const Bits& bits, Vertex v) {
  return (bits[at(v) / 64] >> (at(v) % 64) & 1U) != 0;
}

// v, and all that depends on it, or that it depends on.
Bits reached(const Graph& graph, Vertex v, bool forwards) {
  Bits result((at(graph.size()) + 63) / 64, 0);
  insert(result, v);
  std::vector<Vertex> open = {v};
  while (!open.empty()) {
    const Vertex next = open.back();
    open.pop_back();
    for (const Vertex other : forwards ? graph.readers(next) : graph.operands(next)) {
      if (holds(result, other)) continue;
      insert(result, other);
      open.push_back(other);
    }
  }
  return result;
}

std::vector<Vertex> computed(const Graph& graph, std::vector<Vertex> chain) {
  if (chain.empty()) chain = main_chain(graph);
  std::erase_if(chain, [&](Vertex v) { return graph.input(v); });
  if (chain.size() <= most_chain_vertices) return chain;
  std::vector<Vertex> thinner;  // evenly; a part of a chain is one
  for (std::size_t i = 0; i < most_chain_vertices; ++i)
    thinner.push_back(chain[i * chain.size() / most_chain_vertices]);
  return thinner;
}

// sizes[i][j]: vertices between the i-th and the j-th vertex of the chain, both included.
std::vector<std::vector<std::int64_t>> interval_sizes(const Graph& graph,
                                                      const std::vector<Vertex>& chain) {
  std::vector<Bits> behind, before;
  for (const Vertex v : chain) {
    behind.push_back(reached(graph, v, true));
    before.push_back(reached(graph, v, false));
  }
  std::vector<std::vector<std::int64_t>> sizes(chain.size(),
                                               std::vector<std::int64_t>(chain.size(), 0));
  for (std::size_t i = 0; i < chain.size(); ++i) {
    for (std::size_t j = i; j < chain.size(); ++j) {
      if (!holds(behind[i], chain[j])) {
        throw Error("a chain through " + graph.name(chain[i]) + " and " + graph.name(chain[j]),
                    "the second does not depend on the first", "give a dependency chain");
      }
      for (std::size_t w = 0; w < behind[i].size(); ++w)
        sizes[i][j] += std::popcount(behind[i][w] & before[j][w]);
    }
  }
  return sizes;
}

// least[c]: the fewest vertices in c + 1 windows that make up the chain.
std::vector<double> least_by_windows(const std::vector<std::vector<std::int64_t>>& sizes) {
  const std::size_t n = sizes.size();
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> result, ends(n + 1, never);
  ends[0] = 0;
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<double> next(n + 1, never);
    for (std::size_t j = 1; j <= n; ++j) {
      for (std::size_t i = 0; i < j; ++i)
        next[j] = std::min(next[j], ends[i] + static_cast<double>(sizes[i][j - 1]));
    }
    ends = next;
    result.push_back(ends[n]);
  }
  return result;
}

TradeoffProduct product_of_order(int order, const std::vector<double>& least) {
  const std::string power = order == 2 ? "" : "^" + std::to_string(order - 1);
  TradeoffProduct product;
  product.name = "F S" + power;
  product.left = "F*(S + 1)^" + std::to_string(order - 1);
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t c = 0; c < least.size(); ++c) {
    best = std::min(best, least[c] * std::pow(static_cast<double>(c + 1), order - 1));
    product.curve.emplace_back(static_cast<std::int64_t>(c), least[c]);
  }
  product.value = best;
  product.right = std::to_string(static_cast<std::int64_t>(best));
  product.formula = "F (S + 1)" + power + " >= " + product.right.text();
  product.ledger.push_back(
      {"one path has both factors; values may be computed again, by any number of processors, and "
       "inputs may lie anywhere",
       Condition::Status::proved});
  product.ledger.push_back(
      {"the graph's own edges, so its own order of every sum", Condition::Status::assumed});
  return product;
}

}  // namespace

TradeoffReport tradeoffs(const Graph& graph, std::vector<Vertex> given) {
  const std::vector<Vertex> chain = computed(graph, std::move(given));
  TradeoffReport report;
  if (chain.size() < 2) {
    report.why_none = "no chain of two computed vertices";
    return report;
  }
  const std::vector<double> least = least_by_windows(interval_sizes(graph, chain));
  report.chain = graph.name(chain.front()) + " .. " + graph.name(chain.back());
  report.length = std::to_string(chain.size());
  report.interval = std::to_string(static_cast<std::int64_t>(least.front()));
  report.interval_is = TradeoffReport::Interval::longest;
  // Where no window is larger than its part of the chain, nothing is gained by synchronising.
  if (least.front() <= static_cast<double>(chain.size())) {
    report.why_none = "the chain's intervals have no vertices but the chain's own";
    return report;
  }
  // Orders up to where the whole interval alone is the least product.
  for (int order = 2; order <= highest_order; ++order) {
    report.products.push_back(product_of_order(order, least));
    if (*report.products.back().value >= least.front()) break;
  }
  return report;
}

}  // namespace redblue::cdag
