// SPDX-License-Identifier: BSD-3-Clause
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
  EXPECT_NE(text.find("C[i][j] += alpha * A[i][k] * B[k][j];"), std::string::npos);
  EXPECT_NE(text.find("void gemm(int NI"), std::string::npos);
}

TEST(Tile, CallsBlasWhereAsked) {
  const std::string file = temporary_directory() + "/calls.c";
  const std::string command = "tile " + gemm + sizes + " --effort 10";
  const auto plain = nlohmann::json::parse(redblue(command + " --json").out);
  const Finished run = redblue(command + " --json --blas -o " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_TRUE(plain["calls"].empty());
  EXPECT_EQ(json["tiled"], plain["tiled"]);
  ASSERT_EQ(json["calls"].size(), 1U);
  EXPECT_EQ(json["calls"][0].get<std::string>().rfind("S1: dgemm of ", 0), 0U);
  std::ifstream in(file);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_NE(text.find("cblas_dgemm(CblasRowMajor, CblasNoTrans"), std::string::npos) << text;
  const Finished shown = redblue(command + " --blas");
  EXPECT_NE(shown.out.find("what a call moves inside is not counted"), std::string::npos);
  const std::string stencil = REDBLUE_SOURCE_DIR "/kernels/jacobi-1d.c";
  const Finished none = redblue("tile " + stencil + " --set T=9,N=30,S=20 --effort 1 --blas");
  EXPECT_NE(none.out.find("calls of BLAS   none"), std::string::npos) << none.out;
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

// What could not be enumerated is counted, and refused with sizes that work.
TEST(Tile, MoreInstancesThanCanBeListedAreRefused) {
  const auto refused = [](const std::string& arguments, const std::string& mention,
                          const std::string& most) {
    const Finished run = redblue(arguments);
    EXPECT_EQ(run.status, 2) << arguments << run.out;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << arguments << run.err;
    EXPECT_NE(run.err.find(mention), std::string::npos) << arguments << run.err;
    EXPECT_NE(run.err.find("at most " + most), std::string::npos) << arguments << run.err;
  };
  for (const std::string command : {"tile ", "replay ", "bound --gap "}) {
    const std::string most = command == "replay " ? "5,000,000,000" : "1,000,000,000,000,000";
    const std::string cube = gemm + " --set NI=100000,NJ=100000,NK=100000,S=1024";
    refused(command + cube, "4,000,020,000,000,000", most);
    // 4 n^3 + 2 n^2 accesses
    refused(command + cube, command == "replay " ? "NI=1077,NJ=1077" : "NI=62995,NJ=62995", most);
    refused(command + gemm + " --set NI=4294967296,NJ=4294967296,NK=10,S=20",
            "774,763,251,095,801,167,872", most);
    refused(command + gemm + " --set NI=1000000000000000000,NJ=1,NK=1,S=20",
            "6,000,000,000,000,000,000", most);
  }
  const std::string graph = gemm + " --set NI=4294967296,NJ=2,NK=2 -s 8";
  for (const std::string command : {"optimum ", "schedule ", "bound "}) {
    refused("pebble " + command + graph, "25,769,803,776", "50,000,000");
  }
}

// Every instance of S0 loads its element of x and stores one of y, whatever S.
TEST(Tile, BeyondGraphsOrdersAreStreamed) {
  const std::string file = temporary_directory() + "/scale.c";
  std::ofstream(file) << "void scale(int N, double x[N], double y[N]) {\n#pragma scop\n"
                         "  for (int i = 0; i < N; i++) y[i] = 3 * x[i];\n#pragma endscop\n}\n";
  const Finished tile = redblue("tile " + file + " --set N=5000001,S=16 --for lru --json");
  ASSERT_EQ(tile.status, 0) << tile.err;
  const auto json = nlohmann::json::parse(tile.out);
  for (const std::string order : {"own", "tiled"}) {
    EXPECT_TRUE(json[order]["belady"].is_null());
    EXPECT_EQ(json[order]["lru"]["loads"], 5'000'001);
    EXPECT_EQ(json[order]["lru"]["stores"], 5'000'001);
  }
  EXPECT_EQ(json["gap"]["how"], "lru");
  EXPECT_EQ(json["gap"]["ratio"], 1);
  EXPECT_EQ(json["bound"], 10'000'002);
  const std::string large = " --set N=50000001,S=16";
  const Finished predicted = redblue("tile " + file + large + " --json");
  const auto found = nlohmann::json::parse(predicted.out);
  EXPECT_EQ(found["predicted"]["moved"], 100'000'002);
  EXPECT_EQ(found["gap"]["how"], "predicted");
  EXPECT_EQ(found["bound"], 100'000'002);
  const Finished replay = redblue("replay " + file + large);
  EXPECT_NE(replay.out.find("LRU, streamed   100,000,002"), std::string::npos) << replay.out;
  EXPECT_EQ(replay.out.find("Belady"), std::string::npos) << replay.out;
}

TEST(Tile, CoordinatesBeyondThirtyTwoBitsAreRefused) {
  const std::string file = temporary_directory() + "/far.c";
  std::ofstream(file) << "void far(long N, double A[N], double B[N]) {\n#pragma scop\n"
                         "  for (long i = N; i < N + 10; i++) B[i] = A[5*i];\n#pragma endscop\n}\n";
  EXPECT_EQ(redblue("replay " + file + " --set N=1000000,S=9").status, 0);
  const Finished coordinate = redblue("replay " + file + " --set N=1000000000,S=9");
  EXPECT_EQ(coordinate.status, 2) << coordinate.out;
  EXPECT_NE(coordinate.err.find("5000000000"), std::string::npos) << coordinate.err;
  std::ofstream(file) << "void far(long N, double A[N], double B[N]) {\n#pragma scop\n"
                         "  for (long i = 0; i < 10; i++) B[i] = A[5*N+i];\n#pragma endscop\n}\n";
  const Finished number = redblue("replay " + file + " --set N=4000000000000000000,S=9");
  EXPECT_EQ(number.status, 2) << number.out;
  EXPECT_NE(number.err.find("beyond 64 bits"), std::string::npos) << number.err;
}

TEST(Tile, NoMessageShowsALibrary) {
  const std::string file = temporary_directory() + "/checkerboard.c";
  std::ofstream(file) << "void f(int N, int T, double A[N][N]) {\n#pragma scop\n"
                         "  for (int t = 0; t < T; t++) for (int c = 0; c < 2; c++)\n"
                         "    for (int i = 1; i < N - 1; i++) for (int j = 1; j < N - 1; j++)\n"
                         "      if ((i + j) % 2 == c) A[i][j] = A[i-1][j] + A[i][j-1];\n"
                         "#pragma endscop\n}\n";
  const Finished run = redblue("tile " + file + " --set N=12,T=3,S=16 --effort 1 --json");
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.err, "");
}

TEST(Tile, PythonAndEinsums) {
  const std::string python = REDBLUE_SOURCE_DIR "/tests/frontend/lu.py --set N=12,S=16 --json";
  const std::string c = REDBLUE_SOURCE_DIR "/kernels/lu.c --set N=12,S=16 --json";
  const auto moved = [](const std::string& arguments) {
    const Finished run = redblue(arguments);
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out)["belady"];
  };
  EXPECT_EQ(moved("replay " + python), moved("replay " + c));
  EXPECT_EQ(redblue("tile --effort 1 " + python).status, 0);
  EXPECT_EQ(redblue("tile --effort 1 --einsum ij,jk-\\>ik --set Ni=8,Nj=8,Nk=8,S=16").status, 0);
}

