// The parts of `redblue compare`.
#pragma once

#include "cli/commands.hpp"

namespace redblue::cli {

void add_compare_factor(CLI::App& command, Action& action);  // syrk, cholesky, lu

}  // namespace redblue::cli
