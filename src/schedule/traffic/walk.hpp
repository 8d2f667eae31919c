// SPDX-License-Identifier: BSD-3-Clause
// Walks over all instances of a loop program, from its begin or from its end.
//
// A visitor has `void step(const std::uint32_t* touched, std::size_t n)`: the elements one instance
// reads, in the order of the source, each once, and last the one it writes. It may have
// `void enters(std::size_t node)`, called before a node runs, `void runs(std::size_t statement,
// std::uint32_t last)` and `void at(const LoopNode& statement, const std::int64_t* counters)`,
// called before its step, and `bool enough() const`: true ends the walk soon after. `last` has a
// bit for each loop around, the outermost's the lowest: whether it is in its last iteration; and
// one bit above them.
#pragma once

#include <algorithm>
#include <bit>

#include "schedule/traffic/loop_program.hpp"

namespace redblue::schedule {

// Once a node runs: its number and the counters of the loops around it.
struct Place {
  std::size_t node = 0;
  std::vector<std::int64_t> counters;
};

enum class Direction { forward, backward };

template <Direction direction, class Visitor>
class Walk {
 public:
  Walk(const LoopProgram& program, Visitor& visitor)
      : program_(program),
        visitor_(visitor),
        counters_(std::max<std::size_t>(program.counters, 1)),
        touched_(program.most_touches),
        element_(program.most_touches),
        stride_(program.most_touches) {}

  void all() { node(program_.root); }

  // Forward: what begins there, and all after it.
  void from(const Place& begin) { from(program_.root, begin); }

 private:
  static constexpr bool tells_last = requires(Visitor visitor) {
    visitor.runs(std::size_t{}, std::uint32_t{});
  };

  static constexpr bool tells_place =
      requires(Visitor visitor, const LoopNode& n, const std::int64_t* c) {
    visitor.at(n, c);
  };

  // While a loop runs: a bit more in `last_`.
  class Inside {
   public:
    explicit Inside(Walk& walk)
        : last_(walk.last_), around_(walk.last_), above_(std::bit_floor(around_)) {}
    ~Inside() { last_ = around_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    void is_last(bool is) const {
      if constexpr (tells_last) last_ = around_ + (is ? 2 : 1) * above_;
    }

   private:
    std::uint32_t& last_;
    std::uint32_t around_, above_;
  };

  bool enough() const {
    if constexpr (requires { visitor_.enough(); }) return visitor_.enough();
    return false;
  }

  bool holds(std::size_t which, std::size_t inner) const {
    const LoopNode& n = program_.nodes[which];
    return which == inner || std::any_of(n.children.begin(), n.children.end(),
                                         [&](std::size_t child) { return holds(child, inner); });
  }

  // Of a node that holds the place.
  void from(std::size_t which, const Place& begin) {
    if (which == begin.node) return node(which);
    const LoopNode& n = program_.nodes[which];
    std::size_t c = 0;
    while (!holds(n.children[c], begin.node)) ++c;
    if (n.kind == LoopNode::Kind::loop) {
      const std::int64_t last = n.upper.at(counters_.data());
      const Inside inside(*this);
      std::int64_t at = begin.counters[n.counter];
      counters_[n.counter] = at;
      inside.is_last(at + n.step > last);
      from(n.children[c], begin);
      for (at += n.step; at <= last && !enough(); at += n.step) {
        counters_[n.counter] = at;
        inside.is_last(at + n.step > last);
        node(n.children[0]);
      }
      return;
    }
    from(n.children[c], begin);
    if (n.kind == LoopNode::Kind::branch) return;
    while (++c < n.children.size() && !enough()) node(n.children[c]);
  }

  // All of a node. The counters around it have their values.
  void node(std::size_t which) {
    if constexpr (requires { visitor_.enters(which); }) visitor_.enters(which);
    const LoopNode& n = program_.nodes[which];
    switch (n.kind) {
      case LoopNode::Kind::loop:
        return loop(n);
      case LoopNode::Kind::branch:
        if (n.condition.at(counters_.data()) != 0) return node(n.children[0]);
        if (n.children.size() > 1) node(n.children[1]);
        return;
      case LoopNode::Kind::block:
        for (std::size_t c = 0; c < n.children.size() && !enough(); ++c)
          node(n.children[direction == Direction::forward ? c : n.children.size() - 1 - c]);
        return;
      case LoopNode::Kind::statement:
        return instance(n);
    }
  }

  void loop(const LoopNode& n) {
    const std::int64_t first = n.lower.at(counters_.data()), last = n.upper.at(counters_.data());
    if (first > last) return;
    const std::int64_t steps = (last - first) / n.step;
    const LoopNode& body = program_.nodes[n.children[0]];
    if (body.kind == LoopNode::Kind::statement && body.strided) {
      return strided(n, body, first, steps);
    }
    const Inside inside(*this);
    for (std::int64_t i = 0; i <= steps && !enough(); ++i) {
      counters_[n.counter] = first + n.step * (direction == Direction::forward ? i : steps - i);
      inside.is_last(i == (direction == Direction::forward ? steps : 0));
      node(n.children[0]);
    }
  }

  void strided(const LoopNode& n, const LoopNode& body, std::int64_t first, std::int64_t steps) {
    counters_[n.counter] = direction == Direction::forward ? first : first + steps * n.step;
    const std::size_t count = body.touches.size();
    for (std::size_t t = 0; t < count; ++t) {
      element_[t] = body.touches[t].element.at(counters_.data());
      stride_[t] = body.touches[t].element.factor_of(n.counter) *
                   (direction == Direction::forward ? n.step : -n.step);
    }
    const Inside inside(*this);
    const std::int64_t last = direction == Direction::forward ? steps : 0;
    inside.is_last(false);
    for (std::int64_t i = 0; i <= steps; ++i) {
      if (i == last) inside.is_last(true);
      if (i == last + 1) inside.is_last(false);
      for (std::size_t t = 0; t < count; ++t) {
        touched_[t] = static_cast<std::uint32_t>(element_[t]);
        element_[t] += stride_[t];
      }
      step(body, count);
      if constexpr (tells_place)
        counters_[n.counter] += direction == Direction::forward ? n.step : -n.step;
    }
  }

  void instance(const LoopNode& n) {
    std::size_t count = 0;
    if (!n.strided) n.iterators(counters_.data(), iterators_);
    for (const Touch& t : n.touches) {
      const auto number = t.number(counters_.data(), iterators_, subscripts_);
      if (number) touched_[count++] = static_cast<std::uint32_t>(*number);
    }
    step(n, count);
  }

  void step(const LoopNode& n, std::size_t count) {
    if constexpr (tells_last) visitor_.runs(n.statement, last_);
    if constexpr (tells_place) visitor_.at(n, counters_.data());
    if (n.may_repeat) {
      std::size_t kept = 0;
      for (std::size_t t = 0; t + 1 < count; ++t) {
        const auto end = touched_.begin() + static_cast<std::ptrdiff_t>(kept);
        if (std::find(touched_.begin(), end, touched_[t]) == end) touched_[kept++] = touched_[t];
      }
      touched_[kept] = touched_[count - 1];
      count = kept + 1;
    }
    visitor_.step(touched_.data(), count);
  }

  const LoopProgram& program_;
  Visitor& visitor_;
  std::vector<std::int64_t> counters_;
  std::vector<std::uint32_t> touched_;
  std::vector<std::int64_t> element_, stride_, iterators_, subscripts_;
  std::uint32_t last_ = 1;
};

}  // namespace redblue::schedule
