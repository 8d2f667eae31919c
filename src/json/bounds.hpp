// SPDX-License-Identifier: BSD-3-Clause
// Bounds as JSON: what `redblue bound --json` prints and the Python package reads.
#pragma once

#include "json/json.hpp"
#include "redblue/analysis.hpp"
#include "redblue/statement_graph.hpp"

namespace redblue::json {

const char* status_name(Condition::Status status);  // "proved" or "assumed"

Json summary(const LowerBound& bound);  // formulas, their range, the value
Json to_json(const BoundReport& report);
Json to_json(const MemoryRange& piece);
Json to_json(const StatementGraph& graph, const BoundReport& report);

}  // namespace redblue::json
