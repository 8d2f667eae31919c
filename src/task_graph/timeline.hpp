// SPDX-License-Identifier: BSD-3-Clause
// What an execution takes on a machine: every rank's actions in time, and the critical path.
//
// Ranks compute at the machine's rates; those that share processors share them evenly while more of
// them compute than there are processors, and one that waited needs Machine::turn_seconds to get
// its part while all are taken. A message of w bytes leaves its sender's port for w beta seconds,
// one message after the other, and is there a latency after that; at its receiver's port, too,
// messages come one after the other. A message of more than Machine::eager_bytes leaves when its
// receive is posted. Neither port keeps its rank from computing, but every byte that a rank sends
// or receives takes 1 / Machine::copy_bytes_per_second of its processor: before a send is over,
// while the message leaves already, and when the rank has waited for it, what came on the way being
// unpacked (at most half of what the port takes). Alone, a message so takes its latency and the
// larger of port and copying. (LogGP [alexandrov1995] with o in L and in those bytes, and with
// ports that work on their own.) A collective takes a latency per doubling of its members.
#pragma once

#include <cstddef>
#include <vector>

#include "redblue/machine.hpp"
#include "task_graph/execution.hpp"
#include "task_graph/schedule.hpp"

namespace redblue::task_graph {

// A stretch of a rank's time, or of the critical path.
struct Piece {
  enum class Kind : char { compute, message, wait, collective };
  Kind kind = Kind::compute;
  int rank = 0;   // message: the sender
  int peer = -1;  // message: the receiver, -1: unpacking; wait: for whom, -1: for a processor;
                  // collective: who entered last
  double begin = 0, end = 0;
  Costs costs;
};

struct Timeline {
  double seconds = 0;
  std::vector<Piece> path;                // the critical path, without gaps from 0 to `seconds`
  Costs costs;                            // along it
  std::vector<std::vector<Piece>> ranks;  // compute, wait and collective pieces of each rank
  std::vector<Waiting> waiting;           // longest first
  // All ranks' actions, each after those it had to wait for.
  struct Step {
    int rank;
    std::size_t action;
  };
  std::vector<Step> order;
};

// Computing takes flops / flops_per_second + memory_words * 8 / memory_bytes_per_second; where the
// execution was measured, the processor time it took, times the ratio of the two machines' flop
// rates. Throws Error where messages do not match or ranks wait in a circle. O(actions log
// actions).
Timeline timeline(const Execution& execution, const Machine& machine);

// The execution in the model of [solomonik2016, section 3]: a message is a send, a synchronisation
// of both ranks when the receiver has waited for it, and a receive; nothing overlaps. memory_words
// of computations are transfers. `order` as timeline() gives it.
Schedule schedule_of(const Execution& execution, const std::vector<Timeline::Step>& order);

// alpha, beta and nu of words of 8 bytes, gamma of flops.
Prices prices(const Machine& machine);

}  // namespace redblue::task_graph
