// SPDX-License-Identifier: BSD-3-Clause
// The schedule model of [solomonik2016, section 3]: its rules, its longest path, figure 1, and the
// two theorems on random programs against simulators written here.
#include "task_graph/schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "task_graph/translation/bsp.hpp"
#include "task_graph/translation/loggp.hpp"
#include "task_graph/validity.hpp"

namespace redblue::task_graph {
namespace {

TEST(LongestPath, GoesThroughTheDearestTaskOfEverySynchronisation) {
  Schedule s(2);
  s.compute(0, 10);
  s.compute(1, 4);
  s.send(0, 3);
  const std::vector<int> both = {0, 1};
  s.synchronise(both);
  s.receive(1, 3);
  s.transfer(1, 5);
  s.compute(0, 1);
  const LongestPath path = longest_path(s, {100, 10, 1, 2});
  EXPECT_EQ(path.costs, (Costs{1, 6, 10, 11}));
  EXPECT_DOUBLE_EQ(path.seconds, 100 + 60 + 10 + 22);
  EXPECT_EQ(path.tasks, (std::vector<std::size_t>{0, 2, 3, 4, 5}));
}

TEST(LongestPath, OfAMillionTasks) {
  Schedule s(4);
  std::mt19937 random(1);
  for (int t = 0; t < 1000000; ++t) {
    const int p = static_cast<int>(random() % 4);
    if (t % 5 == 0) {
      const std::vector<int> two = {p, (p + 1) % 4};
      s.synchronise(two);
    } else {
      s.compute(p, 1);
    }
  }
  const LongestPath path = longest_path(s, {1, 1, 1, 1});
  EXPECT_GE(path.seconds, 250000);
  EXPECT_LE(path.seconds, 1000000);
  EXPECT_DOUBLE_EQ(path.seconds, path.costs.synchronisations + path.costs.flops);
  EXPECT_EQ(path.seconds, static_cast<double>(path.tasks.size()));
}

// Figure 1: four processors with a_i = value i and b_i = value 4 + i. Each of two pairs sums a on
// one side and b on the other, then the pairs meet, then all know both sums: 8 and 9 are a's
// partial sums, 10 and 11 b's, 12 the sum of a, 13 that of b.
ValueSchedule figure_1() {
  ValueSchedule s;
  s.operands = {{}, {}, {}, {}, {}, {}, {}, {}, {0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}};
  s.stored = {{0, 4}, {1, 5}, {2, 6}, {3, 7}};
  s.cache = 2;
  s.memory = 4;
  const auto add = [&s](Task task, std::vector<int> processors, std::vector<int> values,
                        int peer = -1) {
    s.tasks.push_back({task, std::move(processors), std::move(values), peer, {}, {}});
  };
  // each pair (p, p + 1) exchanges: p gets a, p + 1 gets b
  for (const int p : {0, 2}) {
    add(Task::send, {p}, {4 + p}, p + 1);
    add(Task::send, {p + 1}, {p + 1}, p);
    add(Task::synchronise, {p, p + 1}, {});
    add(Task::receive, {p}, {p + 1}, p + 1);
    add(Task::receive, {p + 1}, {4 + p}, p);
    const int half = p / 2;
    add(Task::transfer, {p}, {p, p + 1});
    add(Task::compute, {p}, {8 + half});
    s.tasks.back().discarded_cached = {p, p + 1};
    add(Task::transfer, {p}, {8 + half});
    s.tasks.back().discarded_stored = {p, p + 1, 4 + p};
    add(Task::transfer, {p + 1}, {4 + p, 5 + p});
    add(Task::compute, {p + 1}, {10 + half});
    s.tasks.back().discarded_cached = {4 + p, 5 + p};
    add(Task::transfer, {p + 1}, {10 + half});
    s.tasks.back().discarded_stored = {4 + p, 5 + p, p + 1};
  }
  // 0 and 2 exchange partial sums of a, 1 and 3 those of b
  for (const int p : {0, 1}) {
    const int sum = p == 0 ? 8 : 10;
    add(Task::send, {p}, {sum}, p + 2);
    add(Task::send, {p + 2}, {sum + 1}, p);
    add(Task::synchronise, {p, p + 2}, {});
    add(Task::receive, {p}, {sum + 1}, p + 2);
    add(Task::receive, {p + 2}, {sum}, p);
    for (const int q : {p, p + 2}) {
      add(Task::transfer, {q}, {sum, sum + 1});
      add(Task::compute, {q}, {12 + p});
      s.tasks.back().discarded_cached = {sum, sum + 1};
      add(Task::transfer, {q}, {12 + p});
      s.tasks.back().discarded_stored = {sum, sum + 1};
    }
  }
  // within the pairs again: all know both
  for (const int p : {0, 2}) {
    add(Task::send, {p}, {12}, p + 1);
    add(Task::send, {p + 1}, {13}, p);
    add(Task::synchronise, {p, p + 1}, {});
    add(Task::receive, {p}, {13}, p + 1);
    add(Task::receive, {p + 1}, {12}, p);
  }
  return s;
}

TEST(Figure1, IsValidAndCostsThreeSynchronisations) {
  const ValueSchedule s = figure_1();
  EXPECT_EQ(broken_rule(s), std::nullopt);
  const LongestPath path = longest_path(without_values(s), {1e6, 1e3, 1, 1e-3});
  // three exchanges of one word each way, two additions; per sum two operands in and one result out
  EXPECT_EQ(path.costs, (Costs{3, 6, 2, 12}));
}

TEST(Validity, NamesTheRuleThatIsBroken) {
  ASSERT_EQ(broken_rule(figure_1()), std::nullopt);
  std::set<std::string> found;
  const auto broken = [&found](auto change, const std::string& what) {
    ValueSchedule s = figure_1();
    change(s);
    const auto rule = broken_rule(s);
    ASSERT_TRUE(rule.has_value()) << what;
    EXPECT_NE(rule->find(what), std::string::npos) << *rule;
    found.insert(what);
  };
  broken([](ValueSchedule& s) { s.tasks.erase(s.tasks.begin() + 5); }, "is not in cache");
  broken([](ValueSchedule& s) { s.tasks.erase(s.tasks.begin() + 2); }, "no synchronisation");
  broken([](ValueSchedule& s) { s.tasks.erase(s.tasks.begin() + 3); }, "in neither memory");
  broken([](ValueSchedule& s) { s.tasks[0].values = {7}; }, "not in main memory");
  broken([](ValueSchedule& s) { s.tasks[2].processors = {0, 2}; }, "no synchronisation");
  broken([](ValueSchedule& s) { s.tasks[2].processors = {0, 0}; }, "two different processors");
  broken([](ValueSchedule& s) { s.tasks.pop_back(); }, "never received");
  broken([](ValueSchedule& s) { s.cache = 1; }, "cache overflows");
  broken([](ValueSchedule& s) { s.memory = 2; }, "main memory overflows");
  broken([](ValueSchedule& s) { s.tasks[6].values = {0}; }, "is an input");
  broken([](ValueSchedule& s) { s.tasks[0].discarded_cached = {0}; }, "may not");
  EXPECT_EQ(found.size(), 10U);
}

// The time of a LogGP program as the fixpoint of its definition: sweeps over all actions until no
// end moves. Returns the ends of the last actions; none where it does not settle.
double loggp_time(const LogGPProgram& program, const LogGP& cost) {
  std::vector<std::vector<double>> ends;
  for (const auto& actions : program) ends.emplace_back(actions.size(), 0.0);
  using Kind = LogGPAction::Kind;
  // the number-th receive of q from p belongs to the number-th send of p to q
  std::map<std::pair<int, int>, std::vector<std::size_t>> sends;
  for (std::size_t p = 0; p < program.size(); ++p) {
    for (std::size_t a = 0; a < program[p].size(); ++a) {
      if (program[p][a].kind == Kind::send) {
        sends[{static_cast<int>(p), program[p][a].peer}].push_back(a);
      }
    }
  }
  for (bool moved = true; moved;) {
    moved = false;
    for (std::size_t p = 0; p < program.size(); ++p) {
      double ready = 0;
      std::map<int, std::size_t> received;
      for (std::size_t a = 0; a < program[p].size(); ++a) {
        const LogGPAction& x = program[p][a];
        double end = ready + x.amount;
        if (x.kind == Kind::send) end = ready + cost.o + cost.per_word * x.amount;
        if (x.kind == Kind::receive) {
          const auto from = static_cast<std::size_t>(x.peer);
          const std::size_t s = sends[{x.peer, static_cast<int>(p)}][received[x.peer]++];
          end = std::max(ends[from][s] + 2 * cost.o,
                         ready + cost.o + cost.per_word * program[from][s].amount);
        }
        moved = moved || end > ends[p][a];
        ends[p][a] = ready = std::max(end, ends[p][a]);
      }
    }
  }
  double last = 0;
  for (const auto& of : ends) last = std::max(last, of.empty() ? 0 : of.back());
  return last;
}

// Messages in a global order, so that nobody waits in a circle; some are posted early.
LogGPProgram random_program(std::mt19937& random, bool blocking) {
  const int processors = 2 + static_cast<int>(random() % 5);
  LogGPProgram program(static_cast<std::size_t>(processors));
  using Kind = LogGPAction::Kind;
  const int messages = 1 + static_cast<int>(random() % 40);
  std::vector<std::pair<int, int>> pending;  // sent, not received
  const auto receive_one = [&](std::size_t which) {
    const auto [from, to] = pending[which];
    // the first of the pair, as messages of a pair keep their order
    pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(which));
    program[static_cast<std::size_t>(to)].push_back({Kind::receive, 0, from});
  };
  for (int m = 0; m < messages; ++m) {
    const int from = static_cast<int>(random() % static_cast<unsigned>(processors));
    const int to = (from + 1 + static_cast<int>(random() % static_cast<unsigned>(processors - 1))) %
                   processors;
    for (const int p : {from, to}) {
      if (random() % 2 == 0) {
        program[static_cast<std::size_t>(p)].push_back(
            {Kind::compute, static_cast<double>(random() % 200), -1});
      }
    }
    program[static_cast<std::size_t>(from)].push_back(
        {Kind::send, static_cast<double>(random() % 50), to});
    pending.emplace_back(from, to);
    while (!pending.empty() && (blocking || random() % 3 == 0)) {
      const std::pair<int, int> wanted = pending[random() % pending.size()];
      receive_one(static_cast<std::size_t>(std::find(pending.begin(), pending.end(), wanted) -
                                           pending.begin()));
    }
  }
  while (!pending.empty()) receive_one(0);
  return program;
}

TEST(LogGP, TranslatesWithinTheTheoremsConstants) {
  std::mt19937 random(7);
  int undeferred = 0;
  double largest = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const LogGPProgram program = random_program(random, trial % 2 == 0);
    const LogGP cost = {1.0 + static_cast<double>(random() % 20),
                        0.25 * static_cast<double>(random() % 9)};
    const LogGPSchedule translated = loggp_schedule(program, cost);
    EXPECT_NEAR(translated.seconds, loggp_time(program, cost), 1e-9 * translated.seconds);
    const Prices prices = {cost.o, cost.per_word, 1, 0};
    const double time = longest_path(translated.schedule, prices).seconds;
    const double deferred =
        prices.of({translated.deferred.synchronisations, translated.deferred.words, 0, 0});
    EXPECT_LE(translated.seconds, 3 * (time + deferred) + 1e-9) << trial;
    EXPECT_LE(time, 2 * translated.seconds + deferred + 1e-9) << trial;
    if (deferred == 0) {
      ++undeferred;
      largest = std::max(largest, time / translated.seconds);
    }
  }
  EXPECT_GT(undeferred, 5);
  EXPECT_GT(largest, 0.5);
}

