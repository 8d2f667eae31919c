// SPDX-License-Identifier: BSD-3-Clause
// Solves with few right-hand sides: who does what, against counting it out.
#include "decomposition/solve/trsv.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <vector>

#include "decomposition/ownership.hpp"
#include "decomposition/solve/trsv_updates.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

TrsvDecomposition wavefront(std::int64_t n, std::int64_t block, int ranks) {
  TrsvDecomposition d;
  d.scheme = TrsvScheme::wavefront;
  d.n = n;
  d.block = d.step = block;
  d.ranks = ranks;
  return d;
}

// The figures of the paper's leading terms.
TEST(Wavefront, LeadingTerms) {
  const TrsvLeadingTerms t = leading_terms(wavefront(64, 8, 8));
  EXPECT_EQ(t.operations, 1024);
  EXPECT_EQ(t.words, 128);
  EXPECT_EQ(t.synchronisations, 16);
}

// Algorithm 2 as it is printed, with p = n / b: both half-steps of every k. The most operations of
// a rank and words it receives, half-step by half-step.
TrsvPath printed(std::int64_t n, std::int64_t b) {
  TrsvPath path;
  const std::int64_t last = n / b;
  for (std::int64_t k = 1; k <= last; ++k) {
    for (const std::int64_t second : {0, 1}) {
      std::int64_t operations = 0;
      std::int64_t words = 0;
      for (std::int64_t l = std::max<std::int64_t>(1, 2 * k + second - last); l <= k; ++l) {
        if (l > 1) words = b;
        std::int64_t mine = 0;
        const std::int64_t i = 2 * k - l + second;  // row block, from 1
        for (std::int64_t row = (i - 1) * b + 1; row <= i * b; ++row) {
          for (std::int64_t column = (l - 1) * b + 1; column <= std::min(row - 1, l * b);
               ++column) {
            ++mine;
          }
          if (i == l) ++mine;
        }
        operations = std::max(operations, mine);
      }
      path.operations += static_cast<double>(operations);
      path.words += Words(words);
      path.synchronisations += words > 0 ? 1 : 0;
    }
  }
  return path;
}

TEST(Wavefront, CostsAreThoseOfThePrintedAlgorithm) {
  for (const std::int64_t b : {1, 4, 8, 16, 32, 64}) {
    for (const std::int64_t panels : {1, 2, 3, 8, 33}) {
      const std::int64_t n = b * panels;
      const TrsvPath wanted = printed(n, b);
      const TrsvCost cost = cost_of(wavefront(n, b, static_cast<int>(panels)), {});
      EXPECT_EQ(cost.path.operations, wanted.operations) << n << " " << b;
      EXPECT_EQ(cost.path.words, wanted.words) << n << " " << b;
      EXPECT_EQ(cost.path.synchronisations, wanted.synchronisations) << n << " " << b;
      if (panels < 33) continue;
      const auto size = static_cast<double>(n);
      EXPECT_NEAR(cost.path.operations * static_cast<double>(cost.path.synchronisations),
                  4 * size * size, 0.4 * size * size);
    }
  }
}

// On any number of ranks every element of the triangle is used once, no rank has two things to do
// in a half-step, and S(i) is complete when X(i) is solved for.
TEST(Wavefront, EveryElementOnce) {
  std::mt19937 dice(7);
  const auto between = [&dice](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(dice);
  };
  for (int turn = 0; turn < 200; ++turn) {
    TrsvDecomposition d = wavefront(between(1, 60), between(1, 9), between(1, 9));
    d.backward = turn % 2 == 1;
    const WavefrontSteps steps(d);
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> used;  // (row, panel): half-step
    std::int64_t operations = 0;
    for (int c = 0; c < d.ranks; ++c) {
      std::set<std::int64_t> busy;
      for (const WavefrontVisit& v : steps.visits(c)) {
        EXPECT_TRUE(busy.insert(v.half_step).second);
        EXPECT_LT(v.half_step, steps.half_steps());
        EXPECT_EQ(steps.class_of(v.panel), c);
        operations += v.operations(steps.rows(v.panel).size());
        for (std::int64_t row = v.rows.begin; row < v.rows.end; ++row) {
          EXPECT_TRUE(used.emplace(std::pair(row, v.panel), v.half_step).second);
        }
      }
    }
    EXPECT_EQ(operations, d.n * (d.n + 1) / 2);
    for (const auto& [place, half_step] : used) {
      const auto [row, panel] = place;
      const std::int64_t own = steps.block(row / d.block);  // of the row's own panel
      EXPECT_GE(half_step, 2 * panel);                      // X(panel) is known
      EXPECT_TRUE(panel == own || half_step < 2 * own);
    }
  }
}

