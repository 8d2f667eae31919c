// SPDX-License-Identifier: BSD-3-Clause
// Graphs in files.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "redblue/cdag.hpp"

namespace redblue::cdag {

Graph read_dot(const std::string& path);
Graph read_edges(const std::string& path);
Graph read_hdag(const std::string& path);

// A graph as a file gives it, vertices in the order they are named.
struct NamedGraph {
  std::vector<std::string> names;
  std::vector<std::pair<int, int>> edges;  // from, to
  std::vector<std::string> tags;           // "input", "output", "input,output", "none" or empty
};

// Sorts the vertices topologically; throws Error naming a cycle.
Graph sorted(const std::string& path, const NamedGraph& given);

}  // namespace redblue::cdag
