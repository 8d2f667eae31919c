// SPDX-License-Identifier: BSD-3-Clause
#include "counting/walk/trip_count.hpp"

#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

using Kind = FirstFailure::Kind;

// i != end, where the left side moves to the right one: as <, or >, and what that assumes.
std::optional<Guard> from_not_equal(const Comparison& c, const Symbol& i, const Facts& facts,
                                    std::vector<std::string>& assumed) {
  const Expr h = expanded(c.left - c.right);
  const Facts counting = facts.with(i);
  if (counting.at_least_zero(h)) return Guard{h, true};
  if (counting.at_least_zero(-h)) return Guard{-h, true};
  if (!h.is_polynomial(i) || h.degree(i) != 1) return std::nullopt;
  const Expr slope = h.coeff(i, 1);
  const bool up = facts.positive_if_assumed(slope);
  if (!up && !facts.positive_if_assumed(-slope)) return std::nullopt;
  const Expr distance = expanded((up ? Expr(-h) : h).subs(i == 0));
  if (!facts.at_least_zero(distance)) assumed.push_back(symbolic::to_string(distance) + " >= 0");
  const Expr stride = up ? slope : Expr(-slope);
  if (!(stride - 1).is_zero() && !symbolic::is_integer_valued(expanded(distance / stride))) {
    assumed.push_back(symbolic::to_string(stride) + " divides " + symbolic::to_string(distance));
  }
  return Guard{up ? Expr(-h) : h, true};
}

struct Combined {
  std::optional<Expr> least;  // of the failures known
  Expr holds_first = 1;       // 1 where the guards that never fail hold at first, else 0
  bool never_proved = true;   // these hold at first, proved
  bool complete = true;       // every guard was understood
};

void combine(Combined& all, const Guard& guard, const Symbol& i, const Facts& facts) {
  const FirstFailure failure = first_failure(guard, i, facts);
  if (failure.kind == Kind::unknown) {
    all.complete = false;
  } else if (failure.kind == Kind::at) {
    all.least = all.least ? symbolic::minimum(*all.least, failure.d) : failure.d;
  } else {
    const Expr first = expanded(guard.h.subs(i == 0));
    if (guard.strict ? facts.positive_if_assumed(first) : facts.at_least_zero_if_assumed(first)) {
      return;
    }
    all.never_proved = false;
    if (!symbolic::is_integer_valued(first)) {
      all.complete = false;
    } else {
      all.holds_first *= indicator(guard.strict ? first : first + 1);
    }
  }
}

}  // namespace

std::vector<Guard> guards(const Comparison& c) {
  const Expr right_minus_left = expanded(c.right - c.left);
  switch (c.relation) {
    case Relation::less:
      return {{right_minus_left, true}};
    case Relation::less_equal:
      return {{right_minus_left, false}};
    case Relation::greater:
      return {{-right_minus_left, true}};
    case Relation::greater_equal:
      return {{-right_minus_left, false}};
    case Relation::equal:
      return {{right_minus_left, false}, {-right_minus_left, false}};
    case Relation::not_equal:
      break;
  }
  return {};
}

TripCount trip_count(const std::vector<Comparison>& guard, const Symbol& i, const Facts& facts,
                     bool tested_at_end, const std::function<bool(const Expr&)>& is_known) {
  TripCount result;
  Combined all;
  for (const Comparison& c : guard) {
    if (!is_known(c.left) || !is_known(c.right)) {
      all.complete = false;
      continue;
    }
    if (c.relation != Relation::not_equal) {
      for (const Guard& g : guards(c)) combine(all, g, i, facts);
    } else if (const auto g = from_not_equal(c, i, facts, result.assumed)) {
      combine(all, *g, i, facts);
    } else {
      all.complete = false;
    }
  }
  if (guard.empty()) all.complete = false;
  if (!all.least) {
    if (!all.complete) return result;
    if (all.never_proved) {
      result.endless = true;
      return result;
    }
    // It ends only where it fails at once.
    result.assumed.push_back("the loop ends");
    all.least = 0;
  }
  Expr n = simplified(*all.least, facts);
  if (!all.holds_first.is_equal(1)) n = simplified(expanded(all.holds_first * n), facts);
  if (tested_at_end) n += 1;
  (all.complete ? result.n : result.at_most) = expanded(n);
  return result;
}

}  // namespace redblue::counting
