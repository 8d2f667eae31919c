// SPDX-License-Identifier: BSD-3-Clause
// What a given order of computation moves through a fast memory of s words.
#include <algorithm>
#include <limits>
#include <queue>

#include "cdag/index.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cdag {

namespace {

constexpr std::uint32_t never = std::numeric_limits<std::uint32_t>::max();

// When the operands of each step are read next: entry e belongs to the e-th operand in the order.
struct NextUses {
  std::vector<std::uint32_t> after;  // per operand read, in order
  std::vector<std::uint32_t> first;  // per vertex: the first step that reads it
};

NextUses next_uses(const Graph& graph, const Order& order) {
  NextUses uses;
  uses.first.assign(at(graph.size()), never);
  uses.after.resize(static_cast<std::size_t>(graph.edges()));
  std::size_t e = 0;
  for (const Vertex v : order) e += graph.operands(v).size();
  uses.after.resize(e);
  for (std::size_t step = order.size(); step-- > 0;) {
    const auto operands = graph.operands(order[step]);
    for (std::size_t o = operands.size(); o-- > 0;) {
      uses.after[--e] = uses.first[at(operands[o])];
    }
    for (const Vertex o : operands) uses.first[at(o)] = static_cast<std::uint32_t>(step);
  }
  return uses;
}

class FastMemory {
 public:
  FastMemory(const Graph& graph, std::int64_t s, Replacement replacement, bool record,
             const NextUses& uses)
      : graph_(graph),
        s_(s),
        belady_(replacement == Replacement::belady),
        record_(record),
        next_(uses.first),
        key_(at(graph.size()), 0),
        held_(at(graph.size()), false),
        stored_(at(graph.size()), false),
        pinned_(at(graph.size()), 0) {}

  void compute(Vertex v, std::uint32_t step, const std::uint32_t* after) {
    const auto operands = graph_.operands(v);
    for (const Vertex o : operands) pinned_[at(o)] = step + 1;
    for (const Vertex o : operands) {
      if (!held_[at(o)]) {
        make_room(step);
        place(o);
        note(Rule::load, o);
        ++result.loads;
      }
    }
    make_room(step);
    place(v);
    note(Rule::compute, v);
    for (std::size_t o = 0; o < operands.size(); ++o) next_[at(operands[o])] = after[o];
    std::uint32_t position = 0;
    for (const Vertex o : operands) used(o, step, position++);
    used(v, step, position);
  }

  void finish() {
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (held_[at(v)]) leave(v);
    }
    // The white pebble game wants unread inputs loaded too.
    for (Vertex v = 0; v < graph_.size(); ++v) {
      if (!graph_.input(v) || !graph_.readers(v).empty()) continue;
      note(Rule::load, v);
      note(Rule::erase, v);
      ++result.loads;
    }
  }

  Replayed result;

 private:
  void note(Rule rule, Vertex v) {
    if (record_) result.moves.push_back({rule, 1, 0, v});
  }

  void place(Vertex v) {
    held_[at(v)] = true;
    ++words_;
  }

  // The higher its key, the sooner a value leaves. Of operands of one step, which are used in the
  // order in which they are read, and then its result, the first is used longest ago.
  void used(Vertex v, std::uint32_t step, std::uint32_t position) {
    if (next_[at(v)] == never) {
      leave(v);
      return;
    }
    constexpr int word = 32;
    key_[at(v)] = belady_ ? next_[at(v)]
                          : (static_cast<std::uint64_t>(never - step) << word) + never - position;
    queue_.emplace_back(key_[at(v)], v);
    if (belady_) std::push_heap(queue_.begin(), queue_.end());
    if (queue_.size() > 64 && queue_.size() > 4 * static_cast<std::size_t>(words_)) prune();
  }

  bool current(const std::pair<std::uint64_t, Vertex>& entry) const {
    return held_[at(entry.second)] && key_[at(entry.second)] == entry.first;
  }

  void prune() {
    std::erase_if(queue_, [this](const auto& entry) { return !current(entry); });
    if (belady_) std::make_heap(queue_.begin(), queue_.end());
    oldest_ = 0;
  }

  void make_room(std::uint32_t step) {
    if (belady_) {
      make_room_by_next_use(step);
    } else {
      make_room_by_last_use(step);
    }
  }

  // Values come into the queue as they are used: those used longest ago are first.
  void make_room_by_last_use(std::uint32_t step) {
    for (std::size_t i = oldest_; words_ >= s_; ++i) {
      const auto entry = queue_[i];
      const bool pinned = current(entry) && pinned_[at(entry.second)] == step + 1;
      if (!pinned && i == oldest_) ++oldest_;
      if (!pinned && current(entry)) leave(entry.second);
    }
  }

  void make_room_by_next_use(std::uint32_t step) {
    std::vector<std::pair<std::uint64_t, Vertex>> kept;
    while (words_ >= s_) {
      std::pop_heap(queue_.begin(), queue_.end());
      const auto entry = queue_.back();
      queue_.pop_back();
      if (!current(entry)) continue;
      if (pinned_[at(entry.second)] == step + 1) {
        kept.push_back(entry);
      } else {
        leave(entry.second);
      }
    }
    for (const auto& entry : kept) {
      queue_.push_back(entry);
      std::push_heap(queue_.begin(), queue_.end());
    }
  }

  void leave(Vertex v) {
    const bool wanted = next_[at(v)] != never || graph_.output(v);
    if (wanted && !graph_.input(v) && !stored_[at(v)]) {
      stored_[at(v)] = true;
      note(Rule::store, v);
      ++result.stores;
    }
    note(Rule::erase, v);
    held_[at(v)] = false;
    --words_;
  }

  const Graph& graph_;
  std::int64_t s_;
  bool belady_, record_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint64_t> key_;
  std::vector<bool> held_, stored_;
  std::vector<std::uint32_t> pinned_;                    // step + 1 of the last step that reads it
  std::vector<std::pair<std::uint64_t, Vertex>> queue_;  // a heap for Belady's rule
  std::size_t oldest_ = 0;  // where the entries of the queue begin that may be current
  std::int64_t words_ = 0;
};

}  // namespace

void check_room(const Graph& graph, std::int64_t s) {
  for (Vertex v = 0; v < graph.size(); ++v) {
    const auto needed = static_cast<std::int64_t>(graph.operands(v).size()) + 1;
    if (s >= needed || (graph.input(v) && s >= 1)) continue;
    throw Error("S = " + std::to_string(s),
                graph.name(v) + " and its operands need " + std::to_string(needed) + " words",
                "give at least " + std::to_string(graph.most_operands() + 1),
                graph.most_operands() + 1);
  }
}

Replayed replay(const Graph& graph, const Order& order, std::int64_t s, Replacement replacement,
                bool record) {
  check_room(graph, s);
  const NextUses uses = next_uses(graph, order);
  FastMemory memory(graph, s, replacement, record, uses);
  std::size_t e = 0;
  for (std::size_t step = 0; step < order.size(); ++step) {
    memory.compute(order[step], static_cast<std::uint32_t>(step), uses.after.data() + e);
    e += graph.operands(order[step]).size();
  }
  memory.finish();
  return memory.result;
}

}  // namespace redblue::cdag
