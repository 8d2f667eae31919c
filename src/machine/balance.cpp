// SPDX-License-Identifier: BSD-3-Clause
// Where the machine's bandwidth must, or need not, bound a program.
#include "redblue/error.hpp"
#include "redblue/machine.hpp"

namespace redblue {

namespace {

LevelBalance judged(LevelBalance result) {
  using Verdict = LevelBalance::Verdict;
  if (result.at_most && *result.at_most < result.at_least) {
    throw Error("the balance at the level '" + result.level + "'",
                "the schedule moves " + std::to_string(*result.at_most) +
                    " words per FLOP, below the proved " + std::to_string(result.at_least),
                "the formula of its words must count more");
  }
  if (result.at_least > result.machine) {
    result.verdict = Verdict::bound;
  } else if (result.at_most && *result.at_most < result.machine) {
    result.verdict = Verdict::free;
  }
  return result;
}

}  // namespace

std::vector<LevelBalance> balance(const Machine& machine, const ProgramTraffic& traffic) {
  if (machine.levels.size() < 2) {
    throw Error("the balance on " + machine.name, "its file has fewer than two memory levels",
                "add [[level]] tables with name, units, words and words_per_flop");
  }
  std::vector<LevelBalance> result;
  for (std::size_t l = 1; l < machine.levels.size(); ++l) {
    const MemoryLevel& here = machine.levels[l];
    if (here.words_per_flop <= 0) continue;
    const MemoryLevel& below = machine.levels[l - 1];
    LevelBalance level;
    level.level = here.name + " to " + below.name;
    level.machine = here.words_per_flop;
    level.at_least = traffic.at_least(below.words, below.units) / traffic.flops;
    if (traffic.at_most) {
      if (const auto moved = traffic.at_most(below.words)) level.at_most = *moved / traffic.flops;
    }
    result.push_back(judged(level));
  }
  if (machine.network_words_per_flop > 0) {
    const MemoryLevel& last = machine.levels.back();
    LevelBalance network;
    network.level = "network between units of " + last.name;
    network.machine = machine.network_words_per_flop;
    if (last.units > 1) {
      network.at_least = traffic.network_at_least(last.words, last.units) / traffic.flops;
    }
    if (traffic.network_at_most) {
      if (const auto into_one = traffic.network_at_most(last.units)) {
        network.at_most = *into_one * static_cast<double>(last.units) / traffic.flops;
      }
    }
    result.push_back(judged(network));
  }
  return result;
}

}  // namespace redblue
