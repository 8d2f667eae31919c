// SPDX-License-Identifier: BSD-3-Clause
// What the server's analyses answer, held against what other commands print of the same program as
// a file. The server itself: bench/hostile_inputs.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "cli/process.hpp"
#include "temporary_folder.hpp"

namespace redblue::test {
namespace {

using Json = nlohmann::json;

std::string contents(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The parts of an answer by their names; the error's is "error".
std::map<std::string, Json> analysed(const Json& request) {
  const std::string file = temporary_folder() + "/request.json";
  std::ofstream(file, std::ios::binary) << request.dump();
  const Finished run = redblue("serve --analyse <" + file);
  std::map<std::string, Json> parts;
  std::istringstream lines(run.out);
  for (std::string line; std::getline(lines, line);) {
    const Json part = Json::parse(line);
    parts[part.contains("error") ? "error" : part.at("part").get<std::string>()] = part;
  }
  EXPECT_EQ(run.status, parts.contains("error") ? 2 : 0) << run.out << run.err;
  return parts;
}

std::string error_of(const std::string& language, const std::string& source) {
  auto parts = analysed({{"language", language}, {"source", source}});
  return parts.contains("error") ? parts["error"]["error"].get<std::string>() : "";
}

double bound_of(const std::string& arguments) {
  return Json::parse(redblue("bound " + arguments + " --json").out).at("best").at("value");
}

TEST(Serve, SaysWhatBoundSaysOfTheFile) {
  const std::string kernels = REDBLUE_SOURCE_DIR "/kernels/";
  for (const auto& [name, sizes] : {std::pair("gemm", "NI=20,NJ=20,NK=20,S=64"),
                                    {"cholesky", "N=20,S=64"},
                                    {"jacobi-1d", "N=30,T=10,S=16"}}) {
    auto parts =
        analysed({{"language", "c"}, {"source", contents(kernels + name + ".c")}, {"set", sizes}});
    ASSERT_TRUE(parts.contains("done")) << name;
    EXPECT_EQ(parts["bound"]["words"], bound_of(kernels + name + ".c --set " + sizes)) << name;
    EXPECT_GE(parts["schedule"]["words"], parts["bound"]["words"]) << name;
  }
}

TEST(Serve, ReadsWhatTheFrontEndsRead) {
  const std::string loops =
      "  for (int i = 0; i < n; ++i) for (int j = 0; j < n; ++j) y[i] += A[i * n + j] * x[j];\n}\n";
  const double words = bound_of("--einsum \"ij,j->i\" --set Ni=40,Nj=40,S=256");
  for (const auto& [language, source] :
       {std::pair<std::string, std::string>("einsum", "ij,j->i"),
        {"c++",
         "#include <cmath>\n#include <vector>\n#include <cstddef>\nvoid f(int n, const "
         "std::vector<double>& A, const std::vector<double>& x, std::vector<double>& y) {\n" +
             loops},
        {"python",
         "import numpy as np\ndef f(n, A, x, y):\n    for i in range(n):\n        for j in "
         "range(n):\n            y[i] += A[i, j] * x[j]\n"}}) {
    auto parts = analysed({{"language", language}, {"source", source}});
    ASSERT_TRUE(parts.contains("bound")) << language << parts["error"];
    // y is read here and begins at nothing there.
    EXPECT_NEAR(parts["bound"]["words"].get<double>(), words, 41) << language;
  }
}

TEST(Serve, GivesSizesToWhoGivesNone) {
  auto parts = analysed({{"language", "einsum"}, {"source", "ij,j->i"}, {"set", "Ni=7"}});
  EXPECT_EQ(parts["sizes"]["set"], "Ni=7,Nj=40");
  EXPECT_EQ(parts["sizes"]["S"], 256);
  for (const char* id : {"source", "derivation", "conditions", "bounds"}) {
    bool there = false;
    for (const Json& section : parts["bound"]["sections"]) there = there || section["id"] == id;
    EXPECT_TRUE(there) << id;
  }
}

TEST(Serve, OpensNoFileOfTheMachine) {
  const std::string secret = temporary_folder() + "/secret.h";
  std::ofstream(secret) << "int N_of_the_secret;\n#error secret_words\n";
  const std::string kernel =
      "\nvoid f(int N, double *A) { for (int i = 0; i < N; i++) A[i] = 1; }\n";
  for (const std::string& file : {secret, std::string("/etc/passwd"), std::string("/dev/zero")}) {
    for (const std::string& how :
         {"#include \"" + file + "\"", "#include <" + file + ">", "%:include \"" + file + "\"",
          "#inc\\\nlude \"" + file + "\"", "#define X \"" + file + "\"\n#include X",
          "#include <../../../../../.." + file + ">", "#import \"" + file + "\"",
          "#include_next \"" + file + "\"", "const char s[] = {\n#embed \"" + file + "\"\n};"}) {
      const std::string error = error_of("c", how + kernel);
      EXPECT_NE(error, "") << how;
      EXPECT_EQ(error.find("secret_words"), std::string::npos) << error;
      EXPECT_EQ(error.find("root:"), std::string::npos) << error;
      EXPECT_EQ(error.find('\n'), std::string::npos) << error;
    }
    // Not even whether it is there.
    EXPECT_EQ(
        error_of("c", "#if __has_include(\"" + file + "\")\n#error secret_words\n#endif" + kernel),
        "");
  }
}

TEST(Serve, RunsNoSource) {
  const std::string made = temporary_folder() + "/made";
  for (const std::string& line :
       {"open('" + made + "', 'w')", "__import__('os').system('touch " + made + "')",
        "def f(n, A=open('" + made + "', 'w')):\n    for i in range(n):\n        A[i] = 1"}) {
    error_of("python", line + "\n");
    EXPECT_FALSE(std::ifstream(made).good()) << line;
  }
}

TEST(Serve, RefusesInOneLine) {
  EXPECT_NE(error_of("c", "  \n").find("paste a loop nest"), std::string::npos);
  EXPECT_NE(error_of("fortran", "x").find("choose c, c++, python or einsum"), std::string::npos);
  EXPECT_NE(error_of("c", std::string("int f(int \0n);", 14)).find("control characters"),
            std::string::npos);
  EXPECT_NE(error_of("c", std::string(300'000, ' ')).find("more than 256 kB"), std::string::npos);
  EXPECT_NE(error_of("c++", "constexpr int g() { while (true) ; return 1; } static_assert(g());"),
            "");
  EXPECT_NE(error_of("c", "#include <stdlib.h>\n#include <windows.h>\n").find("math.h"),
            std::string::npos);
  const Finished run = redblue("serve --port 99999");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("0 is any that is free"), std::string::npos) << run.err;
}

}  // namespace
}  // namespace redblue::test
