// SPDX-License-Identifier: BSD-3-Clause
// Schemes and decompositions of stencils in words.
#include <algorithm>
#include <string>

#include "redblue/stencil_model.hpp"

namespace redblue {

std::string name(StencilScheme scheme) {
  switch (scheme) {
    case StencilScheme::pa0:
      return "pa0";
    case StencilScheme::pa1:
      return "pa1";
    case StencilScheme::trapezoid:
      return "trapezoid";
    case StencilScheme::outer_blocked:
      return "outer-blocked";
  }
  return "";
}

std::string StencilDecomposition::name() const {
  std::string text = redblue::name(scheme);
  if (scheme == StencilScheme::outer_blocked) {
    text += ", side " + std::to_string(*std::max_element(side.begin(), side.end()));
  }
  if (scheme != StencilScheme::pa0) text += ", depth " + std::to_string(depth);
  text += ", grid " + std::to_string(grid[0]);
  for (std::size_t j = 1; j < grid.size(); ++j) {
    if (grid[j] > 1 || (j == 1 && grid[2] > 1)) text += " x " + std::to_string(grid[j]);
  }
  return text;
}

}  // namespace redblue
