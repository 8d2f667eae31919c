// SPDX-License-Identifier: BSD-3-Clause
// Sums of terms c * i^k * b^i: what affine loops compute.
#pragma once

#include <optional>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::counting {

using symbolic::Expr;
using symbolic::Rational;
using symbolic::Symbol;

struct Term {
  Expr coefficient;  // free of i
  unsigned degree = 0;
  Expr base = 1;
};

// `f` as such terms, one for each pair of degree and base; nullopt where it is no such sum.
std::optional<std::vector<Term>> terms(const Expr& f, const Symbol& i);

// b^e; a rational b as a product of powers of primes, so that equal values look alike.
Expr power(const Expr& base, const Expr& exponent);

// F with F(i + 1) - F(i) = f(i), so that the sum of f(i), low <= i < high, is F(high) - F(low).
// Bases other than 1 must be numbers.
std::optional<Expr> antidifference(const Expr& f, const Symbol& i);

// GiNaC's operands of m / 2^i are m and (2^i)^(-1): the latter as 2^(-i).
Expr settled(const Expr& factor);

// Expanded, with powers of equal numbers in each summand as one: 2^(2 i) 2^(-i) = 2^i. GiNaC leaves
// these apart.
Expr expanded(const Expr& e);

// An order of formulas that is the same in every run, as GiNaC's is not: shorter ones first.
bool comes_before(const Expr& a, const Expr& b);

bool is_choice(const Expr& e);    // max, min
bool is_rounding(const Expr& e);  // floor, ceil

// The factors of a product (of anything else: itself).
std::vector<Expr> factors(const Expr& e);
// Whether multiplying out gives a formula of more summands than anybody reads, or there are too
// many parts already: what it costs to work with grows faster than its size.
bool is_too_long(const Expr& e);

std::vector<Expr> summands(const Expr& e);

}  // namespace redblue::counting
