// SPDX-License-Identifier: BSD-3-Clause
// Values that are made from several others and used by one instance: double p = A[i][k] * B[k][j].
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::bounds {

// A statement that reads, in place of values used once, what these are made from.
struct Contracted {
  program::Statement statement;
  program::Statement direct;        // with none of these reads: what it reads besides
  std::vector<std::string> values;  // the arrays that held them
  std::map<std::string, isl::map>
      makers;  // statement that made them -> instance -> the one it uses

  // For the ledger.
  std::vector<std::string> conditions() const;
};

// Nothing where the statement reads no such values. A value is looked through where its array is
// dead, every instance needs one, itself or by way of other such values, different instances need
// different ones, and nothing else of these is read of its array or of the statement that makes it.
//
// A set H with |In(H)| <= X then holds max(chi(X), X) instances of the statement at most, chi that
// of the contracted one where it is convex with chi(0) = 0 (docs/methods/contraction.md). This is
// no graph with a smaller Q: it may be used where that lemma is. Takes a program whose sources are
// derived.
std::optional<Contracted> contracted(const program::Program& program,
                                     const program::Statement& statement);

}  // namespace redblue::bounds
