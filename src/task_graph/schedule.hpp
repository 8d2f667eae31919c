// SPDX-License-Identifier: BSD-3-Clause
// Parallel schedules with a cost [solomonik2016, section 3]: a directed acyclic graph of tasks, one
// path of tasks per processor, joined at synchronisations. The time of a schedule is the weight of
// its longest path, alpha S + beta W + gamma F + nu W^.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace redblue::task_graph {

enum class Task : char { compute, synchronise, send, receive, transfer };

// What a path costs: synchronisations S, words sent and received W, computed vertices (or flops) F,
// words between cache and main memory W^ (those sent and received among them).
struct Costs {
  double synchronisations = 0;
  double words = 0;
  double flops = 0;
  double memory_words = 0;

  Costs& operator+=(const Costs& o) {
    synchronisations += o.synchronisations;
    words += o.words;
    flops += o.flops;
    memory_words += o.memory_words;
    return *this;
  }
  bool operator==(const Costs&) const = default;
};

// Seconds of one synchronisation, word between processors, vertex, word between cache and memory.
struct Prices {
  double alpha = 0, beta = 0, gamma = 0, nu = 0;

  double of(const Costs& c) const {
    return alpha * c.synchronisations + beta * c.words + gamma * c.flops + nu * c.memory_words;
  }
};

// Grows task by task in an order in which every task follows those it depends on, so that it has no
// cycle; tasks of a processor follow one another.
class Schedule {
 public:
  explicit Schedule(int processors) : last_(static_cast<std::size_t>(processors), none) {}

  // Each returns the number of the new task; O(1), synchronise() O(processors that meet).
  std::size_t compute(int processor, double vertices);
  std::size_t send(int processor, double words);
  std::size_t receive(int processor, double words);
  std::size_t transfer(int processor, double words);
  std::size_t synchronise(std::span<const int> processors);

  int processors() const { return static_cast<int>(last_.size()); }
  std::size_t size() const { return tasks_.size(); }
  Task task(std::size_t t) const { return tasks_[t].task; }
  // The processor of a task; of a synchronisation the first that was named.
  int processor(std::size_t t) const { return tasks_[t].processor; }
  Costs costs(std::size_t t) const;
  // The tasks right before, one for each processor of the task that had any.
  std::span<const std::size_t> before(std::size_t t) const {
    return {before_.data() + tasks_[t].first, tasks_[t].count};
  }

 private:
  struct Node {
    Task task;
    int processor;
    double amount;
    std::size_t first, count;  // of before_
  };
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  std::size_t add(Task task, std::span<const int> processors, double amount);

  std::vector<Node> tasks_;
  std::vector<std::size_t> before_;
  std::vector<std::size_t> last_;  // of each processor
};

struct LongestPath {
  double seconds = 0;
  Costs costs;                     // along it
  std::vector<std::size_t> tasks;  // of it, in order
};

// O(tasks + edges).
LongestPath longest_path(const Schedule& schedule, const Prices& prices);

}  // namespace redblue::task_graph
