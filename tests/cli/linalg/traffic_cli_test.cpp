// SPDX-License-Identifier: BSD-3-Clause
// redblue's own counts against Open MPI's transport monitoring, and both against the plan.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

// Words each rank received, from the per-sender profiles: lines "E src dst bytes .." (point
// to point) and "I src dst bytes .." (inside of collectives), or those of one kind.
std::vector<double> words_received_by_rank(const std::string& directory, int ranks,
                                           const std::string& kinds = "EI") {
  std::vector<double> words(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    std::ifstream in(directory + "/profile." + std::to_string(r) + ".prof");
    EXPECT_TRUE(in) << "no profile of rank " << r;
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string kind;
      std::size_t from = 0, to = 0;
      double bytes = 0;
      if (fields >> kind >> from >> to >> bytes && kinds.find(kind) != std::string::npos)
        words.at(to) += bytes / 8;
    }
  }
  return words;
}

// By the busiest rank.
double words_received(const std::string& directory, int ranks, const std::string& kinds = "EI") {
  const std::vector<double> words = words_received_by_rank(directory, ranks, kinds);
  return *std::max_element(words.begin(), words.end());
}

// The product's words travel from point to point, all of them counted. Collectives carry what the
// command asks of all ranks besides (times, maxima): with 32 ranks and more, Open MPI gathers it
// at one of them.
void expect_all_counted(const std::string& directory, int ranks, double counted) {
  constexpr double asked_of_each = 50;
  EXPECT_EQ(words_received(directory, ranks, "E"), counted);
  EXPECT_LE(words_received(directory, ranks, "I"), std::max(500.0, asked_of_each * ranks));
}

// Options that make Open MPI write its profiles into the directory.
std::string monitoring(const std::string& directory) {
  return "--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 "
         "--mca pml_monitoring_filename " +
         directory + "/profile";
}

class TransportOn : public testing::TestWithParam<int> {};

TEST_P(TransportOn, CountsAgree) {
  const int ranks = GetParam();
  std::vector<const char*> shapes = {"-m 1200 -n 1200 -k 1200", "-m 200 -n 200 -k 20000",
                                     "-m 20000 -n 200 -k 200", "-m 3000 -n 3000 -k 64"};
  // many ranks take long: two shapes each, in turn
  if (ranks > 13 && ranks != 16 && ranks != 32) {
    shapes = {shapes[static_cast<std::size_t>(ranks % 2)],
              shapes[static_cast<std::size_t>(2 + ranks % 2)]};
  }
  for (const char* shape : shapes) {
    const std::string directory = temporary_directory();
    const Finished run =
        mpirun(ranks, std::string("run gemm --no-check --json ") + shape, monitoring(directory));
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    const auto plan = nlohmann::json::parse(
        redblue("plan gemm --json -p " + std::to_string(ranks) + " " + shape).out);
    const double transport = words_received(directory, ranks);
    const double counted = json["max_words_received"];
    const double predicted = plan["words_per_rank"];
    SCOPED_TRACE(shape);
    EXPECT_EQ(counted, predicted);
    expect_all_counted(directory, ranks, counted);
    if (std::string(shape) == "-m 1200 -n 1200 -k 1200") {
      const std::map<int, double> most = {{7, 1.25}, {8, 1.01}, {13, 1.08}};
      if (most.count(ranks) == 0) continue;
      EXPECT_LE(transport, most.at(ranks) * json["lower_bound"].get<double>());
    }
  }
}

// All up to 16; above, primes, a square, and products of small and of large factors.
INSTANTIATE_TEST_SUITE_P(Ranks, TransportOn,
                         testing::Values(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 22,
                                         24, 25, 31, 32),
                         testing::PrintToStringParamName());

// Per rank, what others sent it by point-to-point calls: lines "E src dst bytes "bytes" messages
// ..".
std::vector<std::int64_t> messages_received_by_rank(const std::string& directory, int ranks) {
  std::vector<std::int64_t> messages(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    std::ifstream in(directory + "/profile." + std::to_string(r) + ".prof");
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string kind, unit;
      std::size_t from = 0, to = 0;
      std::int64_t bytes = 0, count = 0;
      if (fields >> kind >> from >> to >> bytes >> unit >> count && kind == "E")
        messages.at(to) += count;
    }
  }
  return messages;
}

