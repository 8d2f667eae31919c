// SPDX-License-Identifier: BSD-3-Clause
// Walks a program from its beginning to its end and counts what it meets.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "counting/algebra/proof.hpp"
#include "counting/algebra/sum.hpp"
#include "counting/model/model.hpp"

namespace redblue::counting {

// A count that data decide.
struct UnknownCount {
  Symbol symbol;
  Location at;
  std::string meaning;
  std::optional<Expr> at_most;
  int loop = 0;  // Loop::id, where it is a loop's iterations
  Frequency frequency = {};
};

struct CountedLoop {
  const Loop* loop;
  Range iterations;  // of all entries
  bool affine = true;
  bool innermost = true;
  bool begun = false;  // threads run it that this one begins
  bool apart = false;  // one of several threads runs it, others run the like
};

struct CountedStatement {
  const Statement* statement;
  Range executions;
  bool begun = false;
  bool apart = false;
};

struct Walked {
  std::vector<CountedLoop> loops;  // in the order in which the program first meets them
  std::vector<CountedStatement> statements;
  std::vector<UnknownCount> unknowns;
  std::vector<std::string> assumed;  // beside the facts' assumptions
};

// Throws Error for a loop that is proved to run for ever. `substituted`: parameters and what stands
// for them.
Walked walk(const Program& program, const Facts& facts, const GiNaC::exmap& substituted);

}  // namespace redblue::counting
