// SPDX-License-Identifier: BSD-3-Clause
// Whether a schedule computes a dependency graph by the rules of the model [solomonik2016, section
// 3.1]. For small schedules whose data are known value by value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "task_graph/schedule.hpp"

namespace redblue::task_graph {

// A task with the values it computes, sends, receives or moves between cache and memory.
struct ValueTask {
  Task task = Task::compute;
  std::vector<int> processors;  // one; of a synchronisation those that meet
  std::vector<int> values;
  int peer = -1;                      // send: to whom; receive: from whom
  std::vector<int> discarded_cached;  // dropped from cache when the task is done
  std::vector<int> discarded_stored;  // and from main memory
};

struct ValueSchedule {
  std::vector<std::vector<int>> operands;  // of every value; empty: an input
  std::vector<std::vector<int>> stored;    // inputs in main memory at the start, by processor
  std::vector<ValueTask> tasks;            // each after those it depends on
  std::int64_t cache = 0;                  // M^, values a cache holds
  std::int64_t memory = 0;                 // M, values a main memory holds
};

// The first rule that a task breaks, naming both; nothing where the schedule is valid: operands are
// in cache or computed by the same task; what is sent is in main memory; what is received has
// passed a synchronisation of both processors after its send; what is moved is in one of the two
// memories; neither memory overflows; contents are dropped only where the model allows it; every
// message is received.
std::optional<std::string> broken_rule(const ValueSchedule& schedule);

// The same schedule without its data.
Schedule without_values(const ValueSchedule& schedule);

}  // namespace redblue::task_graph
