// SPDX-License-Identifier: BSD-3-Clause
// Optimal pebblings of small graphs in the partial game.
//
// A* forwards over states: which operands have entered (E), what is in fast memory (R) and what
// slow memory holds as it now is (B). Some moves are made as soon as they can be, as later ones do
// not gain by waiting:
//  - an operand in fast memory enters a value there that slow memory does not hold anyway;
//  - an output that has all its operands is stored: it must be once, and stays as it is;
//  - what is needed no more leaves.
// What is left to choose: a load, a value to begin, or one in both memories that takes an operand;
// and what leaves where the fast memory is full, stored first where slow memory does not hold it.
// Words leave as late as that: until then a value may take more operands, at the same price.
//
// The estimate counts, each with one word, values that are still to be read or to take operands and
// are not in fast memory, and outputs that are not stored. A move of one word changes it by one at
// most.
#include <algorithm>
#include <chrono>
#include <limits>

#include "cdag/index.hpp"
#include "cdag/optimum/exact_states.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

// State::later: the edges whose operands have entered; fast, slow: vertices.
class PartialSearch {
 public:
  PartialSearch(const Graph& graph, std::int64_t s, const ExactOptions& options)
      : graph_(graph), s_(s), options_(options), table_(options.bytes) {
    unsigned edges = 0;
    for (Vertex v = 0; v < graph.size(); ++v) {
      if (graph.input(v)) inputs_ |= bit(v);
      if (graph.output(v)) outputs_ |= bit(v);
      for (const Vertex o : graph.operands(v)) {
        into_[at(v)] |= Mask{1} << edges;
        from_[at(o)] |= Mask{1} << edges;
        operand_[edges++] = o;
      }
      if (graph.operands(v).empty() && !graph.input(v)) {
        into_[at(v)] |= Mask{1} << edges;
        operand_[edges++] = -1;
      }
    }
    all_ = edges == 64 ? ~Mask{0} : (Mask{1} << edges) - 1;
  }

  // `known`: a legal game, for a start.
  Exact run(std::vector<Move> known) {
    Exact result;
    result.pebbling.game = partial_red_blue(s_);
    result.upper = play(graph_, result.pebbling.game, known).moved();
    result.pebbling.moves = std::move(known);
    const std::uint32_t goal = search(result.upper);
    if (goal != 0) {
      result.upper = table_.nodes[goal].cost;
      result.pebbling.moves = moves_to(goal);
    }
    result.lower = stopped_ ? static_cast<std::int64_t>(frontier_) : result.upper;
    result.states = states_;
    result.seconds = elapsed();
    return result;
  }

 private:
  // A state on the way from one node to the next, and how it was reached.
  struct Step {
    State state;
    int cost = 0;
    std::vector<Move> moves;

    void make(Rule rule, Vertex v, Vertex operand = -1) {
      moves.push_back({rule, 1, 0, v, operand});
    }
  };

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  // The node of the cheapest complete game, if cheaper than `limit`; else 0.
  std::uint32_t search(std::int64_t limit) {
    Step start;
    start.state.slow = inputs_;
    settle(start);
    limit_ = limit;
    push(start, 0);
    for (; frontier_ < open_.size(); ++frontier_) {
      while (!open_[frontier_].empty()) {
        const std::uint32_t n = open_[frontier_].back();
        open_[frontier_].pop_back();
        Node& node = table_.nodes[n];
        if (node.still == closed || node.cost + node.still > frontier_) continue;
        node.still = closed;
        ++states_;
        const State state = node.state;
        if (state.later == all_ && (outputs_ & ~state.slow) == 0) return n;
        for (const Step& next : steps_from(state, node.cost)) push(next, n);
        if ((states_ % 4096 == 0 && look_up()) || states_ > options_.states) {
          stopped_ = true;
          return 0;
        }
      }
    }
    return 0;
  }

  bool look_up() {
    if (options_.progress) {
      options_.progress({static_cast<double>(states_), 0, "states", static_cast<double>(limit_),
                         options_.seconds - elapsed()});
    }
    return elapsed() > options_.seconds || table_.full();
  }

  bool complete(const State& s, Vertex v) const { return (into_[at(v)] & ~s.later) == 0; }

