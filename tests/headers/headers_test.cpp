// SPDX-License-Identifier: BSD-3-Clause
// All public headers in one program: they compile together, name different things differently, and
// what they declare is there to link. headers.cmake also compiles each alone.
#include <gtest/gtest.h>

#include <type_traits>

#include "all_headers.hpp"

namespace {

TEST(Headers, MemoryTrafficAndTrafficOfRanksAreTwoTypes) {
  static_assert(!std::is_same_v<redblue::MemoryTraffic, redblue::Traffic>);
  const redblue::Traffic one = {redblue::Words(3), redblue::Words(2), redblue::Messages(1),
                                redblue::Messages(1)};
  const redblue::Traffic two = one + one;
  EXPECT_EQ(two.words_received, redblue::Words(6));
  EXPECT_EQ(two.words_sent, redblue::Words(4));
  EXPECT_EQ(two.messages_received, redblue::Messages(2));
  EXPECT_EQ(two.messages_sent, redblue::Messages(2));
  const redblue::MemoryTraffic moved = {5, 7};
  EXPECT_EQ(moved.moved(), 12);
}

// A function of every library that is built, so that it must link.
TEST(Headers, LibrariesLinkTogether) {
#if REDBLUE_HAS_ANALYSIS
  redblue::BoundRequest without_sizes;
  without_sizes.einsum = "ij,jk->ik";
  EXPECT_THROW(redblue::replay_program(without_sizes), redblue::Error);
#endif
#if REDBLUE_HAS_MODEL
  EXPECT_GT(redblue::gemm_lower_bound({100, 100, 100}, 8), 0);
  EXPECT_GT(redblue::syrk_lower_bound({100, 100}, 8), 0);
#endif
#if REDBLUE_HAS_LINALG
  EXPECT_EQ(redblue::squarest_grid_rows(12), 3);
  EXPECT_NE(&redblue::GemmPlan<double>::traffic, nullptr);
  EXPECT_NE(&redblue::LuPlan<double>::traffic, nullptr);
  EXPECT_NE(&redblue::TrsmPlan<double>::traffic, nullptr);
  EXPECT_NE(&redblue::SyrkPlan<double>::traffic, nullptr);
#endif
}

}  // namespace
