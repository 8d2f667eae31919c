// SPDX-License-Identifier: BSD-3-Clause
#include "cli/pebble/graph_source.hpp"

#include <filesystem>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

const std::string einsum_prefix = "einsum:";

bool is_graph_file(const std::string& name) {
  return name.ends_with(".dot") || name.ends_with(".gv") || name.ends_with(".edges");
}

// What no generator is called, and what stands on the disk: `bound` reads the same.
bool is_program_file(const std::string& name) {
  return name.ends_with(".c") || name.ends_with(".py") ||
         (!is_graph_file(name) && std::filesystem::exists(name));
}

}  // namespace

void GraphOptions::add_to(CLI::App& command) {
  command.add_option("graph", description,
                     "A generator (matmul:2,2,2), a graph file (.dot, .gv, .edges), or a C, C++ "
                     "or Python file");
  command.add_option("--einsum", einsum, "Einstein summations and layers instead: ij,jk->ik");
  command.add_option("--set", set, "Sizes of a program: NI=2,NJ=2,NK=2");
  command.add_option("--function", function, "The function of a file");
}

std::string GraphOptions::text() const {
  const std::string name = einsum.empty() ? description : einsum_prefix + einsum;
  std::string one_word = set;  // as graph_options_of() reads it
  std::erase(one_word, ' ');
  return set.empty() ? name : name + " " + one_word;
}

cdag::Graph GraphOptions::graph(const std::vector<std::string>& compiler_flags) const {
  if (description.empty() == einsum.empty()) {
    throw Error("redblue pebble", "neither or both of a graph and --einsum", "give one of them");
  }
  const std::string name = einsum.empty() ? description : einsum_prefix + einsum;
  Progress progress("building " + name);
  BoundRequest request;
  request.sizes = sizes(set);
  if (name.starts_with(einsum_prefix)) {
    request.einsum = name.substr(einsum_prefix.size());
    return cdag::source_graph(request, progress.callback());
  }
  if (is_program_file(name)) {
    request.file = name;
    request.function = function;
    request.flags = compiler_flags;
    return cdag::source_graph(request, progress.callback());
  }
  if (!set.empty()) throw Error("--set " + set, name + " is no C or Python file", "leave it out");
  return cdag::make_graph(name);
}

GraphOptions graph_options_of(const std::string& text) {
  // Sizes are the last word, with an "=" in it.
  const auto space = text.rfind(' ');
  if (space == std::string::npos || text.find('=', space) == std::string::npos) {
    return {text, "", "", ""};
  }
  return {text.substr(0, space), text.substr(space + 1), "", ""};
}

}  // namespace redblue::cli