  std::size_t still(const State& s) const {
    int most = std::popcount(outputs_ & ~s.slow);
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if ((s.fast & bit(v)) != 0) continue;
      const bool whole = complete(s, v);
      if (whole ? (from_[at(v)] & ~s.later) != 0 : (into_[at(v)] & s.later) != 0) ++most;
    }
    return static_cast<std::size_t>(most);
  }

  // An operand of v in fast memory that has yet to enter, other than `but`; -1: none.
  int edge_ready(const State& s, Vertex v, Vertex but = -1) const {
    int found = -1;
    each(into_[at(v)] & ~s.later, [&](Vertex e) {
      const Vertex o = operand_[e];
      if (found < 0 && o >= 0 && o != but && (s.fast & bit(o)) != 0 && complete(s, o)) found = e;
    });
    return found;
  }

  void enter(Step& step, Vertex v, int edge) const {
    const Vertex o = operand_[edge];
    step.make(o < 0 ? Rule::compute : Rule::accumulate, v, o);
    step.state.later |= bit(edge);
    step.state.fast |= bit(v);
    step.state.slow &= ~bit(v);
  }

  // The moves that need no choice.
  void settle(Step& step) const {
    State& s = step.state;
    for (bool changed = true; changed;) {
      changed = false;
      each(s.fast, [&](Vertex v) {
        if (complete(s, v)) return;
        for (int e = 0; (s.slow & bit(v)) == 0 && (e = edge_ready(s, v)) >= 0; changed = true)
          enter(step, v, e);
      });
      each(s.fast, [&](Vertex v) {
        if (!complete(s, v)) return;
        if ((outputs_ & bit(v)) != 0 && (s.slow & bit(v)) == 0) {
          step.make(Rule::store, v);
          s.slow |= bit(v);
          ++step.cost;
        }
        if ((from_[at(v)] & ~s.later) != 0) return;
        step.make(Rule::erase, v);
        s.fast &= ~bit(v);
        changed = true;
      });
    }
  }

  // `step` as it is where there is room for one word more; else every way to make room, `kept`
  // staying.
  std::vector<Step> with_room(const Step& step, Mask kept) const {
    if (std::popcount(step.state.fast) < s_) return {step};
    std::vector<Step> result;
    each(step.state.fast & ~kept, [&](Vertex w) {
      Step next = step;
      if ((next.state.slow & bit(w)) == 0) {
        next.make(Rule::store, w);
        next.state.slow |= bit(w);
        ++next.cost;
      }
      next.make(Rule::erase, w);
      next.state.fast &= ~bit(w);
      result.push_back(std::move(next));
    });
    return result;
  }

  std::vector<Step> steps_from(const State& state, int cost) const {
    std::vector<Step> result;
    const Step here{state, cost, {}};
    for (Vertex v = 0; v < graph_.size(); ++v) {
      const bool whole = complete(state, v);
      const bool fast = (state.fast & bit(v)) != 0, slow = (state.slow & bit(v)) != 0;
      const bool wanted = whole ? (from_[at(v)] & ~state.later) != 0 : true;
      if (!wanted || (fast && (whole || !slow))) continue;
      if (fast) {  // in both memories: one of them falls behind
        if (const int e = edge_ready(state, v); e >= 0) {
          result.push_back(here);
          enter(result.back(), v, e);
        }
      } else if (slow) {
        for (Step& next : with_room(here, 0)) {
          next.make(Rule::load, v);
          next.state.fast |= bit(v);
          ++next.cost;
          result.push_back(std::move(next));
        }
      } else {
        begin(here, v, result);
      }
    }
    for (Step& step : result) settle(step);
    return result;
  }

  void begin(const Step& here, Vertex v, std::vector<Step>& result) const {
    if (graph_.operands(v).empty()) {
      for (Step& next : with_room(here, 0)) {
        enter(next, v, std::countr_zero(into_[at(v)]));
        result.push_back(std::move(next));
      }
      return;
    }
    if (edge_ready(here.state, v) < 0) return;
    for (Step& next : with_room(here, 0)) {
      const int e = edge_ready(next.state, v);
      if (e < 0) continue;  // the one operand left
      enter(next, v, e);
      result.push_back(std::move(next));
    }
  }

  void push(const Step& step, std::uint32_t parent) {
    bool fresh = false;
    const std::uint32_t n = table_.at(step.state, fresh);
    Node& node = table_.nodes[n];
    if (!fresh && node.cost <= step.cost) return;
    const std::size_t bound = still(step.state);
    node.still = static_cast<std::uint8_t>(std::min<std::size_t>(bound, closed - 1U));
    node.cost = static_cast<std::uint16_t>(step.cost);
    node.parent = parent;
    const std::size_t f = std::max(static_cast<std::size_t>(step.cost) + bound, frontier_);
    if (static_cast<std::int64_t>(f) >= limit_) return;
    if (open_.size() <= f) open_.resize(f + 1);
    open_[f].push_back(n);
  }

  // Step by step from the start; which one led to a node is found again.
  std::vector<Move> moves_to(std::uint32_t goal) const {
    std::vector<std::uint32_t> path;
    for (std::uint32_t n = goal; n != 0; n = table_.nodes[n].parent) path.push_back(n);
    std::reverse(path.begin(), path.end());
    Step start;
    start.state.slow = inputs_;
    settle(start);
    std::vector<Move> moves = start.moves;
    for (std::size_t i = 1; i < path.size(); ++i) {
      const Node& before = table_.nodes[path[i - 1]];
      const Node& after = table_.nodes[path[i]];
      for (const Step& step : steps_from(before.state, before.cost)) {
        if (!(step.state == after.state) || step.cost != after.cost) continue;
        moves.insert(moves.end(), step.moves.begin(), step.moves.end());
        break;
      }
    }
    return moves;
  }

  const Graph& graph_;
  std::int64_t s_;
  ExactOptions options_;
  Mask into_[64] = {}, from_[64] = {};  // edges, by vertex
  Vertex operand_[64] = {};             // by edge; -1: a value made from nothing
  Mask inputs_ = 0, outputs_ = 0, all_ = 0;
  Table table_;
  std::vector<std::vector<std::uint32_t>> open_;  // by cost + estimate
  std::size_t frontier_ = 0;
  std::int64_t limit_ = 0, states_ = 0;
  bool stopped_ = false;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A game of any S >= 2: value by value, operand by operand.
