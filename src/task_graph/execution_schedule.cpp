// SPDX-License-Identifier: BSD-3-Clause
// An execution in the model of [solomonik2016, section 3].
#include <array>
#include <map>
#include <utility>
#include <vector>

#include "task_graph/timeline.hpp"

namespace redblue::task_graph {

Prices prices(const Machine& machine) {
  constexpr double word_bytes = 8;
  const double memory = machine.memory_bytes_per_second;
  return {machine.latency_seconds, word_bytes / machine.bytes_per_second,
          1 / machine.flops_per_second, memory > 0 ? word_bytes / memory : 0};
}

Schedule schedule_of(const Execution& execution, const std::vector<Timeline::Step>& order) {
  Schedule schedule(static_cast<int>(execution.ranks.size()));
  const Matching matching = matched(execution);
  std::vector<bool> received(matching.messages.size());
  std::map<std::pair<int, int>, std::vector<int>> entered;  // by communicator and its first rank
  for (const auto& [rank, number] : order) {
    const RankActions& r = execution.ranks[static_cast<std::size_t>(rank)];
    const Action& a = r.actions[number];
    switch (a.kind) {
      case Action::Kind::compute:
        if (a.memory_words > 0) schedule.transfer(rank, a.memory_words);
        if (a.flops > 0) schedule.compute(rank, a.flops);
        break;
      case Action::Kind::send:
        schedule.send(rank, static_cast<double>(a.words));
        break;
      case Action::Kind::receive:
        break;  // it is one when the rank has waited for it
      case Action::Kind::wait:
        for (std::size_t i = a.first; i < a.first + a.count; ++i) {
          const std::size_t awaited = r.awaited[i];
          const std::size_t m = matching.of_action[static_cast<std::size_t>(rank)][awaited];
          if (r.actions[awaited].kind == Action::Kind::send || received[m]) continue;
          received[m] = true;
          const std::array<int, 2> both = {matching.messages[m].from, rank};
          schedule.synchronise(both);
          schedule.receive(rank, matching.messages[m].words);
        }
        break;
      case Action::Kind::collective: {
        std::vector<int>& members = entered[{a.communicator, a.peer}];
        members.push_back(rank);
        if (members.size() < static_cast<std::size_t>(a.members)) break;
        if (a.members > 1) schedule.synchronise(members);
        members.clear();
        break;
      }
    }
  }
  return schedule;
}

}  // namespace redblue::task_graph
