// SPDX-License-Identifier: BSD-3-Clause
#include "cli/pebble/graph_source.hpp"

#include <filesystem>

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

namespace {

const std::string einsum_prefix = "einsum:";
const std::string scratch_prefix = " --scratch=", output_prefix = " --output=";

bool is_graph_file(const std::string& name) {
  return name.ends_with(".dot") || name.ends_with(".gv") || name.ends_with(".edges") ||
         name.ends_with(".hdag");
}

// What no generator is called, and what stands on the disk: `bound` reads the same.
bool is_program_file(const std::string& name) {
  return name.ends_with(".c") || name.ends_with(".py") ||
         (!is_graph_file(name) && std::filesystem::exists(name));
}

}  // namespace

void GraphOptions::add_to(CLI::App& command) {
  command.add_option(
      "graph", description,
      "A generator (matmul:2,2,2), a graph file (.dot, .gv, .edges, .hdag), or a C, C++ "
      "or Python file");
  command.add_option("--einsum", einsum, "Einstein summations and layers instead: ij,jk->ik");
  command.add_option("--set", set, "Sizes of a program: NI=2,NJ=2,NK=2");
  command.add_option("--function", function, "The function of a file");
  final_values.add_to(command);
}

std::string GraphOptions::text() const {
  const std::string name = einsum.empty() ? description : einsum_prefix + einsum;
  std::string one_word = set;  // as graph_options_of() reads it
  std::erase(one_word, ' ');
  std::string all = set.empty() ? name : name + " " + one_word;
  BoundRequest request;
  final_values.put_into(request);
  for (const std::string& array : request.scratch) all += scratch_prefix + array;
  for (const std::string& array : request.outputs) all += output_prefix + array;
  return all;
}

cdag::Graph GraphOptions::graph(const std::vector<std::string>& compiler_flags) const {
  if (description.empty() == einsum.empty()) {
    throw Error("redblue pebble", "neither or both of a graph and --einsum", "give one of them");
  }
  const std::string name = einsum.empty() ? description : einsum_prefix + einsum;
  Progress progress("building " + name);
  BoundRequest request;
  request.sizes = sizes(set);
  final_values.put_into(request);
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
  if (!request.scratch.empty() || !request.outputs.empty())
    throw Error("--scratch, --output", name + " is no C or Python file", "leave them out");
  return cdag::make_graph(name);
}

GraphOptions graph_options_of(const std::string& text) {
  GraphOptions result;
  std::string rest = text;
  const auto take = [&rest](const std::string& prefix, std::vector<std::string>& into) {
    const auto at = rest.rfind(prefix);
    if (at == std::string::npos || rest.find(' ', at + 1) != std::string::npos) return false;
    into.insert(into.begin(), rest.substr(at + prefix.size()));
    rest.resize(at);
    return true;
  };
  while (take(output_prefix, result.final_values.outputs) ||
         take(scratch_prefix, result.final_values.scratch)) {
  }
  // Sizes are the last word, with an "=" in it.
  const auto space = rest.rfind(' ');
  const bool sized = space != std::string::npos && rest.find('=', space) != std::string::npos;
  result.description = sized ? rest.substr(0, space) : rest;
  if (sized) result.set = rest.substr(space + 1);
  return result;
}

}  // namespace redblue::cli