TEST(Bound, SizesThatAreMissingAreSaid) {
  const Finished some = redblue("bound " + gemm + " --set NI=4,NJ=4");
  EXPECT_EQ(some.status, 0);
  EXPECT_NE(some.err.find("NK, S"), std::string::npos) << some.err;
  EXPECT_EQ(redblue("bound " + gemm).err, "");
  EXPECT_EQ(redblue("bound " + gemm + sizes).err, "");
  EXPECT_EQ(redblue("bound " + gemm + " --set NI=4,NJ=4,NK=4 --by-memory").err, "");
}

TEST(Bound, SizesAsTheyAreWritten) {
  const auto value = [](const std::string& set) {
    const Finished run = redblue("bound " + gemm + " --json --set " + set);
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out)["best"]["value"];
  };
  const auto plain = value("NI=1000,NJ=1500,NK=200,S=64");
  EXPECT_EQ(value("\"NI=1000, NJ = 1500 ,NK= 200, S=64\""), plain);
  EXPECT_EQ(value("NI=1e3,NJ=1.5e3,NK=2E+2,S=64"), plain);
  for (const char* wrong : {"NI=1e-3", "NI=1.25e1", "NI=1e30", "NI=1.5", "NI=e3", "NI=1,NI=2"}) {
    const Finished run = redblue("bound " + gemm + " --set " + wrong);
    EXPECT_EQ(run.status, 2) << wrong;
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
                           "Q >= 2*NI*NJ*NK/sqrt(S) + NI*NJ", "proved: "}) {
    EXPECT_NE(text.out.find(part), std::string::npos) << part;
  }
  const Finished markdown = redblue("explain " + gemm + " --markdown");
  EXPECT_NE(markdown.out.find("$$Q \\ge \\frac{2\\,\\mathit{NI}"), std::string::npos)
      << markdown.out;
  EXPECT_EQ(redblue("explain " + gemm + " --statement S9").status, 2);
  EXPECT_EQ(redblue("explain " + gemm + " --statement S1").status, 0);
}

}  // namespace
}  // namespace redblue::test
