// SPDX-License-Identifier: BSD-3-Clause
// Proofs that a formula is never negative where given formulas are not.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "symbolic/expr.hpp"

namespace redblue::counting {

using symbolic::Expr;
using symbolic::Rational;
using symbolic::Symbol;

struct Fact {
  Expr at_least_zero;
  std::string assumed;  // what is assumed ("n >= 1"); empty: it follows from the code
};

// What is known at a place of the program. Symbols are integers.
class Facts {
 public:
  Facts() : memory_(std::make_shared<Memory>()) {}

  // The same and one more.
  Facts with(const Expr& at_least_zero) const;
  Facts with(const Fact& fact) const;
  // The same without what is known about a counter: that says something about one of its values,
  // and there may be none.
  Facts without(const Symbol& counter) const;
  // The same and one that only the proofs `if_assumed` take, where they fail without.
  Facts with_reserve(const Fact& fact) const;

  // Proved: the formula is >= 0 (> 0) everywhere. Each linear formula that follows from linear
  // facts is found, others by products of two facts. "false" says nothing.
  bool at_least_zero(const Expr& e) const;
  bool positive(const Expr& e) const;
  bool at_least_zero_if_assumed(const Expr& e) const;
  bool positive_if_assumed(const Expr& e) const;

  // What proofs that succeeded assumed, since the beginning, in all copies.
  const std::set<std::string>& used() const { return memory_->used; }
  void use(const std::string& assumption) const { memory_->used.insert(assumption); }

 private:
  struct Memory {
    std::set<std::string> used;
  };
  struct Known {
    std::vector<Fact> facts;
    std::vector<Fact> reserve;
    std::map<Expr, int, GiNaC::ex_is_less> proved;  // bit 0: asked, bit 1: so; bits 2, 3: positive
  };
  Facts with_reserve_taken() const;
  bool prove(const Expr& e, bool strictly) const;
  bool attempt(const Expr& e, bool strictly, const std::vector<Fact>& facts, int splits) const;

  std::shared_ptr<Known> known_ = std::make_shared<Known>();
  std::shared_ptr<Memory> memory_;
};

// While one lives, at most so many proofs are tried; later ones fail. One within another changes
// nothing.
class Effort {
 public:
  explicit Effort(int proofs);
  ~Effort();
  Effort(const Effort&) = delete;
  Effort& operator=(const Effort&) = delete;

 private:
  bool outermost_;
};

// A sum of monomials: products of symbols and functions without number -> the number.
using Monomials = std::map<Expr, Rational, GiNaC::ex_is_less>;
Monomials monomials(const Expr& e);

}  // namespace redblue::counting
