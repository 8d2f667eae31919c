// SPDX-License-Identifier: BSD-3-Clause
#include "cli/stencil/stencil_source.hpp"

#include "cli/options.hpp"
#include "cli/stencil/stencil_options.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

void StencilSourceTexts::add_to(CLI::App& command) {
  CLI::Option* const program = command.add_option(
      "file", file, "C file with a stencil program: a time loop around loop nests");
  command
      .add_option("--set", set,
                  "Sizes of the file's program, and values of its scalars: T=100,N=512")
      ->needs(program);
  command.add_option("--function", function, "The function to read")->needs(program);
  // What the file says itself.
  for (const char* other :
       {"-d", "-n", "--radius", "--star", "--box", "--periodic", "--steps", "--type"}) {
    if (CLI::Option* const option = command.get_option_no_throw(other)) program->excludes(option);
  }
}

StencilSource StencilSourceTexts::read(const std::vector<std::string>& compiler_flags) const {
  BoundRequest request;
  request.file = file;
  request.function = function;
  request.flags = compiler_flags;
  request.sizes = sizes(set);
  return stencil_source(request);
}

std::string title_of(const StencilSource& source) {
  return source.name + " on " + extents_text(source.program);
}

double flops_per_update(const StencilSource& source) {
  double points = 0, flops = 0;
  for (std::size_t s = 0; s < source.sweeps.size(); ++s) {
    const auto here = static_cast<double>(source.program.sweeps[s].interior.points());
    points += here;
    flops += here * static_cast<double>(source.sweeps[s].flops);
  }
  return flops / points;
}

}  // namespace redblue::cli