TEST(LogGP, ProcessorsThatSendToEachOtherFirstDoNotWaitForEver) {
  using Kind = LogGPAction::Kind;
  const LogGPProgram exchange = {{{Kind::send, 10, 1}, {Kind::receive, 0, 1}},
                                 {{Kind::send, 10, 0}, {Kind::receive, 0, 0}}};
  // each sends and then receives: twice o + 10 G
  EXPECT_DOUBLE_EQ(loggp_schedule(exchange, {2, 1}).seconds, 24);
  const LogGPProgram circle = {{{Kind::receive, 0, 1}, {Kind::send, 1, 1}},
                               {{Kind::receive, 0, 0}, {Kind::send, 1, 0}}};
  EXPECT_ANY_THROW(loggp_schedule(circle, {1, 1}));
}

// S and W by the definition, message by message.
TEST(Bsp, CommunicationIsBetweenOneAndTwoTimesItsCost) {
  std::mt19937 random(11);
  int between = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const int processors = 2 + static_cast<int>(random() % 6);
    std::vector<Superstep> steps(1 + random() % 8);
    double words = 0;
    for (Superstep& step : steps) {
      step.computed.assign(static_cast<std::size_t>(processors), 0);
      std::map<std::pair<bool, int>, double> loads;
      double most = 0;
      for (std::size_t m = random() % 12; m > 0; --m) {
        const int from = static_cast<int>(random() % static_cast<unsigned>(processors));
        const int to =
            (from + 1 + static_cast<int>(random() % static_cast<unsigned>(processors - 1))) %
            processors;
        const auto w = static_cast<double>(random() % 100);
        step.messages.push_back({from, to, w});
        most = std::max({most, loads[{true, from}] += w, loads[{false, to}] += w});
      }
      words += most;
    }
    const Prices prices = {static_cast<double>(random() % 50), 1.5, 1, 0};
    const double least = prices.alpha * static_cast<double>(steps.size()) + prices.beta * words;
    EXPECT_DOUBLE_EQ(prices.of(bsp_costs(processors, steps)), least);
    const double time = longest_path(bsp_schedule(processors, steps), prices).seconds;
    EXPECT_GE(time, least - 1e-9) << trial;
    EXPECT_LE(time, least + prices.beta * words + 1e-9) << trial;
    if (time > least + 1e-9) ++between;
  }
  EXPECT_GT(between, 20);
}

}  // namespace
}  // namespace redblue::task_graph
