// SPDX-License-Identifier: BSD-3-Clause
// What a count in the number of processes p says about parallel runs.
#pragma once

#include <optional>

#include "counting/algebra/proof.hpp"
#include "counting/algebra/sum.hpp"

namespace redblue::counting {

// The largest value over rank = 0 .. p - 1; bounds where only these are known (the count of one
// process, and what no process exceeds); the formula itself, with rank in it, where nothing is.
Range over_ranks(const Range& count, const Symbol& rank, const Symbol& p, const Facts& facts);

// A limit as p grows.
struct Limit {
  enum class Kind { finite, infinite, unknown };
  Kind kind = Kind::unknown;
  Expr value = 0;  // infinite: 1 or -1
};
Limit limit(const Expr& e, const Symbol& p, const Facts& facts);

// The largest p for which the count still falls: up to it a part x / p or ceil(x / p) does. Where
// other parts grow like p, about where both are equal. nullopt: unknown.
std::optional<Expr> useful_processes(const Expr& count, const Symbol& p, const Facts& facts);

}  // namespace redblue::counting
