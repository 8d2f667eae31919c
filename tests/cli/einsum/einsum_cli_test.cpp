// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

const std::string mttkrp = "\"ijk,jr,kr->ir\" --set Ni=40,Nj=40,Nk=40,Nr=8";

TEST(EinsumPlanCommand, PrintsWhatPlanGemmDoes) {
  const Finished run = redblue("plan einsum " + mttkrp + " -p 8 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["einsum"], "ijk,jr,kr->ir");
  EXPECT_EQ(json["ranks"], 8);
  EXPECT_EQ(json["decomposition"]["grid"]["i"], 2);
  EXPECT_EQ(json["decomposition"]["grid"]["r"], 1);
  // three matrices of 40 x 8, of which every rank needs a half and owns an eighth
  EXPECT_EQ(json["words_per_rank"], 3 * (40 * 8 / 2 - 40 * 8 / 8));
  EXPECT_NEAR(json["ratio"].get<double>(), 1, 1e-6);
  EXPECT_EQ(json["messages"], 9);
  EXPECT_FALSE(json["alternatives"].empty());
  for (const char* field :
       {"lower_bound", "mean_words_per_rank", "memory_words", "predicted_seconds"})
    EXPECT_TRUE(json[field].is_number()) << field;
}

TEST(EinsumPlanCommand, SeveralRankCountsAreATable) {
  const Finished run = redblue("plan einsum " + mttkrp + " -p 2,3,8");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.out.find("bisection of 3 ranks"), std::string::npos) << run.out;
}

TEST(EinsumPlanCommand, MemoryLimitsMeanRoundsOrARefusal) {
  const Finished run =
      redblue("plan einsum \"ik,kj->ij\" --set Ni=60,Nj=60,Nk=600 -p 4 --memory 22000 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_GT(json["decomposition"]["rounds"], 1);
  EXPECT_LE(json["memory_words"], 22000);
  const Finished refused = redblue("plan einsum " + mttkrp + " -p 4 --memory 100");
  EXPECT_EQ(refused.status, 2);
  EXPECT_NE(refused.err.find("words would do"), std::string::npos) << refused.err;
}

TEST(EinsumPlanCommand, BadInputIsOneLine) {
  for (const std::string& bad :
       {std::string("\"ij,jk->ik\" --set Ni=4,Nj=4 -p 2"),
        std::string("\"ij->ii\" --set Ni=4,Nj=4 -p 2"),
        std::string("\"ij->ik\" --set Ni=4,Nj=4 -p 2"), std::string("\"ij->i\" -p 2"),
        std::string("\"ij->i\" --set Ni=4,Nj=4 -p 0")}) {
    const Finished run = redblue("plan einsum " + bad);
    EXPECT_EQ(run.status, 2) << bad;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST(EinsumRunCommand, MovesWhatWasPlannedAndIsRight) {
  for (const char* type : {"s", "d", "c", "z"}) {
    const Finished run = mpirun(3, "run einsum " + mttkrp + " --json --type " + type);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_TRUE(json["ok"]) << type;
    const auto plan = nlohmann::json::parse(redblue("plan einsum " + mttkrp + " -p 3 --json").out);
    EXPECT_EQ(json["max_words_received"], plan["words_per_rank"]);
    EXPECT_EQ(json["messages"], plan["messages"]);
    EXPECT_LE(json["memory_words"], plan["memory_words"]);
    EXPECT_TRUE(json["phases"].contains("exchange"));
  }
}

TEST(EinsumRunCommand, LayoutsAndNamedStepsMoveWhatWasPlanned) {
  const std::string chain =
      "\"T=ijk,jr->ikr;T,ks->irs\" --set Ni=24,Nj=20,Nk=18,Nr=6,Ns=5 "
      "--layout 1=2x1x2/3x4x5,2=4x1,result=2x2x1";
  const Finished run = mpirun(5, "run einsum " + chain + " --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_TRUE(json["ok"]);
  const auto plan = nlohmann::json::parse(redblue("plan einsum " + chain + " -p 5 --json").out);
  EXPECT_EQ(json["max_words_received"], plan["words_per_rank"]);
  EXPECT_EQ(json["messages"], plan["messages"]);
  EXPECT_EQ(plan["layouts"][1]["grid"][0], 4);
  EXPECT_EQ(plan["steps"].size(), 2U);
}

TEST(EinsumPlanCommand, BadLayoutsAndNamesAreOneLine) {
  const std::string sizes = " --set Ni=4,Nj=4,Nk=4 -p 2 ";
  for (const std::string& bad : {std::string("\"ij,jk->ik\"") + sizes + "--layout 4=2x1",
                                 std::string("\"ij,jk->ik\"") + sizes + "--layout 1=2",
                                 std::string("\"ij,jk->ik\"") + sizes + "--layout 1=2x2",
                                 std::string("\"ij,jk->ik\"") + sizes + "--layout 2x1",
                                 std::string("\"T=ij,jk->ik;ij,jk->ik\"") + sizes}) {
    const Finished run = redblue("plan einsum " + bad);
    EXPECT_EQ(run.status, 2) << bad;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  }
}

TEST(EinsumRunCommand, ChainsHaveAnEntryPerContraction) {
  const std::string chain = "\"ij,jk,kl->il\" --set Ni=30,Nj=40,Nk=50,Nl=20";
  const Finished run = mpirun(4, "run einsum " + chain + " --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  ASSERT_EQ(json["steps"].size(), 2U);
  EXPECT_EQ(json["steps"][1]["operands"].size(), 2U);
  EXPECT_EQ(json["max_words_received"], json["planned_words"]);
  EXPECT_TRUE(json["ok"]);
  const auto once =
      nlohmann::json::parse(redblue("plan einsum " + chain + " -p 4 --order once --json").out);
  EXPECT_EQ(once["steps"].size(), 1U);
}

TEST(EinsumCompareCommand, TimesBothAndChecksBoth) {
  for (const char* text :
       {"\"bij,bjk->bik\" --set Nb=3,Ni=5,Nj=6,Nk=7", "\"ijk,jr,kr->ir\" --set Ni=9,Nj=8,Nk=7,Nr=6",
        "\"ij->j\" --set Ni=9,Nj=8"}) {
    const Finished run = mpirun(2, std::string("compare einsum ") + text + " --repeat 1 --json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_TRUE(json["ok"]);
    EXPECT_GT(json["reference"]["seconds"], 0);
  }
}

TEST(EinsumRunCommand, BadInputEndsOnAllRanks) {
  for (const char* bad : {"\"ij,jk->ik\" --set Ni=4,Nj=4", "\"ij->ii\" --set Ni=4,Nj=4",
                          "\"ij,jk->ik\" --set Ni=40,Nj=40,Nk=40 --memory 10",
                          "\"ij->i\" --set Ni=4,Nj=4 --repeat 0"}) {
    const Finished run = mpirun(3, std::string("run einsum ") + bad);
    EXPECT_EQ(run.status, 2) << bad;
    EXPECT_EQ(run.err.find("redblue: "), run.err.rfind("redblue: ")) << run.err;
  }
}

}  // namespace
}  // namespace redblue::test
