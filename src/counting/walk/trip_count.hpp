// SPDX-License-Identifier: BSD-3-Clause
// How often one loop iterates when it is entered.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "counting/algebra/guard.hpp"
#include "counting/model/model.hpp"

namespace redblue::counting {

struct TripCount {
  std::optional<Expr> n;        // exactly
  std::optional<Expr> at_most;  // where n is not known
  bool endless = false;         // proved never to end
  std::vector<std::string> assumed;
};

// The guards of comparisons: all hold. A != stays out.
std::vector<Guard> guards(const Comparison& comparison);

// `guard`: over the iteration i, with all values put in. Comparisons with values that are not known
// are left out for `at_most`.
TripCount trip_count(const std::vector<Comparison>& guard, const Symbol& i, const Facts& facts,
                     bool tested_at_end, const std::function<bool(const Expr&)>& is_known);

}  // namespace redblue::counting
