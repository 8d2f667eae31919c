// SPDX-License-Identifier: BSD-3-Clause
// Executions on machines: small ones worked out by hand, random ones by what must always hold.
#include "task_graph/timeline.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "decomposition/cost.hpp"
#include "redblue/error.hpp"
#include "task_graph/plans.hpp"
#include "task_graph/recording_file.hpp"
#include "temporary_folder.hpp"

namespace redblue::task_graph {
namespace {

using Kind = Action::Kind;

// 1 flop a second, 10 s a message, 1 s a word.
Machine slow_machine() {
  Machine m;
  m.flops_per_second = 1;
  m.latency_seconds = 10;
  m.bytes_per_second = 8;
  return m;
}

Action compute(double flops) {
  Action a;
  a.flops = flops;
  return a;
}

Action message(Kind kind, int peer, std::int64_t words) {
  Action a;
  a.kind = kind;
  a.peer = peer;
  a.words = words;
  return a;
}

void add_wait(RankActions& rank, std::vector<std::size_t> awaited) {
  Action a;
  a.kind = Kind::wait;
  a.first = rank.awaited.size();
  a.count = awaited.size();
  rank.awaited.insert(rank.awaited.end(), awaited.begin(), awaited.end());
  rank.actions.push_back(a);
}

TEST(Timeline, AMessageIsALatencyAndItsWords) {
  Execution e;
  e.ranks.resize(2);
  e.ranks[0].actions = {compute(5), message(Kind::send, 1, 7)};
  e.ranks[1].actions = {message(Kind::receive, 0, 7)};
  add_wait(e.ranks[1], {0});
  e.ranks[1].actions.push_back(compute(3));
  const Timeline t = timeline(e, slow_machine());
  EXPECT_DOUBLE_EQ(t.seconds, 5 + 10 + 7 + 3);
  EXPECT_EQ(t.costs, (Costs{1, 7, 8, 7}));
  ASSERT_EQ(t.path.size(), 3U);
  EXPECT_EQ(t.path[1].kind, Piece::Kind::message);
  ASSERT_EQ(t.waiting.size(), 1U);
  EXPECT_EQ(t.waiting[0].rank, 1);
  EXPECT_EQ(t.waiting[0].peer, 0);
  EXPECT_DOUBLE_EQ(t.waiting[0].seconds, 22);
  // in the model without overlap the words count at both ends
  const LongestPath apart = longest_path(schedule_of(e, t.order), prices(slow_machine()));
  EXPECT_EQ(apart.costs, (Costs{1, 14, 8, 14}));
}

TEST(Timeline, ALargeMessageNeedsBothRanks) {
  Machine m = slow_machine();
  m.eager_bytes = 16;
  m.large_latency_seconds = 30;  // 10 to ask, 10 to answer, 10 on its way
  Execution e;
  e.ranks.resize(2);
  // rank 1 asks for it at 0 but computes until 50: it answers then, rank 0 is free
  e.ranks[0].actions = {message(Kind::send, 1, 7)};
  add_wait(e.ranks[0], {0});
  e.ranks[1].actions = {message(Kind::receive, 0, 7), compute(50)};
  add_wait(e.ranks[1], {0});
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 50 + 10 + 10 + 7);
  // rank 0 computes, too, until 100: it sees the answer then
  e.ranks[0].actions.insert(e.ranks[0].actions.begin() + 1, compute(100));
  const Timeline t = timeline(e, m);
  EXPECT_DOUBLE_EQ(t.seconds, 100 + 10 + 7);
  EXPECT_EQ(t.path.front().rank, 0);
  EXPECT_EQ(t.costs.flops, 100);
  // a small one is there long before
  m.eager_bytes = 1000;
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 100);
}

// 5 flops, then a message of 7 seconds at the port; then both compute for 3.
Execution copied_message() {
  Execution e;
  e.ranks.resize(2);
  e.ranks[0].actions = {compute(5), message(Kind::send, 1, 7), compute(3)};
  e.ranks[1].actions = {message(Kind::receive, 0, 7)};
  add_wait(e.ranks[1], {0});
  e.ranks[1].actions.push_back(compute(3));
  return e;
}

