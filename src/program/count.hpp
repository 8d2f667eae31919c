// Counting the integer points of parametric sets by summing over isl's pieces.
#pragma once

#include <string>
#include <vector>

#include "program/program.hpp"
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

  // The piece that holds for large parameters (every one >= 64); where several do, the first,
  // and `condition` says when it holds. 0 when none does.
  symbolic::Expr generic(std::string* condition = nullptr) const;

  // The largest count with all parameters at 2^20, over the pieces that hold there.
  double far_out() const;

  // The piece that holds at `values` (all parameters given); 0 outside every piece.
  symbolic::Expr at(const symbolic::Valuation& values) const;
  double number(const symbolic::Valuation& values) const;
};

// Counts `set`, exactly. Throws Error when a projection of it has holes that are no stride.
Count count(const isl::set& set);

// How far each dimension of `set` extends at the given sizes: largest - smallest + 1.
std::vector<double> extents(const isl::set& set, const symbolic::Valuation& sizes);

}  // namespace redblue::program
