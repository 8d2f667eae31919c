// SPDX-License-Identifier: BSD-3-Clause
// The graph a subcommand works on: a generator, a graph file or a program at given sizes.
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/options.hpp"

#include "redblue/cdag.hpp"

namespace redblue::cli {

struct GraphOptions {
  std::string description, set, function, einsum;
  FinalValueOptions final_values;

  void add_to(CLI::App& command);
  // "kernels/gemm.c NI=2,NJ=2 --scratch=T": what pebbling files call the graph.
  std::string text() const;
  cdag::Graph graph(const std::vector<std::string>& compiler_flags) const;
};

// The inverse of GraphOptions::text.
GraphOptions graph_options_of(const std::string& text);

}  // namespace redblue::cli
