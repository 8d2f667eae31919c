// SPDX-License-Identifier: BSD-3-Clause
// Orders to compute a graph in, and the search for a cheap one.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>
#include <random>
#include <set>

#include "cdag/index.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

// The ready vertices by how many operands are missing among the values used last.
class Greedy {
 public:
  Greedy(const Graph& graph, std::int64_t window)
      : graph_(graph),
        window_(static_cast<std::size_t>(std::max<std::int64_t>(window, 1))),
        waiting_(at(graph.size()), 0),
        missing_(at(graph.size()), 0),
        recent_(at(graph.size()), false),
        where_(at(graph.size())) {
    for (Vertex v = 0; v < graph.size(); ++v) {
      if (graph.input(v)) continue;
      for (const Vertex o : graph.operands(v)) waiting_[at(v)] += graph.input(o) ? 0 : 1;
      if (waiting_[at(v)] == 0) now_ready(v);
    }
  }

  Order order() {
    Order result;
    while (!ready_.empty()) {
      const Vertex v = ready_.begin()->second;
      ready_.erase(ready_.begin());
      result.push_back(v);
      waiting_[at(v)] = -1;
      for (const Vertex o : graph_.operands(v)) touch(o);
      touch(v);
      for (const Vertex r : graph_.readers(v)) {
        if (--waiting_[at(r)] == 0) now_ready(r);
      }
    }
    return result;
  }

 private:
  void now_ready(Vertex v) {
    missing_[at(v)] = 0;
    for (const Vertex o : graph_.operands(v)) missing_[at(v)] += recent_[at(o)] ? 0 : 1;
    ready_.emplace(missing_[at(v)], v);
  }

  void touch(Vertex v) {
    if (recent_[at(v)]) {
      used_.splice(used_.begin(), used_, where_[at(v)]);
      return;
    }
    used_.push_front(v);
    where_[at(v)] = used_.begin();
    change(v, true);
    if (used_.size() <= window_) return;
    change(used_.back(), false);
    used_.pop_back();
  }

  void change(Vertex v, bool present) {
    recent_[at(v)] = present;
    for (const Vertex r : graph_.readers(v)) {
      if (waiting_[at(r)] != 0 || graph_.input(r)) continue;
      ready_.erase({missing_[at(r)], r});
      missing_[at(r)] += present ? -1 : 1;
      ready_.emplace(missing_[at(r)], r);
    }
  }

  const Graph& graph_;
  std::size_t window_;
  std::vector<int> waiting_, missing_;  // waiting < 0: computed
  std::vector<bool> recent_;
  std::list<Vertex> used_;
  std::vector<std::list<Vertex>::iterator> where_;
  std::set<std::pair<int, Vertex>> ready_;
};

std::int64_t block(std::int64_t x, std::int64_t size) {
  return x >= 0 ? x / size : -((-x + size - 1) / size);
}

// Every input is loaded and every other output stored.
std::int64_t compulsory(const Graph& graph) {
  std::int64_t words = 0;
  for (Vertex v = 0; v < graph.size(); ++v) words += graph.input(v) || graph.output(v) ? 1 : 0;
  return words;
}

// What a search has spent of what it may, and the cheapest schedule it knows.
class Effort {
 public:
  Effort(const Graph& graph, std::int64_t s, const ScheduleSearch& allowed)
      : graph_(graph), s_(s), allowed_(allowed), least_(compulsory(graph)) {}

  Replayed replayed(const Order& order) {
    Replayed cost = replay(graph_, order, s_);
    ++orders_;
    best_ = std::min(best_, cost.moved());
    if (allowed_.progress) {
      allowed_.progress({static_cast<double>(orders_), 0, "orders tried",
                         static_cast<double>(best_), allowed_.seconds - elapsed()});
    }
    return cost;
  }

  bool over() const {
    return best_ <= least_ ||
           orders_ * std::max<std::int64_t>(graph_.size(), 1) >= allowed_.vertices ||
           elapsed() > allowed_.seconds;
  }

 private:
  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  const Graph& graph_;
  std::int64_t s_;
  const ScheduleSearch& allowed_;
  std::int64_t least_, orders_ = 0, best_ = std::numeric_limits<std::int64_t>::max();
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// Better orders by moving runs of vertices to other legal places.
class Improvement {
 public:
  Improvement(const Graph& graph, Effort& effort, Schedule start)
      : graph_(graph), effort_(effort), best_(std::move(start)), position_(at(graph.size()), 0) {}