TEST(Transport, FewMessagesByDoubling) {
  int fewer = 0;
  for (const int ranks : {2, 3, 5, 8, 12, 13, 16}) {
    for (const char* shape : {"-m 240 -n 240 -k 2400", "-m 257 -n 251 -k 263"}) {
      const std::string directory = temporary_directory();
      const Finished run =
          mpirun(ranks, std::string("run gemm --exchange doubling --no-check --json ") + shape,
                 monitoring(directory));
      ASSERT_EQ(run.status, 0) << run.err;
      const auto json = nlohmann::json::parse(run.out);
      const auto plan = nlohmann::json::parse(
          redblue("plan gemm --exchange doubling --json -p " + std::to_string(ranks) + " " + shape)
              .out);
      const std::vector<std::int64_t> messages = messages_received_by_rank(directory, ranks);
      EXPECT_EQ(*std::max_element(messages.begin(), messages.end()), plan["messages"]) << shape;
      EXPECT_EQ(json["messages"], plan["messages"]) << shape;
      EXPECT_EQ(json["max_words_received"], plan["words_per_rank"]) << shape;
      SCOPED_TRACE(shape);
      expect_all_counted(directory, ranks, json["max_words_received"]);
      fewer += plan["messages"] < ranks - 1 ? 1 : 0;
    }
  }
  EXPECT_GE(fewer, 8);
}

// A peer that multiplies by collectives alone, once and three times in a call: what the two runs
// differ in is two of its multiplications.
TEST(Transport, CompareCountsThePeersCollectives) {
  constexpr int ranks = 7;
  struct Measured {
    nlohmann::json report;
    std::vector<double> transport;
  };
  const auto measured = [](int times) {
    const std::string directory = temporary_directory();
    const Finished run =
        mpirun(ranks,
               "compare gemm -m 2000 -n 2000 -k 2000 --grid 1x7 --repeat 1 --json "
               "--scalapack " COLLECTIVE_PEER,
               monitoring(directory) + " -x REDBLUE_PEER_TIMES=" + std::to_string(times));
    EXPECT_EQ(run.status, 0) << run.err;
    return Measured{nlohmann::json::parse(run.out), words_received_by_rank(directory, ranks)};
  };
  const Measured once = measured(1);
  const Measured thrice = measured(3);
  double transport = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    transport = std::max(transport, (thrice.transport[r] - once.transport[r]) / 2);
  }
  for (const Measured& m : {once, thrice}) {
    EXPECT_GE(m.report["scalapack"]["ratio"].get<double>(), 1);
    EXPECT_FALSE(m.report["scalapack"]["below_bound"].get<bool>());
  }
  const double counted = once.report["scalapack"]["words_received"];
  EXPECT_NEAR(counted, transport, 0.01 * transport);
  EXPECT_EQ(thrice.report["scalapack"]["words_received"].get<double>(), 3 * counted);
}

// What a run of a kernel moved: by its own count, by Open MPI's, by the plan.
struct Moved {
  double counted, redistributed, transport, predicted;
};

Moved moved(int ranks, const std::string& kernel) {
  const std::string directory = temporary_directory();
  const Finished run = mpirun(ranks, "run " + kernel + " --no-check --json", monitoring(directory));
  EXPECT_EQ(run.status, 0) << run.err;
  const auto json = nlohmann::json::parse(run.out);
  return {json["max_words_received"], json["redistributed_words"], words_received(directory, ranks),
          json["predicted_words"]};
}

// The words the ScaLAPACK moved, times what is asked for; n1 n2 of the update.
TEST(Transport, UpdatesTouchNoMoreRowsThanTheirCoverings) {
  const std::map<int, double> fractions = {{4, 3 / 5.}, {7, 3 / 7.}, {13, 4 / 13.}, {16, 4 / 13.}};
  for (const auto& [ranks, f] : fractions) {
    const Moved tall = moved(ranks, "syrk -n 2048 -k 256");
    EXPECT_LE(tall.transport, 1.03 * (f - 1. / ranks) * 2048 * 256 + 500) << ranks;
    EXPECT_EQ(tall.counted, tall.predicted);
    EXPECT_NEAR(tall.transport, tall.counted, std::max(500.0, 0.01 * tall.counted));
    const Moved wide = moved(ranks, "syrk -n 256 -k 16384");
    EXPECT_LE(wide.transport, 1.05 * 256 * 255 / 2 * (1 - 1. / ranks) + 500) << ranks;
    EXPECT_EQ(wide.counted, wide.predicted);
  }
}

TEST(Transport, FactorizationsMoveLessThanScalapacks) {
  struct Case {
    int ranks;
    const char* kernel;
    double scalapack, most;
  };
  for (const Case& c :
       {Case{16, "cholesky -n 2048 --block 64", 985148, 0.80},
        Case{64, "cholesky -n 2048", 587933, 0.65}, Case{16, "lu -n 2048", 1278028, 1.0},
        Case{64, "lu -n 2048", 698894, 0.85}}) {
    const Moved m = moved(c.ranks, c.kernel);
    EXPECT_LE(m.counted, c.most * c.scalapack) << c.kernel << " on " << c.ranks;
    EXPECT_NEAR(m.counted, m.predicted, 0.05 * m.counted) << c.kernel << " on " << c.ranks;
    // the busiest ranks of both phases may differ
    EXPECT_GE(m.transport, m.counted);
    EXPECT_LE(m.transport, m.counted + m.redistributed + 2000);
  }
}

}  // namespace
}  // namespace redblue::test
