// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/validity.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace redblue::task_graph {

namespace {

using Message = std::pair<int, std::vector<int>>;  // the other processor, and the values

// What the edges of a processor's path carry.
struct State {
  std::set<int> cached, stored;
  std::vector<Message> sent, arrived;
};

bool take(std::vector<Message>& messages, const Message& message) {
  const auto found = std::find(messages.begin(), messages.end(), message);
  if (found == messages.end()) return false;
  messages.erase(found);
  return true;
}

// Runs a schedule; every rule returns what it finds broken.
class Check {
 public:
  explicit Check(const ValueSchedule& s) : schedule_(s), states_(s.stored.size()) {
    for (std::size_t p = 0; p < states_.size(); ++p) {
      states_[p].stored.insert(s.stored[p].begin(), s.stored[p].end());
    }
  }

  std::optional<std::string> run() {
    for (std::size_t t = 0; t < schedule_.tasks.size(); ++t) {
      const ValueTask& task = schedule_.tasks[t];
      auto broken = one(task);
      if (!broken) broken = discard(task);
      if (!broken) broken = sizes(task);
      if (broken) return "task " + std::to_string(t) + ": " + *broken;
    }
    for (const State& s : states_) {
      if (!s.sent.empty() || !s.arrived.empty()) return "a message is never received";
    }
    return std::nullopt;
  }

 private:
  using Broken = std::optional<std::string>;

  State& state(int processor) { return states_[static_cast<std::size_t>(processor)]; }

  Broken one(const ValueTask& task) {
    State& s = state(task.processors.front());
    const auto value = [](int v) { return "value " + std::to_string(v); };
    switch (task.task) {
      case Task::compute: {
        const std::set<int> computed(task.values.begin(), task.values.end());
        for (const int f : task.values) {
          const auto& operands = schedule_.operands[static_cast<std::size_t>(f)];
          if (operands.empty()) return value(f) + " is an input and computed";
          for (const int g : operands) {
            if (!computed.contains(g) && !s.cached.contains(g)) {
              return value(g) + ", an operand of " + value(f) + ", is not in cache";
            }
          }
        }
        s.cached.insert(computed.begin(), computed.end());
        return std::nullopt;
      }
      case Task::send:
        for (const int v : task.values) {
          if (!s.stored.contains(v)) return value(v) + " is sent but not in main memory";
        }
        s.sent.emplace_back(task.peer, task.values);
        return std::nullopt;
      case Task::receive:
        if (!take(s.arrived, {task.peer, task.values})) {
          return "what is received has passed no synchronisation since it was sent";
        }
        s.stored.insert(task.values.begin(), task.values.end());
        return std::nullopt;
      case Task::transfer:
        for (const int v : task.values) {
          if (!s.stored.contains(v) && !s.cached.contains(v)) {
            return value(v) + " is moved but in neither memory";
          }
        }
        s.cached.insert(task.values.begin(), task.values.end());
        s.stored.insert(task.values.begin(), task.values.end());
        return std::nullopt;
      case Task::synchronise:
        return meet(task.processors);
    }
    return std::nullopt;
  }

  // Messages between processors that meet pass from send to receive buffers.
  Broken meet(const std::vector<int>& processors) {
    if (std::set<int>(processors.begin(), processors.end()).size() != processors.size() ||
        processors.size() < 2) {
      return "fewer than two different processors meet";
    }
    for (const int p : processors) {
      std::vector<Message> kept;
      for (Message& m : state(p).sent) {
        if (std::find(processors.begin(), processors.end(), m.first) == processors.end()) {
          kept.push_back(std::move(m));
        } else {
          state(m.first).arrived.emplace_back(p, std::move(m.second));
        }
      }
      state(p).sent = std::move(kept);
    }
    return std::nullopt;
  }

  // A transfer brings a value to both memories; it need not stay in either.
  Broken discard(const ValueTask& task) {
    const bool from_cache = task.task == Task::compute || task.task == Task::transfer;
    const bool from_memory =
        task.task == Task::send || task.task == Task::receive || task.task == Task::transfer;
    if ((!task.discarded_cached.empty() && !from_cache) ||
        (!task.discarded_stored.empty() && !from_memory)) {
      return "contents of a memory are dropped by a task that may not";
    }
    State& s = state(task.processors.front());
    for (const int v : task.discarded_cached) s.cached.erase(v);
    for (const int v : task.discarded_stored) s.stored.erase(v);
    return std::nullopt;
  }

  Broken sizes(const ValueTask& task) {
    for (const int p : task.processors) {
      if (static_cast<std::int64_t>(state(p).cached.size()) > schedule_.cache) {
        return "the cache overflows";
      }
      if (static_cast<std::int64_t>(state(p).stored.size()) > schedule_.memory) {
        return "main memory overflows";
      }
    }
    return std::nullopt;
  }

  const ValueSchedule& schedule_;
  std::vector<State> states_;
};

}  // namespace

std::optional<std::string> broken_rule(const ValueSchedule& schedule) {
  return Check(schedule).run();
}

Schedule without_values(const ValueSchedule& schedule) {
  Schedule result(static_cast<int>(schedule.stored.size()));
  for (const ValueTask& t : schedule.tasks) {
    const auto amount = static_cast<double>(t.values.size());
    switch (t.task) {
      case Task::compute:
        result.compute(t.processors.front(), amount);
        break;
      case Task::send:
        result.send(t.processors.front(), amount);
        break;
      case Task::receive:
        result.receive(t.processors.front(), amount);
        break;
      case Task::transfer:
        result.transfer(t.processors.front(), amount);
        break;
      case Task::synchronise:
        result.synchronise(t.processors);
        break;
    }
  }
  return result;
}

}  // namespace redblue::task_graph