TEST(Timeline, CopyingTakesTheProcessorsOfBothEnds) {
  const Execution e = copied_message();
  Machine m = slow_machine();
  // 2 to pack, of the 7 that the port takes; of the 2 to unpack nothing adds to them
  m.copy_bytes_per_second = 28;
  const Timeline hidden = timeline(e, m);
  EXPECT_DOUBLE_EQ(hidden.seconds, 5 + 10 + 7 + 3);
  EXPECT_DOUBLE_EQ(hidden.ranks[0].back().begin, 5 + 2);
  ASSERT_EQ(hidden.waiting.size(), 1U);
  EXPECT_DOUBLE_EQ(hidden.waiting[0].seconds, 5 + 10 + 7 - 2);
  // slower than the port: 28 to pack, then 28 to unpack, whatever the port takes
  m.copy_bytes_per_second = 2;
  const Timeline slow = timeline(e, m);
  EXPECT_DOUBLE_EQ(slow.seconds, 5 + 28 + 28 + 3);
  EXPECT_EQ(slow.costs, (Costs{1, 7, 8, 7}));
  // one processor for both, which compute together: the sender's 3 flops are in the way
  m.processors = 1;
  m.ranks_together = 2;
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 5 + 28 + 28 + 3 + 3);
}

TEST(Timeline, MessagesTakeTurnsAtBothPorts) {
  Execution e;
  e.ranks.resize(4);
  for (int p = 1; p < 4; ++p) {
    const auto rank = static_cast<std::size_t>(p);
    e.ranks[0].actions.push_back(message(Kind::send, p, 20));
    e.ranks[rank].actions = {message(Kind::receive, 0, 20)};
    add_wait(e.ranks[rank], {0});
  }
  EXPECT_DOUBLE_EQ(timeline(e, slow_machine()).seconds, 3 * 20 + 10);
  EXPECT_EQ(timeline(e, slow_machine()).costs, (Costs{1, 60, 0, 60}));
  Execution gathered;
  gathered.ranks.resize(4);
  for (int p = 1; p < 4; ++p) {
    gathered.ranks[static_cast<std::size_t>(p)].actions = {message(Kind::send, 0, 20)};
    gathered.ranks[0].actions.push_back(message(Kind::receive, p, 20));
  }
  add_wait(gathered.ranks[0], {0, 1, 2});
  EXPECT_DOUBLE_EQ(timeline(gathered, slow_machine()).seconds, 10 + 3 * 20);
  EXPECT_EQ(timeline(gathered, slow_machine()).costs, (Costs{1, 60, 0, 60}));
}

TEST(Timeline, RanksShareProcessors) {
  Machine m = slow_machine();
  m.processors = 2;
  m.ranks_together = 4;
  Execution e;
  e.ranks.resize(4);
  for (RankActions& r : e.ranks) r.actions = {compute(10)};
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 20);
  e.ranks[3].actions = {compute(2)};  // done at 4, then three share two: 8 / (2/3) more
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 4 + 12);
  e.ranks.resize(2);
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 10);
}

TEST(Timeline, AMeasuredComputationTakesItsProcessorTime) {
  Execution e;
  e.flops_per_second = 4;
  e.ranks.resize(1);
  Action a = compute(100);
  a.busy_seconds = 50;
  e.ranks[0].actions = {a};
  Machine m = slow_machine();
  m.flops_per_second = 8;
  EXPECT_DOUBLE_EQ(timeline(e, m).seconds, 25);
}

TEST(Timeline, RefusesWhatNeverEnds) {
  Execution e;
  e.ranks.resize(2);
  e.ranks[0].actions = {message(Kind::receive, 1, 1)};
  EXPECT_THROW(timeline(e, slow_machine()), Error);
  e.ranks[1].actions = {message(Kind::receive, 0, 1)};
  add_wait(e.ranks[0], {0});
  add_wait(e.ranks[1], {0});
  e.ranks[0].actions.push_back(message(Kind::send, 1, 1));
  e.ranks[1].actions.push_back(message(Kind::send, 0, 1));
  EXPECT_THROW(timeline(e, slow_machine()), Error);
}

