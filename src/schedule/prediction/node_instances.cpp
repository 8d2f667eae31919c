// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/node_instances.hpp"

#include <algorithm>

namespace redblue::schedule {

namespace {

bool is_comparison(const Formula& f) {
  switch (f.operation) {
    case isl_ast_expr_op_eq:
    case isl_ast_expr_op_le:
    case isl_ast_expr_op_lt:
    case isl_ast_expr_op_ge:
    case isl_ast_expr_op_gt:
      return f.arguments[0].is_sum() && f.arguments[1].is_sum();
    default:
      return false;
  }
}

// What the comparisons of a condition with the counter in them compare with zero. False where the
// counter is in something else, or one is with a counter of the loops inside (of `counter` on).
bool add_compared(const Formula& f, std::size_t counter, std::vector<Formula>& compared) {
  if (f.largest_factor_of(counter) == 0) return true;
  if (is_comparison(f)) {
    compared.push_back(plus(f.arguments[0], f.arguments[1], -1));
    const auto inside = [counter](const Formula::Term& t) { return t.counter > counter; };
    return std::ranges::none_of(compared.back().terms, inside);
  }
  const bool joins = f.operation == isl_ast_expr_op_and ||
                     f.operation == isl_ast_expr_op_and_then || f.operation == isl_ast_expr_op_or ||
                     f.operation == isl_ast_expr_op_or_else;
  return joins && std::ranges::all_of(f.arguments, [&](const Formula& a) {
           return add_compared(a, counter, compared);
         });
}

bool add_compared(const LoopProgram& program, std::size_t node, std::size_t counter,
                  std::vector<Formula>& compared) {
  const LoopNode& n = program.nodes[node];
  const auto in = [counter](const Formula& f) { return f.largest_factor_of(counter) > 0; };
  if (n.kind == LoopNode::Kind::loop && (in(n.lower) || in(n.upper))) return false;
  if (n.kind == LoopNode::Kind::branch && !add_compared(n.condition, counter, compared))
    return false;
  return std::ranges::all_of(n.children, [&](std::size_t child) {
    return add_compared(program, child, counter, compared);
  });
}

// Of a loop: what its counter is in inside of it; nothing where that is more than comparisons.
std::optional<std::vector<Formula>> compared(const LoopProgram& program, const LoopNode& loop) {
  std::vector<Formula> result;
  if (!add_compared(program, loop.children[0], loop.counter, result)) return std::nullopt;
  return result;
}

// The values from `first` on, up to `last`, from which on a comparison of these with zero may be
// another than before: behind the zero of each, and at it.
std::vector<std::int64_t> changes(const std::vector<Formula>& compared, std::size_t counter,
                                  std::int64_t first, std::int64_t last,
                                  std::vector<std::int64_t>& counters) {
  std::vector<std::int64_t> result = {first};
  counters[counter] = 0;
  for (const Formula& f : compared) {
    const std::int64_t factor = f.factor_of(counter);
    if (factor == 0) continue;
    const std::int64_t at_zero = f.at(counters.data());
    for (const std::int64_t at : {-floor_of(at_zero, factor), floor_of(-at_zero, factor) + 1})
      if (at > first && at <= last) result.push_back(at);
  }
  std::ranges::sort(result);
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace

std::vector<bool> loops_that_bound(const LoopProgram& program) {
  std::vector<bool> result;
  for (const LoopNode& n : program.nodes) {
    const bool loop = n.kind == LoopNode::Kind::loop;
    const auto inside = loop ? compared(program, n) : std::vector<Formula>();
    result.push_back(!inside || !inside->empty());
  }
  return result;
}

NodeInstances::NodeInstances(const LoopProgram& program) : program_(program) {
  for (const LoopNode& n : program.nodes) {
    const bool loop = n.kind == LoopNode::Kind::loop;
    compared_.push_back(loop ? compared(program, n) : std::nullopt);
  }
}

std::int64_t NodeInstances::of(std::size_t node, std::vector<std::int64_t>& counters) {
  ++looked_at_;
  const LoopNode& n = program_.nodes[node];
  std::int64_t result = 0;
  switch (n.kind) {
    case LoopNode::Kind::statement:
      return 1;
    case LoopNode::Kind::block:
      for (const std::size_t child : n.children) result += of(child, counters);
      return result;
    case LoopNode::Kind::branch:
      if (n.condition.at(counters.data()) != 0) return of(n.children[0], counters);
      return n.children.size() > 1 ? of(n.children[1], counters) : 0;
    case LoopNode::Kind::loop:
      break;
  }
  const std::int64_t first = n.lower.at(counters.data()), last = n.upper.at(counters.data());
  if (first > last) return 0;
  return of_loop(node, first, last, counters);
}

std::int64_t NodeInstances::of_loop(std::size_t node, std::int64_t first, std::int64_t last,
                                    std::vector<std::int64_t>& counters) {
  const LoopNode& n = program_.nodes[node];
  const auto at = [&](std::int64_t counter) {
    counters[n.counter] = counter;
    return of(n.children[0], counters);
  };
  std::int64_t result = 0;
  if (!compared_[node]) {
    for (std::int64_t counter = first; counter <= last; counter += n.step) result += at(counter);
    return result;
  }
  if (compared_[node]->empty()) return ((last - first) / n.step + 1) * at(first);
  const std::vector<std::int64_t> from =
      changes(*compared_[node], n.counter, first, last, counters);
  for (std::size_t c = 0; c < from.size(); ++c) {
    const std::int64_t until = c + 1 < from.size() ? from[c + 1] - 1 : last;
    const std::int64_t next = first + (from[c] - first + n.step - 1) / n.step * n.step;
    if (next <= until) result += ((until - next) / n.step + 1) * at(next);
  }
  return result;
}

}  // namespace redblue::schedule
