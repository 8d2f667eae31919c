// SPDX-License-Identifier: BSD-3-Clause
// Counts of source files: every formula against an instrumented run of the same file.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "kernel_names.hpp"
#include "redblue/analysis.hpp"
#include "redblue/counting.hpp"
#include "redblue/error.hpp"

namespace redblue {
namespace {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;
using Verdict = CheckedLoop::Verdict;

CountRequest request(const std::string& file, const std::string& function) {
  CountRequest request;
  request.file = std::string(REDBLUE_SOURCE_DIR) + "/tests/counting/sources/" + file;
  request.function = function;
  return request;
}

struct Case {
  std::string file, function;
  std::vector<Sizes> sizes;
  bool all_exact = true;  // every loop has one formula and is equal; else within bounds or unknown
  std::vector<std::string> flags = {};
};

std::ostream& operator<<(std::ostream& out, const Case& c) {
  return out << c.file << " " << c.function;
}

class Sources : public testing::TestWithParam<Case> {};

TEST_P(Sources, FormulasEqualRuns) {
  const Case& c = GetParam();
  CountRequest at = request(c.file, c.function);
  at.flags = c.flags;
  for (const Sizes& sizes : c.sizes) {
    const CountCheck check = check_counts(at, sizes);
    EXPECT_FALSE(check.loops.empty());
    for (const CheckedLoop& loop : check.loops) {
      EXPECT_NE(loop.verdict, Verdict::wrong)
          << loop.place.line << ": " << loop.place.count.lower << " .. " << loop.place.count.upper
          << ", ran " << loop.ran;
      if (c.all_exact) {
        EXPECT_EQ(loop.verdict, Verdict::equal) << loop.place.line;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Paper, Sources,
    testing::Values(
        Case{"paper.c",
             "sorting",
             {{{"n", 64}, {"p", 4}}, {{"n", 100}, {"p", 7}}, {{"n", 1}, {"p", 1}}}},
        Case{"paper.c",
             "coupled",
             {{{"y0", 0}, {"z0", 10}}, {{"y0", 3}, {"z0", 28}}, {{"y0", 9}, {"z0", 4}}}},
        Case{"paper.c",
             "nested",
             {{{"y0", 1}, {"m", 10}}, {{"y0", 3}, {"m", 100}}, {{"y0", 5}, {"m", 5}}}},
        Case{"paper.c",
             "multipath",
             {{{"n", 100}, {"p", 1}, {"m", 1000}},
              {{"n", 33}, {"p", 4}, {"m", 77}},
              {{"n", 7}, {"p", 2}, {"m", 9}}},
             false},
        Case{"paper.c", "bounded", {{{"s", 20}}, {{"s", 100}}, {{"s", 51}}}, false},
        Case{"paper.c",
             "linear_reduction",
             {{{"n", 64}, {"p", 4}}, {{"n", 100}, {"p", 7}}, {{"n", 3}, {"p", 5}}}},
        Case{"paper.c",
             "tree_reduction",
             {{{"n", 64}, {"p", 4}}, {{"n", 100}, {"p", 7}}, {{"n", 3}, {"p", 5}}}},
        Case{"paper.c", "half", {{{"n", 10}}, {{"n", 11}}, {{"n", 100}}}},
        Case{"paper.c",
             "sparse",
             {{{"na", 10}, {"nprows", 3}}, {{"na", 12}, {"nprows", 4}}, {{"na", 5}, {"nprows", 1}}},
             false}));

INSTANTIATE_TEST_SUITE_P(
    Pointers, Sources,
    testing::Values(
        Case{"pointers.c", "allocated", {{{"n", 7}, {"m", 3}}, {{"n", 0}, {"m", 5}}}},
        Case{"pointers.c", "element", {{{"n", 7}, {"k", 1}}, {{"n", 7}, {"k", 2}}}, false},
        Case{"pointers.c", "changed", {{{"n", 7}}, {{"n", 0}}}, false},
        Case{"pointers.c", "renamed", {{{"n", 7}, {"m", 1}}, {{"n", 3}, {"m", 2}}}, false}));

INSTANTIATE_TEST_SUITE_P(
    Ways, Sources,
    testing::Values(Case{"ways.c", "calls", {{{"n", 0}}, {{"n", 9}}}},
                    Case{"ways.c",
                         "members",
                         {{{"g_nx", 5}, {"g_ny", 9}, {"N", 4}},
                          {{"g_nx", 9}, {"g_ny", 5}, {"N", 0}}}},
                    Case{"ways.c",
                         "conditions",
                         {{{"n", 17}, {"m", 5}}, {{"n", 17}, {"m", 25}}, {{"n", 30}, {"m", 8}}}},
                    Case{"ways.c",
                         "ends",
                         {{{"n", 17}, {"m", 5}}, {{"n", 1}, {"m", 2}}, {{"n", 100}, {"m", 3}}}},
                    Case{"ways.c", "wraps", {{{"n", 1}}, {{"n", 17}}, {{"n", 64}}}},
                    Case{"ways.c", "steps", {{{"n", 1}}, {{"n", 27}}, {{"n", 100}}}},
                    Case{"ways.c", "choices", {{{"n", 1}}, {{"n", 2}}, {{"n", 20}}}},
                    Case{"ways.c", "renamed", {Sizes{}}, false},
                    Case{"ways.c", "listed", {{{"n", 1}}, {{"n", 4}}}, false},
                    Case{"ways.c", "left", {{{"n", 3}, {"m", 0}}, {{"n", 3}, {"m", 4}}}, false},
                    Case{"ways.c",
                         "chosen",
                         {{{"n", 7}, {"m", 6}}, {{"n", 3}, {"m", 1}}, {{"n", 2}, {"m", 9}}}}));

INSTANTIATE_TEST_SUITE_P(
    Filled, Sources,
    testing::Values(Case{"filled.c", "lengths", {{{"n", 7}, {"m", 3}}, {{"n", 0}, {"m", 5}}}},
                    Case{"filled.c", "chosen", {{{"n", 7}, {"m", 3}}, {{"n", 6}, {"m", 6}}}},
                    Case{"filled.c", "changed", {{{"n", 30}}, {{"n", 3}}}, false},
                    Case{"filled.c", "rounds", {{{"n", 9}}}, false},
                    Case{"filled.c", "zeros", {{{"n", 9}}}, false},
                    Case{"filled.c", "shifted", {{{"n", 9}}}, false},
                    Case{"filled.c", "rest", {{{"n", 9}, {"m", 5}}, {{"n", 3}, {"m", 8}}}, false},
                    Case{"filled.f90", "received", {{{"n", 7}, {"m", 3}}, {{"n", 6}, {"m", 6}}}}));

TEST(Filled, AssumptionStandsInTheLedger) {
  const CountReport report = count(request("filled.c", "chosen"));
  const auto says = [](const Condition& c) {
    return c.condition.starts_with("elements of length that ") &&
           c.condition.ends_with("filled.c:14");
  };
  EXPECT_TRUE(std::any_of(report.ledger.begin(), report.ledger.end(), says));
}

// Elsewhere nothing is known of the elements.
TEST(Filled, OtherArraysAreData) {
  for (const char* function : {"changed", "rounds", "zeros", "shifted"}) {
    const CountReport report = count(request("filled.c", function));
    EXPECT_EQ(report.unknowns.size(), 1U) << function;
  }
}

TEST(Filled, StartThatDataChooseIsBounded) {
  const CountReport report = count(request("filled.c", "rest"));
  ASSERT_EQ(report.unknowns.size(), 1U);
  EXPECT_EQ(report.unknowns.back().at_most, "m");
  ASSERT_EQ(report.loops.size(), 2U);
  EXPECT_TRUE(report.loops.back().affine);
}

INSTANTIATE_TEST_SUITE_P(
    Languages, Sources,
    testing::Values(Case{"vectors.cpp", "templates", {{{"n", 5}, {"m", 3}}}},
                    Case{"vectors.cpp", "range", {{{"v_size", 0}}, {{"v_size", 12}}}},
                    Case{"vectors.cpp", "iterators", {{{"v_size", 12}}}},
                    Case{"vectors.cpp", "lambda", {{{"g_nx", 4}, {"g_ny", 3}, {"m", 5}}}},
                    Case{"arrays.f90", "arrays", {{{"n", 1}}, {{"n", 9}}, {{"n", 10}}}},
                    Case{"program.f90", "", {{{"p", 1}}, {{"p", 3}}}, true, {"-fopenmp"}},
                    Case{"orphans.c", "", {{{"p", 1}}, {{"p", 3}}}, true, {"-fopenmp"}},
                    Case{"chosen_rank.c", "", {{{"p", 4}}}, false, {"-fopenmp"}},
                    Case{"threads.c",
                         "collapsed",
                         {{{"n", 5}, {"m", 7}, {"p", 3}}, {{"n", 4}, {"m", 4}, {"p", 1}}},
                         true,
                         {"-fopenmp"}},
                    Case{"threads.c",
                         "summed",
                         {{{"n", 17}, {"p", 4}}, {{"n", 3}, {"p", 2}}},
                         true,
                         {"-fopenmp"}},
                    Case{"threads.c",
                         "shared",
                         {{{"n", 17}, {"m", 5}, {"p", 3}},
                          {{"n", 16}, {"m", 2}, {"p", 4}},
                          {{"n", 5}, {"m", 3}, {"p", 1}}},
                         false,
                         {"-fopenmp"}}));

class Kernels : public testing::TestWithParam<std::string> {};

// Every statement's number of instances, as isl counts it, is how often some loop or statement of
// the counted program runs, and all loops are exact and as often run.
TEST_P(Kernels, CountsAreThoseOfIsl) {
  if (GetParam() == "horizontal-diffusion") {
    // Bounds that differ at i == 1 and at i == I - 2 are beyond the sums: they count as symbols.
    CountRequest request;
    request.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/horizontal-diffusion.c";
    EXPECT_FALSE(count(request).unknowns.empty()) << "exact now: compare it like the others";
    return;
  }
  const std::string file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/" + GetParam() + ".c";
  BoundRequest bound;
  bound.file = file;
  const BoundedProgram program(bound);
  CountRequest counted;
  counted.file = file;
  Sizes sizes;
  std::map<std::string, double> values;
  std::int64_t size = 7;
  for (const std::string& name : program.parameters()) {
    sizes.emplace_back(name, size);
    values[name] = static_cast<double>(size);
    counted.sizes[name] = size;
    size += 2;
  }
  const CountReport report = count(counted);
  std::vector<double> counts;
  for (const auto* places : {&report.loops, &report.statements}) {
    for (const CountedPlace& place : *places) {
      EXPECT_TRUE(place.count.exact) << place.line;
      ASSERT_TRUE(place.count.lower_value) << place.line;
      counts.push_back(std::stod(*place.count.lower_value));
    }
  }
  for (const StatementInfo& statement : program.statements()) {
    const double wanted = statement.count.at(values);
    EXPECT_NE(std::find(counts.begin(), counts.end(), wanted), counts.end())
        << statement.name << " in line " << statement.line << ": " << wanted;
  }
  for (const CheckedLoop& loop : check_counts(counted, sizes).loops) {
    EXPECT_EQ(loop.verdict, Verdict::equal) << loop.place.line << ", ran " << loop.ran;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kernels, testing::ValuesIn(test::kernel_names()),
                         [](const auto& kernel) { return test::as_test_name(kernel.param); });

TEST(Source, OperationsOfGemm) {
  CountRequest gemm;
  gemm.file = std::string(REDBLUE_SOURCE_DIR) + "/kernels/gemm.c";
  gemm.sizes = {{"NI", 10}, {"NJ", 11}, {"NK", 12}};
  const CountReport report = count(gemm);
  // C *= beta: 1 flop, 1 load, 1 store; C += alpha A B: 3 flops, 3 loads, 1 store
  EXPECT_EQ(report.operations.flops.at("f64").lower_value, std::to_string(110 + 3 * 1320));
  EXPECT_EQ(report.operations.loads.at("f64").lower_value, std::to_string(110 + 3 * 1320));
  EXPECT_EQ(report.operations.stores.at("f64").lower_value, std::to_string(110 + 1320));
}

TEST(Source, CallsThroughPointersAreThoseOfTheFile) {
  CountRequest at = request("ways.c", "chosen_call");
  at.sizes = {{"n", 6}, {"m", 4}};
  const CountReport report = count(at);
  std::map<std::string, CountedPlace> by_function;
  for (const CountedPlace& loop : report.loops) by_function[loop.function + loop.name] = loop;
  EXPECT_EQ(by_function.at("chosen_callj").count.lower_value, "24");
  EXPECT_EQ(by_function.count("oncei"), 1U);
  EXPECT_EQ(by_function.count("twicei"), 1U);
  EXPECT_TRUE(std::any_of(report.ledger.begin(), report.ledger.end(), [](const Condition& c) {
    return c.condition.find("is one of once, twice") != std::string::npos;
  }));
}

// A loop outside of regions is not divided: 100 iterations by one thread, 90 shared by three.
TEST(Source, OrphanedLoopsOutsideOfRegionsAreNotShared) {
  CountRequest at = request("orphans.c", "");
  at.flags = {"-fopenmp"};
  at.sizes = {{"p", 3}};
  double most = 0;
  for (const CountedPlace& loop : count(at).loops) most += std::stod(*loop.count.lower_value);
  EXPECT_EQ(most, 100 + 30);
}

// Of 40 elements 19 are above 20.5; then of 30 all that stayed above 5.5. What is a run's own is
// compared, also where two calls lead to the same loop.
TEST(Source, BranchesAndValuesAreMeasured) {
  std::map<Verdict, int> verdicts;
  for (const CheckedLoop& loop : check_counts(request("measured.c", ""), {}).loops) {
    ++verdicts[loop.verdict];
    EXPECT_NE(loop.verdict, Verdict::wrong) << loop.place.line;
    EXPECT_NE(loop.verdict, Verdict::not_compared) << loop.place.line;
  }
  EXPECT_GE(verdicts[Verdict::equal_measured], 2);
}

TEST(Source, TasksStandInTheLedger) {
  CountRequest at = request("tasks.c", "by_all");
  at.flags = {"-fopenmp"};
  const CountReport report = count(at);
  EXPECT_TRUE(std::any_of(report.ledger.begin(), report.ledger.end(), [](const Condition& c) {
    return c.condition.find("the task begun at") != std::string::npos;
  }));
}

TEST(Source, WhatDataDecideHasAPlace) {
  const CountReport report = count(request("paper.c", "sparse"));
  ASSERT_EQ(report.unknowns.size(), 1U);
  EXPECT_EQ(report.unknowns[0].line, 69);
  EXPECT_EQ(report.unknowns[0].function, "sparse");
}

}  // namespace
}  // namespace redblue
