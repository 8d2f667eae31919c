// SPDX-License-Identifier: BSD-3-Clause
// When a condition over the iterations' number first fails.
#pragma once

#include "counting/algebra/proof.hpp"

namespace redblue::counting {

// The condition h(d) > 0 (`strict`) or h(d) >= 0.
struct Guard {
  Expr h;
  bool strict = true;
};

// The least d >= 0 for which a guard fails.
struct FirstFailure {
  enum class Kind {
    at,       // at `d`
    never,    // never where it holds for d = 0; at d = 0 where it does not
    unknown,  // no formula is known
  };
  Kind kind = Kind::unknown;
  Expr d = 0;
  bool lasting = false;  // having failed, it fails for all later d
};

FirstFailure first_failure(const Guard& guard, const Symbol& d, const Facts& facts);

// 1 where the integer `e` is positive, 0 where it is not.
Expr indicator(const Expr& e);

// `e` with those max and min decided that the facts decide, and floor((a - 1) / q) as a ceil.
Expr simplified(const Expr& e, const Facts& facts);

// min(1, x) f as f where f is 0 wherever x >= 0 is: a factor for empty ranges that says nothing.
Expr without_empty_factors(const Expr& e, const Facts& facts);

// The larger of 0 and `e`.
Expr clamped(const Expr& e, const Facts& facts);

}  // namespace redblue::counting
