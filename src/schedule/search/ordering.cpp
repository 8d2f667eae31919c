// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/ordering.hpp"

#include <algorithm>
#include <unordered_map>

#include "cdag/index.hpp"
#include "cdag/time_order.hpp"
#include "redblue/error.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using cdag::at;
using cdag::Graph;
using cdag::Order;
using cdag::Vertex;
using program::Program;
using program::Sizes;

namespace {

// The values of a union map at the vertices of a graph, instances it is defined for.
class Values {
 public:
  Values(const Graph& graph, const Program& program, const isl::union_map& maps, const Sizes& sizes,
         const Rearrangement& rearranged)
      : graph_(graph), rearranged_(rearranged) {
    for (const program::Statement& s : program.statements) {
      const auto map = of_statement(maps, s.name);
      if (!map) continue;
      functions_.emplace(s.name, Known{program::Function(*map, sizes), s.iterators.size()});
    }
  }

  // False where the map says nothing about v's statement.
  bool at(Vertex v, std::vector<std::int64_t>& value) {
    const Known* known = of_family(graph_.family(v));
    if (known == nullptr) return false;
    const auto x = graph_.coordinates(v);
    where_.assign(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(known->dimensions));
    if (!known->function.inside(where_, value)) return false;
    if (rearranged_) rearranged_(value);
    return true;
  }

 private:
  struct Known {
    program::Function function;
    std::size_t dimensions;
  };

  // Null where there is none. A graph has few families, each with one name of its own.
  const Known* of_family(const std::string& name) {
    for (const auto& [seen, known] : seen_) {
      if (seen == &name) return known;
    }
    const auto known = functions_.find(name);
    seen_.emplace_back(&name, known == functions_.end() ? nullptr : &known->second);
    return seen_.back().second;
  }

  const Graph& graph_;
  const Rearrangement& rearranged_;
  std::unordered_map<std::string, Known> functions_;
  std::vector<std::pair<const std::string*, const Known*>> seen_;
  std::vector<std::int64_t> where_;
};

}  // namespace

Order order_of(const Graph& graph, const Program& program, const isl::union_map& times,
               const Sizes& sizes, const Rearrangement& rearranged) {
  Values values(graph, program, times, sizes, rearranged);
  Order order;
  order.reserve(at(graph.size()));
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (!graph.input(v)) order.push_back(v);
  }
  const std::string what = "a schedule of " + program.name;
  const std::vector<std::uint32_t> sorted =
      cdag::in_order_of_time(static_cast<std::uint32_t>(order.size()), what,
                             [&](std::uint32_t i, std::vector<std::int64_t>& time) {
                               if (!values.at(order[i], time))
                                 throw Error(what, graph.name(order[i]) + " has no time in it", "");
                             });
  Order result(order.size());
  std::transform(sorted.begin(), sorted.end(), result.begin(),
                 [&order](std::uint32_t i) { return order[i]; });
  return result;
}

std::vector<std::int64_t> tiles_of(const Graph& graph, const Program& program, const Order& order,
                                   const isl::union_map& tiles, const Sizes& sizes,
                                   const Rearrangement& rearranged) {
  Values values(graph, program, tiles, sizes, rearranged);
  std::vector<std::int64_t> result, last, here;
  bool last_tiled = false;
  for (const Vertex v : order) {
    const bool tiled = values.at(v, here);
    const bool same = tiled && last_tiled && here == last;
    result.push_back(result.empty() ? 0 : result.back() + (same ? 0 : 1));
    last = here;
    last_tiled = tiled;
  }
  return result;
}

namespace {

class Scratchpad {
 public:
  Scratchpad(const Graph& graph, const Order& order, const std::vector<std::int64_t>& tile)
      : graph_(graph),
        order_(order),
        tile_(tile),
        held_(at(graph.size()), false),
        stored_(at(graph.size()), false),
        computed_in_(at(graph.size()), -1),
        wanted_in_(at(graph.size()), -1),
        uses_(at(graph.size())) {
    for (Vertex v = 0; v < graph.size(); ++v) uses_[at(v)] = graph.readers(v).size();
  }

  Explicit run() {
    for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
      end = end_of_tile(begin);
      load(begin, end);
      compute(begin, end);
      keep_for(end, end_of_tile(end));
    }
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (graph_.input(v) && graph_.readers(v).empty()) ++result_.loads;
    }
    return result_;
  }

 private:
  std::size_t end_of_tile(std::size_t i) const {
    const std::size_t begin = i;
    while (i < order_.size() && tile_[i] == tile_[begin]) ++i;
    return i;
  }

  void load(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const Vertex o : graph_.operands(order_[i])) {
        if (held_[at(o)] || computed_in_[at(o)] == tile_[begin]) continue;
        hold(o);
        ++result_.loads;
      }
      computed_in_[at(order_[i])] = tile_[begin];
    }
  }

  void compute(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      hold(order_[i]);
      for (const Vertex o : graph_.operands(order_[i])) {
        --uses_[at(o)];
        drop_if_dead(o);
      }
      drop_if_dead(order_[i]);
    }
  }

  void keep_for(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (const Vertex o : graph_.operands(order_[i])) wanted_in_[at(o)] = tile_[begin];
    }
    std::vector<Vertex> kept;
    for (const Vertex v : content_) {
      if (!held_[at(v)]) continue;
      if (begin < end && wanted_in_[at(v)] == tile_[begin]) {
        kept.push_back(v);
        continue;
      }
      if (!graph_.input(v) && !stored_[at(v)]) {
        stored_[at(v)] = true;
        ++result_.stores;
      }
      drop(v);
    }
    content_ = std::move(kept);
  }

  void hold(Vertex v) {
    held_[at(v)] = true;
    content_.push_back(v);
    result_.words = std::max(result_.words, ++words_);
  }

  void drop(Vertex v) {
    held_[at(v)] = false;
    --words_;
  }

  void drop_if_dead(Vertex v) {
    const bool unsaved = graph_.output(v) && !graph_.input(v) && !stored_[at(v)];
    if (uses_[at(v)] == 0 && !unsaved) drop(v);
  }

  const Graph& graph_;
  const Order& order_;
  const std::vector<std::int64_t>& tile_;
  std::vector<bool> held_, stored_;
  std::vector<std::int64_t> computed_in_, wanted_in_;  // by tile
  std::vector<std::size_t> uses_;                      // readers still to run
  std::vector<Vertex> content_;                        // what was ever held and not yet swept
  std::int64_t words_ = 0;
  Explicit result_;
};

}  // namespace

Explicit replay_tiles(const Graph& graph, const Order& order,
                      const std::vector<std::int64_t>& tile) {
  return Scratchpad(graph, order, tile).run();
}

}  // namespace redblue::schedule
