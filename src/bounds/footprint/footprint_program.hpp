// SPDX-License-Identifier: BSD-3-Clause
// The optimisation problem behind a projection bound, and its exact solution.
//
// A segment of X - S loads and stores computes a set H of a statement's instances with
//     sum_j c_j |phi_j(H)| <= X,      phi_j the projection on the loops of term j.
// Its largest size chi(X) follows from the discrete Hoelder-Brascamp-Lieb inequality
//     |H| <= prod_j |phi_j(H)|^s_j    whenever every loop t has sum_{j contains t} s_j >= 1,
// which for projections on coordinates holds for every finite H ([christ2013];
// docs/methods/segments.md, Lemma 4).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bounds/footprint/segments.hpp"
#include "symbolic/expr.hpp"

namespace redblue::bounds {

// One array's contribution: coefficient * (number of distinct index tuples over `loops`).
struct Term {
  std::vector<int> loops;  // sorted, no repeats
  symbolic::Rational coefficient = 1;
  std::string of = {};  // what is counted, for people
};

// Adds a projection; one on the same loops gains its coefficient.
void add_term(std::vector<Term>& terms, const std::vector<int>& loops,
              const symbolic::Rational& weight, const std::string& of);

// Leading order, for loops long against the tiles.
struct Intensity {
  std::vector<symbolic::Rational> exponents;  // s_j, one per term
  symbolic::Rational alpha;                   // chi(X) = constant * X^alpha
  symbolic::Expr constant;
  symbolic::Expr segment;  // X_0; 0 when alpha = 1 (no reuse)
  symbolic::Expr rho;      // min over X of chi(X)/(X - S); constant if alpha = 1
  // Loop lengths of a box at X_0 that reaches rho; 1 if alpha = 1; empty where none is known.
  std::vector<symbolic::Expr> tiles;
};

// nullopt when some loop stands in no term: reuse along it is unlimited.
std::optional<Intensity> solve(const std::vector<Term>& terms, int loops);

// An upper bound on chi(X) when loop t has at most `extents[t]` iterations, X in words. Valid for
// every H (it evaluates a feasible point of the dual; docs/methods/segments.md, Lemma 5), tight up
// to rounding.
double chi_at(const std::vector<Term>& terms, const std::vector<double>& extents, double x);

// The least such bound that divided by x does not fall, as segments_bound wants it; 0 at 0.
double rising_chi_at(const std::vector<Term>& terms, const std::vector<double>& extents, double x);

// segments_bound for rising_chi_at.
double segments_bound(const std::vector<Term>& terms, const std::vector<double>& extents,
                      double vertices, double s, double units);

}  // namespace redblue::bounds
