// The parts of `redblue plan`.
#pragma once

#include <cstdint>

#include "cli/commands.hpp"

namespace redblue::cli {

// -p as a number of ranks; throws Error beyond an int.
int rank_count(std::int64_t count);

void add_plan_factor(CLI::App& command, Action& action);  // syrk, cholesky, lu

}  // namespace redblue::cli
