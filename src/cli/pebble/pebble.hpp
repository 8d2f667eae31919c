// SPDX-License-Identifier: BSD-3-Clause
// What the subcommands of `redblue pebble` share: their options and how they begin.
#pragma once

#include <string>
#include <vector>

#include "cli/output.hpp"
#include "cli/pebble/graph_source.hpp"
#include "redblue/pebble.hpp"

namespace redblue::cli::pebble {

struct Options {
  GraphOptions source;
  std::string words, seconds = "60", output, order = "best", transfers, vertex, chain, levels;
  std::string dot, svg, edges, pebbling, after;
  bool recompute = false, partial = false, lru = false, json = false;

  std::int64_t s() const;
};

using Flags = std::vector<std::string>;  // for the C compiler

// Pictures and formats (pebble.cpp), games (pebble_games.cpp) and bounds (pebble_bounds.cpp); each
// returns the exit status.
int show(const Options& o, const Flags& flags);
int optimum(const Options& o, const Flags& flags);
int schedule(const Options& o, const Flags& flags);
int hierarchy(const Options& o, const Flags& flags);
int check(const Options& o, const Flags& flags);
int partition(const Options& o, const Flags& flags);
int bound(const Options& o, const Flags& flags);
int wavefront(const Options& o, const Flags& flags);
int intervals(const Options& o, const Flags& flags);

std::string game_of(const Options& o);
Json size_of(const std::string& name, const cdag::Graph& graph);
void print_size(const std::string& name, const cdag::Graph& graph);

}  // namespace redblue::cli::pebble
