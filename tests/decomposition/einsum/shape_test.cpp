// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "redblue/einsum_model.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

TEST(EinsumShape, LettersOfTheSameOperandsAreOneIndex) {
  const EinsumShape shape = einsum_shape(
      "ijkl, klmn", {{"Ni", 2}, {"Nj", 3}, {"Nk", 4}, {"Nl", 5}, {"Nm", 6}, {"Nn", 1}});
  EXPECT_EQ(shape.text, "ijkl,klmn->ijmn");
  ASSERT_EQ(shape.indices.size(), 3U);
  EXPECT_EQ(shape.indices[0].letters, "ij");
  EXPECT_EQ(shape.indices[1].letters, "kl");
  EXPECT_EQ(shape.indices[2].letters, "m");  // n has one value
  EXPECT_EQ(shape.indices[1].extent, 20);
  EXPECT_EQ(shape.tensors[1].indices, (std::vector<int>{1, 2}));
  EXPECT_EQ(shape.result().indices, (std::vector<int>{0, 2}));
  EXPECT_EQ(shape.elements(shape.tensors[0]), 120);
  EXPECT_EQ(shape.products(), 720);
}

TEST(EinsumShape, ResultsWithoutArrowAreNumPys) {
  EXPECT_EQ(einsum_shape("ba,bc", {{"Na", 2}, {"Nb", 2}, {"Nc", 2}}).text, "ba,bc->ac");
  EXPECT_EQ(einsum_shape("ij,ij", {{"Ni", 2}, {"Nj", 2}}).text, "ij,ij->");
}

void expect_refused(const std::string& text, const std::map<std::string, std::int64_t>& sizes,
                    const std::string& why) {
  try {
    einsum_shape(text, sizes);
    ADD_FAILURE() << text << " was read";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find(why), std::string::npos) << e.what();
  }
}

TEST(EinsumShape, BadInputIsNamed) {
  const std::map<std::string, std::int64_t> two = {{"Ni", 4}, {"Nj", 4}};
  expect_refused("ij,jk->ik", two, "nothing is said of Nk");
  expect_refused("ij->i", {{"Ni", 4}, {"Nj", 4}, {"Nk", 4}}, "Nk belongs to no letter");
  expect_refused("ij->ii", two, "letter i twice");
  expect_refused("ii->i", {{"Ni", 4}}, "its diagonal");
  expect_refused("ij->ik", two, "the letter k, which no operand has");
  expect_refused("ij->i", {{"Ni", -4}, {"Nj", 4}}, "Ni is negative");
  expect_refused("i1->i", {{"Ni", 4}}, "'1' is no letter");
  expect_refused("->", {}, "no letters");
  expect_refused("ij->i", {{"Ni", 1'000'000'000'000}, {"Nj", 1'000'000'000'000}}, "10^18");
  expect_refused("abcdefghijklm->a", {}, "13 letters");
}

}  // namespace
}  // namespace redblue