  Schedule run() {
    Schedule current = best_;
    // Where there is nothing to move, no try is replayed.
    for (std::int64_t tries = 0, idle = 0; !effort_.over() && idle < most_idle; ++tries) {
      Schedule next = current;
      if (!shift(next.order)) {
        ++idle;
        continue;
      }
      idle = 0;
      next.cost = effort_.replayed(next.order);
      // Level moves and, now and then, small losses get out of local optima.
      const std::int64_t slack = tries % 16 == 0 ? 1 : 0;
      if (next.cost.moved() <= current.cost.moved() + slack) current = std::move(next);
      if (current.cost.moved() < best_.cost.moved()) {
        best_ = current;
        best_.how = "order search";
      }
      if (tries % 1024 == 1023) current = best_;
    }
    return best_;
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }

  bool shift(Order& order) {
    if (order.size() < 2) return false;
    const std::size_t from = below(order.size());
    const std::size_t run = std::min(order.size() - from, 1 + below(below(2) == 0 ? 1 : 8));
    for (std::size_t i = 0; i < order.size(); ++i) position_[at(order[i])] = i + 1;
    std::size_t first = 0, last = order.size();  // the run may stand between these places
    for (std::size_t i = from; i < from + run; ++i) {
      for (const Vertex o : graph_.operands(order[i])) {
        const std::size_t p = position_[at(o)];  // 0 for inputs
        if (p <= from) first = std::max(first, p);
      }
      for (const Vertex r : graph_.readers(order[i])) {
        const std::size_t p = position_[at(r)] - 1;
        if (p >= from + run) last = std::min(last, p);
      }
    }
    if (last - first <= run) return false;
    const std::size_t to = first + below(last - first - run + 1);
    if (to == from) return false;
    const auto begin = order.begin();
    const auto place = [&](std::size_t i) { return begin + static_cast<std::ptrdiff_t>(i); };
    if (to < from) {
      std::rotate(place(to), place(from), place(from + run));
    } else {
      std::rotate(place(from), place(from + run), place(to + run));
    }
    return true;
  }

  static constexpr std::int64_t most_idle = 100'000;

  const Graph& graph_;
  Effort& effort_;
  Schedule best_;
  std::vector<std::size_t> position_;
  std::mt19937 random_{12345};
};

// Tilings to try: one dimension of two, two of three, equal sizes in all but one of more; the rest
// in single steps. Blocks that about fill the fast memory and are about square come first.
std::vector<std::vector<Tile>> tilings(std::size_t dimensions, std::int64_t s) {
  std::vector<std::int64_t> sizes;
  for (std::int64_t size = 1; size <= 2 * s; size += std::max<std::int64_t>(1, size / 4)) {
    sizes.push_back(size);
  }
  std::vector<std::pair<double, std::vector<Tile>>> ranked;
  std::vector<std::size_t> order(dimensions);
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    for (const std::int64_t skew : {0, 1}) {
      for (const std::int64_t a : sizes) {
        for (const std::int64_t b : dimensions == 3 ? sizes : std::vector<std::int64_t>{a}) {
          const double words =
              std::pow(static_cast<double>(a), static_cast<double>(dimensions) - 2) *
              static_cast<double>(b);
          if (words > 2 * static_cast<double>(s)) break;
          std::vector<Tile> tiling;
          for (std::size_t d = 0; d < dimensions; ++d) {
            const std::int64_t size = d + 1 == dimensions ? 1 : d == 0 ? a : b;
            tiling.push_back({order[d], size, order[d] == 0 ? 0 : skew});
          }
          const double fill = std::abs(std::log(words / (0.8 * static_cast<double>(s))));
          const double square = std::abs(std::log(static_cast<double>(a) / static_cast<double>(b)));
          ranked.emplace_back(fill + square / 2, std::move(tiling));
        }
      }
    }
  } while (std::next_permutation(order.begin(), order.end()));
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& x, const auto& y) { return x.first < y.first; });
  std::vector<std::vector<Tile>> result;
  for (auto& [rank, tiling] : ranked) result.push_back(std::move(tiling));
  return result;
}

