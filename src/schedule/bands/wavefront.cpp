// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/wavefront.hpp"

#include <string>
#include <vector>

#include "program/checked.hpp"
#include "schedule/blocks/block_maps.hpp"

namespace redblue::schedule::codegen {

LeafBand skewed(const LeafBand& band, int inner, int other) {
  std::vector<std::string> from, to;
  for (int m = 0; m < band.members; ++m) {
    from.push_back("m" + std::to_string(m));
    to.push_back(from.back());
  }
  to[static_cast<std::size_t>(other)] += " + m" + std::to_string(inner);
  LeafBand result = band;
  result.loops = band.loops.apply_range(isl::union_map(
      isl::map(program::context(), "{ [" + list(from) + "] -> [" + list(to) + "] }")));
  return result;
}

std::optional<Wavefront> wavefront(const program::Program& program, const LeafBand& band,
                                   const isl::union_map& order,
                                   const std::vector<double>& instances) {
  std::optional<Wavefront> best;
  for (int inner = 0; inner < band.members; ++inner) {
    for (int other = 0; other < band.members; ++other) {
      if (other == inner) continue;
      const InnerLoop next =
          inner_loop(program, skewed(band, inner, other), inner, order, instances);
      if (!next.independent || (best && next.far >= best->inner.far)) continue;
      best = Wavefront{next, other};
    }
  }
  return best;
}

}  // namespace redblue::schedule::codegen
