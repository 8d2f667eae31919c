// SPDX-License-Identifier: BSD-3-Clause
// plan, run and compare of syrk, cholesky, lu and trsm.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

TEST(Factor, PlansHaveTheKeysOthersRelyOn) {
  for (const char* kernel :
       {"syrk -n 2048 -k 256", "cholesky -n 2048", "lu -n 2048 -m 3000", "trsm -n 2048 -k 300"}) {
    const Finished run = redblue(std::string("plan ") + kernel + " -p 12,13 --json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    ASSERT_EQ(json.size(), 2U);
    for (const auto& plan : json) {
      EXPECT_EQ(plan["max_words_received"], plan["words_per_rank"]);  // its old name
      for (const char* key : {"ranks", "decomposition", "words_per_rank", "ratio", "messages",
                              "memory_words", "predicted_seconds", "lower_bound"}) {
        EXPECT_TRUE(plan.contains(key)) << key;
      }
      EXPECT_GT(plan["lower_bound"].get<double>(), 0) << kernel;
      EXPECT_GE(plan["ratio"].get<double>(), 1) << kernel;
      EXPECT_LE(plan["lower_bound"], plan["mean_words_per_rank"]) << kernel;
      EXPECT_LE(plan["mean_words_per_rank"], plan["words_per_rank"]) << kernel;
      const bool solves = std::string(kernel).starts_with("trsm");
      EXPECT_GE(plan["alternatives"].size(), solves ? 0U : 2U);
    }
  }
}

TEST(Factor, RunsAreRightAndMoveWhatThePlanSays) {
  int means = 0;
  for (const int ranks : {1, 3, 7}) {
    for (const std::string& type : ranks == 7 ? std::vector<std::string>{"s", "d", "c", "z"}
                                              : std::vector<std::string>{"d"}) {
      for (const char* kernel : {"syrk -n 300 -k 200", "cholesky -n 500", "lu -n 500",
                                 "lu -m 700 -n 400", "trsm -n 500 -k 90"}) {
        const Finished run = mpirun(ranks, std::string("run ") + kernel + " --json --type " + type);
        ASSERT_EQ(run.status, 0) << kernel << run.err;
        const auto json = nlohmann::json::parse(run.out);
        EXPECT_EQ(json["ok"], true) << kernel;
        const double counted = json["max_words_received"];
        EXPECT_NEAR(counted, json["predicted_words"].get<double>(),
                    std::string(kernel).starts_with("lu") ? 0.1 * counted + 1 : 0)
            << kernel << type;
        const auto plan = nlohmann::json::parse(
            redblue(std::string("plan ") + kernel + " --json -p " + std::to_string(ranks)).out);
        if (plan["decomposition"] != json["decomposition"]) continue;  // the layout had a say
        const double mean = json["mean_words_received"];
        EXPECT_NEAR(mean, plan["mean_words_per_rank"].get<double>(),
                    std::string(kernel).starts_with("lu") ? 0.1 * mean + 1 : 1e-6 * mean + 1e-6)
            << kernel << type;
        EXPECT_LE(json["lower_bound"].get<double>(), mean + 1e-6) << kernel;
        ++means;
      }
    }
  }
  EXPECT_GE(means, 19);
}

TEST(Factor, ComparesWithScalapack) {
  for (const char* kernel :
       {"syrk -n 200 -k 90", "cholesky -n 200", "lu -n 200", "lu -m 150 -n 200 --type z",
        "cholesky -n 150 --type c", "trsm -n 200 -k 30", "trsm -n 100 -k 200 --type c"}) {
    const Finished run =
        mpirun(4, std::string("compare ") + kernel + " --block 16 --repeat 2 --json");
    ASSERT_EQ(run.status, 0) << kernel << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_TRUE(json["lower_bound"].is_number()) << kernel;
    for (const char* side : {"redblue", "scalapack"}) {
      EXPECT_LT(json[side]["residual"].get<double>(), 1) << kernel << side;
      EXPECT_GT(json[side]["words_received"].get<double>(), 0) << kernel << side;
    }
  }
}

TEST(Factor, ComparesPlansOfFewestWordsOrLeastTime) {
  for (const std::string kernel : {"cholesky -n 200 --block 4", "lu -n 300", "trsm -n 300 -k 30"}) {
    std::map<std::string, nlohmann::json> by;
    for (const std::string objective : {"words", "time"}) {
      const Finished run =
          mpirun(4, "compare " + kernel + " --repeat 2 --json --minimise " + objective);
      ASSERT_EQ(run.status, 0) << kernel << run.err;
      by[objective] = nlohmann::json::parse(run.out)["redblue"];
      EXPECT_EQ(by[objective]["ok"], true) << kernel;
    }
    EXPECT_LE(by["words"]["words_received"], by["time"]["words_received"]) << kernel;
    if (kernel.substr(0, 4) != "trsm") {
      EXPECT_NE(by["words"]["name"], by["time"]["name"]) << kernel;
    }
  }
  const Finished run = mpirun(2, "compare lu -n 30 --minimise messages");
  EXPECT_EQ(run.status, 2) << run.err;
}

TEST(Trsv, PlansAndRunsHaveTheKeysOthersRelyOn) {
  const Finished plan = redblue("plan trsv -n 64 --block 8 -p 8 --json");
  ASSERT_EQ(plan.status, 0) << plan.err;
  const auto planned = nlohmann::json::parse(plan.out);
  EXPECT_EQ(planned["scheme"], "wavefront");
  EXPECT_EQ(planned["leading"]["flops"], 1024);
  EXPECT_EQ(planned["leading"]["path_words"], 128);
  EXPECT_EQ(planned["leading"]["synchronisations"], 16);
  EXPECT_GE(planned["alternatives"].size(), 3U);
  for (const char* scheme : {"wavefront", "in-place"}) {
    const Finished run = mpirun(3, std::string("run trsv -n 300 --triangle upper --op c --type z "
                                               "--block 32 --json --scheme ") +
                                       scheme);
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["scheme"], scheme);
    EXPECT_EQ(json["ok"], true);
    for (const auto& [counted, predicted] : {std::pair{"max_words_received", "predicted_words"},
                                             {"messages", "predicted_messages"},
                                             {"synchronisations", "predicted_synchronisations"},
                                             {"flops", "predicted_flops"},
                                             {"path_words", "predicted_path_words"}}) {
      EXPECT_GT(json[counted], 0) << counted;
      EXPECT_EQ(json[counted], json[predicted]) << counted;
    }
  }
}

