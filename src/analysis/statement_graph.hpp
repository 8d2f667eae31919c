// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "program/program.hpp"
#include "redblue/statement_graph.hpp"

namespace redblue::analysis {

// `merged`: the program as bounds look at it, without copies and with alike statements joined.
StatementGraph statement_graph(const program::Program& program, const program::Program& merged,
                               const BoundReport& report);

}  // namespace redblue::analysis
