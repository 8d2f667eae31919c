// SPDX-License-Identifier: BSD-3-Clause
// Whether solves by blocks leave T or B in callers' layouts; the words of B's way against a count,
// element by element.
#include "linalg/solve/caller_blocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "decomposition/cost.hpp"
#include "linalg/solve/right_looking.hpp"
#include "linalg/solve/solve.hpp"
#include "redblue/solve.hpp"

namespace redblue::linalg {
namespace {

struct Grid {
  int rows, columns;
  std::int64_t block;

  int ranks() const { return rows * columns; }
  BlockCyclic layout(std::int64_t m, std::int64_t n) const {
    return block_cyclic(m, n, block, rows, columns, Rank(0));
  }
};

SolveSetup setup(std::int64_t n, std::int64_t m, const Grid& grid, Side side = Side::left,
                 Op op = Op::none) {
  TrsmLayouts layouts;
  layouts.side = side;
  layouts.op = op;
  layouts.t = grid.layout(n, n);
  layouts.b = side == Side::left ? grid.layout(n, m) : grid.layout(m, n);
  return setup_of(layouts, grid.ranks());
}

bool stays(const SolveSetup& s, const Grid& grid) {
  return choose_blocks(s, grid.ranks(), Rank(0)).decomposition.rhs_in_place;
}

TEST(CallerBlocks, RightHandSidesStayWhereTheirWayCostsMore) {
  const Grid square{2, 2, 64};
  EXPECT_TRUE(stays(setup(1200, 1200, square), square));
  EXPECT_TRUE(stays(setup(1200, 2400, square), square));
  EXPECT_TRUE(stays(setup(1200, 1200, square, Side::right), square));
  const Grid large{4, 4, 32};
  EXPECT_TRUE(stays(setup(2000, 2000, large), large));
  // one block of columns would leave a column of the grid idle
  EXPECT_FALSE(stays(setup(1200, 60, square), square));
  // T's blocks are all that few right-hand sides would not move
  EXPECT_FALSE(stays(setup(2000, 100, large), large));
}

// T' has its rows where B has them only on square grids.
TEST(CallerBlocks, TransposesDoOnSquareGrids) {
  for (const Op op : {Op::transpose, Op::conjugate_transpose}) {
    for (const Side side : {Side::left, Side::right}) {
      const Grid square{3, 3, 64};
      EXPECT_TRUE(stays(setup(1200, 1200, square, side, op), square));
      const Grid wide{2, 4, 32};
      EXPECT_FALSE(stays(setup(1200, 1200, wide, side, op), wide));
    }
  }
  const Grid square{2, 2, 64};
  const Layout matrix = square.layout(1200, 1200);
  EXPECT_TRUE(stays(cholesky_setup(Triangle::lower, matrix, matrix, 4), square));
  EXPECT_TRUE(stays(lu_setup(Op::transpose, matrix, matrix, 4), square));
}

TEST(CallerBlocks, OfMatricesThatLieOtherwiseNothingStays) {
  const Grid grid{2, 2, 64};
  TrsmLayouts layouts;
  layouts.t = grid.layout(1200, 1200);
  layouts.b = Grid{2, 2, 32}.layout(1200, 1200);
  EXPECT_FALSE(stays(setup_of(layouts, 4), grid));
  BlockCyclic shifted = grid.layout(1200, 1200 + grid.block);
  shifted.first_column = grid.block;
  shifted.columns = 1200;
  layouts.b = shifted;
  EXPECT_FALSE(stays(setup_of(layouts, 4), grid));
}

TEST(CallerBlocks, WhatWasAskedForIsKept) {
  const Grid grid{2, 2, 64};
  SolveSetup s = setup(1200, 1200, grid);
  s.options.block = 32;
  EXPECT_FALSE(stays(s, grid));
  s = setup(1200, 1200, grid);
  const Cost cost = cost_of(choose_blocks(s, 4, Rank(0)).decomposition, {});
  s.options.memory = cost.memory;
  EXPECT_TRUE(stays(s, grid));
}

// Where little time is wanted and messages are slow, B's way counts; not where a rank can solve
// alone.
TEST(CallerBlocks, SlowNetworks) {
  const Grid grid{4, 4, 64};
  SolveSetup s = setup(512, 512, grid);
  s.options.objective = Objective::seconds;
  s.options.machine.latency_seconds = 1e-3;
  s.options.machine.bytes_per_second = 1.25e8;
  EXPECT_TRUE(stays(s, grid));
  const Grid coarse{2, 2, 64};
  s = setup(48, 48, coarse);
  s.options.objective = Objective::seconds;
  s.options.machine.latency_seconds = 1e-3;
  EXPECT_FALSE(stays(s, coarse));
}

// Fewer words than with T in place on the same grid, B's way included, and than in any other plan.
TEST(CallerBlocks, MovesFewerWords) {
  for (const Grid& grid : {Grid{2, 2, 64}, Grid{3, 3, 32}, Grid{4, 4, 32}, Grid{2, 8, 32}}) {
    const SolveSetup s = setup(1536, 1536, grid);
    const TrsmDecomposition d = choose_blocks(s, grid.ranks(), Rank(0)).decomposition;
    ASSERT_TRUE(d.rhs_in_place) << grid.rows << " x " << grid.columns;
    TrsmDecomposition other = d;
    other.rhs_in_place = false;
    const GridRanks ranks = caller_grid(s.triangles, Rank(0))->ranks;
    EXPECT_EQ(words_of_way(s.rhs, rhs_in_place(d, ranks, grid.ranks())), Words(0));
    const Words way = words_of_way(s.rhs, rhs_arrangement(other, ranks, grid.ranks()));
    EXPECT_LT(cost_of(d, {}).words, cost_of(other, {}).words + way);
  }
}

TEST(CallerBlocks, WordsOfTheWayAreThoseCounted) {
  const std::int64_t n = 53;
  const std::int64_t m = 37;
  const Grid caller{2, 3, 8};
  const Grid other{3, 2, 5};
  std::vector<std::int64_t> words(6);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t j = 0; j < m; ++j) {
      const auto owner = [&](const Grid& g) {
        return static_cast<std::size_t>(i / g.block % g.rows * g.columns + j / g.block % g.columns);
      };
      if (owner(caller) == owner(other)) continue;
      ++words[owner(caller)];
      ++words[owner(other)];
    }
  }
  EXPECT_EQ(words_of_way(layout::arrangement(caller.layout(n, m), 6),
                         layout::arrangement(other.layout(n, m), 6)),
            Words(*std::max_element(words.begin(), words.end())));
}

}  // namespace
}  // namespace redblue::linalg
