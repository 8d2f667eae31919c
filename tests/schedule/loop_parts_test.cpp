// SPDX-License-Identifier: BSD-3-Clause
// Loops made part by part: against those of the whole order.
#include "schedule/search/loop_parts.hpp"

#include <gtest/gtest.h>

#include <string>

#include "schedule/kernel_program.hpp"
#include "schedule/nests.hpp"
#include "schedule/privatise.hpp"
#include "schedule/some_tiles.hpp"

namespace redblue::test {
namespace {

using schedule::LoopNode;
using schedule::LoopProgram;

// What a node has inside, in order: blocks inside blocks are no nodes of their own.
std::vector<std::size_t> inside(const LoopProgram& loops, std::size_t at) {
  std::vector<std::size_t> result;
  for (const std::size_t child : loops.nodes[at].children) {
    const std::vector<std::size_t> further = inside(loops, child);
    if (loops.nodes[child].kind == LoopNode::Kind::block) {
      result.insert(result.end(), further.begin(), further.end());
    } else {
      result.push_back(child);
    }
  }
  return result;
}

void expect_same(const LoopProgram& a, std::size_t at, const LoopProgram& b, std::size_t there) {
  const LoopNode &one = a.nodes[at], &other = b.nodes[there];
  ASSERT_EQ(one.kind, other.kind);
  EXPECT_EQ(one.counter, other.counter);
  EXPECT_TRUE(one.lower == other.lower && one.upper == other.upper && one.step == other.step);
  EXPECT_TRUE(one.condition == other.condition && one.arguments == other.arguments);
  EXPECT_EQ(one.statement, other.statement);
  ASSERT_EQ(one.touches.size(), other.touches.size());
  for (std::size_t t = 0; t < one.touches.size(); ++t)
    EXPECT_TRUE(one.touches[t].element == other.touches[t].element);
  const std::vector<std::size_t> here = inside(a, at), elsewhere = inside(b, there);
  ASSERT_EQ(here.size(), elsewhere.size());
  for (std::size_t c = 0; c < here.size(); ++c) expect_same(a, here[c], b, elsewhere[c]);
}

void expect_same(const LoopProgram& one, const LoopProgram& other) {
  expect_same(one, one.root, other, other.root);
  EXPECT_EQ(one.counters, other.counters);
  EXPECT_EQ(one.elements, other.elements);
  EXPECT_EQ(one.most_touches, other.most_touches);
  EXPECT_EQ(one.busiest, other.busiest);
  EXPECT_TRUE(one.output == other.output);
}

program::Sizes small(const program::Program& program) {
  program::Sizes result;
  for (const std::string& size : program.parameters) result[size] = 11;
  return result;
}

// Untiled, in tiles, and in tiles in one band only.
std::vector<std::vector<schedule::Tiles>> choices(const schedule::Nest& nest) {
  const std::vector<schedule::Tiles> none(nest.bands.size()), some = some_tiles(nest);
  std::vector<std::vector<schedule::Tiles>> result = {none, some};
  for (std::size_t b = 0; b < nest.bands.size(); ++b) {
    result.push_back(none);
    result.back()[b] = some[b];
  }
  return result;
}

TEST(LoopParts, AreThoseOfTheWholeOrder) {
  for (const char* name : {"2mm", "correlation", "gemver", "seidel-2d"}) {
    SCOPED_TRACE(name);
    const program::Program source = read(kernel(name));
    for (const schedule::Nest& nest : schedule::nests(source)) {
      const program::Program program = schedule::privatised(source, nest.families);
      const program::Sizes sizes = small(program);
      const schedule::Placement placement = schedule::placed(program, sizes);
      schedule::KnownParts known;
      for (const std::vector<schedule::Tiles>& tiles : choices(nest)) {
        const std::optional<isl::schedule> tree = schedule::tree(nest, tiles);
        if (!tree) continue;
        expect_same(schedule::loop_program(program, *tree, sizes, placement, known),
                    schedule::loop_program(program, *tree, sizes, placement));
      }
    }
  }
}

// Two products, each in a band with others before it: other tiles in one of them leave the rest.
TEST(LoopParts, AreMadeOnce) {
  const program::Program source = read(kernel("2mm"));
  std::size_t several = 0;
  for (const schedule::Nest& nest : schedule::nests(source)) {
    const program::Program program = schedule::privatised(source, nest.families);
    const program::Sizes sizes = small(program);
    const schedule::Placement placement = schedule::placed(program, sizes);
    schedule::KnownParts known;
    const auto parts = [&](const std::vector<schedule::Tiles>& tiles) {
      schedule::loop_program(program, *schedule::tree(nest, tiles), sizes, placement, known);
      return known.size();
    };
    const auto tiles = choices(nest);
    if (nest.points || !nest.inner || parts(tiles[0]) < nest.bands.size()) continue;
    const std::size_t untiled = known.size();
    EXPECT_EQ(parts(tiles[0]), untiled);
    for (std::size_t b = 0; b < nest.bands.size(); ++b)
      EXPECT_EQ(parts(tiles[2 + b]), untiled + b + 1);
    EXPECT_EQ(parts(tiles[1]), untiled + nest.bands.size());
    several += nest.bands.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(several, 0U);
}

}  // namespace
}  // namespace redblue::test
