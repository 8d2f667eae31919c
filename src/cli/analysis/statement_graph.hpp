// SPDX-License-Identifier: BSD-3-Clause
// The graph of statements, as explain --json prints it.
#pragma once

#include "cli/output.hpp"
#include "redblue/statement_graph.hpp"

namespace redblue::cli {

Json to_json(const StatementGraph& graph, const BoundReport& report);

}  // namespace redblue::cli