std::vector<Move> simple_game(const Graph& graph) {
  std::vector<Move> moves;
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.input(v)) continue;
    if (graph.operands(v).empty()) moves.push_back({Rule::compute, 1, 0, v});
    for (const Vertex o : graph.operands(v)) {
      moves.push_back({Rule::load, 1, 0, o});
      moves.push_back({Rule::accumulate, 1, 0, v, o});
      moves.push_back({Rule::erase, 1, 0, o});
    }
    if (graph.output(v) || !graph.readers(v).empty()) moves.push_back({Rule::store, 1, 0, v});
    moves.push_back({Rule::erase, 1, 0, v});
  }
  return moves;
}

// A game that computes each value at once, as one of the partial game.
std::vector<Move> taken_apart(const Graph& graph, const std::vector<Move>& moves) {
  std::vector<Move> result;
  for (const Move& move : moves) {
    if (graph.input(move.vertex) && graph.readers(move.vertex).empty()) continue;
    if (move.rule != Rule::compute || graph.operands(move.vertex).empty()) {
      result.push_back(move);
      continue;
    }
    for (const Vertex o : graph.operands(move.vertex))
      result.push_back({Rule::accumulate, 1, 0, move.vertex, o});
  }
  return result;
}

}  // namespace

Exact optimal_partial_pebbling(const Graph& graph, std::int64_t s, const ExactOptions& options) {
  std::int64_t edges = graph.edges();
  for (Vertex v = 0; v < graph.size(); ++v)
    edges += graph.operands(v).empty() && !graph.input(v) ? 1 : 0;
  if (graph.size() > 64 || edges > 64) {
    throw Error("the optimal partial pebbling of " + std::to_string(graph.size()) +
                    " vertices and " + std::to_string(edges) + " edges",
                "more than the 64 of each that an exact search takes", "use a smaller graph");
  }
  if (s < 2) {
    throw Error("S = " + std::to_string(s), "an operand and the value it enters need 2 words",
                "give at least 2", 2);
  }
  std::vector<Move> moves = simple_game(graph);
  if (s > graph.most_operands()) {
    const Order order = greedy_order(graph, s);
    moves = taken_apart(graph, replay(graph, order, s, Replacement::belady, true).moves);
  }
  return PartialSearch(graph, s, options).run(std::move(moves));
}

std::int64_t partial_bound(const Graph& graph) {
  std::int64_t words = 0;
  for (Vertex v = 0; v < graph.size(); ++v) {
    if (graph.input(v) && !graph.readers(v).empty()) ++words;
    if (graph.output(v) && !graph.input(v)) ++words;
  }
  return words;
}

}  // namespace redblue::cdag
