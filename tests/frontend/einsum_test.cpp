#include "frontend/einsum/einsum.hpp"

#include <gtest/gtest.h>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "redblue/pebble.hpp"

namespace redblue::test {
namespace {

std::string leading(const std::string& einsum) {
  BoundRequest request;
  request.einsum = einsum;
  const BoundReport report = lower_bounds(request);
  EXPECT_TRUE(report.bounds[report.best].proved());
  return report.bounds[report.best].leading;
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
  EXPECT_EQ(leading("i,j->ij"), "Ni*Nj");
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
    for (const std::int64_t n : {2, 4, 7}) {
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
  EXPECT_NE(complaint("2 = ij->i").find("'2' is no name"), std::string::npos);
}

}  // namespace
}  // namespace redblue::test