// Rounds in which random pairs exchange messages.
Execution random_execution(std::mt19937& random) {
  Execution e;
  const int ranks = 2 + static_cast<int>(random() % 6);
  e.ranks.resize(static_cast<std::size_t>(ranks));
  for (int round = 0; round < 12; ++round) {
    std::map<int, std::vector<std::size_t>> pending;
    for (int m = 0; m < ranks; ++m) {
      const int from = static_cast<int>(random() % static_cast<unsigned>(ranks));
      const int to =
          (from + 1 + static_cast<int>(random() % static_cast<unsigned>(ranks - 1))) % ranks;
      const auto words = static_cast<std::int64_t>(random() % 30);
      for (const bool sends : {true, false}) {
        const int me = sends ? from : to;
        RankActions& r = e.ranks[static_cast<std::size_t>(me)];
        pending[me].push_back(r.actions.size());
        r.actions.push_back(message(sends ? Kind::send : Kind::receive, sends ? to : from, words));
        if (random() % 3 == 0) r.actions.push_back(compute(static_cast<double>(random() % 40)));
      }
    }
    for (auto& [me, awaited] : pending) add_wait(e.ranks[static_cast<std::size_t>(me)], awaited);
    if (round % 5 == 4) {
      for (RankActions& r : e.ranks) {
        Action a;
        a.kind = Kind::collective;
        a.peer = 0;
        a.members = ranks;
        r.actions.push_back(a);
      }
    }
  }
  return e;
}

TEST(Timeline, ThePathHasNoGapsAndNothingIsFasterThanItsParts) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const Execution e = random_execution(random);
    Machine m = slow_machine();
    if (trial % 2 == 1) {
      m.eager_bytes = 80;
      m.large_latency_seconds = 25;
    }
    if (trial % 3 == 1) {
      m.processors = 1.5;
      m.ranks_together = 3;
      m.turn_seconds = trial % 2 == 0 ? 2 : 0;
    }
    if (trial % 5 > 2) m.copy_bytes_per_second = trial % 5 == 3 ? 0.5 : 10;
    const Timeline t = timeline(e, m);
    double at = 0;
    for (const Piece& p : t.path) {
      EXPECT_NEAR(p.begin, at, 1e-9 * t.seconds) << trial;
      EXPECT_GE(p.end, p.begin);
      at = p.end;
    }
    EXPECT_NEAR(at, t.seconds, 1e-9 * t.seconds) << trial;
    const Prices price = prices(m);
    const std::vector<Traffic> moved = traffic(e);
    std::size_t actions = 0;
    for (std::size_t r = 0; r < e.ranks.size(); ++r) {
      double flops = 0;
      for (const Action& a : e.ranks[r].actions) flops += a.flops;
      EXPECT_GE(t.seconds, flops * price.gamma - 1e-9);
      EXPECT_GE(t.seconds, static_cast<double>(moved[r].words_received.value) * price.beta - 1e-9);
      EXPECT_GE(t.seconds, static_cast<double>(moved[r].words_sent.value) * price.beta - 1e-9);
      actions += e.ranks[r].actions.size();
    }
    EXPECT_EQ(t.order.size(), actions);
    // computing alone is not more than what overlaps with nothing
    const LongestPath apart = longest_path(schedule_of(e, t.order), price);
    EXPECT_GT(apart.seconds, 0);
  }
}

TEST(RecordingFile, ComesBackAsItWas) {
  std::mt19937 random(5);
  Execution e = random_execution(random);
  e.command = "two words";
  e.seconds = 0.125;
  e.flops_per_second = 3e10;
  const std::string path = test::temporary_folder() + "redblue-recording";
  {
    std::ofstream out(path);
    out << recording_head(e, static_cast<int>(e.ranks.size()));
    for (std::size_t r = 0; r < e.ranks.size(); ++r) {
      out << recording_of_rank(static_cast<int>(r), e.ranks[r]);
    }
  }
  const Execution back = read_recording(path);
  EXPECT_EQ(back.command, e.command);
  EXPECT_EQ(back.seconds, e.seconds);
  EXPECT_EQ(back.flops_per_second, e.flops_per_second);
  EXPECT_DOUBLE_EQ(timeline(back, slow_machine()).seconds, timeline(e, slow_machine()).seconds);
  std::string text;
  {
    std::ifstream in(path);
    text.assign(std::istreambuf_iterator<char>(in), {});
  }
  // without any one of its first lines
  int refused = 0;
  for (std::size_t at = 0; refused < 8; ++refused) {
    const std::size_t end = text.find('\n', at);
    std::ofstream(path) << text.substr(0, at) + text.substr(end + 1);
    EXPECT_THROW(read_recording(path), Error) << text.substr(at, end - at);
    at = end + 1;
  }
  EXPECT_EQ(refused, 8);
  std::remove(path.c_str());
}

