// SPDX-License-Identifier: BSD-3-Clause
// Options several subcommands share, and how their texts are read.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "redblue/analysis.hpp"

namespace redblue::cli {

// A whole number, 1200 or 1.2e3; throws Error naming `what` otherwise.
std::int64_t whole_number(const std::string& what, const std::string& text);

// "NI=1000, S=1e3" as a map; throws Error for anything else.
std::map<std::string, std::int64_t> sizes(const std::string& text);

// Says on standard error which sizes a value would need, where some but not all are given.
void note_missing(const std::map<std::string, std::int64_t>& sizes,
                  const std::vector<std::string>& parameters, bool by_memory);

// "R,Q" as names.
std::vector<std::string> names(const std::string& text);

// --scratch and --output: what becomes of arrays' final values.
struct FinalValueOptions {
  std::vector<std::string> scratch, outputs;

  // `output`: what the second is called where -o, --output name a file.
  void add_to(CLI::App& command, const std::string& output = "--output,--output-array");
  void put_into(BoundRequest& request) const;
};

// "7,8,13" as numbers.
std::vector<std::int64_t> numbers(const std::string& what, const std::string& text);

// -p as a number of ranks; throws Error beyond an int.
int rank_count(std::int64_t count);

// -p as several, "7,8,13"; throws Error for none.
std::vector<int> rank_counts(const std::string& text);

// --repeat; throws Error below 1.
std::int64_t repeat_count(const std::string& text);

}  // namespace redblue::cli
