// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/overlap.hpp"

#include <algorithm>

#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

// What of a sweep depends on the chunk's own block alone: the block, its sides moved inwards by the
// slopes and once by what a sweep reads; not where the mesh ends.
class Inner {
 public:
  Inner(const Tiling& tiling, const ChunkIndex& chunk) : owned_(tiling.owned(chunk)) {
    const StencilProgram& p = tiling.sweeps().program();
    for (const StencilSweep& s : p.sweeps) {
      for (const StencilRead& r : s.reads) {
        for (std::size_t j = 0; j < most_dimensions; ++j) {
          below_[j] = std::max(below_[j], r.below[j]);
          above_[j] = std::max(above_[j], r.above[j]);
        }
      }
    }
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      const bool torus = tiling.sweeps().periodic();
      ends_below_[j] = !torus && owned_.begin[j] == 0;
      ends_above_[j] = !torus && owned_.end[j] == p.extents[j];
    }
  }

  MeshBox of(const Slopes& slopes, const TileSweep& sweep) const {
    const auto t = static_cast<std::size_t>(sweep.sweep);
    MeshBox inner = owned_;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      if (!ends_below_[j]) inner.begin[j] += below_[j] + slopes.lower[t][j];
      if (!ends_above_[j]) inner.end[j] -= above_[j] + slopes.upper[t][j];
    }
    return intersection(inner, sweep.box);
  }

 private:
  MeshBox owned_;
  MeshIndex below_ = {0, 0, 0}, above_ = {0, 0, 0};
  std::array<bool, 3> ends_below_ = {}, ends_above_ = {};
};

std::int64_t rows_in(const std::vector<ChunkTile>& tiles, int along) {
  std::int64_t rows = 0;
  for (const ChunkTile& t : tiles) {
    for (const TileSweep& s : t.sweeps) rows += rows_of(s.box, along);
  }
  return rows;
}

void split(const Inner& inner, const Slopes& slopes, const OverlapSeconds& seconds, int along,
           Stage& stage) {
  std::vector<ChunkTile> early;
  std::vector<ChunkTile> late;
  std::int64_t early_points = 0;
  std::int64_t all_points = 0;
  for (const ChunkTile& tile : stage.tiles) {
    ChunkTile inside = {tile.chunk, {}};
    ChunkTile border = {tile.chunk, {}};
    for (const TileSweep& s : tile.sweeps) {
      const MeshBox box = inner.of(slopes, s);
      all_points += s.box.points();
      early_points += box.points();
      if (!box.empty()) inside.sweeps.push_back({s.sweep, box});
      std::vector<MeshBox> rest;
      append_difference(s.box, box, rest);
      for (const MeshBox& r : rest) border.sweeps.push_back({s.sweep, r});
    }
    early.push_back(std::move(inside));
    late.push_back(std::move(border));
  }
  if (2 * early_points < all_points) return;
  std::int64_t words = 0;
  for (const PeerParts& m : stage.receives) words += m.words;
  const std::int64_t more =
      rows_in(early, along) + rows_in(late, along) - rows_in(stage.tiles, along);
  const double hidden = seconds.per_exchange + seconds.per_word * static_cast<double>(words);
  if (seconds.per_row * static_cast<double>(more) > hidden) return;
  stage.early = std::move(early);
  stage.tiles = std::move(late);
}

}  // namespace

void split_for_overlap(const Tiling& tiling, Rank rank, const OverlapSeconds& seconds,
                       Stages& stages) {
  const std::vector<ChunkIndex> chunks = tiling.chunks_of(rank);
  if (chunks.empty()) return;
  const Inner inner(tiling, chunks.front());
  const Rounds rounds = rounds_of(tiling);
  const int along = tiling.sweeps().program().dimensions - 1;
  for (std::size_t r = 0; r < stages.rounds.size(); ++r) {
    const auto kind = static_cast<std::size_t>(rounds.distinct[r].kind);
    for (Stage& stage : stages.rounds[r]) {
      if (!stage.receives.empty()) split(inner, tiling.kinds()[kind].slopes, seconds, along, stage);
    }
  }
}

}  // namespace redblue::stencil
