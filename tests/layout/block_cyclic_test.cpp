// The layout's arithmetic against dealing out the indices one by one.
#include "layout/block_cyclic.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace redblue::layout {
namespace {

TEST(Cyclic, MatchesDealingOut) {
  for (int processes = 1; processes <= 4; ++processes) {
    for (int source = 0; source < processes; ++source) {
      for (int block = 1; block <= 4; ++block) {
        for (int first = 1; first <= 6; ++first) {
          const Cyclic cyclic = {block, source, processes, first};
          std::vector<std::int64_t> held(static_cast<std::size_t>(processes));
          int owner = source;
          int left = first;
          for (std::int64_t index = 0; index < 40; ++index) {
            if (left == 0) {
              owner = (owner + 1) % processes;
              left = block;
            }
            for (int p = 0; p < processes; ++p) {
              EXPECT_EQ(cyclic.count(index, p), held[static_cast<std::size_t>(p)]);
            }
            EXPECT_EQ(cyclic.owner(index), owner);
            EXPECT_EQ(cyclic.local(index), held[static_cast<std::size_t>(owner)]);
            EXPECT_EQ(cyclic.block_end(index), index + left);
            ++held[static_cast<std::size_t>(owner)];
            --left;
          }
        }
      }
    }
  }
}

TEST(BlockCyclicView, RunsCoverEveryElementOnce) {
  for (const bool transposed : {false, true}) {
    BlockCyclicView view;
    view.rows = {3, 1, 2, 2};
    view.columns = {2, 0, 3, 4};
    view.first_row = 5;
    view.first_column = 3;
    view.leading = 50;
    view.transposed = transposed;
    for (std::int64_t column = 0; column < 9; ++column) {
      std::int64_t covered = 0;
      for (int pr = 0; pr < 2; ++pr) {
        for (int pc = 0; pc < 3; ++pc) {
          std::int64_t at = 2;  // first row asked for
          for_each_run(
              view, pr, pc, 2, column, 11,
              [&](const layout::Run& run) {
                for (std::int64_t e = 0; e < run.length; ++e, ++at) {
                  const std::int64_t i = 5 + (transposed ? column : at);
                  const std::int64_t j = 3 + (transposed ? at : column);
                  EXPECT_EQ(view.rows.owner(i), pr);
                  EXPECT_EQ(view.columns.owner(j), pc);
                  EXPECT_EQ(run.local + e * run.stride,
                            view.rows.local(i) + 50 * view.columns.local(j));
                  ++covered;
                }
              },
              [&](std::int64_t skipped) { at += skipped; });
          EXPECT_EQ(at, 13);
        }
      }
      EXPECT_EQ(covered, 11);
    }
  }
}

}  // namespace
}  // namespace redblue::layout
