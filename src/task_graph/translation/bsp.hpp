// SPDX-License-Identifier: BSD-3-Clause
// Schedules of the BSP model [valiant1990] in the task-graph model [solomonik2016, Theorem 3.2].
#pragma once

#include <vector>

#include "task_graph/schedule.hpp"

namespace redblue::task_graph {

// Every processor computes, posts its messages and meets all others; then the messages have come.
struct Superstep {
  struct Message {
    int from = 0;
    int to = 0;
    double words = 0;
  };
  std::vector<double> computed;  // vertices, by processor
  std::vector<Message> messages;
};

// S, and W: the sum over supersteps of the most words that a processor sends, or receives.
// alpha S + beta W <= (the communication on the longest path) <= alpha S + 2 beta W.
Costs bsp_costs(int processors, const std::vector<Superstep>& supersteps);

// Throws Error for a message to a processor that is not there, or to oneself.
Schedule bsp_schedule(int processors, const std::vector<Superstep>& supersteps);

}  // namespace redblue::task_graph
