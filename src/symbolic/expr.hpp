// SPDX-License-Identifier: BSD-3-Clause
// Formulas in program parameters: exact rationals, powers, floors, polynomial sums (on GiNaC).
#pragma once

#include <ginac/ginac.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace redblue::symbolic {

using Expr = GiNaC::ex;
using Symbol = GiNaC::symbol;
using Rational = GiNaC::numeric;

// Parameter name -> value.
using Valuation = std::map<std::string, Rational>;

// The one positive symbol of that name; the same name always gives the same symbol.
const Symbol& symbol(const std::string& name);

// The fast-memory size S, in words.
const Symbol& fast_memory();

// Whether `e` has a symbol of that kind.
template <class Kind>
bool any_symbol(const Expr& e, const Kind& kind) {
  return std::any_of(e.preorder_begin(), e.preorder_end(), [&kind](const Expr& part) {
    return GiNaC::is_a<Symbol>(part) && kind(GiNaC::ex_to<Symbol>(part));
  });
}

// Largest integer not above `argument`; exact on numbers, otherwise a formula. Summands that are
// integer multiples of symbols or floors come out of the floor: floor(2*N + M/2) = 2*N +
// floor(M/2).
Expr floor(const Expr& argument);
bool is_floor(const Expr& e);

// Whether every value of `e` is an integer where its symbols are non-negative integers.
bool is_integer_valued(const Expr& e);

// Smallest integer not below `argument`, as floor above.
Expr ceil(const Expr& argument);
bool is_ceil(const Expr& e);

// Logarithm to base 2; powers of 2 leave it: log2(8*n) = log2(n) + 3.
Expr log2(const Expr& argument);
bool is_log2(const Expr& e);

// The smaller, the larger; decided where the difference is a number.
Expr minimum(const Expr& a, const Expr& b);
Expr maximum(const Expr& a, const Expr& b);
bool is_minimum(const Expr& e);
bool is_maximum(const Expr& e);

// sum of `polynomial` over variable = low .. high (0 when high = low - 1), by Faulhaber's formula.
// `polynomial` must be polynomial in `variable`, which no floor of it may contain.
Expr sum(const Expr& polynomial, const Symbol& variable, const Expr& low, const Expr& high);

// The part of highest total degree when all parameters grow at the same rate and S stays: floors
// are replaced by their argument. `e` must be a polynomial over the parameters; powers of S are
// coefficients.
Expr leading_term(const Expr& e);

// Total degree in the parameters (S counts 0) of a sum of monomials with rational exponents.
Rational degree(const Expr& e);

// `e` with the given parameters replaced by numbers.
Expr substitute(const Expr& e, const Valuation& values);

// The number `e` stands for; false when a parameter is missing from `values`.
bool evaluate(const Expr& e, const Valuation& values, double& result);

// The formula a text stands for, in these names, or in any (redblue/formula.hpp says what may be
// written). Throws Error with what cannot be read.
Expr parse(const std::string& formula, const std::vector<std::string>& names);
Expr parse(const std::string& formula);

// Plain infix: ^, sqrt(), floor(), rational numbers, factors in alphabetical order.
std::string to_string(const Expr& e);

// Of a whole number, in groups of three digits: 1,234,567.
std::string grouped(const Rational& whole);

}  // namespace redblue::symbolic
