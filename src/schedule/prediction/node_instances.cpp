// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/node_instances.hpp"

#include <algorithm>

namespace redblue::schedule {

namespace {

bool bounds(const LoopProgram& program, std::size_t node, std::size_t counter) {
  const LoopNode& n = program.nodes[node];
  const auto in = [counter](const Formula& f) { return f.largest_factor_of(counter) > 0; };
  if (n.kind == LoopNode::Kind::loop && (in(n.lower) || in(n.upper))) return true;
  if (n.kind == LoopNode::Kind::branch && in(n.condition)) return true;
  return std::any_of(n.children.begin(), n.children.end(),
                     [&](std::size_t child) { return bounds(program, child, counter); });
}

}  // namespace

std::vector<bool> loops_that_bound(const LoopProgram& program) {
  std::vector<bool> result;
  for (const LoopNode& n : program.nodes) {
    result.push_back(n.kind == LoopNode::Kind::loop && bounds(program, n.children[0], n.counter));
  }
  return result;
}

NodeInstances::NodeInstances(const LoopProgram& program)
    : program_(program), bounds_(loops_that_bound(program)) {}

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
  counters[n.counter] = first;
  if (!bounds_[node]) return ((last - first) / n.step + 1) * of(n.children[0], counters);
  for (std::int64_t at = first; at <= last; at += n.step) {
    counters[n.counter] = at;
    result += of(n.children[0], counters);
  }
  return result;
}

}  // namespace redblue::schedule
