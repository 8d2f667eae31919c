// SPDX-License-Identifier: BSD-3-Clause
// The subcommands of redblue: each adds itself to the command line and runs when chosen.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

namespace redblue::cli {

// What the chosen subcommand does; returns the exit status (0, or 1 for a failed check).
using Action = std::function<int()>;

// `compiler_flags`: what followed `--` on the command line.
void add_bound(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_explain(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_count(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_tile(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_replay(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_measure(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_pebble(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_tradeoff(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_report(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_serve(CLI::App& app, Action& action);
void add_balance(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_plan(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_run(CLI::App& app, Action& action, const std::vector<std::string>& compiler_flags);
void add_compare(CLI::App& app, Action& action);
void add_trace(CLI::App& app, Action& action, const std::vector<std::string>& program);
// Their syrk, cholesky, lu, trsm, einsum and stencil.
void add_plan_factor(CLI::App& command, Action& action);
void add_plan_stencil(CLI::App& command, Action& action,
                      const std::vector<std::string>& compiler_flags);
void add_run_stencil(CLI::App& command, Action& action,
                     const std::vector<std::string>& compiler_flags);
void add_run_factor(CLI::App& command, Action& action);
void add_compare_factor(CLI::App& command, Action& action);
void add_plan_einsum(CLI::App& command, Action& action);
void add_plan_trsv(CLI::App& command, Action& action);
void add_run_einsum(CLI::App& command, Action& action);
void add_run_trsv(CLI::App& command, Action& action);
void add_compare_einsum(CLI::App& command, Action& action);
void add_compare_trsv(CLI::App& command, Action& action);
void add_machine(CLI::App& app, Action& action);
void add_critical(CLI::App& app, Action& action);

}  // namespace redblue::cli
