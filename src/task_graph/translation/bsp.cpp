// SPDX-License-Identifier: BSD-3-Clause
#include "task_graph/translation/bsp.hpp"

#include <algorithm>
#include <numeric>

#include "redblue/error.hpp"

namespace redblue::task_graph {

Costs bsp_costs(int processors, const std::vector<Superstep>& supersteps) {
  Costs costs;
  for (const Superstep& step : supersteps) {
    std::vector<double> sent(static_cast<std::size_t>(processors));
    std::vector<double> received(sent.size());
    for (const Superstep::Message& m : step.messages) {
      sent[static_cast<std::size_t>(m.from)] += m.words;
      received[static_cast<std::size_t>(m.to)] += m.words;
    }
    costs.synchronisations += 1;
    costs.words += std::max(*std::max_element(sent.begin(), sent.end()),
                            *std::max_element(received.begin(), received.end()));
    costs.flops += *std::max_element(step.computed.begin(), step.computed.end());
  }
  return costs;
}

Schedule bsp_schedule(int processors, const std::vector<Superstep>& supersteps) {
  Schedule schedule(processors);
  std::vector<int> all(static_cast<std::size_t>(processors));
  std::iota(all.begin(), all.end(), 0);
  const auto known = [processors](int p) { return p >= 0 && p < processors; };
  for (const Superstep& step : supersteps) {
    for (const int p : all) schedule.compute(p, step.computed[static_cast<std::size_t>(p)]);
    for (const Superstep::Message& m : step.messages) {
      if (!known(m.from) || !known(m.to) || m.from == m.to) {
        throw Error("a superstep", "a message that joins no two processors");
      }
      schedule.send(m.from, m.words);
    }
    schedule.synchronise(all);
    for (const Superstep::Message& m : step.messages) schedule.receive(m.to, m.words);
  }
  return schedule;
}

}  // namespace redblue::task_graph