TEST(Trsv, ComparesWithScalapack) {
  for (const char* form : {" --op t --unit", " --triangle upper --op c"}) {
    const Finished run =
        mpirun(4, std::string("compare trsv -n 200 --block 16 --repeat 2 --json --type z") + form);
    ASSERT_EQ(run.status, 0) << form << run.err;
    const auto json = nlohmann::json::parse(run.out);
    EXPECT_EQ(json["ok"], true) << form;
    EXPECT_GT(json["synchronisations"], 0) << form;
    EXPECT_LT(json["scalapack"]["residual"].get<double>(), 1) << form;
  }
}

TEST(Trsv, RefusesBadInputOnEveryRankCount) {
  for (const char* wrong : {"run trsv -n -1", "run trsv -n 10 --block 0", "compare trsv -n 0"}) {
    for (const int ranks : {1, 3}) {
      const Finished run = mpirun(ranks, wrong);
      EXPECT_EQ(run.status, 2) << wrong << run.out;
      EXPECT_EQ(run.out, "") << wrong;
    }
  }
}

TEST(Factor, LayersMoveLessWhereRanksAreMany) {
  const auto words = [](const std::string& options) {
    const Finished run = redblue("plan lu -n 4096 -p 256 --json " + options);
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out);
  };
  const auto chosen = words("");
  const auto flat = words("--layers 1");
  EXPECT_LT(chosen["words_per_rank"], 0.9 * flat["words_per_rank"].get<double>());
  // copies take memory
  const std::string little = flat["memory_words"].dump();
  EXPECT_EQ(words("--memory " + little)["decomposition"], flat["decomposition"]);
  const Finished run = redblue("plan lu -n 4096 -p 256 --memory 1000");
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.err.find("the least that does is"), std::string::npos) << run.err;
}

TEST(Factor, LayeredRunsMoveWhatThePlanSays) {
  for (const char* options : {"7 --replicas 2", "8 --layers 2", "12 --layers 3 --block 24"}) {
    const std::string text = options;
    const auto space = text.find(' ');
    for (const std::string kernel : {"lu", "cholesky"}) {
      const Finished run =
          mpirun(std::stoi(text), "run " + kernel + " -n 600 --json" + text.substr(space));
      ASSERT_EQ(run.status, 0) << options << run.err;
      const auto json = nlohmann::json::parse(run.out);
      EXPECT_EQ(json["ok"], true) << options;
      const double counted = json["max_words_received"];
      EXPECT_NEAR(counted, json["predicted_words"].get<double>(),
                  kernel == "lu" ? 0.05 * counted : 0)
          << options;
    }
  }
}

}  // namespace
}  // namespace redblue::test
