// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "cdag/brute_force.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

using namespace cdag;

TEST(Partition, SetsOfADiamond) {
  const Graph graph = make_graph("diamond:3,3");
  const Subset h{4, 5, 7, 8};  // the lower right 2 x 2
  EXPECT_EQ(in_set(graph, h), (Subset{1, 2, 3, 6}));
  EXPECT_EQ(out_set(graph, h), (Subset{8}));
  EXPECT_EQ(minimum_set(graph, h), (Subset{8}));
  EXPECT_EQ(dominator_set(graph, h), (Subset{0}));
  EXPECT_EQ(out_set(graph, {1, 2}), (Subset{1, 2}));
  EXPECT_EQ(minimum_set(graph, {1, 2}), (Subset{2}));
}

TEST(Partition, DominatorsAreTheSmallest) {
  for (int seed = 1; seed <= 40; ++seed) {
    const Graph graph = make_graph("random:12,3," + std::to_string(seed));
    Subset h;
    for (Vertex v = 0; v < graph.size(); ++v) {
      if (!graph.input(v) && (v * 7 + seed) % 3 != 0) h.push_back(v);
    }
    const Subset dominator = dominator_set(graph, h);
    EXPECT_EQ(static_cast<std::int64_t>(dominator.size()), dominator_by_sets(graph, h)) << seed;
    EXPECT_LE(dominator.size(), in_set(graph, h).size()) << seed;
  }
}

TEST(Partition, FaultsAreNamed) {
  const Graph graph = make_graph("diamond:3,3");
  const auto fault = [&](const std::vector<Subset>& parts, std::int64_t x) {
    return partition_fault(graph, {parts}, x, PartitionKind::in_out);
  };
  EXPECT_EQ(fault({{1, 2, 3, 4}, {5, 6, 7, 8}}, 3), "");
  EXPECT_NE(fault({{1, 2, 3, 4}, {5, 6, 7, 8}}, 2).find("more than 2"), std::string::npos);
  EXPECT_NE(fault({{1, 2, 3}, {5, 6, 7, 8}}, 9).find("v(1,1) is in no part"), std::string::npos);
  EXPECT_NE(fault({{1, 2, 3, 4}, {4, 5, 6, 7, 8}}, 9).find("in two parts"), std::string::npos);
  EXPECT_NE(fault({{0, 1, 2, 3, 4}, {5, 6, 7, 8}}, 9).find("is an input"), std::string::npos);
  EXPECT_NE(fault({{1, 2, 3, 8}, {4, 5, 6, 7}}, 9).find("needs itself"), std::string::npos);
}

// Lemma 3.2: the segments of any pebbling form an X-partition, and imply no more than was moved.
TEST(Partition, SegmentsOfPebblingsAreXPartitions) {
  for (const char* description :
       {"matmul:3,3,3", "lu:5", "fft:16", "stencil:4,8", "cholesky:6", "random:40,3,3"}) {
    const Graph graph = make_graph(description);
    for (const std::int64_t s : {5, 8, 12}) {
      const Replayed cost = replay(graph, greedy_order(graph, s), s, Replacement::belady, true);
      const Pebbling pebbling{"", red_blue_white(s), cost.moves};
      for (const std::int64_t transfers : {s, 2 * s}) {
        const SegmentedPebbling cut = segments_of(graph, pebbling, transfers);
        EXPECT_EQ(cut.moved, cost.moved());
        EXPECT_LE(cut.most_reused, s);
        const auto h = static_cast<std::int64_t>(cut.segments.size());
        EXPECT_GE(cut.moved, (cut.x - cut.most_reused + cut.least_moved) * (h - 1));
        // Empty segments aside, they are what Definition 5 asks for with X = transfers + S.
        EXPECT_EQ(partition_fault(graph, cut.partition(), transfers + s, PartitionKind::in_out), "")
            << description << " S " << s;
        EXPECT_EQ(partition_fault(graph, cut.partition(), transfers + s, PartitionKind::dominator),
                  "");
      }
    }
  }
}

TEST(Partition, SegmentsOfAKnownGame) {
  // A product of 1 x 1 by 1 x 1, k = 4, in 4 words: 8 loads and a store.
  const Pebbling product = outer_product_pebbling(1, 1, 4, 4);
  const Graph graph = make_graph("matmul:1,1,4");
  const SegmentedPebbling cut = segments_of(graph, product, 4);
  ASSERT_EQ(cut.segments.size(), 3U);
  EXPECT_EQ(cut.segments[0].loaded, 4);
  EXPECT_EQ(cut.segments[1].reused, 1);  // the partial result
  EXPECT_EQ(cut.segments[0].kept, 1);
  EXPECT_EQ(cut.segments[2].stored, 1);
  EXPECT_EQ(cut.most_reused, 1);
  EXPECT_EQ(cut.least_moved, 0);
  EXPECT_EQ(cut.x, 5);
  EXPECT_THROW(segments_of(graph, product, 0), Error);
}

}  // namespace
}  // namespace redblue::test
