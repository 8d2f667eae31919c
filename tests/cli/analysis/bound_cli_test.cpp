// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

const std::string source = REDBLUE_SOURCE_DIR;
const std::string gemm = source + "/kernels/gemm.c";

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
  EXPECT_NEAR(json["best"]["value"].get<double>(), 63.5e6, 3000);  // 1e6 of them stores
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

TEST(Bound, ScratchAndOutputSayWhatLeavesMemory) {
  const std::string mm = "bound " REDBLUE_SOURCE_DIR "/kernels/2mm.c";
  const Finished text = redblue(mm + " --scratch E");
  EXPECT_NE(text.out.find("outputs         D   (it outlives the function)"), std::string::npos);
  EXPECT_NE(text.out.find("dead            E: final values need not be stored   (--scratch)"),
            std::string::npos)
      << text.out;
  const auto json = nlohmann::json::parse(redblue(mm + " --scratch E --output D --json").out);
  EXPECT_EQ(json["outputs"], (std::vector<std::string>{"D"}));
  EXPECT_EQ(json["dead"], (std::vector<std::string>{"E"}));
  EXPECT_EQ(json["final_values"][0]["array"], "D");
  EXPECT_EQ(json["final_values"][0]["why"], "--output");
  EXPECT_EQ(json["final_values"][1]["output"], false);
  for (const char* both : {" --scratch D,E", " --scratch D --scratch E"}) {
    const auto none = nlohmann::json::parse(redblue(mm + both + " --json").out);
    EXPECT_TRUE(none["outputs"].empty()) << both;
  }
  const Finished wrong = redblue(mm + " --scratch tmp");
  EXPECT_EQ(wrong.status, 2);
  EXPECT_EQ(wrong.err, "redblue: --scratch tmp: two_mm has no array 'tmp'; it writes D, E\n");
  EXPECT_EQ(redblue("explain " REDBLUE_SOURCE_DIR "/kernels/2mm.c --scratch E").status, 0);
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

// The headline says for which sizes its formula holds; the ledger calls no such range proved.
TEST(Bound, SaysForWhichSizesAFormulaHolds) {
  EXPECT_NE(redblue("bound " + gemm).out.find("NI*NJ   for all sizes   (projection"),
            std::string::npos);
  const std::string banded = "bound " REDBLUE_SOURCE_DIR "/tests/programs/banded-cholesky.c";
  const Finished wide = redblue(banded);
  EXPECT_NE(wide.out.find("for N >= B + 2   (projection"), std::string::npos) << wide.out;
  EXPECT_EQ(wide.out.find("the formula is for"), std::string::npos) << wide.out;
  const Finished full = redblue(banded + " --assume \"B >= N\" --json");
  ASSERT_EQ(full.status, 0) << full.err;
  const auto json = nlohmann::json::parse(full.out);
  EXPECT_EQ(json["assume"], (std::vector<std::string>{"B >= N"}));
  EXPECT_EQ(json["best"]["leading"], "sqrt(2)*N^3/(6*sqrt(S))");
  EXPECT_EQ(json["best"]["holds_for"], "B > N");
  EXPECT_EQ(json["best"]["holds_where"][0]["left"], "B");
  const Finished narrow = redblue(banded + " --set N=100,B=2,S=16 --json");
  const auto narrow_json = nlohmann::json::parse(narrow.out);
  EXPECT_EQ(narrow_json["best"]["value"], 594);
  EXPECT_EQ(narrow_json["best"]["expression"], "2*B*N - B^2 + 2*N - B");
  EXPECT_EQ(redblue(banded + " --assume \"B >= N*N\"").status, 2);
  EXPECT_EQ(redblue(banded + " --assume \"B > N\" --assume \"B < N\"").status, 2);
  EXPECT_EQ(redblue(banded + " --assume \"B > N\" --set N=9,B=3,S=9").status, 2);
}

TEST(Bound, OfSeveralMemoriesTogether) {
  const Finished run = redblue("bound " + gemm + " -p 16");
  EXPECT_NE(run.out.find("Q >= 2*NI*NJ*NK/sqrt(S) + NI*NJ   for"), std::string::npos) << run.out;
  EXPECT_NE(run.out.find("16 fast memories"), std::string::npos) << run.out;
  EXPECT_EQ(run.out.find("sends NI*NJ/p -"), std::string::npos) << run.out;
}

TEST(Bound, TooSmallAMemoryIsRefused) {
  const Finished run = redblue("bound " + gemm + " --set NI=10,NJ=10,NK=10,S=1");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("give at least 4"), std::string::npos) << run.err;
}

