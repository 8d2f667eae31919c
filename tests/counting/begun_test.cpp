// SPDX-License-Identifier: BSD-3-Clause
// Code that a program gives to other threads: pthreads, tasks, sections; formulas against runs.
#include <gtest/gtest.h>

#include <algorithm>

#include "redblue/counting.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;
using Verdict = CheckedLoop::Verdict;

CountRequest created() {
  CountRequest request;
  request.file = std::string(REDBLUE_SOURCE_DIR) + "/tests/counting/sources/created.c";
  request.size_name = "nthreads";
  request.rank_name = "part_id";
  return request;
}

CountRequest tasks(const std::string& function) {
  CountRequest request;
  request.file = std::string(REDBLUE_SOURCE_DIR) + "/tests/counting/sources/tasks.c";
  request.function = function;
  request.flags = {"-fopenmp"};
  return request;
}

// Loops whose formulas equal the run, by function.
int equal(const CountRequest& request, const Sizes& sizes) {
  int found = 0;
  for (const CheckedLoop& loop : check_counts(request, sizes).loops) {
    EXPECT_NE(loop.verdict, Verdict::wrong) << loop.place.line << ", ran " << loop.ran;
    if (loop.verdict == Verdict::equal) {
      ++found;
      EXPECT_GT(loop.ran, 0) << loop.place.line;
    }
  }
  return found;
}

const CountedPlace& loop_of(const CountReport& report, const std::string& function, int line) {
  const auto found = std::find_if(
      report.loops.begin(), report.loops.end(),
      [&](const CountedPlace& loop) { return loop.function == function && loop.line == line; });
  if (found == report.loops.end()) throw std::runtime_error("no such loop");
  return *found;
}

bool in_ledger(const CountReport& report, const std::string& text) {
  return std::any_of(report.ledger.begin(), report.ledger.end(), [&](const Condition& c) {
    return c.condition.find(text) != std::string::npos;
  });
}

TEST(Pthreads, CountsOfTheBusiestThread) {
  const CountReport report = count(created());
  EXPECT_EQ(loop_of(report, "cyclic", 16).count.lower, "ceil(n/p)");
  EXPECT_EQ(loop_of(report, "triangle", 24).count.lower, "10*ceil(n/p)");
  EXPECT_EQ(loop_of(report, "same", 29).count.lower, "floor(n/p)");
  EXPECT_TRUE(in_ledger(report, "threads begun at"));
  EXPECT_TRUE(report.infinite_depth);  // one process begins them all
}

TEST(Pthreads, EqualRuns) {
  EXPECT_EQ(equal(created(), {{"n", 100}, {"nthreads", 7}}), 11);
  EXPECT_EQ(equal(created(), {{"n", 64}, {"nthreads", 4}}), 11);
}

TEST(Pthreads, WithoutNamesTheLedgerSaysWhatIsMissing) {
  CountRequest request = created();
  request.size_name.clear();
  request.rank_name.clear();
  EXPECT_TRUE(in_ledger(count(request), "is not counted"));
}

TEST(Pthreads, ANameThatNothingHas) {
  CountRequest request = created();
  request.size_name = "threads_there_are";
  EXPECT_THROW(count(request), Error);
}

TEST(Tasks, EqualTasksAreDividedEvenly) {
  const CountReport report = count(tasks("each"));
  EXPECT_EQ(loop_of(report, "each", 7).count.lower, "ceil(n/p)*m");
  EXPECT_TRUE(in_ledger(report, "a thread that is free takes the next task"));
  for (const Sizes& sizes :
       {Sizes{{"n", 10}, {"m", 5}, {"p", 3}}, Sizes{{"n", 8}, {"m", 2}, {"p", 4}}}) {
    EXPECT_EQ(equal(tasks("each"), sizes), 2);
    EXPECT_EQ(equal(tasks("loop"), sizes), 2);
  }
}

TEST(Tasks, DifferentOnesAreBounded) {
  CountRequest request = tasks("uneven");
  request.sizes = {{"n", 10}, {"p", 3}};
  const CountReport report = count(request);
  const Count& inner = loop_of(report, "uneven", 17).count;
  EXPECT_EQ(inner.lower_value, "15");  // 45 / 3
  EXPECT_EQ(inner.upper_value, "21");  // 45 / 3 + (1 - 1/3) 9
  request.sizes["p"] = 1;
  EXPECT_EQ(equal(request, {{"n", 10}, {"p", 1}}), 1);  // the creating loop; the other is within
}

TEST(Tasks, OfAllThreadsAreNotCounted) {
  EXPECT_TRUE(in_ledger(count(tasks("by_all")), "is not counted"));
}

TEST(Sections, EachRunsOnce) {
  const CountReport report = count(tasks("sections"));
  EXPECT_EQ(loop_of(report, "sections", 42).count.lower, "n");
  EXPECT_EQ(loop_of(report, "sections", 44).count.lower, "m");
  EXPECT_EQ(loop_of(report, "sections", 47).count.lower, "m*n");
  EXPECT_EQ(report.work.lower, "m*n + m + n");
  EXPECT_FALSE(report.total.exact);  // one thread may have several of them
  EXPECT_EQ(equal(tasks("sections"), {{"n", 10}, {"m", 4}, {"p", 2}}), 5);
  EXPECT_EQ(equal(tasks("sections"), {{"n", 10}, {"m", 4}, {"p", 5}}), 5);
}

}  // namespace
}  // namespace redblue
