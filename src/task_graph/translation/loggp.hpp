// SPDX-License-Identifier: BSD-3-Clause
// Programs of the LogGP model [alexandrov1995] in the task-graph model [solomonik2016,
// Theorem 3.1].
#pragma once

#include <vector>

#include "task_graph/schedule.hpp"

namespace redblue::task_graph {

// L = o and g <= L, as the theorem takes them: the overhead o of sending or receiving a message,
// the latency L of the network, G per word.
struct LogGP {
  double o = 0;
  double per_word = 0;  // G
};

struct LogGPAction {
  enum class Kind : char { compute, send, receive } kind = Kind::compute;
  double amount = 0;  // seconds of compute; words of send
  int peer = -1;      // send: to whom; receive: from whom, messages of a pair in order
};

using LogGPProgram = std::vector<std::vector<LogGPAction>>;  // by processor

struct LogGPSchedule {
  double seconds = 0;  // of the program in the LogGP model
  Schedule schedule;   // point-to-point, gamma = 1
  Costs deferred;      // syncs, and their messages' words, that are not right after their sends
};

// The LogGP time: a send of w words keeps its processor for o + G w; the message is there L later;
// a receive ends o after that, and o + G w after its processor was ready. In the schedule a message
// is send, sync, receive. The paper's proof has the sync right after the send, so that the sender
// waits for the receiver, which LogGP's does not: two processors that send to each other first
// would then wait for ever. Here the sync is on the sender's path where the sender is when the
// message has been received. With alpha = o, beta = G and D = alpha S + beta W of what is deferred,
//   seconds <= 3 (T + D),  T <= 2 seconds + D.
// Throws Error where a receive waits for ever or a processor is not there. O(actions log
// processors).
LogGPSchedule loggp_schedule(const LogGPProgram& program, const LogGP& parameters);

}  // namespace redblue::task_graph
