// SPDX-License-Identifier: BSD-3-Clause
// A bound's formulas with polynomials in place of counts, and where those hold.
#pragma once

#include <vector>

#include "bounds/bound.hpp"
#include "bounds/busiest/apart.hpp"
#include "redblue/analysis.hpp"

namespace redblue::analysis {

class Printer {
 public:
  explicit Printer(const bounds::Sizes& sizes) : sizes_(sizes) {}

  LowerBound printed(const bounds::Bound& bound) const;
  SeparateParts printed(const bounds::Apart& parts) const;
  void add_count(const program::Count& count, StatementInfo& info) const;

 private:
  struct Choice {
    GiNaC::exmap polynomials;
    std::vector<SizeCondition> where;
  };

  Choice chosen(const std::vector<symbolic::Expr>& formulas,
                const std::vector<bounds::AtLeast>& conditions) const;
  static symbolic::Expr put_in(const symbolic::Expr& formula, const Choice& choice);
  symbolic::Expr at_large(const symbolic::Expr& formula) const;
  void add_busiest(const bounds::Busiest& busiest, bool has_value, LowerBound& result) const;

  const bounds::Sizes& sizes_;
};

}  // namespace redblue::analysis
