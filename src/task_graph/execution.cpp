// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/execution.hpp"

#include <algorithm>
#include <deque>
#include <map>
#include <tuple>
#include <utility>

#include "redblue/error.hpp"

namespace redblue::task_graph {

Action wait_for(RankActions& rank, const std::vector<std::size_t>& messages) {
  Action action;
  action.kind = Action::Kind::wait;
  action.first = rank.awaited.size();
  action.count = messages.size();
  rank.awaited.insert(rank.awaited.end(), messages.begin(), messages.end());
  return action;
}

Matching matched(const Execution& execution) {
  using Key = std::tuple<int, int, int, int>;  // from, to, communicator, tag
  Matching result;
  result.of_action.resize(execution.ranks.size());
  std::map<Key, std::deque<std::size_t>> sent;
  for (std::size_t r = 0; r < execution.ranks.size(); ++r) {
    const std::vector<Action>& actions = execution.ranks[r].actions;
    result.of_action[r].resize(actions.size());
    for (std::size_t a = 0; a < actions.size(); ++a) {
      if (actions[a].kind != Action::Kind::send) continue;
      const Action& s = actions[a];
      const auto words = static_cast<double>(s.words);
      sent[{static_cast<int>(r), s.peer, s.communicator, s.tag}].push_back(result.messages.size());
      result.of_action[r][a] = result.messages.size();
      result.messages.push_back({static_cast<int>(r), s.peer, a, 0, words, words * s.word_bytes});
    }
  }
  std::size_t received = 0;
  for (std::size_t r = 0; r < execution.ranks.size(); ++r) {
    const std::vector<Action>& actions = execution.ranks[r].actions;
    for (std::size_t a = 0; a < actions.size(); ++a) {
      const Action& x = actions[a];
      if (x.kind != Action::Kind::receive) continue;
      auto found = sent.find({x.peer, static_cast<int>(r), x.communicator, x.tag});
      if (found == sent.end() || found->second.empty()) {
        throw Error("rank " + std::to_string(r),
                    "receives a message that rank " + std::to_string(x.peer) + " does not send");
      }
      const std::size_t m = found->second.front();
      found->second.pop_front();
      result.messages[m].received = a;
      result.of_action[r][a] = m;
      ++received;
    }
  }
  if (received != result.messages.size()) {
    throw Error("an execution", "a message is sent that nobody receives");
  }
  return result;
}

std::vector<Traffic> traffic(const Execution& execution) {
  const Matching matching = matched(execution);
  std::vector<Traffic> result(execution.ranks.size());
  for (const Message& m : matching.messages) {
    const Words words(static_cast<std::int64_t>(m.words));
    result[static_cast<std::size_t>(m.from)] += {{}, words, {}, Messages(1)};
    result[static_cast<std::size_t>(m.to)] += {words, {}, Messages(1), {}};
  }
  return result;
}

std::vector<Waiting> added_up(const std::vector<Waiting>& waits) {
  std::map<std::pair<int, int>, double> sums;
  for (const Waiting& w : waits) sums[{w.rank, w.peer}] += w.seconds;
  std::vector<Waiting> result;
  for (const auto& [pair, seconds] : sums) result.push_back({pair.first, pair.second, seconds});
  std::stable_sort(result.begin(), result.end(),
                   [](const Waiting& a, const Waiting& b) { return a.seconds > b.seconds; });
  return result;
}

std::vector<Waiting> measured_waiting(const Execution& execution, const Matching& matching) {
  std::vector<Waiting> waits;
  for (std::size_t r = 0; r < execution.ranks.size(); ++r) {
    const RankActions& rank = execution.ranks[r];
    for (const Action& wait : rank.actions) {
      if (wait.kind != Action::Kind::wait || wait.count == 0) continue;
      int peer = -1;
      double last = 0;
      for (std::size_t i = wait.first; i < wait.first + wait.count; ++i) {
        const std::size_t a = rank.awaited[i];
        const Message& m = matching.messages[matching.of_action[r][a]];
        const bool sends = rank.actions[a].kind == Action::Kind::send;
        const auto other = static_cast<std::size_t>(sends ? m.to : m.from);
        const double posted = execution.ranks[other].actions[sends ? m.received : m.sent].begin;
        if (peer >= 0 && posted <= last) continue;
        last = posted;
        peer = static_cast<int>(other);
      }
      waits.push_back({static_cast<int>(r), peer, wait.end - wait.begin});
    }
  }
  return added_up(waits);
}

}  // namespace redblue::task_graph
