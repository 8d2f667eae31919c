// SPDX-License-Identifier: BSD-3-Clause
// Random loop nests: each formula against runs of the program. REDBLUE_SEED=399 REDBLUE_NESTS=1
// runs one of them, REDBLUE_TRACE=1 prints each with its formulas and seconds.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "counting/algebra/evaluate.hpp"
#include "counting/count.hpp"
#include "counting/nests.hpp"

namespace redblue::counting {
namespace {

using Sizes = std::map<std::string, std::int64_t>;

struct Tally {
  int loops = 0;
  int exact = 0;
  int unknown = 0;
  int values = 0;  // formulas compared with a run
};

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? static_cast<unsigned>(std::stoul(text)) : otherwise;
}

bool has_unknown(const CountReport& report, const Formula& formula) {
  const std::vector<std::string> names = formula.names();
  return std::any_of(names.begin(), names.end(), [&report](const std::string& name) {
    return std::any_of(report.unknowns.begin(), report.unknowns.end(),
                       [&name](const Unknown& u) { return u.name == name; });
  });
}

std::int64_t iterations(const Run& run, int line) {
  std::int64_t total = 0;
  for (const auto& [loop, times] : run.iterations) {
    if (loop->at.line == line) total += times;
  }
  return total;
}

// Of the formula as it is printed.
Rational value_of(const Formula& formula, const symbolic::Valuation& sizes, bool up) {
  const Expr e = symbolic::parse(formula.text(), {"n", "m"});
  const auto value = up ? rounded_up(e, sizes) : rounded_down(e, sizes);
  if (!value) throw std::runtime_error("no value");
  return *value;
}

void compare(const CountReport& report, const Program& p, const Sizes& sizes, Tally& tally) {
  const Run truth = run(p, sizes, 200000);
  if (!truth.complete) return;
  symbolic::Valuation at;
  for (const auto& [name, size] : sizes) at[name] = Rational(static_cast<long>(size));
  for (const CountedPlace& place : report.loops) {
    const Count& c = place.count;
    if (has_unknown(report, c.lower) || has_unknown(report, c.upper)) continue;
    const std::int64_t ran = iterations(truth, place.line);
    SCOPED_TRACE("n=" + std::to_string(sizes.at("n")) + " m=" + std::to_string(sizes.at("m")) +
                 " line " + std::to_string(place.line) + ": " + c.lower.text() +
                 (c.exact ? "" : " .. " + c.upper.text()) + "; it ran " + std::to_string(ran) +
                 " times");
    try {
      EXPECT_LE(value_of(c.lower, at, true), Rational(static_cast<long>(ran)));
      EXPECT_GE(value_of(c.upper, at, false), Rational(static_cast<long>(ran)));
      if (c.exact) {
        EXPECT_EQ(value_of(c.lower, at, true), value_of(c.lower, at, false));
      }
      ++tally.values;
    } catch (const std::exception& fault) {
      ADD_FAILURE() << fault.what();
    }
  }
}

// Sizes of one sign, as the ledger's assumption n >= 0 is made or not.
std::vector<Sizes> sizes_of(unsigned seed) {
  const auto s = static_cast<std::int64_t>(seed);
  const std::int64_t n = s % 7 == 0 ? s % 3 : 3 + s % 17;
  const std::int64_t m = s % 5 == 0 ? 0 : 1 + s % 11;
  if (s % 6 != 0)
    return {{{"n", n}, {"m", m}},
            {{"n", 0}, {"m", m}},
            {{"n", 1}, {"m", 0}},
            {{"n", m}, {"m", n}},
            {{"n", 2 + s % 5}, {"m", 2 + s % 3}}};
  return {{{"n", -n}, {"m", m}},
          {{"n", n}, {"m", m}},
          {{"n", n}, {"m", -m}},
          {{"n", -1}, {"m", -2}},
          {{"n", 0}, {"m", m}}};
}

void check(unsigned seed, bool two_paths, Tally& tally) {
  const Program p = random_nest(seed, two_paths);
  SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + text(p));
  try {
    const CountReport report = count(p, {{}, {}, seed % 6 != 0});
    for (const CountedPlace& place : report.loops) {
      ++tally.loops;
      if (has_unknown(report, place.count.upper))
        ++tally.unknown;
      else if (place.count.exact)
        ++tally.exact;
    }
    for (const Sizes& sizes : sizes_of(seed)) compare(report, p, sizes, tally);
  } catch (const std::exception& fault) {
    ADD_FAILURE() << fault.what();
  }
}

Tally check_all(unsigned nests, bool two_paths) {
  const unsigned first = from_environment("REDBLUE_SEED", 1);
  const unsigned many = from_environment("REDBLUE_NESTS", nests);
  const bool trace = from_environment("REDBLUE_TRACE", 0) != 0;
  Tally tally;
  for (unsigned seed = first; seed < first + many; ++seed) {
    const auto begin = std::chrono::steady_clock::now();
    check(seed, two_paths, tally);
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    if (trace) {
      std::printf("seed %u: %.2f s\n", seed, seconds.count());
      std::fflush(stdout);
    }
  }
  std::printf("%u nests, %d loops, %d exact, %d symbols, %d values compared\n", many, tally.loops,
              tally.exact, tally.unknown, tally.values);
  return tally;
}

TEST(RandomNests, FormulasHold) {
  const Tally tally = check_all(1000, false);
  if (tally.loops < 100) return;
  EXPECT_GE(tally.exact * 100, tally.loops * 80);
  EXPECT_LE(tally.unknown * 100, tally.loops * 15);
}

TEST(RandomNests, FormulasOfTwoPathsHold) {
  const Tally tally = check_all(100, true);
  if (tally.loops < 100) return;
  EXPECT_GE(tally.exact * 100, tally.loops * 60);
}

}  // namespace
}  // namespace redblue::counting
