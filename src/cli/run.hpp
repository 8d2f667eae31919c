// The parts of `redblue run`.
#pragma once

#include "cli/commands.hpp"

namespace redblue::cli {

void add_run_factor(CLI::App& command, Action& action);  // syrk, cholesky, lu

}  // namespace redblue::cli
