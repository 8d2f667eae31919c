// SPDX-License-Identifier: BSD-3-Clause
// How a scheme cuts space and time: which chunk of the mesh sets which points in which sweep, and
// in which order.
//
// A chunk is a block of the mesh with the storage that a rank has for it: one per rank, in Schedule
// 1 several. A pass is a group of time steps, a stage the part of a pass between two exchanges. In
// every sweep each dimension is cut into segments, and the chunks' parts of the mesh are the
// products of segments; so a scheme is told by its segments alone:
//   pa0, pa1    the blocks
//   trapezoid   what is left of a block when its sides move inwards by the slopes (upright), and
//               between two of them what they leave out (inverted)
//   Schedule 1  the blocks of side r, all moved back (in the second pass forth) by the slopes
#pragma once

#include <cstdint>
#include <vector>

#include "stencil/model/sweeps.hpp"

namespace redblue::stencil {

using ChunkIndex = std::array<int, 3>;

enum class Direction { forward, backward };

// The passes of a schedule are of few kinds. Sweeps are numbered from the pass's first.
struct PassKind {
  std::int64_t sweeps = 0;
  Direction direction = Direction::forward;
  Slopes slopes;
  MeshIndex shift_at_start = {0, 0, 0};
  std::int64_t stages = 1;
};

// What a chunk computes of one sweep in one stage.
struct TileSweep {
  std::int64_t sweep = 0;
  MeshBox box;
};

struct Tile {
  std::int64_t stage = 0;
  std::vector<TileSweep> sweeps;
};

// Of one dimension in one sweep: which chunk's, for an upright or an inverted part, and in a
// periodic mesh how far from where the chunk itself has it.
struct Segment {
  int chunk = 0;
  bool inverted = false;
  std::int64_t shift = 0;
  Range range;
};

// Which values a segment is asked for: those that a sweep of a pass set, or those the caller gave.
struct Version {
  static constexpr std::int64_t given = -1;
  const PassKind* pass = nullptr;  // of a sweep
  std::int64_t sweep = given;
};

class Tiling {
 public:
  // Throws Error where the blocks are too narrow for the depth.
  Tiling(const StencilProgram& program, const StencilDecomposition& decomposition,
         std::int64_t steps);

  const Sweeps& sweeps() const { return sweeps_; }
  const StencilDecomposition& decomposition() const { return decomposition_; }
  const std::vector<PassKind>& kinds() const { return kinds_; }
  // The passes in order, as indices of kinds.
  const std::vector<int>& passes() const { return passes_; }

  const std::array<int, 3>& chunks() const { return chunks_; }  // per dimension
  std::vector<ChunkIndex> chunks_of(Rank rank) const;
  Rank rank_of(const ChunkIndex& chunk) const;

  MeshBox owned(const ChunkIndex& chunk) const;    // what the caller gives and gets back
  MeshBox storage(const ChunkIndex& chunk) const;  // all that is ever stored
  std::vector<Tile> tiles(const PassKind& kind, const ChunkIndex& chunk) const;
  // Where the sweep sets its field: the interior, in a periodic mesh all of space.
  MeshBox interior(std::int64_t sweep) const;
  // The segments of dimension j that meet the range.
  std::vector<Segment> segments(const Version& version, int j, const Range& range) const;
  // Several ranks compute the same points: a chunk's own copy comes before that of their owner.
  bool redundant() const {
    return decomposition_.scheme == StencilScheme::pa0 ||
           decomposition_.scheme == StencilScheme::pa1;
  }

 private:
  Range block(int j, std::int64_t number) const;  // periodic: numbers go on outside the mesh
  std::int64_t block_at(int j, std::int64_t point) const;
  Range owned_range(int j, std::int64_t number) const;
  void add_passes(std::int64_t steps);
  int kind(std::int64_t sweeps, Direction direction, const MeshIndex& shift);
  void check_decomposition() const;
  void check_depth() const;
  std::vector<Tile> halo_tiles(const PassKind& kind, const ChunkIndex& chunk) const;
  std::vector<Tile> trapezoids(const PassKind& kind, const ChunkIndex& chunk) const;
  std::vector<Tile> outer_blocks(const PassKind& kind, const ChunkIndex& chunk) const;
  bool has_inverted(int j, std::int64_t number) const;
  Range upright(const PassKind& kind, std::int64_t sweep, int j, std::int64_t number) const;
  Range inverted(const PassKind& kind, std::int64_t sweep, int j, std::int64_t number) const;
  std::int64_t shift_back(const PassKind& kind, std::int64_t sweep, int j) const;

  Sweeps sweeps_;
  StencilDecomposition decomposition_;
  std::array<int, 3> chunks_ = {1, 1, 1};
  std::array<std::int64_t, 3> outer_blocks_ = {1, 1, 1};  // z of Schedule 1
  std::vector<PassKind> kinds_;
  std::vector<int> passes_;
};

}  // namespace redblue::stencil
