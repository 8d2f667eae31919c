// SPDX-License-Identifier: BSD-3-Clause
#include "frontend/einsum/einsum.hpp"

#include <gtest/gtest.h>

#include "redblue/analysis.hpp"
#include "redblue/einsum.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

std::string leading(const std::string& einsum) {
  BoundRequest request;
  request.einsum = einsum;
  const BoundReport report = lower_bounds(request);
  EXPECT_TRUE(report.bounds[report.best].proved());
  return report.bounds[report.best].leading.text();
}

std::string complaint(const std::string& einsum) {
  try {
    frontend::einsum::parse(einsum);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

// The same bounds as the loop nests in kernels/.
TEST(Einsum, BoundsAreThoseOfTheLoops) {
  EXPECT_EQ(leading("ij,jk->ik"), "2*Ni*Nj*Nk/sqrt(S)");
  EXPECT_EQ(leading("ijk,jr,kr->ir"), "3*Ni*Nj*Nk*Nr/S^(2/3)");
  EXPECT_EQ(leading("rqp,ps->rqs"), "2*Np*Nq*Nr*Ns/sqrt(S)");
  EXPECT_EQ(leading("ij,j->i"), "Ni*Nj");
  EXPECT_EQ(leading("i,j->ij"), "Ni*Nj + Ni*Nj/S");
  EXPECT_EQ(leading("T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il"),
            "2*Ni*Nj*Nk/sqrt(S) + 2*Ni*Nk*Nl/sqrt(S)");
}

TEST(Einsum, WithoutAnArrowLettersThatStandOnceRemain) {
  EXPECT_EQ(leading("ij,jk"), leading("ij,jk->ik"));
}

TEST(Einsum, GraphsHaveOneVertexPerTermAndStart) {
  BoundRequest request;
  request.einsum = "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il";
  request.sizes = {{"Ni", 2}, {"Nj", 3}, {"Nk", 2}, {"Nl", 2}};
  const cdag::Graph graph = cdag::source_graph(request);
  EXPECT_EQ(graph.inputs(), 6 + 6 + 4);
  EXPECT_EQ(graph.size() - graph.inputs(), (4 + 12) + (4 + 8));
  EXPECT_EQ(graph.outputs(), 4);  // T is only a step
}

TEST(Einsum, NoScheduleBeatsABound) {
  for (const char* text : {"ij,jk->ik", "ijk,jr,kr->ir", "ij,ij->", "ii->i", "ij->ji",
                           "T = A:ij, B:jk -> ik; D = T:ik, C:kl -> il"}) {
    BoundRequest request;
    request.einsum = text;
    const std::vector<std::string> parameters = lower_bounds(request).parameters;
    for (const std::int64_t n : {3, 6}) {
      request.sizes.clear();
      for (const std::string& p : parameters) request.sizes[p] = n;
      const cdag::Graph graph = cdag::source_graph(request);
      for (const std::int64_t s : {5, 8, 20}) {
        request.sizes["S"] = s;
        const auto upper = static_cast<double>(cdag::good_schedule(graph, s, 0.1).cost.moved());
        for (const LowerBound& bound : lower_bounds(request).bounds) {
          if (!bound.proved()) continue;
          EXPECT_LE(*bound.value, upper) << text << " n=" << n << " S=" << s;
        }
      }
    }
  }
}

TEST(Einsum, Layers) {
  // Two products and softmax between them; keys and values stay long against S.
  EXPECT_EQ(leading("attention(Q:bhlp, K:bhmp, V:bhmp)"), "4*Nb*Nh*Nl*Nm*Np/sqrt(S)");
  EXPECT_EQ(leading("mlp(X:ni, U:if, W:fo)"), "2*Nf*Ni*Nn/sqrt(S) + 2*Nf*Nn*No/sqrt(S)");
  EXPECT_EQ(leading("softmax(X:ij, j)"), "4*Ni*Nj");
  EXPECT_EQ(leading("layernorm(X:nd, d)"), "3*Nd*Nn");
  EXPECT_EQ(leading("relu(X:ij)"), "2*Ni*Nj");
  EXPECT_EQ(leading("add(X:ij, Y:ij, Z:j)"), "3*Ni*Nj");
  // A chain of layers: what one makes is no output where the next one reads it.
  EXPECT_EQ(leading("Y = relu(X:ij); exp(Y:ij)"), "2*Ni*Nj");
}

TEST(Einsum, ConvolutionsWithStrides) {
  const auto far_out = [](const std::string& text) {
    BoundRequest request;
    request.einsum = text;
    request.small = {"Nr", "Ns"};
    const BoundReport report = lower_bounds(request);
    return report.bounds[report.best].leading.text();
  };
  EXPECT_EQ(far_out("conv(X:nchw, F:kcrs, 2)"), far_out("nc(2h+r)(2w+s),kcrs->nkhw"));
  EXPECT_EQ(far_out("conv(X:nchw, F:kcrs)"), far_out("nc(h+r)(w+s),kcrs->nkhw"));
}

TEST(Einsum, NamesOfCAndOfLoopsDoNotMeet) {
  EXPECT_EQ(leading("i:ij,j:jk->ik"), leading("ij,jk->ik"));  // arrays called as letters are
  EXPECT_NE(complaint("double:ij,j->i").find("a word of C"), std::string::npos);
  EXPECT_NE(complaint("Ni:ij,j->i").find("the size of index i"), std::string::npos);
}

TEST(Einsum, WrongLayersAreNamed) {
  EXPECT_NE(complaint("softmax(X:ij, k)").find("which X has not"), std::string::npos);
  EXPECT_NE(complaint("softmax(X:ij)").find("softmax takes an operand and a letter"),
            std::string::npos);
  EXPECT_NE(complaint("conv(X:nchw, F:kdrs)").find("differ in their channel"), std::string::npos);
  EXPECT_NE(complaint("conv(X:nchw, F:kcrs, 0)").find("'0' is no stride"), std::string::npos);
  EXPECT_NE(complaint("attention(Q:lp, K:lp, V:mp)").find("queries and keys"), std::string::npos);
  EXPECT_NE(complaint("mlp(X:ni, U:jf, W:fo)").find("U does not go from 'i'"), std::string::npos);
  EXPECT_NE(complaint("add(X:ij)").find("two operands"), std::string::npos);
  EXPECT_NE(complaint("add(X:i, Y:j)").find("no index 'j'"), std::string::npos);
  EXPECT_NE(complaint("relu(X:(2i))").find("single, different letters"), std::string::npos);
  EXPECT_NE(complaint("(0h),h->h").find("always 0"), std::string::npos);
  EXPECT_NE(complaint("(h+),h->h").find("no letter"), std::string::npos);
  EXPECT_NE(complaint("(h,h->h").find("lacks a ')'"), std::string::npos);
}

TEST(Einsum, WhatIsNoneIsNamed) {
  EXPECT_NE(complaint("ij,jk->iz").find("no operand has the index 'z'"), std::string::npos);
  EXPECT_NE(complaint("ij,jk->ii").find("the index 'i' twice"), std::string::npos);
  EXPECT_NE(complaint("i1,jk->ik").find("'1' is no index letter"), std::string::npos);
  EXPECT_NE(complaint("A:ij, A:jkl -> ik").find("A has 2 indices elsewhere"), std::string::npos);
  EXPECT_NE(complaint("T = A:ij -> i; T = B:ij -> i").find("T is read or written before"),
            std::string::npos);
  EXPECT_NE(complaint("T = T:ij -> i").find("result and operand at once"), std::string::npos);
  EXPECT_NE(complaint("").find("nothing to sum"), std::string::npos);
  EXPECT_NE(complaint("ij->i;").find("an empty summation"), std::string::npos);
  EXPECT_NE(complaint("->").find("no operand"), std::string::npos);
  EXPECT_NE(complaint(std::string(200, 'i') + "->i").find("200 indices"), std::string::npos);
  EXPECT_NE(complaint("2 = ij->i").find("'2' is no name"), std::string::npos);
  EXPECT_NE(complaint("ij,,jk").find("an operand without letters"), std::string::npos);
}

TEST(Einsum, HintsAtChainsOfFewerLoops) {
  const auto hints = einsum_hints;
  EXPECT_TRUE(hints("ij,jk->ik").empty());
  EXPECT_TRUE(hints("ijk,jr,kr->ir").empty());  // no two operands leave fewer loops
  ASSERT_EQ(hints("ij,jk,kl->il").size(), 1U);
  const std::string hint = hints("ij,jk,kl->il").front();
  const std::string chain = "P = A:ij, B:jk -> ik; T1 = P:ik, C:kl -> il";
  EXPECT_NE(hint.find("'" + chain + "'"), std::string::npos) << hint;
  EXPECT_TRUE(hints(chain).empty());  // and it is read
}

}  // namespace
}  // namespace redblue::test