// Whoever solves when: every index of every step has all its products once, of solutions that are
// known, when it is sent.
TEST(UpdateOrder, EveryProductOnceAndInTime) {
  std::mt19937 dice(11);
  const auto between = [&dice](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(dice);
  };
  int products = 0;
  for (int turn = 0; turn < 400; ++turn) {
    TrsvDecomposition d;
    d.step = between(1, 6);
    d.n = between(1, 90);
    d.block = between(1, 9);
    d.grid_columns = between(0, 5);
    d.transposed = turn % 4 != 0;
    const int seldom = between(0, 3);
    const std::int64_t steps = (d.n + d.step - 1) / d.step;
    UpdateOrder order(d);
    std::set<std::pair<std::int64_t, std::int64_t>> used;  // (index of op(T)'s rows, step of X)
    for (std::int64_t u = 1; u < steps; ++u) {
      const auto add = [&](const PartialSums& s) {
        const Range all = {s.out.first * d.step, std::min(d.n, s.out.second * d.step)};
        if (s.out.first >= s.out.second) return;
        const Range share = round_of(all, s.share, s.shares);
        for (std::int64_t in = s.in.first; in < s.in.second; ++in) {
          EXPECT_LT(in, u);
          for (std::int64_t out = share.begin; out < share.end; ++out) {
            EXPECT_TRUE(used.emplace(out, in).second) << out << " " << in;
            EXPECT_LT(in, out / d.step);
            ++products;
          }
        }
      };
      const UpdateOrder::Update update = order.next(between(0, seldom) != 0);
      for (const PartialSums& s : update.awaited) add(s);
      for (std::int64_t out = u * d.step; out < std::min(d.n, (u + 1) * d.step); ++out) {
        for (std::int64_t in = 0; in < u; ++in) EXPECT_TRUE(used.contains({out, in}));
      }
      for (const PartialSums& s : update.rest) add(s);
    }
  }
  EXPECT_GT(products, 100000);
}

// The seconds of a wavefront's operations, half-step by half-step: ranks of one host take turns.
double operations_in_turn(const TrsvDecomposition& d, int together, double processors) {
  const WavefrontSteps steps(d);
  std::map<std::int64_t, std::vector<double>> half_steps;
  for (int r = 0; r < d.ranks; ++r) {
    for (const WavefrontVisit& v : steps.visits(r)) {
      std::vector<double>& ranks = half_steps[v.half_step];
      ranks.resize(static_cast<std::size_t>(d.ranks));
      ranks[static_cast<std::size_t>(r)] +=
          static_cast<double>(v.operations(steps.rows(v.panel).size()) * d.m);
    }
  }
  double all = 0;
  for (const auto& [t, ranks] : half_steps) {
    std::vector<double> hosts(ranks.size());
    const auto host = [&](std::size_t r) -> double& {
      return hosts[r / static_cast<std::size_t>(together)];
    };
    for (std::size_t r = 0; r < ranks.size(); ++r) host(r) += ranks[r];
    // each rank beside the others of its host, any of which may have the same processor
    const double chance = (together / processors - 1) / (together - 1);
    double longest = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      longest = std::max({longest, host(r) / processors, ranks[r] + chance * (host(r) - ranks[r])});
    }
    all += longest;
  }
  return all;
}

TEST(Cost, RanksThatShareProcessorsTakeTurns) {
  Machine machine;
  machine.memory_bytes_per_second = 2e9;
  machine.ranks_together = 4;
  machine.processors = 1.5;
  for (const int ranks : {1, 3, 4, 5, 8, 16}) {
    const TrsvDecomposition d = wavefront(128, 8, ranks);
    const TrsvCost cost = cost_of(d, machine);
    const double computing =
        cost.seconds - static_cast<double>(cost.path.synchronisations) * machine.latency_seconds -
        static_cast<double>(cost.path.words.value) * 8 / machine.bytes_per_second;
    const double counted = operations_in_turn(d, 4, 1.5) * 8 / machine.memory_bytes_per_second;
    if (ranks < 16) {
      EXPECT_NEAR(computing, counted, 1e-12) << ranks;
    } else {  // a rank per panel: all blocks of a half-step are taken to be whole
      EXPECT_GE(computing, counted - 1e-12);
      EXPECT_LE(computing, 1.34 * counted);
    }
  }
}

