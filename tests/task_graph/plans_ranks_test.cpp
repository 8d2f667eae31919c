// SPDX-License-Identifier: BSD-3-Clause
// Plans against what the executors do: recorded on every rank, message by message.
#include "task_graph/plans.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "comm/recorder.hpp"
#include "linalg/cholesky/cholesky.hpp"
#include "linalg/lu/lu.hpp"
#include "linalg/solve/substitution.hpp"
#include "redblue/gemm.hpp"
#include "redblue/traffic.hpp"

namespace redblue::task_graph {
namespace {

using comm::Communicator;

// What a rank sends: to whom, with which tag, how much; in order of these.
using Sent = std::vector<std::tuple<int, int, std::int64_t>>;

Sent sent(const RankActions& rank) {
  Sent result;
  for (const Action& a : rank.actions) {
    if (a.kind == Action::Kind::send) result.emplace_back(a.peer, a.tag, a.words);
  }
  std::sort(result.begin(), result.end());
  return result;
}

double flops(const RankActions& rank) {
  double sum = 0;
  for (const Action& a : rank.actions) sum += a.flops;
  return sum;
}

// Runs and compares with the plan that follows from it.
template <class Run, class Plan>
std::size_t expect_planned(Communicator& world, Run run, Plan plan, const Traffic& counted) {
  comm::Recorder recorder;
  {
    const comm::Recording recording(recorder);
    recorder.start();
    run();
    recorder.finish();
  }
  const Execution execution = plan();
  const auto me = static_cast<std::size_t>(world.rank().value);
  const RankActions& mine = execution.ranks[me];
  const Sent really = sent(recorder.actions());
  EXPECT_EQ(really, sent(mine)) << execution.command;
  const Traffic planned_traffic = traffic(execution)[me];
  EXPECT_EQ(planned_traffic.words_sent.value, counted.words_sent.value) << execution.command;
  EXPECT_EQ(planned_traffic.words_received.value, counted.words_received.value)
      << execution.command;
  EXPECT_EQ(planned_traffic.messages_sent.value, counted.messages_sent.value) << execution.command;
  EXPECT_EQ(planned_traffic.messages_received.value, counted.messages_received.value)
      << execution.command;
  EXPECT_EQ(flops(mine) > 0, flops(recorder.actions()) > 0) << execution.command;
  return really.size();
}

TEST(PlansRanks, Gemm) {
  Communicator world(MPI_COMM_WORLD);
  // with so little memory that they work in rounds, or with little more than the matrices take
  enum class Room { enough, rounds, input };
  const std::vector<std::pair<GemmShape, Room>> cases = {
      {{60, 50, 40}, Room::enough}, {{8, 9, 700}, Room::enough},  {{300, 5, 6}, Room::enough},
      {{3, 2, 2}, Room::enough},    {{90, 90, 90}, Room::rounds}, {{40, 30, 600}, Room::rounds},
      {{64, 72, 80}, Room::input}};
  std::size_t messages = 0;
  int in_rounds = 0, stationary = 0;
  for (const Exchange exchange : {Exchange::direct, Exchange::doubling})
    for (const auto& [shape, room] : cases) {
      GemmOptions options;
      options.exchange = exchange;
      if (room == Room::input) {
        if (world.size() % 4 != 0 || exchange == Exchange::doubling) continue;
        const std::int64_t input = shape.m * shape.n + shape.m * shape.k + shape.k * shape.n;
        options.memory = Words(input * 12 / 10 / world.size());
      }
      if (room == Room::rounds) {
        const Cost cost =
            cost_of(choose_gemm({shape, world.size(), {}, Objective::words, {}, exchange}), {});
        options.memory = Words((cost.memory.value + cost.resident.value) / 2 + 8);
      }
      GemmPlan<double> plan(MPI_COMM_WORLD, shape, options);
      in_rounds += plan.decomposition().rounds > 1 ? 1 : 0;
      stationary += plan.decomposition().kind == Decomposition::Kind::stationary ? 1 : 0;
      const auto array = [&plan](Operand o) {
        return std::vector<double>(static_cast<std::size_t>(plan.owned(o).value), 1.0);
      };
      const auto a = array(Operand::a);
      const auto b = array(Operand::b);
      auto c = array(Operand::c);
      plan.execute(1, a.data(), b.data(), 0, c.data());
      const Traffic counted = plan.traffic().total();
      messages += expect_planned(
          world, [&] { plan.execute(1, a.data(), b.data(), 0, c.data()); },
          [&] { return planned(plan.decomposition()); }, counted);
    }
  EXPECT_EQ(world.maximum(static_cast<std::int64_t>(messages)) > 0, world.size() > 1);
  EXPECT_TRUE(in_rounds > 0 || world.size() <= 4);
  EXPECT_TRUE(stationary > 0 || world.size() != 8);
}

TEST(PlansRanks, Cholesky) {
  Communicator world(MPI_COMM_WORLD);
  std::size_t messages = 0;
  for (const std::int64_t n : {0, 5, 70, 131}) {
    for (const int replicas : {1, 2, 3}) {
      if (replicas > world.size()) continue;
      FactorOptions options;
      options.replicas = replicas;
      options.block = 8;
      const CholeskyDecomposition d = choose_cholesky(n, world.size(), options);
      linalg::Cholesky<double> cholesky(d, world.rank());
      std::vector<double> a(static_cast<std::size_t>(cholesky.storage()), 1.0);
      std::vector<double> workspace(static_cast<std::size_t>(cholesky.workspace()));
      Traffic counted;
      cholesky.factor(world, a.data(), workspace.data(), counted);
      Traffic again;
      messages += expect_planned(
          world, [&] { cholesky.factor(world, a.data(), workspace.data(), again); },
          [&] { return planned(d); }, counted);
    }
  }
  EXPECT_EQ(world.maximum(static_cast<std::int64_t>(messages)) > 0, world.size() > 1);
}

// Factors a random matrix on this decomposition, twice.
std::size_t expect_planned_lu(Communicator& world, const LuDecomposition& d) {
  linalg::Lu<double> lu(d, world.rank());
  std::vector<double> a(static_cast<std::size_t>(lu.storage()));
  std::vector<double> u(static_cast<std::size_t>(lu.upper_storage()));
  std::vector<double> workspace(static_cast<std::size_t>(lu.workspace()));
  std::vector<std::int64_t> pivots;
  const auto fill = [&] {
    unsigned state = 12345U + static_cast<unsigned>(world.rank().value);
    for (double& x : a) {
      state = state * 1664525U + 1013904223U;
      x = static_cast<double>(state >> 8) / (1 << 24) - 0.5;
    }
  };
  const auto run = [&](Traffic& traffic) {
    lu.factor(world, a.data(), {u.data(), lu.upper_leading()}, workspace.data(), pivots, traffic);
  };
  fill();
  Traffic counted;
  run(counted);
  fill();
  Traffic again;
  const auto plan = [&] {
    // ranks outside the grid do not know the pivots
    std::vector<std::int64_t> order = pivots;
    order.resize(static_cast<std::size_t>(std::min(d.m, d.n)));
    world.broadcast(order);
    return planned(d, order);
  };
  return expect_planned(
      world, [&] { run(again); }, plan, counted);
}

TEST(PlansRanks, Lu) {
  Communicator world(MPI_COMM_WORLD);
  std::size_t messages = 0;
  const std::vector<std::pair<std::int64_t, std::int64_t>> sizes = {
      {0, 0}, {6, 5}, {90, 90}, {140, 40}, {40, 140}};
  for (const auto& [m, n] : sizes) {
    for (const int replicas : {1, 2, 3}) {
      for (const Exchange exchange : {Exchange::direct, Exchange::doubling}) {
        if (replicas > world.size()) continue;
        FactorOptions options;
        options.replicas = replicas;
        options.block = 8;
        options.exchange = exchange;
        messages += expect_planned_lu(world, choose_lu(m, n, world.size(), options));
      }
    }
  }
  EXPECT_EQ(world.maximum(static_cast<std::int64_t>(messages)) > 0, world.size() > 1);
}

TEST(PlansRanks, Trsm) {
  Communicator world(MPI_COMM_WORLD);
  std::size_t messages = 0;
  for (const std::int64_t n : {0, 7, 90}) {
    for (const std::int64_t m : {0, 1, 70}) {
      for (const bool backward : {false, true}) {
        FactorOptions options;
        options.block = 8;
        TrsmDecomposition d = choose_trsm(n, m, world.size(), options);
        d.backward = backward;
        linalg::GridRanks grid;
        for (int r = 0; r < d.replicas * d.grid_rows * d.grid_columns; ++r) grid.push_back(r);
        linalg::Substitution<double> solve(d, grid, world.rank());
        const std::vector<double> t(static_cast<std::size_t>(n * n), 1.0);
        std::vector<double> x(static_cast<std::size_t>(solve.storage()), 1.0);
        std::vector<double> workspace(static_cast<std::size_t>(solve.workspace()));
        const linalg::LocalTriangle<double> triangle = {t.data(), std::max<std::int64_t>(1, n), 'N',
                                                        true};
        Traffic counted;
        solve.execute(world, triangle, x.data(), workspace.data(), counted);
        Traffic again;
        messages += expect_planned(
            world, [&] { solve.execute(world, triangle, x.data(), workspace.data(), again); },
            [&] { return planned(d); }, counted);
      }
    }
  }
  EXPECT_EQ(world.maximum(static_cast<std::int64_t>(messages)) > 0, world.size() > 1);
}

}  // namespace
}  // namespace redblue::task_graph
