// SPDX-License-Identifier: BSD-3-Clause
// What everything planned by the model shares.
#pragma once

#include <CLI/CLI.hpp>

#include <optional>
#include <string>

#include "redblue/cost.hpp"
#include "redblue/machine.hpp"

namespace redblue::cli {

// --minimise words | time.
void add_minimise(CLI::App& command, std::string& text);
Objective objective_of(const std::string& text);

// --memory --machine --minimise, as text until they are read.
struct ModelOptionTexts {
  std::string memory, machine, minimise = "words";

  void add_to(CLI::App& command, const std::string& memory_help);

  // Into anything with a machine, a memory limit (the machine's by default) and an objective.
  template <class Request>
  void read(Request& request) const {
    if (!machine.empty()) request.machine = read_machine(machine);
    request.memory = limit(request.machine);
    request.objective = objective_of(minimise);
  }

 private:
  std::optional<Words> limit(const Machine& described) const;  // throws Error for a negative one
};

// --exchange direct | doubling of the kernels that know both; `who` share what.
void add_exchange(CLI::App& command, std::string& text, const std::string& who);
std::optional<Exchange> exchange_of(const std::string& text);  // none: empty

inline constexpr const char* no_rank_multiplies_more =
    "where no rank multiplies more than the busiest does here";

// The lines of a plan's words: of the busiest rank, of the mean, and the bound, which holds for the
// schedules `holds_for` names.
void print_words(Words words, double mean, double bound, const std::string& holds_for);

}  // namespace redblue::cli
