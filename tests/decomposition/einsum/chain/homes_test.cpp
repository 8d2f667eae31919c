// SPDX-License-Identifier: BSD-3-Clause
// Callers' layouts: every element once, where ScaLAPACK's rule puts it.
#include "decomposition/einsum/chain/homes.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

#include "decomposition/einsum/random_einsum.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

// The rank of an element and its place there, letter by letter.
std::pair<int, std::int64_t> where(const EinsumTensor& tensor, const EinsumLayout& layout,
                                   const std::vector<std::int64_t>& element) {
  int rank = 0;
  std::int64_t place = 0;
  for (std::size_t l = 0; l < element.size(); ++l) {
    const std::int64_t parts = layout.grid[l];
    const std::int64_t extent = tensor.extents[l];
    std::int64_t block = layout.block.empty() ? 0 : layout.block[l];
    if (block == 0) block = std::max<std::int64_t>(1, (extent + parts - 1) / parts);
    const auto of = [&](std::int64_t value) { return value / block % parts; };
    std::int64_t before = 0, mine = 0;
    for (std::int64_t v = 0; v < extent; ++v) {
      if (of(v) != of(element[l])) continue;
      before += v < element[l] ? 1 : 0;
      ++mine;
    }
    rank = rank * static_cast<int>(parts) + static_cast<int>(of(element[l]));
    place = place * mine + before;
  }
  return {rank, place};
}

TEST(EinsumLayout, DealsOutBlocksAsScalapackDoes) {
  std::mt19937 random(17);
  for (int trial = 0; trial < 100; ++trial) {
    const EinsumShape read = test::shape_of(test::random_einsum(random, 5, 7));
    const int ranks = 1 + static_cast<int>(random() % 12);
    const auto layouts = test::random_layouts(random, read, ranks);
    std::string letters;
    for (const EinsumTensor& t : read.tensors) letters += t.letters;
    const EinsumShape shape = with_separate_letters(read, letters);
    for (std::size_t t = 0; t < layouts.size(); ++t) {
      if (!layouts[t]) continue;
      const EinsumTensor& tensor = shape.tensors[t];
      const auto pieces = einsum::layout_pieces(tensor, *layouts[t], ranks);
      std::map<std::vector<std::int64_t>, std::pair<int, std::int64_t>> found;
      for (std::size_t r = 0; r < pieces.size(); ++r) {
        for (const einsum::Piece& p : pieces[r]) {
          for (std::int64_t e = 0; e < p.words(); ++e) {
            std::vector<std::int64_t> element(tensor.letters.size(), 0);
            std::int64_t rest = e, place = p.offset;
            for (std::size_t l = 0, d = 0; l < element.size(); ++l) {
              if (tensor.extents[l] == 1) continue;
              const std::int64_t step = rest % p.ranges[d].size();
              rest /= p.ranges[d].size();
              element[l] = p.ranges[d].begin + step;
              place += step * p.strides[d++];
            }
            EXPECT_TRUE(found.emplace(element, std::pair(static_cast<int>(r), place)).second);
          }
        }
      }
      EXPECT_EQ(static_cast<std::int64_t>(found.size()), shape.elements(tensor));
      for (const auto& [element, at] : found)
        EXPECT_EQ(at, where(tensor, *layouts[t], element)) << tensor.letters;
    }
  }
}

TEST(EinsumLayout, IsReadFromText) {
  EXPECT_EQ(einsum_layout("2x3"), (EinsumLayout{{2, 3}, {}}));
  EXPECT_EQ(einsum_layout("2x3/16x8"), (EinsumLayout{{2, 3}, {16, 8}}));
  for (const char* bad : {"", "2x", "axb", "2x3/", "2x3/1.5x2", "99999999999x1"})
    EXPECT_THROW(einsum_layout(bad), Error) << bad;
}

TEST(EinsumLayout, ThatDoNotFitAreRefused) {
  const EinsumShape shape = einsum_shape("ik,kj->ij", {{"Ni", 9}, {"Nj", 9}, {"Nk", 9}});
  const auto plan = [&shape](const std::string& first) {
    EinsumPlanRequest request{shape, 4, {}, Objective::words, {}};
    request.layouts = {einsum_layout(first)};
    return plan_einsum_chain(request);
  };
  EXPECT_NO_THROW(plan("2x2/2x3"));
  EXPECT_THROW(plan("4"), Error);      // one number for two letters
  EXPECT_THROW(plan("4x2"), Error);    // eight ranks
  EXPECT_THROW(plan("0x2"), Error);    // nobody
  EXPECT_THROW(plan("2x2/2"), Error);  // one block
}

TEST(EinsumLayout, AnOperandWhereItIsNeededMovesNoMore) {
  // rows of C and A with their ranks; B is native
  const EinsumShape shape = einsum_shape("ik,kj->ij", {{"Ni", 400}, {"Nj", 16}, {"Nk", 16}});
  EinsumPlanRequest request{shape, 4, {}, Objective::words, {}};
  const auto native = plan_einsum_chain(request);
  request.layouts = {einsum_layout("4x1"), std::nullopt, einsum_layout("4x1")};
  EXPECT_EQ(plan_einsum_chain(request).cost.words, native.cost.words);
  request.layouts[0] = einsum_layout("4x1/1x1");
  EXPECT_GT(plan_einsum_chain(request).cost.words, native.cost.words);
}

}  // namespace
}  // namespace redblue
