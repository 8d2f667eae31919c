// SPDX-License-Identifier: BSD-3-Clause
// What happened in a simulated execution, and its critical path.
#pragma once

#include <cstddef>
#include <vector>

#include "task_graph/execution.hpp"
#include "task_graph/timeline.hpp"

namespace redblue::task_graph {

constexpr std::size_t none = static_cast<std::size_t>(-1);

struct PastAction {
  double begin = 0, end = 0;
  double there = 0;            // wait: the rank has its messages, and unpacks them until the end
  std::size_t cause = none;    // wait: the message it waited for last; none: it did not wait
  int entered_last = -1;       // collective: who
  std::size_t entered_as = 0;  // and by which of its actions
};

struct PastMessage {
  double start = 0;  // leaves its sender's port
  double left = 0;   // the sender may go on
  double there = 0;
  // What it waited for last before it could leave: a rank that had come so far, at that time ..
  int cause_rank = 0;
  std::size_t cause_action = 0;  // the first one of the rank that was not over then
  double asked = 0;
  std::size_t before = none;              // .. or this one, which kept the sender's port busy
  std::size_t before_at_receiver = none;  // kept the receiver's port busy; none: it was free
};

struct History {
  std::vector<std::vector<PastAction>> actions;  // of each rank
  std::vector<PastMessage> messages;
};

// From the end of the last action back to the start: pieces without gaps, in order of time.
std::vector<Piece> critical_path(const Execution& execution, const Matching& matching,
                                 const History& history);

}  // namespace redblue::task_graph
