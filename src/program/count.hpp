// SPDX-License-Identifier: BSD-3-Clause
// Counting the integer points of parametric sets by summing over isl's pieces.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"
#include "redblue/error.hpp"
#include "symbolic/expr.hpp"

namespace redblue::program {

// A formula that holds on a set of parameter values.
struct CountPiece {
  isl::set where;  // a parameter set
  symbolic::Expr count;
};

// The number of points of a set, as disjoint pieces over the parameters; 0 elsewhere.
struct Count {
  std::vector<CountPiece> pieces;

  // The largest count with all parameters at 2^20, over the pieces that hold there.
  double far_out() const;

  // The piece that holds at `values` (all parameters given); null outside every piece.
  const CountPiece* piece_at(const symbolic::Valuation& values) const;
  symbolic::Expr at(const symbolic::Valuation& values) const;
  double number(const symbolic::Valuation& values) const;
};

// Thrown for sets whose points no formula counts.
class Uncountable : public Error {
 public:
  using Error::Error;
};

// Counts `set`, exactly. Throws Uncountable when a projection of it has holes that are no stride,
// or isl needs too many operations (inside an OperationLimit: isl::exception).
Count count(const isl::set& set);

// An affine function of the parameters, and of floors of such, as a formula.
symbolic::Expr formula_of(const isl::aff& f);

// Whether a set of parameters holds these values, or can where some are missing.
bool contains(const isl::set& where, const symbolic::Valuation& values);

// How far each dimension of `set` extends at the given sizes: largest - smallest + 1.
std::vector<double> extents(const isl::set& set, const symbolic::Valuation& sizes);

}  // namespace redblue::program
