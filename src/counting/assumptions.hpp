// SPDX-License-Identifier: BSD-3-Clause
// What the user vouches for, read from text.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "counting/algebra/proof.hpp"

namespace redblue::counting {

struct Assumptions {
  std::vector<Fact> facts;
  // n = 2^k, "p divides n": n -> 2^k, n -> p q. In results the new symbols are replaced again.
  GiNaC::exmap substituted;
  std::set<std::string> names;                   // symbols that occur
  std::set<std::string> bounded;                 // symbols with a lower bound that is a number
  std::vector<std::pair<Expr, Expr>> divisible;  // n and p

  // `e` in the symbols of the program.
  Expr in_parameters(const Expr& e) const;

  std::vector<std::pair<Symbol, Symbol>> powers_of_two;  // k and n, for n = 2^k
  GiNaC::exmap back;                                     // q -> n / p
};

// Throws Error for text that is no such condition.
Assumptions read_assumptions(const std::vector<std::string>& texts,
                             const std::set<std::string>& symbols);

}  // namespace redblue::counting
