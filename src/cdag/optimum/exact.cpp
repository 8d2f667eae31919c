// SPDX-License-Identifier: BSD-3-Clause
// Optimal pebblings of small graphs.
//
// The search runs backwards from the end of the game over requirements (R, B): the values that must
// be in fast memory and, inputs aside, those that must be in slow memory at that moment. Backwards
// only useful values appear. A step undoes the computation of one value v of R or B; what R then
// holds too much is undone as loads, no earlier than that (a load undone later costs the same). A
// value is stored right after it is computed, if ever. In the red-blue-white game a set D of values
// computed later joins the state: v may be undone only when all its readers are in D, and once.
// Values that are no outputs and that nobody reads are computed all the same, so that all are: with
// recomputation D holds those computed later. Operands of theirs are then computed, too.
//
// A* with two lower bounds on what is still to come: values of B, each stored, + inputs loaded;
// and, for one value v of R or B, the least cost of v alone (a search of its own over its
// ancestors, for which moves on other vertices do not help) + the stores and loads of the first
// bound outside them. Undoing a v whose operands are all in R already weakens the requirement and
// is forced.
#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>

#include "cdag/optimum/exact_states.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

class Search {
 public:
  Search(const Graph& graph, std::int64_t s, const ExactOptions& options)
      : graph_(graph), s_(s), options_(options), table_(options.bytes) {
    for (Vertex v = 0; v < graph.size(); ++v) {
      const auto i = static_cast<std::size_t>(v);
      Mask from = bit(v);
      for (const Vertex o : graph.operands(v)) {
        operands_[i] |= bit(o);
        from |= reach_[static_cast<std::size_t>(o)];
      }
      for (const Vertex r : graph.readers(v)) readers_[i] |= bit(r);
      reach_[i] = from;
      if (graph.input(v)) inputs_ |= bit(v);
      if (graph.output(v) && !graph.input(v)) outputs_ |= bit(v);
      if (graph.input(v) && graph.readers(v).empty()) unread_ |= bit(v);
      if (!graph.input(v) && graph.readers(v).empty() && !graph.output(v)) idle_ |= bit(v);
    }
    if (options.recomputation) unread_ = 0;
    computed_once_ = options.recomputation ? idle_ : everything() & ~inputs_;
  }

