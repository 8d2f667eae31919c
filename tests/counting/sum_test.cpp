// SPDX-License-Identifier: BSD-3-Clause
// Sums over a counter against additions, and values of formulas that have poles and logarithms of
// 0.
#include <gtest/gtest.h>

#include <random>

#include "counting/algebra/evaluate.hpp"
#include "counting/algebra/sum.hpp"
#include "counting/count.hpp"
#include "counting/interpreter.hpp"

namespace redblue::counting {
namespace {

// Formulas of nested max, min and floor over i, n and m.
class Formulas {
 public:
  explicit Formulas(unsigned seed) : random_(seed) {}

  Expr next(int depth) {
    if (depth == 0) return leaf();
    switch (pick(5)) {
      case 0:
        return symbolic::maximum(next(depth - 1), next(depth - 1));
      case 1:
        return symbolic::minimum(next(depth - 1), next(depth - 1));
      case 2:
        return symbolic::floor(next(depth - 1) / (2 + pick(2)));
      case 3:
        return next(depth - 1) + (pick(2) == 0 ? 1 : -1) * leaf();
      default:
        return symbolic::maximum(0, next(depth - 1));
    }
  }

 private:
  int pick(int below) { return static_cast<int>(random_() % static_cast<unsigned>(below)); }
  Expr leaf() {
    const Expr shift = pick(5) - 2;
    switch (pick(4)) {
      case 0:
        return v("n") + shift;
      case 1:
        return v("m") + shift;
      default:
        return (pick(3) == 0 ? -1 : 1) * v("i") + shift;
    }
  }

  std::mt19937 random_;
};

TEST(Sums, EqualAdditions) {
  const Symbol& i = symbolic::symbol("i");
  const Facts facts = Facts().with(v("n")).with(v("m"));
  int known = 0;
  for (unsigned seed = 1; seed <= 400; ++seed) {
    Formulas formulas(seed);
    const Expr f = formulas.next(2) + formulas.next(2) + formulas.next(1);
    const auto total = sum(f, i, 0, v("n"), facts);
    if (!total) continue;
    ++known;
    for (int n = 0; n <= 7; ++n) {
      for (int m = 0; m <= 7; ++m) {
        Rational added = 0;
        for (int k = 0; k < n; ++k) added = added + *value(f, {{"n", n}, {"m", m}, {"i", k}});
        const auto lower = value(total->lower, {{"n", n}, {"m", m}});
        const auto upper = value(total->upper, {{"n", n}, {"m", m}});
        ASSERT_TRUE(lower && upper) << "seed " << seed << ": " << f;
        EXPECT_LE(*lower, added) << "seed " << seed << " n=" << n << " m=" << m << ": " << f;
        EXPECT_GE(*upper, added) << "seed " << seed << " n=" << n << " m=" << m << ": " << f;
      }
    }
  }
  EXPECT_GE(known, 250);
}

// n log2(n) - n log2(n) is 0 for n = 0, too, when its parts stand apart.
TEST(Values, PartsBesideZeroCancel) {
  const Expr logarithm = ((v("n") - 3) * symbolic::log2(v("n") - 3)).expand();
  EXPECT_EQ(value(logarithm, {{"n", 3}}), Rational(0));
  const Expr root = ((v("n") + 4) * GiNaC::sqrt(2 * v("n") + 1)).expand();
  EXPECT_EQ(value(root, {{"n", -4}}), Rational(0));
  EXPECT_EQ(value(symbolic::maximum(0, symbolic::ceil(symbolic::log2(v("n")))), {{"n", 0}}),
            Rational(0));
  EXPECT_FALSE(value(symbolic::log2(v("n")), {{"n", 0}}));
}

// for (i = 5; i < 3; i++) for (x = i; x > 0; x = x): what never begins need not end.
TEST(Guards, EndlessLoopThatIsNeverEntered) {
  const Node inner = loop(2, {variable("x", v("i"), v("x"))}, {{v("x"), Relation::greater, 0}});
  const CountReport report = count(program({count_up(1, "i", 5, 3, {inner})}, {}));
  for (const CountedPlace& place : report.loops) EXPECT_EQ(place.count.lower, "0") << place.line;
}

}  // namespace
}  // namespace redblue::counting
