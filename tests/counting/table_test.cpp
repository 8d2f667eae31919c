// SPDX-License-Identifier: BSD-3-Clause
// The cases of [kwasniewski2021, chapter 2]: formulas, and runs of the programs at many sizes.
#include <gtest/gtest.h>

#include "counting/count.hpp"
#include "counting/interpreter.hpp"
#include "redblue/error.hpp"

namespace redblue::counting {
namespace {

using Sizes = std::map<std::string, std::int64_t>;
using symbolic::ceil;
using symbolic::floor;

const CountedPlace& at_line(const CountReport& report, int line) {
  for (const CountedPlace& place : report.loops) {
    if (place.line == line) return place;
  }
  throw std::runtime_error("no loop at line " + std::to_string(line));
}

std::int64_t iterations(const Run& run, int line) {
  for (const auto& [loop, count] : run.iterations) {
    if (loop->at.line == line) return count;
  }
  return 0;
}

// Every loop's formula at `sizes` against the run; how many loops are exact.
int compare(const Program& p, const Sizes& sizes, const std::vector<std::string>& assumed = {}) {
  Options options;
  options.sizes = sizes;
  options.assumptions = assumed;
  const CountReport report = count(p, options);
  const Run truth = run(p, sizes);
  EXPECT_TRUE(truth.complete);
  int exact = 0;
  for (const CountedPlace& place : report.loops) {
    const std::int64_t n = iterations(truth, place.line);
    if (!place.count.lower_value || !place.count.upper_value) {
      ADD_FAILURE() << "no value: " << place.count.lower << " .. " << place.count.upper;
      continue;
    }
    EXPECT_LE(std::stoll(*place.count.lower_value), n) << place.count.lower;
    EXPECT_GE(std::stoll(*place.count.upper_value), n) << place.count.upper;
    if (place.count.exact) {
      EXPECT_EQ(std::stoll(*place.count.lower_value), n) << place.count.lower;
      ++exact;
    }
  }
  return exact;
}

TEST(Table, SortingSkeleton) {
  // for (x = 0; x < n / p; x++) for (y = 1; y < n; y *= 2) S1;
  Program p = program(
      {count_up(1, "x", 0, floor(v("n") / v("p")),
                {loop(2, {variable("y", 1, 2 * v("y"))}, {{v("y"), Relation::less, v("n")}})})},
      {"n"});
  p.processes = symbolic::symbol("p");
  const CountReport report = count(p, {{"n % p = 0", "n >= 1"}, {}, true});
  EXPECT_EQ(at_line(report, 2).count.lower, "ceil(log2(n))*n/p");
  EXPECT_TRUE(at_line(report, 2).count.exact);
  EXPECT_EQ(report.work.lower, "ceil(log2(n))*n");
  EXPECT_EQ(report.depth, "ceil(log2(n))");
  EXPECT_EQ(report.efficiency, "1");
  EXPECT_EQ(report.parallelism, "n");
  const CountReport powers = count(p, {{"n % p = 0", "n = 2^k"}, {}, true});
  EXPECT_EQ(powers.work.lower, "log2(n)*n");
  for (const std::int64_t n : {1, 2, 3, 7, 8, 9, 100, 1000}) {
    for (const std::int64_t ranks : {1, 2, 3, 16}) {
      EXPECT_EQ(compare(p, {{"n", n}, {"p", ranks}}), 2);
    }
  }
}

Program reduction(Node combine) {
  // for (i = id n / p; i < min((id + 1) n / p, n); i++) s[id] += a[i]; combine
  const Expr begin = floor(v("id") * v("n") / v("p"));
  const Expr end = symbolic::minimum(floor((v("id") + 1) * v("n") / v("p")), v("n"));
  Program p = program({count_up(1, "i", begin, end), std::move(combine)}, {"n"});
  p.processes = symbolic::symbol("p");
  p.rank = symbolic::symbol("id");
  return p;
}

std::int64_t most_loaded(const Program& p, std::int64_t n, std::int64_t processes) {
  std::int64_t most = 0;
  for (std::int64_t id = 0; id < processes; ++id) {
    std::int64_t all = 0;
    const Run one = run(p, {{"n", n}, {"p", processes}, {"id", id}});
    for (const auto& [loop, count] : one.iterations) all += count;
    most = std::max(most, all);
  }
  return most;
}

TEST(Table, LinearReduction) {
  const Program p = reduction(count_up(3, "j", 0, v("p")));
  const CountReport report = count(p);
  EXPECT_EQ(report.total.lower, "p + ceil(n/p)");
  EXPECT_TRUE(report.total.exact);
  EXPECT_EQ(report.work.lower, "n + 1");
  EXPECT_TRUE(report.infinite_depth);
  EXPECT_EQ(report.efficiency, "(n + 1)/(p^2 + ceil(n/p)*p)");
  EXPECT_EQ(report.parallelism, "sqrt(n)");
  for (const std::int64_t n : {1, 5, 64, 100}) {
    for (const std::int64_t processes : {1, 2, 3, 7, 16}) {
      const CountReport here = count(p, {{}, {{"n", n}, {"p", processes}}, true});
      EXPECT_EQ(std::stoll(*here.total.lower_value), most_loaded(p, n, processes));
    }
  }
}

TEST(Table, TreeReduction) {
  const Program p =
      reduction(loop(3, {variable("j", 1, 2 * v("j"))}, {{v("j"), Relation::less, v("p")}}));
  const CountReport report = count(p);
  EXPECT_EQ(report.total.lower, "ceil(log2(p)) + ceil(n/p)");
  EXPECT_EQ(report.work.lower, "n");
  EXPECT_TRUE(report.infinite_depth);
  EXPECT_EQ(report.efficiency, "n/(ceil(log2(p))*p + ceil(n/p)*p)");
  EXPECT_EQ(report.parallelism, "n");
  for (const std::int64_t n : {1, 5, 64, 100}) {
    for (const std::int64_t processes : {1, 2, 3, 7, 16}) {
      const CountReport here = count(p, {{}, {{"n", n}, {"p", processes}}, true});
      EXPECT_EQ(std::stoll(*here.total.lower_value), most_loaded(p, n, processes));
    }
  }
}

TEST(Table, TowardsEachOther) {
  // y = y0; z = z0; while (y < z) { y += 2; z--; }
  const Program p =
      program({loop(1, {variable("y", v("y0"), v("y") + 2), variable("z", v("z0"), v("z") - 1)},
                    {{v("y"), Relation::less, v("z")}})},
              {"y0", "z0"});
  const CountReport report = count(p, {{"z0 >= y0"}, {}, true});
  EXPECT_EQ(at_line(report, 1).count.lower, "ceil(z0/3 - y0/3)");
  for (std::int64_t y0 = -3; y0 <= 3; ++y0) {
    for (std::int64_t z0 = -10; z0 <= 10; ++z0) {
      EXPECT_EQ(compare(p, {{"y0", y0}, {"z0", z0}}), 1);
    }
  }
}

TEST(Table, Listing23) {
  // y = y0; while (y < m) { z = y; while (z < m) z++; y *= 2; }
  const Program p =
      program({loop(2, {variable("y", v("y0"), 2 * v("y"))}, {{v("y"), Relation::less, v("m")}},
                    {count_up(4, "z", v("y"), v("m"))})},
              {"y0", "m"});
  const CountReport report = count(p, {{"y0 >= 1", "m >= y0"}, {}, true});
  EXPECT_EQ(at_line(report, 4).count.lower, "ceil(log2(m/y0))*m + y0 - 2^ceil(log2(m/y0))*y0");
  EXPECT_EQ(*at_line(count(p, {{}, {{"y0", 1}, {"m", 10}}, true}), 4).count.lower_value, "25");
  EXPECT_EQ(*at_line(count(p, {{}, {{"y0", 3}, {"m", 100}}, true}), 4).count.lower_value, "411");
  for (std::int64_t y0 = 1; y0 <= 7; ++y0) {
    for (std::int64_t m = 0; m <= 40; ++m) EXPECT_EQ(compare(p, {{"y0", y0}, {"m", m}}), 2);
  }
}

// x = 1; while (x < n / p + 1) { y = x; while (y < m) { S1; y = 2 y; }
//                               z = x; while (z < m) { S2; z = z + x; } x = 2 x; }
Program listing22() {
  return program(
      {loop(
          2, {variable("x", 1, 2 * v("x"))}, {{v("x"), Relation::less, floor(v("n") / v("p")) + 1}},
          {loop(4, {variable("y", v("x"), 2 * v("y"))}, {{v("y"), Relation::less, v("m")}}),
           loop(6, {variable("z", v("x"), v("z") + v("x"))}, {{v("z"), Relation::less, v("m")}})})},
      {"n", "m", "p"});
}

TEST(Table, Listing22) {
  const Program p = listing22();
  const CountReport report = count(p, {{}, {{"n", 100}, {"p", 1}, {"m", 1000}}, true});
  const Count& s2 = at_line(report, 6).count;
  EXPECT_EQ(iterations(run(p, {{"n", 100}, {"p", 1}, {"m", 1000}}), 6), 1979);
  EXPECT_LE(std::stoll(*s2.lower_value), 1979);
  EXPECT_GE(std::stoll(*s2.lower_value), 1974);  // the paper's 1973.5
  EXPECT_GE(std::stoll(*s2.upper_value), 1979);
  EXPECT_LE(std::stoll(*s2.upper_value), 1990);  // the paper's 1990.1
  EXPECT_TRUE(at_line(report, 4).count.exact);
  for (const std::int64_t n : {0, 1, 5, 31, 32, 33, 100}) {
    for (const std::int64_t m : {0, 1, 2, 17, 64, 100, 1000}) {
      for (const std::int64_t processes : {1, 3}) {
        EXPECT_GE(compare(p, {{"n", n}, {"m", m}, {"p", processes}}), 2);
      }
    }
  }
}

// k = 1; l = 2; while (k > 0) { m = k; while (m < s) m++; k = k + l; l--; }
TEST(Table, BoundedSumsExample) {
  const Program p =
      program({loop(2, {variable("k", 1, v("k") + v("l")), variable("l", 2, v("l") - 1)},
                    {{v("k"), Relation::greater, 0}}, {count_up(4, "m", v("k"), v("s"))})},
              {"s"});
  const CountReport report = count(p, {{"s >= 4"}, {}, true});
  EXPECT_EQ(at_line(report, 2).count.lower, "6");
  EXPECT_EQ(at_line(report, 4).count.lower, "6*s - 16");
  for (std::int64_t s = 0; s <= 20; ++s) EXPECT_EQ(compare(p, {{"s", s}}), 2);
}

// for (i = 1; i <= ceil(n / 2); i++) for (j = 0; j < i; j++) S;
TEST(Table, SumToHalf) {
  const Program p =
      program({count_up(1, "i", 1, ceil(v("n") / 2) + 1, {count_up(2, "j", 0, v("i"))})}, {"n"});
  for (std::int64_t n = 0; n <= 30; ++n) {
    EXPECT_EQ(compare(p, {{"n", n}}), 2);
    const CountReport report = count(p, {{}, {{"n", n}}, true});
    const std::int64_t expected = n % 2 == 0 ? n * (n + 2) / 8 : (n + 1) * (n + 3) / 8;
    EXPECT_EQ(std::stoll(*at_line(report, 2).count.lower_value), expected);
  }
}

// do j = 1, row_size; do k = rowstr(j), rowstr(j + 1) - 1
TEST(Table, FragmentOfCG) {
  Program p = program(
      {count_up(1, "j", 1, ceil(v("na") / v("nprows")) + 1, {count_up(2, "k", v("a1"), v("a2"))})},
      {"na", "nprows"});
  p.data = {{symbolic::symbol("a1"), {"main", "test.c", 2}, "rowstr(j)"},
            {symbolic::symbol("a2"), {"main", "test.c", 2}, "rowstr(j + 1)"}};
  const CountReport report = count(p);
  EXPECT_EQ(at_line(report, 2).count.lower, "ceil(na/nprows)*u1");
  ASSERT_EQ(report.unknowns.size(), 1u);
  EXPECT_EQ(report.unknowns[0].line, 2);
  EXPECT_FALSE(at_line(report, 2).affine);
  EXPECT_TRUE(at_line(report, 1).affine);
}

TEST(Guards, EndlessLoopIsRefused) {
  const Program p =
      program({loop(1, {variable("x", v("n"), v("x"))}, {{v("x"), Relation::greater, 0}})}, {"n"});
  EXPECT_THROW(count(p), Error);
}

TEST(Assumptions, AboutUnknownSymbolsAreRefused) {
  const Program p = program({count_up(1, "i", 0, v("n"))}, {"n"});
  EXPECT_THROW(count(p, {{"q >= 3"}, {}, true}), Error);
  EXPECT_THROW(count(p, {{"n"}, {}, true}), Error);
  EXPECT_THROW(count(p, {{"n >="}, {}, true}), Error);
}

}  // namespace
}  // namespace redblue::counting
