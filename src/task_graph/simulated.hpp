// SPDX-License-Identifier: BSD-3-Clause
// What the simulation of an execution (timeline.cpp) keeps of its ranks, ports, messages and hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "task_graph/critical_path.hpp"
#include "task_graph/processors.hpp"

namespace redblue::task_graph {

struct State {
  std::size_t next = 0;
  std::size_t last_message = none;  // for which it waited, until it has a processor again
  bool computing = false;
  std::vector<std::size_t> asking;  // messages that want something of it when it has computed
  std::size_t missing = 0;          // messages that it still waits for
  double since = 0;                 // of its action under way
  double there = 0;                 // a wait's messages are, and it has a processor
};

struct Port {
  double free = 0;
  std::size_t last = none;
};

struct InFlight {
  bool received = false;  // posted
  // A large one: the sender's question, the receiver's answer is there.
  bool asked = false, answered = false;
  bool left = false, there = false;  // its sender's, its receiver's end is done
  std::vector<int> waiting_ranks;    // at most both
};

struct Host {
  SharedProcessors processors;
  std::int64_t version;  // of the event that says when the next work is done
};

struct Event {
  double time;
  std::size_t number;  // events of the same time in the order they were found
  enum class Kind : char { computed, asked, answered, left, there, resumed, together } kind;
  std::size_t which;     // host, message or group of ranks
  std::int64_t version;  // of a host
  bool operator>(const Event& o) const {
    return std::pair(time, number) > std::pair(o.time, o.number);
  }
};

}  // namespace redblue::task_graph