std::string described(const std::vector<Tile>& tiling) {
  std::string text = "tiles";
  for (const Tile& t : tiling) {
    text += " " + std::to_string(t.dimension) + "/" + std::to_string(t.size) +
            (t.skew != 0 ? " skewed" : "");
  }
  return text;
}

}  // namespace

Order natural_order(const Graph& graph) {
  Order result;
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (!graph.input(v)) result.push_back(v);
  }
  return result;
}

Order greedy_order(const Graph& graph, std::int64_t window) {
  return Greedy(graph, window).order();
}

namespace {

// The block of each dimension of the tiling that a vertex lies in.
void block_of(const Graph& graph, Vertex v, const std::vector<Tile>& tiling,
              std::span<std::int64_t> blocks) {
  const auto where = graph.coordinates(v);
  for (std::size_t t = 0; t < tiling.size(); ++t) {
    if (tiling[t].dimension >= where.size() || tiling[t].size < 1) {
      throw Error("a tiling of dimension " + std::to_string(tiling[t].dimension),
                  "vertices have " + std::to_string(where.size()) + " coordinates",
                  "tile those, by sizes of at least 1");
    }
    blocks[t] = block(where[tiling[t].dimension] + tiling[t].skew * where[0], tiling[t].size);
  }
}

// Throws Error at the first vertex that needs one of a later block; most tilings that do not follow
// the dependences end soon.
void check_follows_dependences(const Graph& graph, const std::vector<Tile>& tiling) {
  std::vector<std::int64_t> mine(tiling.size()), theirs(tiling.size());
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.input(v)) continue;
    block_of(graph, v, tiling, mine);
    for (const Vertex o : graph.operands(v)) {
      if (graph.input(o)) continue;
      block_of(graph, o, tiling, theirs);
      if (mine >= theirs) continue;
      throw Error(described(tiling),
                  graph.name(v) + " needs " + graph.name(o) + " of a later block",
                  "choose blocks that follow the dependences");
    }
  }
}

}  // namespace

Order tiled_order(const Graph& graph, const std::vector<Tile>& tiling) {
  check_follows_dependences(graph, tiling);
  Order order = natural_order(graph);
  const std::size_t width = tiling.size();
  std::vector<std::int64_t> keys(at(graph.size()) * width);
  const auto key = [&](Vertex v) { return std::span(keys).subspan(at(v) * width, width); };
  for (const Vertex v : order) block_of(graph, v, tiling, key(v));
  std::stable_sort(order.begin(), order.end(), [&](Vertex a, Vertex b) {
    const auto x = key(a), y = key(b);
    return std::lexicographical_compare(x.begin(), x.end(), y.begin(), y.end());
  });
  return order;
}

Schedule good_schedule(const Graph& graph, std::int64_t s, const ScheduleSearch& search) {
  Effort effort(graph, s, search);
  const std::int64_t window = std::min<std::int64_t>(s, graph.size());  // no more can be held
  Schedule best;
  const auto offer = [&](Order order, const std::string& how) {
    Replayed cost = effort.replayed(order);
    if (best.how.empty() || cost.moved() < best.cost.moved()) {
      best = {std::move(order), std::move(cost), how};
    }
  };
  offer(natural_order(graph), "natural order");
  offer(greedy_order(graph, s), "greedy order");
  if (graph.size() <= 100'000) {
    for (const std::int64_t words : {window / 2, 2 * window}) {
      if (!effort.over()) offer(greedy_order(graph, words), "greedy order");
    }
  }
  const std::size_t dimensions = graph.size() == 0 ? 0 : graph.coordinates(0).size();
  if (dimensions >= 2 && !effort.over()) {
    for (const auto& tiling : tilings(dimensions, window)) {
      if (effort.over()) break;
      try {
        offer(tiled_order(graph, tiling), described(tiling));
      } catch (const Error&) {  // this tiling does not follow the dependences
      }
    }
  }
  if (graph.size() <= 20'000) best = Improvement(graph, effort, best).run();
  return best;
}

Schedule good_schedule(const Graph& graph, std::int64_t s, double seconds) {
  ScheduleSearch search;
  search.seconds = seconds;
  return good_schedule(graph, s, search);
}

}  // namespace redblue::cdag
