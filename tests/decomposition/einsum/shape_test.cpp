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

TEST(EinsumShape, SeveralSummationsAreStatements) {
  const std::map<std::string, std::int64_t> sizes = {
      {"Ni", 3}, {"Nj", 4}, {"Nk", 5}, {"Nr", 6}, {"Ns", 7}};
  const EinsumShape shape = einsum_shape("T = ijk, jr -> ikr; T, ks -> irs", sizes);
  EXPECT_EQ(shape.text, "T=ijk,jr->ikr;T,ks->irs");
  ASSERT_EQ(shape.operands(), 3U);
  EXPECT_EQ(shape.tensors[2].letters, "ks");
  EXPECT_EQ(shape.result().letters, "irs");
  ASSERT_EQ(shape.statements.size(), 2U);
  EXPECT_EQ(shape.statements[0].operands, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(shape.statements[1].operands, (std::vector<std::size_t>{3, 2}));
  EXPECT_EQ(shape.statements[1].tensors[0].letters, "ikr");
}

TEST(EinsumShape, ATensorReadTwiceIsOneOperand) {
  const EinsumShape shape = einsum_shape("A:ik,A:jk->ij", {{"Ni", 3}, {"Nj", 3}, {"Nk", 4}});
  ASSERT_EQ(shape.operands(), 1U);
  ASSERT_EQ(shape.statements.size(), 1U);
  EXPECT_EQ(shape.statements[0].operands, (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(shape.statements[0].tensors[1].letters, "jk");
  // a name that is read once changes nothing
  EXPECT_TRUE(einsum_shape("A:ik,kj->ij", {{"Ni", 3}, {"Nj", 3}, {"Nk", 4}}).statements.empty());
  // a letter may look like a name
  EXPECT_EQ(einsum_shape("iT,T->i", {{"Ni", 3}, {"NT", 3}}).operands(), 2U);
}

TEST(EinsumShape, LettersInTheSamePlacesOfEveryReadingAreOneIndex) {
  const auto indices = [](const std::string& text) {
    std::map<std::string, std::int64_t> sizes;
    for (const char c : text) {
      if (c >= 'a' && c <= 'z') sizes["N" + std::string(1, c)] = 4;
    }
    std::string result;
    for (const EinsumIndex& i : einsum_shape(text, sizes).indices) result += i.letters + " ";
    return result;
  };
  EXPECT_EQ(indices("A:abk,A:cdk->abcd"), "ab k cd ");
  EXPECT_EQ(indices("A:xiay,A:xjby->iajb"), "xy ia jb ");
  EXPECT_EQ(indices("A:bki,A:bkj->bij"), "k i j b ");       // what stands in other tensors is apart
  EXPECT_EQ(indices("A:xyi,A:yxj->ij"), "x y i j ");        // in another order
  EXPECT_EQ(indices("A:abc,A:bca->"), "a b c ");            // around in a circle
  EXPECT_EQ(indices("A:abk,A:cdk,c->abcd"), "a b k c d ");  // one of c, d stands in a third
  EXPECT_EQ(indices("T=ijk,kl->ijl;T,T:mnl->ijmn"), "ij k l mn ");
  EXPECT_EQ(indices("T=ijk,kl->ijl;T,T:jil->ij"), "i j k l ");
}

TEST(EinsumShape, BadNamesAreNamed) {
  const std::map<std::string, std::int64_t> three = {{"Ni", 4}, {"Nj", 4}, {"Nk", 3}};
  expect_refused("ij,jk->ik;ik,kj->ij", three, "has no name");
  expect_refused("T=ij,jk->ik;ij,jk->ik", three, "nothing reads T");
  expect_refused("A=ij,A:jk->ik", three, "two tensors have the name A");
  expect_refused("a:ij,jk->ik", three, "'a' is no name");
  expect_refused("t=ij,jk->ik;t,kj->ij", three, "'t' is no name");
  expect_refused("A:ij,A:j->i", three, "A:j has 1 letters");
  expect_refused("A:ij,A:jk->ik", three, "different extents");
  expect_refused("T=ij,jk->ik;", three, "a statement is empty");
}

}  // namespace
}  // namespace redblue
