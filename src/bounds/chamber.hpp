// SPDX-License-Identifier: BSD-3-Clause
// For which sizes a formula holds.
//
// The number of points of a parametric set is one polynomial in each of several chambers of the
// parameters' space: min(M, N) is N where M >= N, and M elsewhere. A derivation does not choose
// among them. Each count stands in its formulas as a symbol of its own, and which polynomial stands
// for the symbol is chosen last, for the sizes the formula is wanted for: all counts of one formula
// at the same sizes, so their chambers have these in common.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <string>
#include <vector>

#include "program/count.hpp"
#include "redblue/analysis.hpp"
#include "symbolic/expr.hpp"

namespace redblue::bounds {

// A parameter that some counts have beside the program's: how far apart two instances must be to
// count (symmetric_product.hpp). Formulas replace it by a function of S.
inline constexpr const char* distance_parameter = "redblue_distance";
// The same for pairs of positions (pairs.hpp).
inline constexpr const char* pair_distance_parameter = "redblue_pair_distance";

// left >= right
struct AtLeast {
  symbolic::Expr left, right;
};

// The sizes formulas are wanted for. All parameters have values in both.
struct Wanted {
  symbolic::Valuation large;                 // an example of large sizes, far from each other
  std::optional<symbolic::Valuation> given;  // formulas for large sizes are taken where they hold
};

// Polynomials for the counts of some formulas, and the parameters they all hold for: one convex
// set.
struct Chamber {
  GiNaC::exmap polynomials;
  isl::set where;
};

class Counts {
 public:
  // What stands for the count in formulas.
  symbolic::Expr symbol_of(const program::Count& count);

  // The formula with every count as it is at `sizes`, which are large.
  symbolic::Expr at(const symbolic::Expr& formula, const symbolic::Valuation& sizes) const;

  Chamber chamber(const std::vector<symbolic::Expr>& formulas, const Wanted& wanted) const;

 private:
  std::vector<program::Count> counts_;
};

// The sides of a convex set of parameters, as far as those do not follow from all parameters being
// at least 0.
std::vector<SizeCondition> conditions_of(const isl::set& where, const GiNaC::exmap& named);
SizeCondition printed(const AtLeast& condition);

// "M >= N; N, K >= 1"; empty for no condition.
std::string text_of(const std::vector<SizeCondition>& conditions);

}  // namespace redblue::bounds
