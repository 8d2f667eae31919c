// SPDX-License-Identifier: BSD-3-Clause
// The loops of [kwasniewski2021, chapter 2] from C source: formulas, instrumented runs at three
// sizes, and efficiencies against the counts of runs.
#include <gtest/gtest.h>

#include <cmath>

#include "redblue/counting.hpp"

namespace redblue {
namespace {

using Sizes = std::vector<std::pair<std::string, std::int64_t>>;
using Texts = std::vector<std::string>;
using Verdict = CheckedLoop::Verdict;

CountRequest request(const std::string& file, const std::string& function,
                     const Texts& assumptions = {}) {
  CountRequest request;
  request.file = std::string(REDBLUE_SOURCE_DIR) + "/tests/counting/paper/" + file;
  request.function = function;
  request.assumptions = assumptions;
  if (file == "shared.c") request.flags = {"-fopenmp"};
  return request;
}

CountRequest with(CountRequest request, const Sizes& sizes) {
  for (const auto& [name, value] : sizes) request.sizes[name] = value;
  return request;
}

std::int64_t number(const std::optional<std::string>& value) {
  if (!value) throw std::runtime_error("no value");
  return std::stoll(*value);
}

// Runs it at the sizes: every loop's formula equals the run or holds it. What the loops of the last
// source line ran.
std::int64_t last_loop_ran(const CountRequest& request, const Sizes& sizes, bool all_exact) {
  const CountCheck check = check_counts(request, sizes);
  const CheckedLoop* last = nullptr;
  for (const CheckedLoop& loop : check.loops) {
    const Count& count = loop.place.count;
    EXPECT_TRUE(loop.verdict == Verdict::equal || (!all_exact && loop.verdict == Verdict::within))
        << loop.place.line << ": " << count.lower << " .. " << count.upper << ", ran " << loop.ran;
    if (last == nullptr || loop.place.line > last->place.line) last = &loop;
  }
  return last == nullptr ? -1 : last->ran;
}

struct Row {
  std::string file, function;
  Texts assumptions;
  std::string formula;  // of the loop in the last line; empty where it has bounds
  std::vector<std::pair<Sizes, std::int64_t>> runs;  // sizes, and the paper's value for that loop
};

std::ostream& operator<<(std::ostream& out, const Row& row) {
  return out << row.function;
}

class Paper : public testing::TestWithParam<Row> {};

TEST_P(Paper, FormulaAndRuns) {
  const Row& row = GetParam();
  const CountReport report = count(request(row.file, row.function, row.assumptions));
  ASSERT_FALSE(report.loops.empty());
  EXPECT_TRUE(report.unknowns.empty());
  const Count& last = report.loops.back().count;
  if (!row.formula.empty()) {
    EXPECT_EQ(last.lower, row.formula);
    EXPECT_TRUE(last.exact);
  }
  for (const auto& [sizes, expected] : row.runs) {
    const CountRequest here = request(row.file, row.function, row.assumptions);
    EXPECT_EQ(last_loop_ran(here, sizes, !row.formula.empty()), expected);
  }
}

// How often S2 of Listing 2.2 runs.
std::int64_t s2(std::int64_t n, std::int64_t m, std::int64_t p) {
  std::int64_t total = 0;
  for (std::int64_t x = 1; x < n / p + 1; x *= 2) total += x < m ? (m - 1) / x : 0;
  return total;
}

std::int64_t triangle(std::int64_t h) {
  return h * (h + 1) / 2;
}

INSTANTIATE_TEST_SUITE_P(
    Table, Paper,
    testing::Values(
        Row{"shared.c",
            "sorting",
            {"n % p = 0", "n >= 1"},
            "ceil(log2(n))*n/p",
            {{{{"n", 64}, {"p", 4}}, 96},
             {{{"n", 99}, {"p", 3}}, 231},
             {{{"n", 7}, {"p", 1}}, 21}}},
        Row{"sequential.c",
            "towards_each_other",
            {"z0 >= y0"},
            "ceil(z0/3 - y0/3)",
            {{{{"y0", 0}, {"z0", 10}}, 4},
             {{{"y0", 3}, {"z0", 30}}, 9},
             {{{"y0", 5}, {"z0", 5}}, 0}}},
        Row{"sequential.c",
            "listing_2_3",
            {"y0 >= 1", "m >= y0"},
            "ceil(log2(m/y0))*m + y0 - 2^ceil(log2(m/y0))*y0",
            {{{{"y0", 1}, {"m", 10}}, 25},
             {{{"y0", 3}, {"m", 100}}, 411},
             {{{"y0", 4}, {"m", 4}}, 0}}},
        Row{"sequential.c",
            "bounded_sums",
            {"s >= 4"},
            "6*s - 16",
            {{{{"s", 4}}, 8}, {{{"s", 20}}, 104}, {{{"s", 100}}, 584}}},
        Row{"sequential.c",
            "sum_to_half",
            {},
            "floor(n/2 + 1/2)/2 + floor(n/2 + 1/2)^2/2",
            {{{{"n", 10}}, triangle(5)}, {{{"n", 11}}, triangle(6)}, {{{"n", 100}}, triangle(50)}}},
        Row{"shared.c",
            "linear_reduction",
            {},
            "p",
            {{{{"n", 64}, {"p", 4}}, 4}, {{{"n", 100}, {"p", 7}}, 7}, {{{"n", 3}, {"p", 1}}, 1}}},
        Row{"shared.c",
            "tree_reduction",
            {},
            "ceil(log2(p))",
            {{{{"n", 64}, {"p", 4}}, 2}, {{{"n", 100}, {"p", 7}}, 3}, {{{"n", 3}, {"p", 1}}, 0}}},
        Row{"shared.c",
            "listing_2_2",
            {},
            "",
            {{{{"n", 100}, {"m", 1000}, {"p", 1}}, 1979},
             {{{"n", 100}, {"m", 1000}, {"p", 3}}, s2(100, 1000, 3)},
             {{{"n", 33}, {"m", 77}, {"p", 4}}, s2(33, 77, 4)}}}));

// 2m (1 - 1/X) - log2 X <= N <= m (2 - 1/X), X = ceil(n/p + 1), holds for our bounds as well.
TEST(Listing22, BoundsAreWithinThoseOfThePaper) {
  const Sizes sizes{{"n", 100}, {"m", 1000}, {"p", 1}};
  const CountReport report = count(with(request("shared.c", "listing_2_2"), sizes));
  const Count& s2 = report.loops.back().count;
  EXPECT_GE(number(s2.lower_value), 1974);  // the paper's 1973.5
  EXPECT_LE(number(s2.lower_value), 1979);
  EXPECT_GE(number(s2.upper_value), 1979);
  EXPECT_LE(number(s2.upper_value), 1990);  // the paper's 1990.1
}

// j < rows: ceil(na / nprows); the entries of a row: u, in the line of their loop.
TEST(FragmentOfCG, RowsTimesASymbol) {
  const CountReport report = count(request("sequential.c", "fragment_of_cg"));
  ASSERT_EQ(report.loops.size(), 2U);
  EXPECT_EQ(report.loops[0].count.lower, "ceil(na/nprows)");
  EXPECT_EQ(report.loops[1].count.lower, "ceil(na/nprows)*u1");
  EXPECT_TRUE(report.loops[0].affine);
  EXPECT_FALSE(report.loops[1].affine);
  ASSERT_EQ(report.unknowns.size(), 1U);
  EXPECT_EQ(report.unknowns[0].line, report.loops[1].line);
  for (const Sizes& sizes : {Sizes{{"na", 10}, {"nprows", 3}}, Sizes{{"na", 12}, {"nprows", 4}},
                             Sizes{{"na", 1}, {"nprows", 1}}}) {
    const CountCheck check = check_counts(request("sequential.c", "fragment_of_cg"), sizes);
    EXPECT_EQ(check.loops.front().verdict, Verdict::equal);
    // Rows of zeros: entries of none, u1 = 0.
    Sizes with_entries = sizes;
    with_entries.emplace_back("u1", 0);
    const CountReport empty = count(with(request("sequential.c", "fragment_of_cg"), with_entries));
    EXPECT_EQ(number(empty.loops[1].count.lower_value), check.loops.back().ran);
  }
}

struct Parallel {
  std::string function;
  Texts assumptions;
  Formula total, work, depth, efficiency, parallelism;  // no depth: it is infinite
  std::vector<Sizes> sizes;                             // without p
};

std::ostream& operator<<(std::ostream& out, const Parallel& row) {
  return out << row.function;
}

class Efficiencies : public testing::TestWithParam<Parallel> {};

TEST_P(Efficiencies, Formulas) {
  const Parallel& row = GetParam();
  const CountReport report = count(request("shared.c", row.function, row.assumptions));
  EXPECT_EQ(report.total.lower, row.total);
  EXPECT_TRUE(report.total.exact);
  EXPECT_EQ(report.work.lower, row.work);
  EXPECT_TRUE(report.parallel);
  EXPECT_EQ(report.depth, row.depth);
  EXPECT_EQ(report.infinite_depth, row.depth.empty());
  EXPECT_EQ(report.efficiency, row.efficiency);
  EXPECT_EQ(report.parallelism, row.parallelism);
}

// T_1 / (p T_p) from the counts of the busiest process. At the number of processes named the count
// is the least but for two roundings, and more processes do not lessen it.
TEST_P(Efficiencies, AreThoseOfTheCounts) {
  const Parallel& row = GetParam();
  for (const Sizes& sizes : row.sizes) {
    const auto at = [&](std::int64_t p) {
      Sizes all = sizes;
      all.emplace_back("p", p);
      return count(with(request("shared.c", row.function), all));
    };
    const CountReport alone = at(1);
    const std::int64_t most = alone.parallelism_value.value_or(0);
    ASSERT_GE(most, 1);
    std::int64_t best = number(alone.total.lower_value);
    for (const std::int64_t p : {2, 3, 4, 8, 16}) {
      const CountReport report = at(p);
      const auto t = static_cast<double>(number(report.total.lower_value));
      ASSERT_TRUE(report.efficiency_value);
      if (t > 0) {
        EXPECT_NEAR(
            *report.efficiency_value,
            static_cast<double>(number(alone.total.lower_value)) / (static_cast<double>(p) * t),
            1e-12);
      }
      best = std::min(best, number(report.total.lower_value));
    }
    const std::int64_t there = number(at(most).total.lower_value);
    EXPECT_LE(there, best + 2);
    if (row.assumptions.empty()) {
      EXPECT_GE(number(at(2 * most).total.lower_value), there);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Table, Efficiencies,
                         testing::Values(Parallel{"sorting",
                                                  {"n % p = 0", "n >= 1"},
                                                  "ceil(log2(n))*n/p",
                                                  "ceil(log2(n))*n",
                                                  "ceil(log2(n))",
                                                  "1",
                                                  "n",
                                                  {{{"n", 48}}, {{"n", 96}}, {{"n", 144}}}},
                                         Parallel{"linear_reduction",
                                                  {},
                                                  "p + ceil(n/p)",
                                                  "n + 1",
                                                  {},
                                                  "(n + 1)/(p^2 + ceil(n/p)*p)",
                                                  "sqrt(n)",
                                                  {{{"n", 16}}, {{"n", 100}}, {{"n", 1000}}}},
                                         Parallel{"tree_reduction",
                                                  {},
                                                  "ceil(log2(p)) + ceil(n/p)",
                                                  "n",
                                                  {},
                                                  "n/(ceil(log2(p))*p + ceil(n/p)*p)",
                                                  "n",
                                                  {{{"n", 16}}, {{"n", 100}}, {{"n", 1000}}}}));

}  // namespace
}  // namespace redblue