  // `known`: a legal game, for a start.
  Exact run(std::vector<Move> known) {
    Exact result;
    result.pebbling.game = options_.recomputation ? red_blue(s_) : red_blue_white(s_);
    // Unread inputs are loaded in the white game only.
    const auto constant = std::popcount(unread_);
    result.upper = play(graph_, result.pebbling.game, known).moved();
    const std::int64_t limit = result.upper - constant;
    const State end{0, 0, outputs_};
    report(result.upper);
    Outcome outcome = search(end, limit, std::min<std::int64_t>(50'000, options_.states), 1);
    if (outcome.stopped && states_ < options_.states) {
      bound_single_values();
      outcome = search(end, limit, never, 1);
    }
    if (outcome.goal != 0) result.upper = outcome.lower + constant;
    result.lower = std::min(result.upper, outcome.lower + constant);
    result.pebbling.moves = outcome.goal != 0 ? moves_to(outcome.goal) : std::move(known);
    result.states = states_;
    result.seconds = elapsed();
    return result;
  }

 private:
  static constexpr std::int64_t never = std::numeric_limits<std::int64_t>::max();

  double elapsed() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

  struct Outcome {
    std::int64_t lower = 0;  // proved
    std::uint32_t goal = 0;  // the node of a complete game of that cost; 0: none below the limit
    bool stopped = false;    // by the numbers of states, seconds or bytes allowed
  };

  // The cheapest way from the start of the game to `end`, if below `limit`, by so many states and
  // until that share of what is allowed has been spent.
  Outcome search(const State& end, std::int64_t limit, std::int64_t states, double share) {
    table_.clear();
    open_.clear();
    limit_ = limit;
    frontier_ = 0;
    push(end, 0, 0, 0);
    const auto allowed =
        options_.states == never
            ? never
            : static_cast<std::int64_t>(share * static_cast<double>(options_.states));
    const std::int64_t last = states == never ? allowed : std::min(allowed, states_ + states);
    for (; frontier_ < open_.size(); ++frontier_) {
      while (!open_[frontier_].empty()) {
        const std::uint32_t n = open_[frontier_].back();
        open_[frontier_].pop_back();
        Node& node = table_.nodes[n];
        if (node.still == closed || node.cost + node.still > frontier_) continue;
        node.still = closed;
        ++states_;
        const auto lower = static_cast<std::int64_t>(frontier_);
        if (complete(node.state)) return {lower, n, false};
        expand(n);
        const bool tired = states_ % 4096 == 0 && look_up(share);
        if (tired || states_ > last) return {lower, 0, true};
      }
    }
    return {limit, 0, false};
  }

  // Now and then: says how far the search is; true where it must end.
  bool look_up(double share) {
    report(upper_);
    return elapsed() > share * options_.seconds || table_.full();
  }

  void report(std::int64_t upper) {
    upper_ = upper;
    if (!options_.progress) return;
    options_.progress({static_cast<double>(states_), 0, "states", static_cast<double>(upper_),
                       options_.seconds - elapsed()});
  }

  // What each value alone costs at least, with at most half of what is allowed.
  void bound_single_values() {
    constexpr double half = 0.5;
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (graph_.input(v) || elapsed() > half * options_.seconds) continue;
      State alone;
      alone.fast = bit(v);
      alone.later = computed_once_;
      if (!options_.recomputation) alone.later &= ~reach_[static_cast<std::size_t>(v)];
      alone_[static_cast<std::size_t>(v)] = search(alone, never, 300'000, half).lower;
    }
  }

  Mask everything() const { return graph_.size() == 64 ? ~Mask{0} : bit(graph_.size()) - 1; }

  // A lower bound on what must move before this state.
  std::size_t still(const State& s) const {
    const Mask inputs = missing_inputs(s);
    std::int64_t most = std::popcount(s.slow) + std::popcount(inputs);
    each((s.fast | s.slow) & ~inputs_, [&](Vertex v) {
      const auto i = static_cast<std::size_t>(v);
      const std::int64_t stores = std::popcount(s.slow & (~reach_[i] | bit(v)));
      most = std::max(most, alone_[i] + stores + std::popcount(inputs & ~reach_[i]));
    });
    return static_cast<std::size_t>(most);
  }

  // Inputs that must be loaded before this state.
  Mask missing_inputs(const State& s) const {
    Mask inputs = 0;
    if (options_.recomputation) {
      const Mask wanted = s.fast | s.slow | (idle_ & ~s.later);
      each(wanted, [&](Vertex v) { inputs |= reach_[static_cast<std::size_t>(v)]; });
    } else {
      inputs = s.fast;
      each(inputs_ & ~s.fast, [&](Vertex v) {
        if ((readers_[static_cast<std::size_t>(v)] & ~s.later) != 0) inputs |= bit(v);
      });
    }
    return inputs & inputs_;
  }

  bool complete(const State& s) const {
    return (s.fast & ~inputs_) == 0 && s.slow == 0 && s.later == computed_once_;
  }

  // Values whose computation may be undone.
  Mask candidates(const State& s) const {
    const Mask result = ((s.fast | s.slow) & ~inputs_) | (idle_ & ~s.later);
    if (options_.recomputation) return result;
    Mask allowed = 0;
    each(result, [&](Vertex v) {
      if ((readers_[static_cast<std::size_t>(v)] & ~s.later) == 0) allowed |= bit(v);
    });
    return allowed;
  }

  void expand(std::uint32_t n) {
    const State state = table_.nodes[n].state;
    Mask undo = candidates(state);
    Mask forced = 0;
    each(undo, [&](Vertex v) {
      const Mask needed = state.fast | bit(v);
      if ((operands_[static_cast<std::size_t>(v)] & ~state.fast) == 0 &&
          std::popcount(needed) <= s_) {
        forced |= bit(v);
      }
    });
    if (forced != 0) undo = forced & (~forced + 1);
    each(undo, [&](Vertex v) { undo_computation(n, state, v); });
  }

  void undo_computation(std::uint32_t n, const State& state, Vertex v) {
    const Mask here = bit(v) | operands_[static_cast<std::size_t>(v)];
    const int excess = std::popcount(state.fast | here) - static_cast<int>(s_);
    const Mask choice = state.fast & ~here;
    unload(n, state, v, choice, 0, std::max(excess, 0));
  }

  // Every way to undo `more` loads among `choice`, then the computation of v.
  void unload(std::uint32_t n, const State& state, Vertex v, Mask choice, Mask taken, int more) {
    if (more > 0) {
      for (; std::popcount(choice) >= more;) {
        const Mask first = choice & (~choice + 1);
        choice &= ~first;
        unload(n, state, v, choice, taken | first, more - 1);
      }
      return;
    }
    State next = state;
    next.fast = ((state.fast & ~taken) | operands_[static_cast<std::size_t>(v)]) & ~bit(v);
    next.slow = (state.slow | (taken & ~inputs_)) & ~bit(v);
    next.later |= bit(v) & computed_once_;
    const int stored = (state.slow & bit(v)) != 0 ? 1 : 0;
    push(next, table_.nodes[n].cost + std::popcount(taken) + stored, n, v);
  }

  void push(const State& state, int cost, std::uint32_t parent, Vertex undone) {
    bool fresh = false;
    const std::uint32_t n = table_.at(state, fresh);
    Node& node = table_.nodes[n];
    if (!fresh && node.cost <= cost) return;
    const std::size_t bound = still(state);
    node.still = static_cast<std::uint8_t>(std::min<std::size_t>(bound, closed - 1U));
    node.cost = static_cast<std::uint16_t>(cost);
    node.parent = parent;
    node.undone = static_cast<std::uint8_t>(undone);
    // The bounds may shrink along a way; what was proved on it does not.
    const std::size_t f = std::max(static_cast<std::size_t>(cost) + bound, frontier_);
    if (static_cast<std::int64_t>(f) >= limit_) return;
    if (open_.size() <= f) open_.resize(f + 1);
    open_[f].push_back(n);
  }

  // The game forwards: from the start (the goal of the search) to the end.
  std::vector<Move> moves_to(std::uint32_t goal) const {
    std::vector<Move> moves;
    Mask red = 0;
    const auto make = [&](Rule rule, Vertex v) {
      moves.push_back({rule, 1, 0, v});
      red = rule == Rule::erase ? red & ~bit(v) : red | bit(v);
    };
    each(unread_, [&](Vertex v) {
      make(Rule::load, v);
      make(Rule::erase, v);
    });
    each(table_.nodes[goal].state.fast, [&](Vertex v) { make(Rule::load, v); });
    for (std::uint32_t n = goal; table_.nodes[n].parent != 0; n = table_.nodes[n].parent) {
      const Vertex v = static_cast<Vertex>(table_.nodes[n].undone);
      const State& after = table_.nodes[table_.nodes[n].parent].state;
      make(Rule::compute, v);
      if ((after.slow & bit(v)) != 0) make(Rule::store, v);
      each(red & ~after.fast, [&](Vertex o) { make(Rule::erase, o); });
      each(after.fast & ~red, [&](Vertex u) { make(Rule::load, u); });
    }
    return moves;
  }

  const Graph& graph_;
  std::int64_t s_;
  ExactOptions options_;
  Mask operands_[64] = {}, readers_[64] = {}, reach_[64] = {};
  Mask inputs_ = 0, outputs_ = 0;
  Mask unread_ = 0;         // inputs nobody reads, loaded all the same in the white game
  Mask idle_ = 0;           // computed for nobody
  Mask computed_once_ = 0;  // values that are undone once: all, or with recomputation the idle
  Table table_;
  std::vector<std::vector<std::uint32_t>> open_;  // by cost + h
  std::size_t frontier_ = 0;                      // the cost being searched
  std::int64_t limit_ = 0, states_ = 0;
  std::int64_t upper_ = 0;  // the cost of the cheapest game known
  std::int64_t alone_[64] = {};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

Exact optimal_pebbling(const Graph& graph, std::int64_t s, const ExactOptions& options) {
  if (graph.size() > 64) {
    throw Error("the optimal pebbling of " + std::to_string(graph.size()) + " vertices",
                "more than the 64 an exact search takes", "use a smaller graph or a schedule");
  }
  ExactOptions once = options;
  once.recomputation = false;
  ScheduleSearch start;
  start.seconds = options.seconds / 10;
  constexpr std::int64_t orders = 2'000;
  start.vertices = orders * graph.size();
  const Schedule schedule = good_schedule(graph, s, start);
  std::vector<Move> moves = replay(graph, schedule.order, s, Replacement::belady, true).moves;
  if (!options.recomputation) return Search(graph, s, once).run(std::move(moves));
  // Computing each value once is a way to play the other game too, loads of unread inputs aside.
  once.seconds = options.seconds / 4;
  if (options.states != std::numeric_limits<std::int64_t>::max()) once.states = options.states / 4;
  const Exact best_once = Search(graph, s, once).run(std::move(moves));
  moves = best_once.pebbling.moves;
  std::erase_if(moves, [&graph](const Move& m) {
    return graph.input(m.vertex) && graph.readers(m.vertex).empty();
  });
  ExactOptions again = options;
  again.seconds -= best_once.seconds;
  if (options.states != std::numeric_limits<std::int64_t>::max()) again.states -= best_once.states;
  Exact result = Search(graph, s, again).run(std::move(moves));
  result.states += best_once.states;
  result.seconds += best_once.seconds;
  return result;
}

}  // namespace redblue::cdag
