// SPDX-License-Identifier: BSD-3-Clause
// Sums written as people write them: n*(3*(b + t) + 2*ceil(m/p) + p).
#pragma once

#include <string>

#include "symbolic/expr.hpp"

namespace redblue::counting {

// The factor that most summands share stands before them, then the next; equal numbers, too.
std::string grouped(const symbolic::Expr& sum);

}  // namespace redblue::counting
