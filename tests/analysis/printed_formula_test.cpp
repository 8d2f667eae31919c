// SPDX-License-Identifier: BSD-3-Clause
// Printed theorems are true: the formulas of all kernels, and of programs whose formulas differ
// from one range of sizes to the next.
#include "analysis/printed_formula.hpp"

#include <cstdlib>

#include "kernel_names.hpp"
#include "redblue/error.hpp"

namespace redblue::test {
namespace {

BoundRequest program_named(const std::string& name) {
  return {REDBLUE_SOURCE_DIR "/tests/programs/" + name + ".c", "", {}, {}};
}

// All parameters around n; more of them equal, or each smallest or largest once.
std::vector<SizeMap> sizes_around(const std::vector<std::string>& parameters,
                                  const std::vector<std::int64_t>& around) {
  std::vector<SizeMap> result;
  for (const std::int64_t n : around) {
    SizeMap all;
    for (const std::string& p : parameters) all[p] = n;
    result.push_back(all);
    for (const std::string& p : parameters) {
      for (const std::int64_t other : {n / 3 + 1, n + 1, 2 * n + 1}) {
        result.push_back(all);
        result.back()[p] = other;
      }
    }
  }
  return result;
}

// All parameters the same.
std::vector<SizeMap> equal_sizes(const std::vector<std::string>& parameters,
                                 const std::vector<std::int64_t>& sizes) {
  std::vector<SizeMap> result;
  for (const std::int64_t n : sizes) {
    result.emplace_back();
    for (const std::string& p : parameters) result.back()[p] = n;
  }
  return result;
}

// A sweep over many sizes takes an hour: with REDBLUE_ALL_SIZES in the environment only.
bool all_sizes() {
  return std::getenv("REDBLUE_ALL_SIZES") != nullptr;
}

class PrintedFormula : public testing::TestWithParam<std::string> {};

TEST_P(PrintedFormula, OfAKernelIsNoMoreThanReplays) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c", "", {}, {}};
  const BoundedProgram program(request);
  const PrintedFormulas found =
      all_sizes()
          ? check_printed_formulas(request, sizes_around(program.parameters(), {1, 2, 3, 6}),
                                   {4, 5, 7, 12, 33}, 0, 4'000)
          : check_printed_formulas(request, equal_sizes(program.parameters(), {1, 3, 5, 8}),
                                   {5, 12}, 0, 70'000);
  // Sweeps over the smallest meshes are empty.
  EXPECT_GT(found.best_claimed, 0);
  EXPECT_GE(found.best_claimed * 3, found.best_looked_at) << "formulas that claim nothing";
}

TEST_P(PrintedFormula, OfAKernelIsNoMoreThanItsValue) {
  const BoundedProgram program({REDBLUE_SOURCE_DIR "/kernels/" + GetParam() + ".c", "", {}, {}});
  PrintedFormulas found;
  for (SizeMap sizes : all_sizes() ? sizes_around(program.parameters(), {100})
                                   : equal_sizes(program.parameters(), {100})) {
    for (const std::int64_t s : {64, 1000}) {
      sizes["S"] = s;
      found += check_formulas_by_values(program, sizes);
    }
    sizes["S"] = 77;
    found += check_formulas_by_values(program, sizes, 16);
  }
  EXPECT_GE(found.claimed * 10, found.looked_at * 8) << "formulas that claim nothing";
}

INSTANTIATE_TEST_SUITE_P(Kernels, PrintedFormula, testing::ValuesIn(kernel_names()),
                         [](const auto& kernel) { return as_test_name(kernel.param); });

struct Case {
  std::string program;
  std::vector<SizeMap> sizes;
  std::vector<std::int64_t> memories;
};

// Formulas of which 0.1 printed one range's as if it were for all sizes.
TEST(PrintedFormula, DiffersFromOneRangeToTheNext) {
  const std::vector<Case> cases = {
      {"banded-cholesky",
       {{{"N", 40}, {"B", 2}},
        {{"N", 12}, {"B", 5}},
        {{"N", 12}, {"B", 11}},
        {{"N", 12}, {"B", 12}},
        {{"N", 9}, {"B", 30}},
        {{"N", 3}, {"B", 0}},
        {{"N", 1}, {"B", 1}},
        {{"N", 0}, {"B", 0}}},
       {8, 40}},
      {"householder",
       {{{"M", 100}, {"N", 10}},
        {{"M", 20}, {"N", 10}},
        {{"M", 10}, {"N", 10}},
        {{"M", 9}, {"N", 10}},
        {{"M", 4}, {"N", 12}},
        {{"M", 5}, {"N", 1}},
        {{"M", 1}, {"N", 5}}},
       {20, 1000}},
      {"branches",
       {{{"M", 17}, {"N", 100}},
        {{"M", 100}, {"N", 17}},
        {{"M", 9}, {"N", 9}},
        {{"M", 1}, {"N", 7}},
        {{"M", 7}, {"N", 1}},
        {{"M", 0}, {"N", 3}}},
       {4, 50}},
      {"three-body", {{{"N", 12}}, {{"N", 20}}, {{"N", 3}}, {{"N", 1}}}, {5, 6, 7, 9, 15, 30}}};
  for (const Case& c : cases) {
    const PrintedFormulas found =
        check_printed_formulas(program_named(c.program), c.sizes, c.memories, 0, 40'000);
    EXPECT_GT(found.best_looked_at, 10) << c.program;
    EXPECT_GE(found.best_claimed * 2, found.best_looked_at) << c.program;
    EXPECT_GT(found.above_zero, 4) << c.program;
  }
}

// Given sizes get the formula of their range, and the rest is declared.
TEST(PrintedFormula, IsForTheSizesGivenOrAssumed) {
  BoundRequest request = program_named("householder");
  request.sizes = {{"M", 100}, {"N", 10}, {"S", 1000}};
  for (const LowerBound& bound : lower_bounds(request).bounds) {
    if (bound.method != "wavefront") continue;
    EXPECT_TRUE(bound.holds_at(request.sizes));
  }
  request.sizes.clear();
  const auto holds = [&request](std::int64_t m, std::int64_t n) {
    const BoundReport report = lower_bounds(request);
    return report.bounds[report.best].holds_at({{"M", m}, {"N", n}, {"S", 64}});
  };
  request.assume = {"M >= N"};
  EXPECT_TRUE(holds(1000, 500));
  request.assume = {"M <= 2*N - 3*N/2"};
  EXPECT_TRUE(holds(400, 1000));
  EXPECT_FALSE(holds(1000, 400));
  request.assume = {};
  request.small = {"M"};
  EXPECT_TRUE(holds(400, 1000));
  for (const char* wrong : {"M", "M >= N*N", "M >= Q", "M < 0", "M + >= N"}) {
    request.assume = {wrong};
    EXPECT_THROW(lower_bounds(request), Error) << wrong;
  }
}

// What a ledger calls proved is no restriction of the sizes.
TEST(PrintedFormula, LedgersNameNoSizes) {
  for (const char* name : {"banded-cholesky", "householder", "branches"}) {
    for (const LowerBound& bound : lower_bounds(program_named(name)).bounds) {
      for (const Condition& c : bound.ledger)
        EXPECT_EQ(c.condition.find("sizes in"), std::string::npos) << c.condition;
    }
  }
}

// X_0 = 3 S / 2 is no whole number for every S.
TEST(PrintedFormula, RoundsSegmentsThatAreNoWholeNumbers) {
  const BoundedProgram program(program_named("three-body"));
  PrintedFormulas found;
  for (std::int64_t s = 5; s < 60; ++s)
    found += check_formulas_by_values(program, {{"N", 64}, {"S", s}});
  EXPECT_GT(found.above_zero, 80);
  EXPECT_GE(found.claimed * 2, found.looked_at);
}

// Formula and value speak of the same number of memories.
TEST(PrintedFormula, IsForTheMemoriesAskedFor) {
  const BoundedProgram gemm({REDBLUE_SOURCE_DIR "/kernels/gemm.c", "", {}, {}});
  const SizeMap sizes = {{"NI", 100}, {"NJ", 100}, {"NK", 100}, {"S", 100}};
  const BoundReport report = gemm.at(sizes, 16);
  const LowerBound& best = report.bounds[report.best];
  EXPECT_NEAR(formula_at(best.expression, sizes), *best.value, 0.01 * *best.value);
  const BoundReport general = gemm.at({}, 16);
  EXPECT_EQ(general.bounds[general.best].expression, "2*NI*NJ*NK/sqrt(S) + NI*NJ");
  // Segments cut by loads and stores: the last of each memory may leave values to the others.
  const BoundReport jacobi =
      BoundedProgram({REDBLUE_SOURCE_DIR "/kernels/jacobi-1d.c", "", {}, {}}).at({}, 16);
  EXPECT_NE(jacobi.bounds[jacobi.best].expression.text().find("- 32*S"), std::string::npos)
      << jacobi.bounds[jacobi.best].expression;
  for (const LowerBound& bound : general.bounds) {
    if (bound.busiest.empty()) continue;
    EXPECT_GT(formula_at(bound.busiest, {{"NI", 1000}, {"NJ", 1000}, {"NK", 1000}, {"p", 16}}), 0)
        << bound.busiest;
  }
}

TEST(PrintedFormula, MemoriesTooSmallForAVertexAreRefused) {
  BoundRequest request{REDBLUE_SOURCE_DIR "/kernels/gemm.c", "", {}, {}};
  request.sizes = {{"NI", 10}, {"NJ", 10}, {"NK", 10}, {"S", 1}};
  try {
    lower_bounds(request);
    ADD_FAILURE() << "S = 1 was taken";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("give at least 4"), std::string::npos) << e.what();
    EXPECT_EQ(e.least(), 4);
    EXPECT_EQ(e.asked() + ": " + e.found() + "; " + e.remedy(), e.what());
  }
  request.sizes["S"] = 4;
  EXPECT_EQ(lower_bounds(request).least_s, 4);
}

// Tiles are boxes of at least one point along every loop that need X_0 words at most and have the
// bound's intensity.
int check_tiles(const BoundReport& report) {
  int checked = 0;
  for (const LowerBound& bound : report.bounds) {
    if (bound.tiles.empty() || bound.segment.empty() || bound.projections.empty()) continue;
    ++checked;
    for (const double s : {1024.0, 1e6, 1e9}) {
      std::map<std::string, double> sides;
      double volume = 1;
      for (const auto& [loop, size] : bound.tiles) {
        sides[loop] = size.at({{"S", s}});
        EXPECT_GE(sides[loop], 1 - 1e-9) << report.program << " " << loop << " " << size;
        volume *= sides[loop];
      }
      if (s < 1e6) continue;  // projections that do not limit the set count little, for large S
      double needed = 0;
      for (const LowerBound::Projection& p : bound.projections) {
        double words = p.weight.at({});
        for (const std::string& loop : p.loops) words *= sides.at(loop);
        needed += words;
      }
      const double x = bound.segment.at({{"S", s}});
      const double intensity = bound.intensity.at({{"S", s}});
      EXPECT_LE(needed, 1.01 * x) << report.program << " " << bound.statement;
      EXPECT_NEAR(volume / (x - s), intensity, 0.01 * intensity)
          << report.program << " " << bound.statement;
    }
  }
  return checked;
}

TEST(Tiles, ReachTheBoundOrAreNotPrinted) {
  int checked = 0;
  for (const std::string& kernel : kernel_names())
    checked +=
        check_tiles(lower_bounds({REDBLUE_SOURCE_DIR "/kernels/" + kernel + ".c", "", {}, {}}));
  EXPECT_GT(checked, 30);
  for (const char* einsum :
       {"bij,bjk->bik", "Z = attention(Q:hlp, K:hmp, V:hmp); layernorm(Z:hlp, p)", "eijk,li->eljk",
        "nc(2h+r)(2w+s),kcrs->nkhw", "txyc,xyck->txyk", "ijk,jr,kr->ir"}) {
    BoundRequest request;
    request.einsum = einsum;
    EXPECT_GT(check_tiles(lower_bounds(request)), 0) << einsum;
  }
}

TEST(Tiles, OfABatchAreThoseOfItsProducts) {
  BoundRequest request;
  request.einsum = "bij,bjk->bik";
  const BoundReport report = lower_bounds(request);
  for (const auto& [loop, size] : report.bounds[report.best].tiles)
    EXPECT_EQ(size, loop == "b" ? "1" : "sqrt(S)") << loop;
}

}  // namespace
}  // namespace redblue::test
