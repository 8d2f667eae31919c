// SPDX-License-Identifier: BSD-3-Clause
// What every rank of a parallel execution does, in its order: recorded (comm/recorder.hpp) or
// planned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "redblue/traffic.hpp"

namespace redblue::task_graph {

struct Action {
  enum class Kind : char {
    compute = 'c',
    send = 's',        // posted; nothing waits for it unless a wait says so
    receive = 'r',     // posted
    wait = 'w',        // until messages that were posted before are done
    collective = 'a',  // entered by all ranks of a communicator, left together
  };
  Kind kind = Kind::compute;
  int peer = -1;              // send, receive: the other rank; collective: the communicator's first
  int tag = 0;                // send, receive
  int communicator = 0;       // all but compute and wait
  int members = 0;            // collective
  std::int64_t words = 0;     // send, receive; a receive has room for so many
  int word_bytes = 8;         // send, receive
  double flops = 0;           // compute
  double memory_words = 0;    // compute: operands read and results written, each once
  double busy_seconds = 0;    // compute: of a processor; 0: not measured
  std::size_t first = 0;      // wait: of `awaited`
  std::size_t count = 0;      // wait
  double begin = 0, end = 0;  // seconds since all ranks started; 0 in a plan
};

struct RankActions {
  std::vector<Action> actions;
  std::vector<std::size_t> awaited;  // numbers of sends and receives
};

// "Wait for these sends and receives", noted among the rank's awaited ones; to be added to its
// actions.
Action wait_for(RankActions& rank, const std::vector<std::size_t>& messages);

struct Execution {
  std::string command;          // what ran, on one line
  double seconds = 0;           // of the slowest rank; 0: a plan, which has not run
  double flops_per_second = 0;  // of one rank's matrix multiplication, where it ran; 0: unknown
  std::vector<RankActions> ranks;
};

// One message, both ends of it.
struct Message {
  int from, to;
  std::size_t sent, received;  // numbers of actions of either
  double words;
  double bytes;
};

// The messages of an execution, in the order MPI has them: of one sender, receiver, communicator
// and tag the first send goes to the first receive.
struct Matching {
  std::vector<Message> messages;
  std::vector<std::vector<std::size_t>> of_action;  // [rank][action]; of sends and receives only
};

// Throws Error where a send has no receive or a receive no send. O(actions log).
Matching matched(const Execution& execution);

// Of each rank: what it sends and receives.
std::vector<Traffic> traffic(const Execution& execution);

// How long a rank waited, and for whom: that peer's message was posted last of those it waited for.
struct Waiting {
  int rank = 0;
  int peer = 0;
  double seconds = 0;
};

// Of a recorded execution as it was measured, longest first; collectives are left out.
std::vector<Waiting> measured_waiting(const Execution& execution, const Matching& matching);

// Waits of the same two ranks added up, longest first.
std::vector<Waiting> added_up(const std::vector<Waiting>& waits);

}  // namespace redblue::task_graph
