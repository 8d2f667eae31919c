// SPDX-License-Identifier: BSD-3-Clause
// What tests of algorithms on callers' grids have in common.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "comm/communicator.hpp"
#include "linalg/plan/caller_grid.hpp"
#include "redblue/cost.hpp"
#include "redblue/traffic.hpp"

namespace redblue::linalg {

// So many ranks of a communicator in turned order: none is where its number says.
inline GridRanks turned_ranks(std::int64_t count, int size) {
  GridRanks ranks(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < ranks.size(); ++i) ranks[i] = (static_cast<int>(i) + 1) % size;
  return ranks;
}

// The indices of a class that blocks are dealt out to, one by one.
inline std::vector<std::int64_t> listed_class(std::int64_t n, std::int64_t block, int c,
                                              int classes) {
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < n; ++i) {
    if (i / block % classes == c) indices.push_back(i);
  }
  return indices;
}

// Collective: what ranks received is what the model says, of the busiest and in the mean.
inline void expect_received(comm::Communicator& world, const Traffic& traffic, const Cost& cost,
                            int ranks, const std::string& name) {
  EXPECT_EQ(world.maximum(traffic.words_received.value), cost.words.value) << name;
  EXPECT_EQ(world.maximum(traffic.messages_received.value), cost.messages.value) << name;
  std::vector<double> words = {static_cast<double>(traffic.words_received.value)};
  world.sum(words);
  EXPECT_NEAR(words[0] / ranks, cost.mean_words, 1e-9 * cost.mean_words) << name;
}

}  // namespace redblue::linalg
