// SPDX-License-Identifier: BSD-3-Clause
// What the model says schemes cost: against the papers' formulas, the figures of Schedule 1, and a
// count value by value.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "redblue/error.hpp"
#include "redblue/stencil_model.hpp"
#include "stencil/random_stencils.hpp"
#include "stencil/value_count.hpp"

namespace redblue::stencil {

namespace {

StencilDecomposition decomposition(StencilScheme scheme, std::array<int, 3> grid,
                                   std::int64_t depth, MeshIndex side = {1, 1, 1}) {
  StencilDecomposition d;
  d.scheme = scheme;
  d.grid = grid;
  d.ranks = d.used();
  d.depth = depth;
  d.side = side;
  return d;
}

std::int64_t power(std::int64_t x, int d) {
  std::int64_t result = 1;
  for (int j = 0; j < d; ++j) result *= x;
  return result;
}

TEST(StencilModel, FiguresOfPa0AndPa1) {
  const StencilProgram p = stencil_program(2, 512, 1, false, StencilBoundary::fixed);
  const StencilCost pa0 = cost_of(p, decomposition(StencilScheme::pa0, {4, 4, 1}, 1), 64, {});
  const StencilCost pa1 = cost_of(p, decomposition(StencilScheme::pa1, {4, 4, 1}, 8), 64, {});
  EXPECT_EQ(pa0.words.value, 33'024);
  EXPECT_EQ(pa0.synchronisations, 64);
  EXPECT_EQ(pa1.words.value, 34'816);
  EXPECT_EQ(pa1.synchronisations, 8);
  EXPECT_NEAR(static_cast<double>(pa1.updates) / static_cast<double>(pa0.updates), 1.114, 0.0005);
}

// Figures 6 and 7: ten points that are computed, and the two beside them on each side.
TEST(StencilModel, FiguresOfSchedule1) {
  const StencilProgram p = stencil_program(1, 14, 2, false, StencilBoundary::fixed);
  const StencilDecomposition d =
      decomposition(StencilScheme::outer_blocked, {2, 1, 1}, 4, {4, 1, 1});
  const StencilCost cost = cost_of(p, d, 8, {});
  EXPECT_EQ(cost.stages, 16);  // inner steps; z = 2
  const ValueCount count(p, d, 8);
  EXPECT_EQ(count.updates(0) + count.updates(1), 80);
  EXPECT_EQ(cost.stages * d.ranks * d.side[0], 128);  // slots
  EXPECT_LE(count.most_words_in_a_stage(), 4);
  EXPECT_GT(count.most_words_in_a_stage(), 0);
  EXPECT_EQ(cost.words.value, std::max(count.words(0), count.words(1)));
}

// Blocks of one size, all with neighbours: the formulas of [solomonik2016, section 9] and of
// [demmel2008] hold to the word.
TEST(StencilModel, HaloFormulasOn200EvenGrids) {
  Random random(27);
  int deep = 0;
  for (int i = 0; i < 200; ++i) {
    const int d = static_cast<int>(random.between(1, 3));
    const std::int64_t m = random.between(1, 3);
    const std::int64_t q = random.between(2, d == 1 ? 12 : d == 2 ? 5 : 3);  // p^(1/d)
    const std::int64_t side = random.between(2 * m, 30);                     // n / p^(1/d)
    const std::int64_t b = random.between(1, std::max<std::int64_t>(1, side / (2 * m)));
    const std::int64_t s = b * random.between(1, 6);
    const StencilProgram p = stencil_program(d, q * side, m, false, StencilBoundary::periodic);
    std::array<int, 3> grid = {1, 1, 1};
    for (int j = 0; j < d; ++j) grid[static_cast<std::size_t>(j)] = static_cast<int>(q);
    const StencilCost c = cost_of(p, decomposition(StencilScheme::pa1, grid, b), s, {});
    EXPECT_EQ(c.words.value, s / b * (power(side + 2 * b * m, d) - power(side, d)));
    EXPECT_EQ(c.synchronisations, s / b);
    std::int64_t updates = 0;
    for (std::int64_t l = 1; l <= b; ++l) updates += s / b * power(side + 2 * (b - l) * m, d);
    EXPECT_EQ(c.updates, updates);
    deep += b > 1 ? 1 : 0;
    const StencilCost zero = cost_of(p, decomposition(StencilScheme::pa0, grid, 1), s, {});
    EXPECT_EQ(zero.words.value, s * (power(side + 2 * m, d) - power(side, d)));
    EXPECT_EQ(zero.synchronisations, s);
    EXPECT_EQ(zero.updates, s * power(side, d));
    // without redundant work; at most three times the words of PA1, d + 1 exchanges for one
    const StencilCost t = cost_of(p, decomposition(StencilScheme::trapezoid, grid, b), s, {});
    EXPECT_EQ(t.updates, s * power(side, d));
    EXPECT_LE(t.words.value, 3 * c.words.value);
    EXPECT_EQ(t.synchronisations, b == 1 ? s : s / b * (d + 1) + 1);
  }
  EXPECT_GT(deep, 50);
}

// Value by value, on whatever meshes and grids: every scheme.
TEST(StencilModel, CountsOf200RandomStencils) {
  Random random(5);
  std::array<int, 4> tried = {};
  int compared = 0;
  while (compared < 200) {
    const int d = static_cast<int>(random.between(1, 3));
    const std::int64_t m = random.between(1, 2);
    const std::int64_t n = random.between(2 * m + 4, d == 1 ? 60 : d == 2 ? 24 : 11);
    const StencilBoundary boundary =
        random.one_in(3) ? StencilBoundary::periodic : StencilBoundary::fixed;
    const StencilProgram p = stencil_program(d, n, m, random.one_in(2), boundary);
    const StencilDecomposition how =
        random_decomposition(random, p, static_cast<int>(random.between(1, 13)));
    const std::int64_t steps = random.between(0, 7);
    StencilCost cost;
    try {
      cost = cost_of(p, how, steps, {});
    } catch (const Error&) {
      continue;  // blocks too narrow for the depth
    }
    ++compared;
    ++tried[static_cast<std::size_t>(how.scheme)];
    const ValueCount count(p, how, steps);
    std::int64_t words = 0;
    std::int64_t updates = 0;
    for (int r = 0; r < how.ranks; ++r) {
      words = std::max(words, count.words(r));
      updates = std::max(updates, count.updates(r));
    }
    EXPECT_EQ(cost.words.value, words) << how.name() << " n " << n << " m " << m << " d " << d;
    EXPECT_EQ(cost.updates, updates) << how.name();
    EXPECT_EQ(cost.synchronisations, count.synchronisations()) << how.name();
  }
  for (const int times : tried) EXPECT_GT(times, 15);
}

TEST(StencilModel, ChoiceGoesByTheMachine) {
  StencilPlanRequest r;
  r.program = stencil_program(2, 512, 1, true, StencilBoundary::fixed);
  r.steps = 256;
  r.ranks = 16;
  r.rates.seconds_per_update = 1e-9;
  r.machine.latency_seconds = 1e-3;
  const StencilPlanReport slow = plan_stencil(r);
  r.machine.latency_seconds = 1e-9;
  r.machine.bytes_per_second = 1e12;
  const StencilPlanReport fast = plan_stencil(r);
  EXPECT_GT(slow.decomposition.depth, 8);
  EXPECT_LE(fast.decomposition.depth, 2);
  EXPECT_GE(slow.alternatives.size(), 4u);
  for (const StencilAlternative& a : slow.alternatives) {
    EXPECT_GE(a.cost.seconds, slow.cost.seconds);
  }
}

TEST(StencilModel, RanksThatShareProcessorsTakeTurns) {
  StencilPlanRequest r;
  r.program = stencil_program(2, 64, 1, true, StencilBoundary::fixed);
  r.steps = 16;
  r.ranks = 16;
  r.scheme = StencilScheme::pa0;
  r.rates.seconds_per_update = 1e-9;
  const StencilCost apart = plan_stencil(r).cost;
  r.machine.ranks_together = 8;
  r.machine.processors = 2;
  const StencilCost together = plan_stencil(r).cost;
  ASSERT_EQ(together.updates, apart.updates);
  EXPECT_NEAR(together.seconds - apart.seconds, 3e-9 * static_cast<double>(apart.updates), 1e-12);
}

TEST(StencilModel, MemoryIsKeptOrRefused) {
  StencilPlanRequest r;
  r.program = stencil_program(2, 256, 1, true, StencilBoundary::fixed);
  r.steps = 64;
  r.ranks = 4;
  r.machine.latency_seconds = 1e-3;
  const StencilCost free = plan_stencil(r).cost;
  r.memory = Words(free.memory.value - 1);
  const StencilCost limited = plan_stencil(r).cost;
  EXPECT_LE(limited.memory.value, r.memory->value);
  r.memory = Words(100);
  EXPECT_THROW(plan_stencil(r), Error);
}

TEST(StencilModel, WhatIsNoStencilIsRefused) {
  EXPECT_THROW(stencil_program(4, 10, 1, true, StencilBoundary::fixed), Error);
  EXPECT_THROW(stencil_program(2, 4, 2, true, StencilBoundary::fixed), Error);
  EXPECT_THROW(stencil_program(2, 4, 5, true, StencilBoundary::periodic), Error);
  EXPECT_THROW(stencil_program(2, 0, 0, true, StencilBoundary::fixed), Error);
  EXPECT_THROW(stencil_program(3, 1'000'000, 1, true, StencilBoundary::fixed), Error);
  StencilPlanRequest r;
  r.program = stencil_program(2, 64, 1, true, StencilBoundary::periodic);
  r.ranks = 4;
  r.steps = 100;
  EXPECT_NO_THROW(plan_stencil(r));
  r.scheme = StencilScheme::outer_blocked;
  EXPECT_THROW(plan_stencil(r), Error);
  r.scheme = StencilScheme::trapezoid;
  r.depth = 40;
  EXPECT_THROW(plan_stencil(r), Error);
  r.scheme = StencilScheme::pa1;
  r.depth = 65;
  EXPECT_THROW(plan_stencil(r), Error);
  r.depth = 40;  // halos beyond the next block
  EXPECT_NO_THROW(plan_stencil(r));
  r.scheme = StencilScheme::pa0;
  EXPECT_THROW(plan_stencil(r), Error);
}

}  // namespace

}  // namespace redblue::stencil
