// SPDX-License-Identifier: BSD-3-Clause
// What a rank's actions and messages take on a machine by themselves.
#pragma once

#include <algorithm>

#include "redblue/machine.hpp"
#include "task_graph/execution.hpp"

namespace redblue::task_graph {

class Durations {
 public:
  explicit Durations(const Machine& machine) : machine_(machine) {}

  // Of a processor. `measured_at`: flops per second where the action was measured; 0: it was not.
  double computing(const Action& a, double measured_at) const {
    if (a.busy_seconds > 0 && measured_at > 0) {
      return a.busy_seconds * measured_at / machine_.flops_per_second;
    }
    constexpr double word_bytes = 8;
    const double memory = machine_.memory_bytes_per_second;
    return a.flops / machine_.flops_per_second +
           (memory > 0 ? a.memory_words * word_bytes / memory : 0);
  }
  // Of a rank's processor for its end of a message.
  double copying(double bytes) const {
    return machine_.copy_bytes_per_second > 0 ? bytes / machine_.copy_bytes_per_second : 0;
  }
  // At a port, copying included where it is not slower.
  double wire(double bytes) const { return bytes / machine_.bytes_per_second; }
  // How much of the receiver's copying is done when the last byte comes.
  double unpacked_on_the_way(double bytes) const {
    return std::min(copying(bytes), wire(bytes) / 2);
  }
  bool is_large(double bytes) const {
    return machine_.eager_bytes > 0 && bytes > static_cast<double>(machine_.eager_bytes);
  }
  // A large message's question, and its answer.
  double agreeing() const {
    return std::max(0.0, machine_.large_latency_seconds - machine_.latency_seconds) / 2;
  }

 private:
  Machine machine_;
};

}  // namespace redblue::task_graph
