// SPDX-License-Identifier: BSD-3-Clause
// Stencil programs from C files on ranks: checked runs, and one line for what is none.
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

std::string kernel(const std::string& name) {
  return std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + name + ".c";
}

// Lines of the command's own; mpirun says more.
int lines_of_redblue(const std::string& text) {
  int count = 0;
  for (std::size_t at = text.find("redblue: "); at != std::string::npos;
       at = text.find("redblue: ", at + 1))
    ++count;
  return count;
}

TEST(StencilSourceRun, IsTheSequentialProgramAndAboveTheBound) {
  const Finished run =
      mpirun(4, "run stencil " + kernel("jacobi-2d") + " --set T=20,N=90 --scheme pa0 --json");
  ASSERT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json["ok"], true);
  EXPECT_EQ(json["checked"], true);
  EXPECT_EQ(json["scheme"], "pa0");
  EXPECT_EQ(json["synchronisations"], 20);  // one a step
  EXPECT_EQ(json["steps"], 20);
  EXPECT_GT(json["lower_bound"].get<double>(), 0);
  EXPECT_GE(json["ratio"].get<double>(), 1);
  const Finished plan =
      redblue("plan stencil " + kernel("jacobi-2d") + " --set T=20,N=90 --scheme pa0 -p 4 --json");
  ASSERT_EQ(plan.status, 0) << plan.err;
  const auto planned = nlohmann::json::parse(plan.out);
  for (const char* key :
       {"max_words_received", "synchronisations", "updates", "flops", "lower_bound", "ratio"})
    EXPECT_EQ(planned[key], json[key]) << key;
}

TEST(StencilSourceRun, SaysInOneLineWhatIsNoStencil) {
  for (const int ranks : {1, 3}) {
    for (const std::string& arguments :
         {kernel("seidel-2d") + " --set T=4,N=30", kernel("jacobi-2d") + " --set T=4,N=2",
          kernel("jacobi-2d") + " --set T=4", kernel("cholesky") + " --set N=30",
          std::string("none.c --set N=30")}) {
      const Finished run = mpirun(ranks, "run stencil " + arguments);
      EXPECT_EQ(run.status, 2) << arguments << run.err;
      EXPECT_EQ(lines_of_redblue(run.err), 1) << run.err;
    }
  }
}

TEST(StencilSourceRun, TheCompilersErrorIsOneLineOnAllRanks) {
  const Finished run = mpirun(
      2, "run stencil " + kernel("jacobi-1d") + " --set T=4,N=30 -- -DREDBLUE_TEST -fno-such-flag");
  EXPECT_EQ(run.status, 2) << run.err;
  EXPECT_EQ(lines_of_redblue(run.err), 1) << run.err;
}

}  // namespace
}  // namespace redblue::test
