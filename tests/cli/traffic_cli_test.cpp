// redblue's own counts against Open MPI's transport monitoring, and both against the plan.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/process.hpp"

namespace redblue::test {
namespace {

// Words each rank received, from the per-sender profiles: lines "E src dst bytes .." (point to
// point) and "I src dst bytes .." (internal).
std::vector<double> words_received(const std::string& directory, int ranks) {
  std::vector<double> words(static_cast<std::size_t>(ranks));
  for (int r = 0; r < ranks; ++r) {
    std::ifstream in(directory + "/profile." + std::to_string(r) + ".prof");
    EXPECT_TRUE(in) << "no profile of rank " << r;
    for (std::string line; std::getline(in, line);) {
      std::istringstream fields(line);
      std::string kind;
      std::size_t from = 0, to = 0;
      double bytes = 0;
      if (fields >> kind >> from >> to >> bytes && (kind == "E" || kind == "I"))
        words.at(to) += bytes / 8;
    }
  }
  return words;
}

class Transport : public testing::TestWithParam<int> {};

TEST_P(Transport, CountsAgree) {
  const int ranks = GetParam();
  for (const char* shape : {"-m 1200 -n 1200 -k 1200", "-m 200 -n 200 -k 20000",
                            "-m 20000 -n 200 -k 200", "-m 3000 -n 3000 -k 64"}) {
    const std::string directory = temporary_directory();
    const Finished run =
        mpirun(ranks, std::string("run gemm --no-check --json ") + shape,
               "--mca pml_monitoring_enable 2 --mca pml_monitoring_enable_output 3 "
               "--mca pml_monitoring_filename " +
                   directory + "/profile");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto json = nlohmann::json::parse(run.out);
    const auto plan = nlohmann::json::parse(
        redblue("plan gemm --json -p " + std::to_string(ranks) + " " + shape).out);
    double transport = 0;
    for (const double w : words_received(directory, ranks)) transport = std::max(transport, w);
    const double counted = json["max_words_received"];
    const double predicted = plan["words_per_rank"];
    EXPECT_EQ(counted, predicted) << shape;
    EXPECT_LE(std::abs(transport - counted), std::max(500.0, 0.01 * counted)) << shape;
    if (std::string(shape) == "-m 1200 -n 1200 -k 1200") {
      const std::map<int, double> most = {{7, 1.25}, {8, 1.01}, {13, 1.08}};
      if (most.count(ranks) == 0) continue;
      EXPECT_LE(transport, most.at(ranks) * json["lower_bound"].get<double>());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ranks, Transport, testing::Range(2, 33),
                         testing::PrintToStringParamName());

}  // namespace
}  // namespace redblue::test
