#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

const std::string gemm = REDBLUE_SOURCE_DIR "/kernels/gemm.c";

TEST(Bound, JsonKeysOthersRelyOn) {
  const Finished run = redblue("bound " + gemm + " --set NI=1000,NJ=1000,NK=1000,S=1024 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["program"], "gemm");
  EXPECT_EQ(json["parameters"], (std::vector<std::string>{"NI", "NJ", "NK"}));
  EXPECT_EQ(json["statements"][1]["name"], "S1");
  EXPECT_EQ(json["statements"][1]["count"], "NI*NJ*NK");
  EXPECT_EQ(json["best"]["leading"], "2*NI*NJ*NK/sqrt(S)");
  EXPECT_EQ(json["best"]["method"], "projection");
  EXPECT_EQ(json["best_assumed"]["expression"], json["best"]["expression"]);
  EXPECT_NEAR(json["best"]["value"].get<double>(), 62.5e6, 3000);
  bool found = false;
  for (const auto& bound : json["bounds"]) {
    for (const char* key : {"method", "leading", "expression", "value", "tiles", "ledger"})
      EXPECT_TRUE(bound.contains(key));
    if (bound["leading"] != "2*NI*NJ*NK/sqrt(S)") continue;
    found = true;
    EXPECT_EQ(bound["tiles"]["i"], "sqrt(S)");
    EXPECT_EQ(bound["ledger"][0]["status"], "proved");
    EXPECT_TRUE(bound["ledger"][0].contains("condition"));
  }
  EXPECT_TRUE(found);
}

TEST(Bound, FlagsGoToTheCompiler) {
  const std::string directory = temporary_directory();
  std::ofstream(directory + "/size.h") << "#define SIZE n\n";
  std::ofstream(directory + "/k.c")
      << "#include <math.h>\n#include \"size.h\"\nvoid f(int n, double *x) {\n"
         "  for (int i = 0; i < SIZE; i++) x[i] = sqrt(x[i]) * SCALE;\n}\n";
  const Finished run =
      redblue("bound " + directory + "/k.c --function f --json -- -I" + directory + " -DSCALE=2");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(nlohmann::json::parse(run.out)["best"]["leading"], "2*n");
  EXPECT_EQ(redblue("bound " + directory + "/k.c -- -I" + directory).status, 2);
}

TEST(Bound, ReadsAsText) {
  const Finished run = redblue("bound " + gemm);
  EXPECT_EQ(run.status, 0);
  EXPECT_NE(run.out.find("2*NI*NJ*NK/sqrt(S)"), std::string::npos);
  EXPECT_NE(run.out.find("proved"), std::string::npos);
  EXPECT_EQ(run.out.find('\033'), std::string::npos);
  EXPECT_TRUE(run.err.empty());
}

TEST(Bound, ByMemory) {
  const Finished run = redblue("bound " + gemm + " --set NI=40,NJ=50,NK=60 --by-memory --json");
  EXPECT_EQ(run.status, 0) << run.err;
  const auto pieces = nlohmann::json::parse(run.out)["by_memory"];
  ASSERT_EQ(pieces.size(), 2);
  EXPECT_EQ(pieces[0]["from"], 8);
  EXPECT_EQ(pieces[0]["to"].get<int>() + 1, pieces[1]["from"]);
  EXPECT_EQ(pieces[1]["bound"]["method"], "compulsory");
  EXPECT_TRUE(pieces[1]["to"].is_null());
  EXPECT_EQ(redblue("bound " + gemm + " --set NI=40,NJ=50,NK=60,S=64 --by-memory").status, 2);
  EXPECT_EQ(redblue("bound " + gemm + " --set NI=40 --by-memory").status, 2);
}

}  // namespace
}  // namespace redblue::test
