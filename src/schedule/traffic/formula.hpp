// SPDX-License-Identifier: BSD-3-Clause
// Loop bounds, conditions and arguments of isl's loops, ready to be evaluated.
#pragma once

#include <isl/ast_type.h>

#include <cstdint>
#include <vector>

namespace redblue::schedule {

// a / b, rounded down.
std::int64_t floor_of(std::int64_t a, std::int64_t b);

// A sum of loop counters with factors, or where it is none an operation on other formulas.
// Conditions are 0 or 1.
struct Formula {
  struct Term {
    std::size_t counter = 0;
    std::int64_t factor = 0;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
  isl_ast_expr_op_type operation = isl_ast_expr_op_error;  // of `arguments`; none: the sum
  std::vector<Formula> arguments;

  bool is_sum() const { return operation == isl_ast_expr_op_error; }
  std::int64_t at(const std::int64_t* counters) const {
    if (!is_sum()) return operated(counters);
    std::int64_t value = constant;
    for (const Term& t : terms) value += t.factor * counters[t.counter];
    return value;
  }
  // Of a sum: how much it grows with a counter.
  std::int64_t factor_of(std::size_t counter) const;
  // The largest size of a factor that a counter has in it or in what it operates on; 0: none.
  std::int64_t largest_factor_of(std::size_t counter) const;
  bool operator==(const Formula& other) const;

 private:
  std::int64_t operated(const std::int64_t* counters) const;
};

Formula number(std::int64_t value);
Formula counter(std::size_t which);
// Of sums.
Formula plus(const Formula& a, const Formula& b, std::int64_t times_b = 1);
// isl's operation on these, as a sum where it is one.
Formula operation(isl_ast_expr_op_type type, std::vector<Formula> arguments);

}  // namespace redblue::schedule
