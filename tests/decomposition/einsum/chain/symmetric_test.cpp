// SPDX-License-Identifier: BSD-3-Clause
// Products of a matrix and its own transpose, planned as SYRK is.
#include "decomposition/einsum/chain/symmetric.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>

#include "decomposition/symmetric/triangle.hpp"

namespace redblue {
namespace {

EinsumChainReport planned(const std::string& text, const std::map<std::string, std::int64_t>& sizes,
                          int ranks, std::optional<Words> memory = {}) {
  return plan_einsum_chain({einsum_shape(text, sizes), ranks, memory, Objective::words, {}});
}

TEST(SymmetricProduct, MovesWhatSyrkMoves) {
  for (const int ranks : {3, 4, 9, 13, 16}) {
    const auto report = planned("A:ik,A:jk->ij", {{"Ni", 300}, {"Nj", 300}, {"Nk", 200}}, ranks);
    ASSERT_TRUE(report.symmetric.has_value()) << ranks;
    const SyrkPlanReport syrk = plan_syrk({{300, 200}, ranks, {}, Objective::words, {}});
    EXPECT_EQ(report.cost.words, syrk.cost.words);
    EXPECT_EQ(report.lower_bound, syrk.lower_bound);
    const auto product = planned("ik,jk->ij", {{"Ni", 300}, {"Nj", 300}, {"Nk", 200}}, ranks);
    EXPECT_LT(report.cost.words.value, product.cost.words.value);
  }
}

TEST(SymmetricProduct, IsFoundWhereLettersExchange) {
  const auto is_found = [](const std::string& text) {
    std::map<std::string, std::int64_t> sizes;
    for (const char c : text) {
      if (c >= 'a' && c <= 'z') sizes["N" + std::string(1, c)] = 20;
    }
    return einsum::symmetric_product(planned(text, sizes, 6).steps.front()).has_value();
  };
  EXPECT_TRUE(is_found("A:ki,A:kj->ij"));
  EXPECT_TRUE(is_found("A:ki,A:kj->ji"));
  EXPECT_FALSE(is_found("A:xia,A:xjb->iajb"));  // several letters each, which are not merged
  EXPECT_FALSE(is_found("A:xiy,A:xjy->ij"));
  EXPECT_FALSE(is_found("A:ik,A:kj->ij"));      // A A
  EXPECT_FALSE(is_found("A:xy,A:yx->"));        // a number
  EXPECT_FALSE(is_found("ik,jk->ij"));          // two operands
  EXPECT_FALSE(is_found("A:xyi,A:yxj->ij"));    // summed indices change places
  EXPECT_FALSE(is_found("A:xia,A:xjb->iabj"));  // not symmetric
  EXPECT_FALSE(is_found("A:bik,A:bjk->bij"));   // a batch
}

TEST(SymmetricProduct, KeepsAMemoryLimit) {
  const std::map<std::string, std::int64_t> sizes = {{"Ni", 120}, {"Nj", 120}, {"Nk", 400}};
  const auto free = planned("A:ik,A:jk->ij", sizes, 6);
  const Words limit(free.cost.memory.value * 3 / 4);
  const auto limited = planned("A:ik,A:jk->ij", sizes, 6, limit);
  EXPECT_LE(limited.cost.memory, limit);
}

// Every element of a block has one owner.
TEST(SymmetricProduct, LinesAreTheElementsOfTheBlocks) {
  for (const int ranks : {2, 5, 9}) {
    const auto d = choose_syrk({{23, 7}, ranks, {}, Objective::words, {}});
    const Ownership all = ownership(d);
    std::set<std::pair<std::int64_t, std::int64_t>> seen;
    for (int r = 0; r < ranks; ++r) {
      std::int64_t next = 0;
      for (const einsum::OwnedLine& line : einsum::owned_lines(all.c, Rank{r})) {
        EXPECT_EQ(line.offset, next);
        next += line.end - line.begin;
        for (std::int64_t i = line.begin; i < line.end; ++i)
          EXPECT_TRUE(seen.insert({i, line.column}).second);
      }
    }
    for (std::int64_t j = 0; j < 23; ++j) {
      for (std::int64_t i = j; i < 23; ++i) EXPECT_EQ(seen.count({i, j}), 1U) << i << " " << j;
    }
  }
}

}  // namespace
}  // namespace redblue