// m right-hand sides read the matrix once, until they compute longer than that takes.
TEST(Cost, RightHandSidesShareTheReading) {
  Machine machine;
  machine.memory_bytes_per_second = 8e9;  // an element a nanosecond
  machine.flops_per_second = 2e10;        // ten operations
  machine.latency_seconds = 0;
  machine.bytes_per_second = 1e30;
  TrsvDecomposition d = wavefront(256, 16, 1);
  const double once = cost_of(d, machine).seconds;
  EXPECT_NEAR(once, 256 * 257 / 2 * 1e-9, 1e-15);
  d.m = 10;
  EXPECT_NEAR(cost_of(d, machine).seconds, once, 1e-15);
  d.m = 40;
  EXPECT_NEAR(cost_of(d, machine).seconds, 4 * once, 1e-15);
}

// What stays in the last cache from one solve to the next is read at its rate, the rest from
// memory.
TEST(Cost, CachedPartsOfTheTriangleAreReadFaster) {
  Machine machine;
  machine.memory_bytes_per_second = 8e9;  // an element a nanosecond
  machine.cache_bytes_per_second = 32e9;  // four
  machine.flops_per_second = 1e12;
  const double elements = 256 * 257 / 2;
  const auto seconds = [&](double cached) {
    machine.cached_bytes = static_cast<std::int64_t>(8 * cached);
    return cost_of(wavefront(256, 16, 1), machine).seconds;
  };
  EXPECT_NEAR(seconds(elements), elements / 4 * 1e-9, 1e-12);
  EXPECT_NEAR(seconds(2 * elements), elements / 4 * 1e-9, 1e-12);
  EXPECT_NEAR(seconds(elements / 2), elements * (0.5 / 4 + 0.5) * 1e-9, 1e-12);
}

// Ranks that wait send and await messages more slowly than two alone.
TEST(Cost, WaitingRanksTakeLongerThanTheLatency) {
  Machine machine;
  machine.latency_seconds = 1e-6;
  const TrsvDecomposition d = wavefront(128, 8, 4);
  const TrsvCost alone = cost_of(d, machine);
  machine.waiting_seconds = 5e-6;
  EXPECT_NEAR(cost_of(d, machine).seconds - alone.seconds,
              4e-6 * static_cast<double>(alone.path.synchronisations), 1e-12);
}

TEST(Choice, StepsAreWhereLatencyAndOperationsCostLeast) {
  for (const double latency : {1e-7, 2e-6, 1e-4, 1e-3}) {
    TrsvRequest request;
    request.scheme = TrsvScheme::wavefront;
    request.n = 4096;
    request.ranks = 4096;
    request.options.machine.latency_seconds = latency;
    const std::int64_t chosen = choose_trsv(request).block;
    const auto seconds = [&](std::int64_t b) {
      const TrsvLeadingTerms t = leading_terms(wavefront(4096, b, 4096));
      return latency * t.synchronisations +
             t.operations * 8 / request.options.machine.bytes_per_second;
    };
    for (std::int64_t b = 8; b <= 4096; b *= 2) EXPECT_LE(seconds(chosen), seconds(b)) << b;
  }
}

TEST(Choice, RefusesWhatCannotBe) {
  TrsvRequest request;
  request.n = -1;
  EXPECT_THROW(choose_trsv(request), Error);
  request.n = 10;
  request.ranks = 0;
  EXPECT_THROW(choose_trsv(request), Error);
  request.ranks = 4;
  request.options.block = 0;
  EXPECT_THROW(choose_trsv(request), Error);
  TrsvDecomposition nowhere;
  nowhere.n = 10;
  EXPECT_THROW(cost_of(nowhere, {}), Error);
}

}  // namespace
}  // namespace redblue
