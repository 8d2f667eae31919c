// SPDX-License-Identifier: BSD-3-Clause
// redblue: data-movement lower bounds, schedules and parallel runs from the command line.
#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <iostream>
#include <new>
#include <string>
#include <system_error>
#include <vector>

#include "cli/commands.hpp"
#include "cli/parallel.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

int complain(bool is_root, const std::string& message) {
  if (is_root) fmt::print(stderr, "redblue: {}\n", one_line(message));
  return 2;
}

std::string unwritable(const std::error_code& why) {
  return "standard output: it cannot be written: " + why.message() + "; give it room";
}

bool knows(const CLI::App& app, const std::string& name) {
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  return std::any_of(commands.begin(), commands.end(),
                     [&name](const CLI::App* c) { return c->get_name() == name; });
}

int run(std::vector<std::string> arguments, bool is_root) {
  std::vector<std::string> compiler_flags;
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  if (separator != arguments.end()) {
    compiler_flags.assign(separator + 1, arguments.end());
    arguments.erase(separator, arguments.end());
  }
  CLI::App app{"Data-movement lower bounds, and schedules and parallel runs that meet them.",
               "redblue"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "redblue " REDBLUE_VERSION);
  Action action;
#ifdef REDBLUE_HAS_ANALYSIS
  add_bound(app, action, compiler_flags);
  add_explain(app, action, compiler_flags);
  add_count(app, action, compiler_flags);
  add_tile(app, action, compiler_flags);
  add_replay(app, action, compiler_flags);
  add_measure(app, action, compiler_flags);
  add_pebble(app, action, compiler_flags);
  add_tradeoff(app, action, compiler_flags);
  add_report(app, action, compiler_flags);
  add_serve(app, action);
#endif
#if defined(REDBLUE_HAS_ANALYSIS) && defined(REDBLUE_HAS_MODEL)
  add_balance(app, action, compiler_flags);
#endif
#ifdef REDBLUE_HAS_MODEL
  add_plan(app, action, compiler_flags);
  add_machine(app, action);
  add_critical(app, action);
#endif
#ifdef REDBLUE_HAS_LINALG
  add_run(app, action, compiler_flags);
  add_compare(app, action);
  add_trace(app, action, compiler_flags);
#endif
  try {
    if (!arguments.empty() && arguments.front().rfind('-', 0) != 0 &&
        !knows(app, arguments.front())) {
      return complain(is_root, "unknown command '" + arguments.front() + "'; see redblue --help");
    }
    std::reverse(arguments.begin(), arguments.end());
    app.parse(arguments);
    if (!action) return complain(is_root, "nothing to do; see redblue --help");
    return action();
  } catch (const CLI::Success& e) {  // --help, --version
    return is_root ? app.exit(e) : 0;
  } catch (const CLI::ParseError& e) {
    return complain(is_root, std::string(e.what()) + "; see redblue --help");
  } catch (const Error& e) {
    return complain(is_root, e.what());
  } catch (const std::bad_alloc&) {
    return complain(is_root, "this takes more memory than there is; give smaller sizes");
  } catch (const std::system_error& e) {
    return complain(true, std::ferror(stdout) != 0 ? unwritable(e.code()) : e.code().message());
  } catch (const std::exception&) {  // a library's own words help nobody
    return complain(is_root, "this input is beyond what redblue can work out; please report it");
  }
}

int command(const std::vector<std::string>& arguments, bool is_root) {
  const int status = run(arguments, is_root);
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  // Where the run itself met it, it has been said.
  return status != 0 ? status : complain(true, unwritable({errno, std::generic_category()}));
}

}  // namespace
}  // namespace redblue::cli

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments.front();
  const bool needs_mpi = first == "run" || first == "compare";
  return redblue::cli::with_ranks(
      needs_mpi, [&arguments](bool is_root) { return redblue::cli::command(arguments, is_root); });
}
