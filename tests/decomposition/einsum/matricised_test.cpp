// SPDX-License-Identifier: BSD-3-Clause
// Contractions beside the best multiplication of matrices that they are after a transposition.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "redblue/einsum_model.hpp"
#include "redblue/gemm_model.hpp"

namespace redblue {
namespace {

struct Contraction {
  std::string text;
  std::map<std::string, std::int64_t> sizes;
  GemmShape matrices;
};

std::vector<Contraction> contractions() {
  std::vector<Contraction> all = {
      {"ijkl,klmn->ijmn",
       {{"Ni", 30}, {"Nj", 30}, {"Nk", 30}, {"Nl", 30}, {"Nm", 30}, {"Nn", 30}},
       {900, 900, 900}},
      {"aebf,dfce->abcd",
       {{"Na", 24}, {"Nb", 20}, {"Nc", 30}, {"Nd", 16}, {"Ne", 12}, {"Nf", 36}},
       {480, 480, 432}},
      {"dega,gfbc->abcdef",
       {{"Na", 16}, {"Nb", 16}, {"Nc", 16}, {"Nd", 16}, {"Ne", 16}, {"Nf", 16}, {"Ng", 16}},
       {4096, 4096, 16}},
      {"bda,dc->abc", {{"Na", 200}, {"Nb", 160}, {"Nc", 160}, {"Nd", 200}}, {32000, 160, 200}},
      {"ijk,kr->ijr", {{"Ni", 200}, {"Nj", 200}, {"Nk", 200}, {"Nr", 48}}, {40000, 48, 200}},
  };
  for (const std::int64_t n : {7, 100, 1013}) {
    for (const std::int64_t k : {3, 128, 20000})
      all.push_back({"ik,kj->ij", {{"Ni", n}, {"Nj", 2 * n}, {"Nk", k}}, {n, 2 * n, k}});
  }
  return all;
}

// Of two tensors: of more, as MTTKRP, the product of all but one would have to be formed first.
// Boxes of letters end at whole values where those of matrices end anywhere: a word or two.
TEST(EinsumPlan, IsNeverAboveTheBestGemmAfterMatricisation) {
  constexpr Words rounding{3};
  for (const Contraction& c : contractions()) {
    const EinsumShape shape = einsum_shape(c.text, c.sizes);
    for (const int ranks : {2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 18, 23, 24, 27, 31, 32, 64, 256}) {
      const Words gemm = plan_gemm({c.matrices, ranks, {}, Objective::words, {}}).cost.words;
      const Words words = plan_einsum({shape, ranks, {}, Objective::words, {}}).cost.words;
      EXPECT_LE(words, gemm + rounding) << c.text << " k=" << c.matrices.k << " on " << ranks;
    }
  }
}

}  // namespace
}  // namespace redblue
