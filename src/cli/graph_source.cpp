#include "cli/graph_source.hpp"

#include "cli/options.hpp"
#include "cli/output.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

void GraphOptions::add_to(CLI::App& command) {
  command
      .add_option("graph", description,
                  "A generator (matmul:2,2,2), a graph file (.dot, .gv, .edges) or a C source")
      ->required();
  command.add_option("--set", set, "Sizes of a C source: NI=2,NJ=2,NK=2");
  command.add_option("--function", function, "The function of a C source");
}

cdag::Graph GraphOptions::graph(const std::vector<std::string>& compiler_flags) const {
  const Progress progress("building " + description);
  const bool source = description.ends_with(".c");
  const std::string einsum = "einsum:";
  if (description.starts_with(einsum)) {
    BoundRequest request;
    request.einsum = description.substr(einsum.size());
    request.sizes = sizes(set);
    return cdag::source_graph(request);
  }
  if (!source) {
    if (!set.empty()) {
      throw Error("--set " + set, description + " is no C source", "leave it out");
    }
    return cdag::make_graph(description);
  }
  return cdag::source_graph({description, function, compiler_flags, sizes(set), 1, ""});
}

GraphOptions graph_options_of(const std::string& text) {
  // Sizes are the last word, with an "=" in it.
  const auto space = text.rfind(' ');
  if (space == std::string::npos || text.find('=', space) == std::string::npos) {
    return {text, "", ""};
  }
  return {text.substr(0, space), text.substr(space + 1), ""};
}

}  // namespace redblue::cli
