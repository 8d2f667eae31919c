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

// Several letters of a kind are one index, so words are those of the matrix, about half of gemm's.
TEST(SymmetricProduct, OfSeveralLettersMovesWhatSyrkMoves) {
  const std::map<std::string, std::int64_t> sizes = {
      {"Na", 15}, {"Nb", 20}, {"Nc", 15}, {"Nd", 20}, {"Nk", 200}};
  for (const int ranks : {4, 9, 16}) {
    const SyrkPlanReport syrk = plan_syrk({{300, 200}, ranks, {}, Objective::words, {}});
    const auto gemm =
        planned("ik,jk->ij", {{"Ni", 300}, {"Nj", 300}, {"Nk", 200}}, ranks).cost.words.value;
    for (const char* const text : {"A:abk,A:cdk->abcd", "A:kab,A:kcd->abcd", "A:akb,A:ckd->cadb"}) {
      const auto report = planned(text, sizes, ranks);
      ASSERT_TRUE(report.symmetric.has_value()) << text << " on " << ranks;
      EXPECT_EQ(report.cost.words, syrk.cost.words) << text;
      EXPECT_LT(static_cast<double>(report.cost.words.value), 0.75 * static_cast<double>(gemm));
    }
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
  EXPECT_TRUE(is_found("A:abk,A:cdk->abcd"));  // several letters of a kind
  EXPECT_TRUE(is_found("A:kab,A:kcd->abcd"));
  EXPECT_TRUE(is_found("A:akb,A:ckd->acbd"));
  EXPECT_TRUE(is_found("A:xia,A:xjb->iajb"));
  EXPECT_TRUE(is_found("A:xiy,A:xjy->ij"));
  EXPECT_TRUE(is_found("A:xia,A:xjb->iabj"));  // symmetric in the pairs (i, a) and (j, b)
  EXPECT_FALSE(is_found("A:ik,A:kj->ij"));     // A A
  EXPECT_FALSE(is_found("A:xy,A:yx->"));       // a number
  EXPECT_FALSE(is_found("ik,jk->ij"));         // two operands
  EXPECT_FALSE(is_found("A:xyi,A:yxj->ij"));   // summed indices change places
  EXPECT_FALSE(is_found("A:abk,A:bck->ac"));   // a summed letter that changes places
  EXPECT_FALSE(is_found("A:abk,A:cbk->abc"));  // a batch
  EXPECT_FALSE(is_found("A:bik,A:bjk->bij"));  // a batch
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
