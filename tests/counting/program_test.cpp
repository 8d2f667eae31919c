// SPDX-License-Identifier: BSD-3-Clause
// Calls, data, schedules and what is assumed.
#include <gtest/gtest.h>

#include "counting/count.hpp"
#include "counting/interpreter.hpp"
#include "redblue/error.hpp"

namespace redblue::counting {
namespace {

using symbolic::ceil;
using symbolic::floor;
using symbolic::symbol;

const CountedPlace& at_line(const CountReport& report, int line) {
  for (const CountedPlace& place : report.loops) {
    if (place.line == line) return place;
  }
  throw std::runtime_error("no loop at line " + std::to_string(line));
}

std::string value(const CountReport& report, int line) {
  const Count& c = at_line(report, line).count;
  return c.exact && c.lower_value ? *c.lower_value : "none";
}

// f(k): for (j = 0; j < k; j++); called for k = i and for k = 2 n.
TEST(Calls, AddUpOverTheirPlaces) {
  Program p =
      program({count_up(1, "i", 0, v("n"), {{Call{{"main", "test.c", 2}, "f", {v("i")}, {}}}}),
               {Call{{"main", "test.c", 3}, "f", {2 * v("n")}, symbol("r")}},
               count_up(4, "t", 0, v("r"))},
              {"n"});
  p.functions["f"] = {"f", {symbol("k")}, {count_up(11, "j", 0, v("k"))}, v("k") + 1};
  const CountReport report = count(p);
  EXPECT_EQ(at_line(report, 11).count.lower, "n^2/2 + 3*n/2");
  EXPECT_EQ(at_line(report, 4).count.lower, "2*n + 1");
}

TEST(Calls, RecursionIsASymbol) {
  Program p = program({{Call{{"main", "test.c", 2}, "f", {v("n")}, {}}}}, {"n"});
  p.functions["f"] = {"f",
                      {symbol("k")},
                      {count_up(11, "j", 0, 7), {Call{{"f", "test.c", 12}, "f", {v("k") - 1}, {}}}},
                      std::nullopt};
  const CountReport report = count(p);
  EXPECT_EQ(at_line(report, 11).count.lower, "7*u1");
  ASSERT_EQ(report.unknowns.size(), 1u);
}

// for (i = 0; i < n; i++) { for (k = 0; k < 100; k++) if (data) break; }
TEST(Data, LoopsThatEndEarlyAreBounded) {
  Node inner = count_up(2, "k", 0, 100);
  std::get<Loop>(inner.is).ends_early = true;
  const Program p = program({count_up(1, "i", 0, v("n"), {inner})}, {"n"});
  const CountReport report = count(p, {{"u1 <= 50"}, {}, true});
  EXPECT_EQ(at_line(report, 2).count.lower, "n*u1");
  ASSERT_EQ(report.unknowns.size(), 1u);
  EXPECT_EQ(report.unknowns[0].at_most, "100");
}

// A condition on data, and a loop that depends on data within one whose count depends on data.
TEST(Data, ConditionsAndNestsAreSymbolsOfTheirOwn) {
  Branch branch;
  branch.at = {"main", "test.c", 2};
  branch.paths.push_back({{}, true, {count_up(3, "k", 0, v("i"))}});
  Node data = count_up(5, "a", 0, v("d"), {count_up(6, "b", 0, v("a")), count_up(7, "c", 0, 3)});
  Program p = program({count_up(1, "i", 0, v("n"), {{branch}, data})}, {"n"});
  p.data = {{symbol("d"), {"main", "test.c", 5}, "d[i]"}};
  const CountReport report = count(p);
  EXPECT_EQ(at_line(report, 1).count.lower, "n");
  EXPECT_FALSE(at_line(report, 3).affine);  // its count and the condition may go together
  EXPECT_EQ(at_line(report, 7).count.lower, "3*n*u3");
  EXPECT_FALSE(at_line(report, 6).affine);
}

Program shared(Division division, std::optional<Expr> chunk, Body body) {
  Node outer = count_up(1, "i", 0, v("n"), std::move(body));
  std::get<Loop>(outer.is).schedule = Schedule{division, std::move(chunk)};
  Program p = program({outer}, {"n"});
  p.processes = symbol("p");
  return p;
}

TEST(Schedules, TheMostLoadedProcess) {
  EXPECT_EQ(at_line(count(shared(Division::fixed, {}, {})), 1).count.lower, "ceil(n/p)");
  for (std::int64_t n = 0; n <= 20; ++n) {
    for (std::int64_t processes = 1; processes <= 5; ++processes) {
      for (std::int64_t chunk = 1; chunk <= 4; ++chunk) {
        std::vector<std::int64_t> load(static_cast<std::size_t>(processes), 0);
        for (std::int64_t i = 0; i < n; ++i) {
          ++load[static_cast<std::size_t>(i / chunk % processes)];
        }
        const std::int64_t most = *std::max_element(load.begin(), load.end());
        const CountReport report =
            count(shared(Division::fixed, Expr(static_cast<long>(chunk)), {}),
                  {{}, {{"n", n}, {"p", processes}}, true});
        EXPECT_EQ(value(report, 1), std::to_string(most)) << n << " " << processes << " " << chunk;
      }
    }
  }
}

// Blocks of a triangle: the last (first) block is the largest.
TEST(Schedules, Triangles) {
  for (std::int64_t n = 0; n <= 20; ++n) {
    for (std::int64_t processes = 1; processes <= 5; ++processes) {
      for (const bool rises : {true, false}) {
        std::int64_t most = 0;
        std::int64_t begin = 0;
        for (std::int64_t t = 0; t < processes; ++t) {
          const std::int64_t size = n / processes + (t < n % processes ? 1 : 0);
          std::int64_t load = 0;
          for (std::int64_t i = begin; i < begin + size; ++i) load += rises ? i : n - i;
          begin += size;
          most = std::max(most, load);
        }
        const Expr below = rises ? v("i") : v("n") - v("i");
        const CountReport report = count(shared(Division::fixed, {}, {count_up(2, "j", 0, below)}),
                                         {{}, {{"n", n}, {"p", processes}}, true});
        const Count& c = at_line(report, 2).count;
        ASSERT_TRUE(c.lower_value && c.upper_value) << c.lower << " .. " << c.upper;
        EXPECT_LE(std::stoll(*c.lower_value), most) << c.lower << n << processes << rises;
        EXPECT_GE(std::stoll(*c.upper_value), most) << c.upper << n << processes << rises;
      }
    }
  }
}

TEST(Ledger, SaysWhatIsAssumed) {
  const auto says = [](const CountReport& report, const std::string& text) {
    for (const Condition& c : report.ledger) {
      if (c.condition.find(text) != std::string::npos) return true;
    }
    return false;
  };
  const CountReport up = count(program({count_up(1, "i", 0, v("n"))}, {"n"}));
  EXPECT_EQ(at_line(up, 1).count.lower, "n");
  EXPECT_TRUE(says(up, "n >= 0"));
  EXPECT_TRUE(says(up, "overflow"));
  // for (i = a; i != b; i += 2)
  const CountReport jump = count(program(
      {loop(1, {variable("i", v("a"), v("i") + 2)}, {{v("i"), Relation::not_equal, v("b")}})},
      {"a", "b"}));
  EXPECT_TRUE(says(jump, "2 divides b - a"));
  EXPECT_TRUE(says(jump, "b - a >= 0"));
}

TEST(Operations, PerType) {
  Statement s{
      {"main", "test.c", 2}, "C[i] += A[i] * B[i]", {{{"f64", 2}}, {{"f64", 3}}, {{"f64", 1}}}};
  const CountReport report = count(program({count_up(1, "i", 0, v("n"), {{s}})}, {"n"}));
  EXPECT_EQ(report.operations.flops.at("f64").lower, "2*n");
  EXPECT_EQ(report.operations.loads.at("f64").lower, "3*n");
  EXPECT_EQ(report.operations.stores.at("f64").lower, "n");
}

// The structure of NAS EP: 2^(m - 16) blocks shared by p, each with a loop that data end by its
// 100th iteration and one of 2^16.
TEST(CaseStudies, EP) {
  Node start = count_up(2, "i", 0, 100);
  std::get<Loop>(start.is).ends_early = true;
  Node blocks =
      count_up(1, "k", 0, GiNaC::pow(2, v("m") - 16), {start, count_up(3, "j", 0, 65536)});
  std::get<Loop>(blocks.is).schedule = Schedule{};
  Program p = program({blocks}, {"m"});
  p.processes = symbol("p");
  const CountReport report = count(p, {{"u1 <= 100", "m >= 16"}, {{"m", 24}, {"p", 4}}, true});
  EXPECT_EQ(report.total.lower, "ceil(2^m/(65536*p))*u1 + 65536*ceil(2^m/(65536*p))");
  EXPECT_EQ(report.unknowns.at(0).at_most, "100");
  EXPECT_EQ(report.depth, "u1 + 65536");
  EXPECT_EQ(value(report, 3), "4194304");
}

// The structure of NAS IS: n rounds over b buckets, t tests, the keys of a process, p messages.
TEST(CaseStudies, IS) {
  const Expr keys = ceil(v("m") / v("p"));
  Body round;
  for (int k = 0; k < 3; ++k) {
    round.push_back(count_up(10 + k, "a" + std::to_string(k), 0, v("b")));
    round.push_back(count_up(20 + k, "c" + std::to_string(k), 0, v("t")));
  }
  round.push_back(count_up(31, "k1", 0, keys));
  round.push_back(count_up(32, "k2", 0, keys));
  round.push_back(count_up(33, "q", 0, v("p")));
  round.push_back(count_up(34, "d1", 0, v("range")));
  round.push_back(count_up(35, "d2", v("first"), v("last")));
  Program p = program({count_up(1, "i", 0, v("n"), round)}, {"n", "b", "t", "m"});
  p.processes = symbol("p");
  for (const char* name : {"range", "first", "last"}) {
    p.data.push_back({symbol(name), {"main", "test.c", 34}, name, true});
  }
  const CountReport report = count(p);
  EXPECT_EQ(report.total.lower, "3*b*n + 3*n*t + n*p + n*u1 + n*u2 + 2*ceil(m/p)*n");
  EXPECT_TRUE(report.infinite_depth);
}

}  // namespace
}  // namespace redblue::counting
