// SPDX-License-Identifier: BSD-3-Clause
// What variables are worth: inside a loop as formulas of its iteration, after it, after branches
// and calls.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "counting/algebra/proof.hpp"
#include "counting/algebra/recurrence.hpp"
#include "counting/model/model.hpp"
#include "counting/walk/trip_count.hpp"

namespace redblue::counting {

using Environment = GiNaC::exmap;  // symbol of the model -> formula over parameters and counters

// A loop at one place of the walk.
struct ClosedLoop {
  Symbol counter;      // 0, 1, .. in the order of the iterations
  Environment inside;  // values at the beginning of iteration `counter`
  std::vector<Comparison> guard;
  TripCount trips;
  // Variables that data move, by name: each iteration adds a number between these.
  std::map<std::string, std::pair<Rational, Rational>> drift;
  // Only where a variable begins is not known, and that lies between formulas.
  bool unknown_start = false;
};

class Evaluator {
 public:
  explicit Evaluator(const Program& program);

  // `environment`: values where the loop is entered.
  ClosedLoop close(const Loop& loop, const Environment& environment, const Facts& facts);

  // The environment with values at the end of `body` that `needed` formulas use.
  Environment after(const Body& body, Environment environment, const Facts& facts,
                    const std::vector<Expr>& needed);

  // Puts in the values after the loop.
  void leave(const Loop& loop, const ClosedLoop& closed, Environment& environment);
  void merge(const Branch& branch, const std::vector<Environment>& paths, const Environment& before,
             Environment& environment);

  bool is_known(const Expr& e) const;  // no value in it is unknown
  Symbol unknown_value();

  // The environment in which a called function begins.
  static Environment enter(const Function& function, const Call& call, const Environment& from);
  const Function* callee(const Call& call) const;

 private:
  using Symbols = std::set<Expr, GiNaC::ex_is_less>;
  void node_after(const Node& node, Environment& environment, const Facts& facts,
                  const Symbols& needed);

  std::optional<std::pair<Rational, Rational>> drift(const Expr& next,
                                                     const Symbol& variable) const;
  void bound_by_start(const Loop& loop, const std::vector<Update>& updates, const Facts& facts,
                      ClosedLoop& closed) const;

  const Program& program_;
  Symbols unknown_;
  // What a value is one of; what an unknown value lies between.
  std::map<Expr, std::vector<Expr>, GiNaC::ex_is_less> one_of_;
  std::map<Expr, std::pair<Expr, Expr>, GiNaC::ex_is_less> between_;
  int counters_ = 0;
  int unknowns_ = 0;
  std::vector<const Function*> calling_;
};

}  // namespace redblue::counting
