// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/schedule.hpp"

#include <algorithm>

namespace redblue::task_graph {

std::size_t Schedule::add(Task task, std::span<const int> processors, double amount) {
  const std::size_t number = tasks_.size();
  tasks_.push_back({task, processors.front(), amount, before_.size(), 0});
  for (const int p : processors) {
    std::size_t& last = last_[static_cast<std::size_t>(p)];
    if (last != none) before_.push_back(last);
    last = number;
  }
  tasks_.back().count = before_.size() - tasks_.back().first;
  return number;
}

std::size_t Schedule::compute(int processor, double vertices) {
  return add(Task::compute, {&processor, 1}, vertices);
}

std::size_t Schedule::send(int processor, double words) {
  return add(Task::send, {&processor, 1}, words);
}

std::size_t Schedule::receive(int processor, double words) {
  return add(Task::receive, {&processor, 1}, words);
}

std::size_t Schedule::transfer(int processor, double words) {
  return add(Task::transfer, {&processor, 1}, words);
}

std::size_t Schedule::synchronise(std::span<const int> processors) {
  return add(Task::synchronise, processors, 1);
}

Costs Schedule::costs(std::size_t t) const {
  const double amount = tasks_[t].amount;
  switch (tasks_[t].task) {
    case Task::compute:
      return {0, 0, amount, 0};
    case Task::synchronise:
      return {amount, 0, 0, 0};
    case Task::send:
    case Task::receive:
      return {0, amount, 0, amount};
    case Task::transfer:
      return {0, 0, 0, amount};
  }
  return {};
}

LongestPath longest_path(const Schedule& schedule, const Prices& prices) {
  constexpr auto none = static_cast<std::size_t>(-1);
  std::vector<double> until(schedule.size());
  std::vector<std::size_t> previous(schedule.size(), none);
  std::size_t last = none;
  for (std::size_t t = 0; t < schedule.size(); ++t) {
    for (const std::size_t b : schedule.before(t)) {
      if (previous[t] == none || until[b] > until[previous[t]]) previous[t] = b;
    }
    until[t] = prices.of(schedule.costs(t)) + (previous[t] == none ? 0 : until[previous[t]]);
    if (last == none || until[t] > until[last]) last = t;
  }
  LongestPath path;
  if (last != none) path.seconds = until[last];
  for (std::size_t t = last; t != none; t = previous[t]) {
    path.costs += schedule.costs(t);
    path.tasks.push_back(t);
  }
  std::reverse(path.tasks.begin(), path.tasks.end());
  return path;
}

}  // namespace redblue::task_graph