// A loop that ends at its limit only is read; what cannot be read is said without a library's
// words.
TEST(Bound, MessagesShowNoLibrary) {
  const std::string directory = temporary_directory();
  std::ofstream(directory + "/ends.c")
      << "void f(int N, double A[N], double B[N]) { for (int i = 0; i != N; ++i) A[i] = B[i]; }\n";
  const Finished ends = redblue("bound " + directory + "/ends.c --json");
  ASSERT_EQ(ends.status, 0) << ends.err;
  EXPECT_EQ(nlohmann::json::parse(ends.out)["best"]["expression"], "2*N");
  std::ofstream(directory + "/endless.c")
      << "void f(int N, double A[N]) { for (int i = 1; i != 0; ++i) A[i] = 0; }\n";
  const Finished endless = redblue("bound " + directory + "/endless.c");
  EXPECT_EQ(endless.status, 2);
  EXPECT_NE(endless.err.find("endless.c:1"), std::string::npos) << endless.err;
  EXPECT_NE(endless.err.find("does not end"), std::string::npos) << endless.err;
  for (const Finished& run : {endless, redblue("bound " + gemm + " --assume \"2*NI*( >= NJ\"")}) {
    EXPECT_EQ(run.status, 2);
    for (const char* inside : {"isl", "ginac", "GiNaC", ".cpp", ".h:"})
      EXPECT_EQ(run.err.find(inside), std::string::npos) << run.err;
  }
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

// Every point of a picture is what bound and tile say of one S.
TEST(Bound, ByMemoryPlot) {
  const std::string file = temporary_directory() + "/curves.svg";
  const std::string sizes = " --set NI=8,NJ=9,NK=10";
  const Finished run = redblue("bound " + gemm + sizes + " --by-memory --json --plot " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto plot = nlohmann::json::parse(run.out)["plot"];
  EXPECT_EQ(plot["operations"], 8 * 9 + 8 * 9 * 10 * 3) << "beta, and alpha, * and + each time";
  ASSERT_GE(plot["schedules"].size(), 4);
  ASSERT_GE(plot["curves"].size(), 3);
  EXPECT_EQ(plot["curves"][0]["method"], "strongest");
  const auto value_at = [&](const auto& curve, int s) {
    for (const auto& point : curve["points"]) {
      if (point[0] == s) return point[1].template get<double>();
    }
    return -1.0;
  };
  const int s = plot["curves"][0]["points"][3][0];
  const Finished one = redblue("bound " + gemm + sizes + ",S=" + std::to_string(s) + " --json");
  const auto report = nlohmann::json::parse(one.out);
  EXPECT_EQ(value_at(plot["curves"][0], s), report["best"]["value"]);
  for (const auto& curve : plot["curves"]) {
    if (curve["method"] != "compulsory") continue;
    EXPECT_EQ(value_at(curve, s), 2 * 8 * 9 + 8 * 10 + 9 * 10);
  }
  double last = 1e300;
  for (const auto& point : plot["curves"][0]["points"]) {
    EXPECT_LE(point[1].get<double>(), last) << "a larger memory needs no more";
    last = point[1];
  }
  for (const auto& schedule : plot["schedules"]) {
    const double bound = value_at(plot["curves"][0], schedule["S"]);
    EXPECT_GE(schedule["as_scheduled"].get<double>(), bound);
    EXPECT_GE(schedule["as_written"].get<double>(), bound);
  }
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  const std::string svg = text.str();
  std::size_t lines = 0, points = 0;
  for (std::size_t at = 0; (at = svg.find("<polyline", at)) != std::string::npos; ++at) ++lines;
  for (std::size_t at = 0; (at = svg.find("<circle", at)) != std::string::npos; ++at) ++points;
  EXPECT_EQ(lines, 2 * plot["curves"].size()) << "words, and operations per word";
  EXPECT_EQ(points, 2 * 2 * plot["schedules"].size()) << "two charts";
  for (const char* wrong : {" --by-memory --plot x.png", " --plot x.svg"})
    EXPECT_EQ(redblue("bound " + gemm + sizes + wrong).status, 2) << wrong;
}

// Edges between statements of one rank have labels, which Graphviz 2.42 frees wrongly.
TEST(Explain, GraphWithLabelsInARank) {
  const std::string file = temporary_directory() + "/lenet-5.svg";
  EXPECT_EQ(redblue("explain " + source + "/kernels/lenet-5.c --graph " + file).status, 0);
}

// Which statement reads what from which, by hand for LU; the sum of 3mm's products.
TEST(Explain, GraphOfStatements) {
  const std::string file = temporary_directory() + "/statements.svg";
  const Finished run = redblue("explain " + source + "/kernels/lu.c --json --graph " + file);
  ASSERT_EQ(run.status, 0) << run.err;
  const auto graph = nlohmann::json::parse(run.out)["graph"];
  const auto reads = [&](const nlohmann::json& from, const nlohmann::json& to) {
    for (const auto& edge : graph["edges"]) {
      if (edge["from"] == from && edge["to"] == to) return edge["reads"];
    }
    return nlohmann::json(nullptr);
  };
  using Reads = std::vector<std::string>;
  EXPECT_EQ(reads("S0", "S1"), (Reads{"A[i][k]"}));
  EXPECT_EQ(reads("S1", "S1"), (Reads{"A[i][j]", "A[k][j]"}));
  EXPECT_EQ(reads("S1", "S0"), (Reads{"A[i][k]", "A[k][k]"}));
  EXPECT_EQ(reads("S0", "S0"), nullptr);
  EXPECT_EQ(reads("S0", nullptr), Reads{});
  EXPECT_EQ(graph["best"]["parts"], (std::vector<Reads>{{"S1"}}));
  std::ifstream stream(file);
  std::stringstream text;
  text << stream.rdbuf();
  EXPECT_NE(text.str().find("<svg"), std::string::npos);
  EXPECT_NE(text.str().find("S1, line"), std::string::npos);
  const Finished three = redblue("explain " + source + "/kernels/3mm.c --json");
  const auto sums = nlohmann::json::parse(three.out)["graph"]["sums"];
  ASSERT_GE(sums.size(), 1);
  EXPECT_EQ(sums[0]["parts"].size(), 3) << "three products";
  EXPECT_EQ(redblue("explain " + source + "/kernels/lu.c --graph lu.png").status, 2);
}

}  // namespace
}  // namespace redblue::test
