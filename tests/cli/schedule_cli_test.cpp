#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

const std::string gemm = REDBLUE_SOURCE_DIR "/kernels/gemm.c";
const std::string sizes = " --set NI=40,NJ=40,NK=40,S=128";

TEST(Tile, WritesCAndSaysWhatItMoves) {
  const std::string file = temporary_directory() + "/tiled.c";
  const Finished run = redblue("tile " + gemm + sizes + " --effort 10 --json -o " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_LT(json["tiled"]["belady"]["moved"].get<int>(), json["own"]["belady"]["moved"].get<int>());
  EXPECT_EQ(json["gap"]["upper"], json["tiled"]["belady"]["moved"]);
  EXPECT_GE(json["gap"]["ratio"].get<double>(), 1);
  EXPECT_FALSE(json["bands"].empty());
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("redblue_S1("), std::string::npos);
  EXPECT_NE(text.find("void gemm(int NI"), std::string::npos);
}

TEST(Tile, ReplayOfTheProgramAsWritten) {
  const Finished tile = redblue("tile " + gemm + sizes + " --effort 1 --json");
  const Finished replay = redblue("replay " + gemm + sizes + " --json");
  ASSERT_EQ(replay.status, 0) << replay.err;
  EXPECT_EQ(nlohmann::json::parse(replay.out), nlohmann::json::parse(tile.out)["own"]);
}

TEST(Tile, BadInputIsOneLine) {
  const std::vector<std::string> all = {"tile " + gemm + " --set NI=4,NJ=4,NK=4",
                                        "tile " + gemm + " --set NI=4,NJ=4,S=16",
                                        "tile " + gemm + sizes + ",X=3",
                                        "replay " + gemm + " --set NI=4,NJ=4,NK=4,S=2",
                                        "tile " + gemm + sizes + " --for fifo",
                                        "tile nofile.py --set S=4",
                                        "replay"};
  for (const std::string& arguments : all) {
    const Finished run = redblue(arguments);
    EXPECT_EQ(run.status, 2) << arguments << run.out;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << arguments << run.err;
  }
}

TEST(Bound, GapIsUpperOverLower) {
  const Finished run = redblue("bound " + gemm + sizes + " --gap --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["gap"]["lower"], json["best"]["value"]);
  EXPECT_GE(json["gap"]["upper"].get<double>(), json["gap"]["lower"].get<double>());
}

TEST(Bound, SmallParametersChooseTheBound) {
  const std::string file = REDBLUE_SOURCE_DIR "/kernels/convolution.c";
  const auto leading = [&file](const std::string& more) {
    return nlohmann::json::parse(
        redblue("bound " + file + " --json " + more).out)["best"]["leading"];
  };
  EXPECT_EQ(leading("--small R,Q"), "2*C*H*K*N*Q*R*W/(sqrt(Q*R)*sqrt(S))");
  EXPECT_EQ(leading(""), "C*H*K*N*Q*R*W/S");
  EXPECT_EQ(redblue("bound " + file + " --small Z").status, 2);
}

TEST(Bound, SeveralMemoriesMoveMoreTogether) {
  const auto value = [](const std::string& more) {
    const Finished run =
        redblue("bound " + gemm + " --set NI=200,NJ=200,NK=200,S=64 --json " + more);
    return nlohmann::json::parse(run.out)["best"]["value"].get<double>();
  };
  EXPECT_LE(value("-p 8"), value(""));  // each has a last segment of its own
  EXPECT_GT(value("-p 8"), 0.9 * value(""));
  EXPECT_EQ(redblue("bound " + gemm + " -p 0").status, 2);
}

TEST(Explain, SaysWhatABoundRestsOn) {
  const Finished text = redblue("explain " + gemm);
  ASSERT_EQ(text.status, 0) << text.err;
  for (const char* part : {"A[i][k]: one value for every (i, k)", "X_0 = 3*S", "rho = sqrt(S)/2",
                           "Q >= 2*NI*NJ*NK/sqrt(S) - 2*S", "proved: "}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
  }
  const Finished markdown = redblue("explain " + gemm + " --markdown");
  EXPECT_NE(markdown.out.find("$$Q \\ge 2\\,\\mathit{NI}"), std::string::npos) << markdown.out;
  EXPECT_EQ(redblue("explain " + gemm + " --statement S9").status, 2);
  EXPECT_EQ(redblue("explain " + gemm + " --statement S1").status, 0);
}

}  // namespace
}  // namespace redblue::test
