#include "cli/stencil_source.hpp"

#include <cmath>

#include "cli/options.hpp"
#include "redblue/error.hpp"

namespace redblue::cli {

void StencilSourceTexts::add_to(CLI::App& command) {
  command.add_option("file", file, "C file with a stencil program: a time loop around loop nests");
  command.add_option("--set", set,
                     "Sizes of the file's program, and values of its scalars: T=100,N=512");
  command.add_option("--function", function, "The function to read");
}

StencilSource StencilSourceTexts::read(const std::vector<std::string>& compiler_flags) const {
  BoundRequest request;
  request.file = file;
  request.function = function;
  request.flags = compiler_flags;
  request.sizes = sizes(set);
  return stencil_source(request);
}

std::int64_t flops_of(const StencilSource& source, std::int64_t updates) {
  double points = 0, flops = 0;
  for (std::size_t s = 0; s < source.sweeps.size(); ++s) {
    const auto here = static_cast<double>(source.program.sweeps[s].interior.points());
    points += here;
    flops += here * static_cast<double>(source.sweeps[s].flops);
  }
  return std::llround(static_cast<double>(updates) * flops / points);
}

}  // namespace redblue::cli
