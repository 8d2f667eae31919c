// SPDX-License-Identifier: BSD-3-Clause
// Runs GoogleTest's tests on every rank: run under mpirun. All ranks go through the same tests and
// say what they find; a filter that leaves none is a failure. Tests use EXPECT, not ASSERT: a rank
// that left a test early would leave the others waiting.
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdio>
#include <string>

#include "comm/communicator.hpp"

namespace {

class FailuresOfRank : public testing::EmptyTestEventListener {
 public:
  FailuresOfRank(int rank, int ranks) : rank_(rank), ranks_(ranks) {}

  void OnTestStart(const testing::TestInfo& test) override {
    test_ = std::string(test.test_suite_name()) + "." + test.name();
  }
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "rank %d of %d: %s: %s:%d: %s\n", rank_, ranks_, test_.c_str(),
                 result.file_name(), result.line_number(), result.message());
  }

 private:
  int rank_, ranks_;
  std::string test_;
};

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const redblue::comm::Session session;
  redblue::comm::Communicator world(MPI_COMM_WORLD);
  const int rank = world.rank().value;
  testing::TestEventListeners& listeners = testing::UnitTest::GetInstance()->listeners();
  if (rank != 0) {
    delete listeners.Release(listeners.default_result_printer());
    listeners.Append(new FailuresOfRank(rank, world.size()));
  }
  const int failed = RUN_ALL_TESTS();
  const bool any = testing::UnitTest::GetInstance()->test_to_run_count() > 0;
  if (!any && rank == 0) std::fprintf(stderr, "no test matches the filter\n");
  return world.all(failed == 0 && any) ? 0 : 1;
}
