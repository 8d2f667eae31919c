// SPDX-License-Identifier: BSD-3-Clause
// Updates of one element that may run in any order: best = fmax(best, e), with the same bits; and
// where other roundings are allowed sums and products: sum += e.
#pragma once

#include <isl/cpp.h>

#include <string>
#include <vector>

#include "program/program.hpp"

namespace redblue::schedule {

// Statements that replace an element by the larger (fmax) or the smaller (fmin) of itself and
// something else. The order of those of one element and one function matters for no value but which
// of two equal zeros, or which NaN, is left, and C leaves that open.
//
// With `reassociate` also x += e, x -= e, x *= e, x = x + e, x = e + x, x = x - e, x = x * e and
// x = e * x, whose functions are "sum" and "product": their results are rounded otherwise in
// another order.
std::vector<program::Update> commuting_updates(const program::Program& program,
                                               bool reassociate = false);

// Whether some of the program's commuting updates are sums or products.
bool reassociates(const program::Program& program);

// "fmax of best" of the program's commuting updates whose order is another one than the source's.
std::vector<std::string> reordered_updates(const program::Program& program,
                                           const isl::union_map& times);

}  // namespace redblue::schedule