// What cost_of() says of the busiest rank, the plan's messages add up to.
template <class D>
void expect_cost(const D& d) {
  const Execution e = planned(d);
  const Cost cost = cost_of(d, Machine());
  Words words;
  Messages messages;
  for (const Traffic& t : traffic(e)) {
    words = std::max(words, t.words_received);
    messages = std::max(messages, t.messages_received);
  }
  EXPECT_EQ(words.value, cost.words.value) << e.command;
  EXPECT_EQ(messages.value, cost.messages.value) << e.command;
  EXPECT_GT(timeline(e, Machine()).seconds, 0) << e.command;
}

TEST(Plans, MoveWhatTheirCostSays) {
  int with_messages = 0;
  for (int ranks = 1; ranks <= 40; ++ranks) {
    expect_cost(choose_gemm({{120, 90, 150}, ranks, {}, Objective::words, {}}));
    expect_cost(choose_gemm({{12, 10, 3000}, ranks, {}, Objective::words, {}}));
    expect_cost(choose_cholesky(300, ranks, {}));
    FactorOptions replicas;
    replicas.block = 16;
    expect_cost(choose_trsm(260, 90, ranks, replicas));
    with_messages +=
        traffic(planned(choose_lu(200, 150, ranks, {}))).front().messages_sent.value > 0;
  }
  EXPECT_GT(with_messages, 30);
}

// Of a plan on a machine, the way of its matrices there and back included.
template <class D>
double seconds_with_moves(const D& d, const Machine& machine) {
  return timeline(planned(d), machine).seconds + moving_seconds(d, machine);
}

Machine slow_network() {
  Machine slow;
  slow.latency_seconds = 1e-3;
  slow.bytes_per_second = 125e6;
  return slow;
}

// By time, a choice never takes longer than that by words, and less somewhere.
TEST(Plans, ChosenByTimeAreFaster) {
  const Machine slow = slow_network();
  int faster = 0;
  const auto compare = [&](const auto& choose) {
    FactorOptions options;
    options.machine = slow;
    const double by_words = seconds_with_moves(choose(options), slow);
    options.objective = Objective::seconds;
    const double by_time = seconds_with_moves(choose(options), slow);
    EXPECT_LE(by_time, by_words);
    faster += by_time < 0.9 * by_words;
  };
  for (const int ranks : {2, 4, 7, 16}) {
    compare([&](const FactorOptions& o) { return choose_lu(2048, 2048, ranks, o); });
    compare([&](const FactorOptions& o) { return choose_cholesky(1000, ranks, o); });
    compare([&](const FactorOptions& o) { return choose_lu(1000, 1000, ranks, o); });
    compare([&](const FactorOptions& o) { return choose_trsm(1000, 300, ranks, o); });
  }
  EXPECT_GT(faster, 3);
}

// Where messages take what all else takes together, few steps on few of the ranks do.
TEST(Plans, ChosenByTimeWaitForFewMessages) {
  const Machine slow = slow_network();
  FactorOptions words, time;
  words.machine = time.machine = slow;
  time.objective = Objective::seconds;
  for (const std::int64_t n : {64, 128, 256, 512}) {
    const auto compare = [&](const auto& choose) {
      EXPECT_LE(2 * seconds_with_moves(choose(time), slow), seconds_with_moves(choose(words), slow))
          << n;
    };
    compare([&](const FactorOptions& o) { return choose_lu(n, n, 16, o); });
    compare([&](const FactorOptions& o) { return choose_cholesky(n, 16, o); });
  }
  EXPECT_EQ(cost_of(choose_cholesky(64, 16, time), slow).messages.value, 0);
  EXPECT_EQ(cost_of(choose_lu(64, 64, 16, time), slow).messages.value, 0);
}

}  // namespace
}  // namespace redblue::task_graph
