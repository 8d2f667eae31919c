// SPDX-License-Identifier: BSD-3-Clause
// Counts as JSON: what `redblue count --json` prints and the Python package reads.
#pragma once

#include <string>

#include "json/json.hpp"
#include "redblue/counting.hpp"

namespace redblue::json {

// Of the depth, the efficiency or the largest useful p of a parallel program.
std::string text_of(const Formula& figure, bool infinite = false);

Json to_json(const CountedPlace& place);
Json to_json(const CountReport& report);

}  // namespace redblue::json
