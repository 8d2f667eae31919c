// SPDX-License-Identifier: BSD-3-Clause
// syr2k and symm: what plan says against what a run counts, results against plain loops.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

using Json = nlohmann::json;

TEST(Symmetric, RunsMoveWhatPlansSay) {
  int cases = 0;
  for (const char* kernel : {"syr2k", "symm"}) {
    for (const auto& [ranks, sizes] :
         {std::pair{1, "-n 20 -k 7"}, std::pair{4, "-n 90 -k 40"}, std::pair{6, "-n 61 -k 300"},
          std::pair{7, "-n 150 -k 11"}, std::pair{5, "-n 3 -k 1"}}) {
      const std::string what = std::string(kernel) + " " + sizes;
      SCOPED_TRACE(what);
      const Finished planned = redblue("plan " + what + " -p " + std::to_string(ranks) + " --json");
      const Finished ran = mpirun(ranks, "run " + what + " --json");
      ASSERT_EQ(planned.status, 0) << planned.err;
      ASSERT_EQ(ran.status, 0) << ran.err << ran.out;
      const Json plan = Json::parse(planned.out);
      const Json run = Json::parse(ran.out);
      EXPECT_EQ(run["ok"], true);
      EXPECT_EQ(run["max_words_received"], plan["words_per_rank"]);
      EXPECT_NEAR(run["mean_words_received"].get<double>(),
                  plan["mean_words_per_rank"].get<double>(), 1e-9);
      EXPECT_EQ(run["messages"], plan["messages"]);
      EXPECT_LE(run["memory_words"], plan["memory_words"]);
      EXPECT_EQ(run["lower_bound"], plan["lower_bound"]);
      EXPECT_LE(plan["lower_bound"].get<double>(), plan["mean_words_per_rank"].get<double>());
      ++cases;
    }
  }
  EXPECT_EQ(cases, 10);
}

TEST(Symmetric, TooLittleMemoryIsRefused) {
  for (const char* kernel : {"syr2k", "symm"}) {
    const Finished plan =
        redblue(std::string("plan ") + kernel + " -n 100 -k 100 -p 4 --memory 1000");
    EXPECT_EQ(plan.status, 2);
    EXPECT_NE(plan.err.find("give it "), std::string::npos) << plan.err;
  }
}

}  // namespace
}  // namespace redblue::test
