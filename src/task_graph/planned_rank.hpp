// SPDX-License-Identifier: BSD-3-Clause
// One rank of a plan: its actions, one after the other.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "task_graph/execution.hpp"

namespace redblue::task_graph {

class PlannedRank {
 public:
  using Pending = std::vector<std::size_t>;  // messages that are not waited for yet

  explicit PlannedRank(RankActions& rank) : rank_(rank) {}

  // A message without words is none.
  void send(int peer, int tag, std::int64_t words, Pending& pending) {
    if (words > 0) post(Action::Kind::send, peer, tag, words, pending);
  }
  void receive(int peer, int tag, std::int64_t words, Pending& pending) {
    if (words > 0) post(Action::Kind::receive, peer, tag, words, pending);
  }
  void wait(Pending& pending) {
    if (pending.empty()) return;
    rank_.actions.push_back(wait_for(rank_, pending));
    pending.clear();
  }
  void compute(double flops, double memory_words) {
    if (flops <= 0) return;
    Action action;
    action.flops = flops;
    action.memory_words = memory_words;
    rank_.actions.push_back(action);
  }

  // C (m x n) += A (m x k) B (k x n).
  void multiply(std::int64_t m, std::int64_t n, std::int64_t k) {
    const auto [x, y, z] = reals(m, n, k);
    compute(2 * x * y * z, x * z + z * y + 2 * x * y);
  }
  // A triangle of order n with m right-hand sides.
  void solve(std::int64_t n, std::int64_t m) {
    const auto [x, y, z] = reals(n, m, 0);
    compute(x * x * y, x * x / 2 + 2 * x * y + z);
  }

 private:
  struct Reals {
    double x, y, z;
  };
  static Reals reals(std::int64_t x, std::int64_t y, std::int64_t z) {
    return {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  }
  void post(Action::Kind kind, int peer, int tag, std::int64_t words, Pending& pending) {
    Action action;
    action.kind = kind;
    action.peer = peer;
    action.tag = tag;
    action.words = words;
    pending.push_back(rank_.actions.size());
    rank_.actions.push_back(action);
  }

  RankActions& rank_;
};

}  // namespace redblue::task_graph
