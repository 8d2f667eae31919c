// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/loop_choice.hpp"

#include <utility>

#include "schedule/bands/cycles.hpp"
#include "schedule/bands/footprints.hpp"
#include "schedule/bands/wavefront.hpp"

namespace redblue::schedule::codegen {

namespace {

// Only the innermost loop is cut.
LoopChoice in_strips(const LeafBand& band, const InnerLoop& inner, std::int64_t size) {
  BandChoice choice{{}, inner.member};
  choice.tiles.assign(static_cast<std::size_t>(band.members), 0);
  choice.tiles[static_cast<std::size_t>(inner.member)] = size;
  return {band, choice, inner};
}

LoopChoice along_diagonals(const LeafBand& band, const Wavefront& wavefront) {
  const int inner = wavefront.inner.member;
  LoopChoice result =
      in_strips(skewed(band, inner, wavefront.other), wavefront.inner, in_wavefront);
  result.choice.other = wavefront.other;
  return result;
}

}  // namespace

LoopChoice loop_choice(const program::Program& program, const LeafBand& band,
                       const std::vector<InnerLoop>& loops, const isl::union_map& order,
                       const std::vector<double>& instances, std::size_t heaviest,
                       const program::Sizes& sizes, std::int64_t cache_words) {
  const InnerLoop inner = best_inner_loop(loops);
  BandChoice choice{{}, inner.member};
  choice.tiles = tiles_for(program, band, inner, sizes, cache_words);
  std::vector<LoopChoice> all = {{band, choice, inner}};
  if (band.members > 1 && inner.independent && inner.far > 0) {
    choice.tiles.assign(static_cast<std::size_t>(band.members), small_tile);
    all = {{band, choice, inner}};
  }
  for (const InnerLoop& next : loops)
    if (next.independent && next.far_in_line > 0)
      all.push_back(in_strips(band, next, strip_of(next)));
  if (!inner.independent)
    if (const auto found = wavefront(program, band, order, instances))
      all.push_back(along_diagonals(band, *found));
  if (all.size() == 1) return std::move(all.front());

  // Of an instance of the heaviest statement.
  const auto cycles = [&](const LoopChoice& way) {
    return cycles_of(way.inner, way.choice.tiles) +
           division_cycles(program.statements[heaviest], way.inner) +
           from_memory * moved_per_instance(program, way.band, loops_in_order(way.band, way.inner),
                                            way.choice.tiles, sizes, cache_words);
  };
  std::size_t best = 0;
  double least = cycles(all.front());
  for (std::size_t n = 1; n < all.size(); ++n) {
    if (const double next = cycles(all[n]); next < least) {
      best = n;
      least = next;
    }
  }
  return std::move(all[best]);
}

}  // namespace redblue::schedule::codegen
