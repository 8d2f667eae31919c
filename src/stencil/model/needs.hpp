// SPDX-License-Identifier: BSD-3-Clause
// What chunks get from one another: for every value that a chunk reads, who set it last.
#pragma once

#include <functional>
#include <vector>

#include "stencil/model/tiling.hpp"

namespace redblue::stencil {

// Values of a field that a chunk needs and another (or the other side of a torus) has.
struct Piece {
  int field = 0;
  int buffer = 0;         // which of two: 0 is the one with the values before the pass
  bool constant = false;  // of points that no sweep sets: belongs into both buffers
  ChunkIndex source = {0, 0, 0};
  MeshBox box;                  // where the receiving chunk has them
  MeshIndex shift = {0, 0, 0};  // in the source they are at box - shift
};

// Some points' values of a field: the version that a sweep set, numbered as in the pass (the pass
// before ends with sweep -1), or one of the caller's.
struct Held {
  static constexpr std::int64_t given = -(std::int64_t{1} << 40);
  static constexpr std::int64_t constant = given - 1;
  int field;
  std::int64_t sweep;
  MeshBox box;
};

// Walks through passes in order and lists, pass by pass, what one chunk needs in each stage.
class Needs {
 public:
  Needs(const Tiling& tiling, const ChunkIndex& chunk) : tiling_(tiling), chunk_(chunk) {}

  // Called for every piece, before the stage that needs it.
  using Found = std::function<void(std::int64_t stage, const Piece& piece)>;

  // `before`: the kind of the pass before, null for the first. `constants`: also what no sweep sets
  // and an earlier call has not brought: in the first two passes; later ones need no more.
  void pass(const PassKind& kind, const PassKind* before, bool constants, const Found& found);
  // What brings the results home to where the caller wants them. `last`: the last pass.
  void results(const PassKind& last, const Found& found);

 private:
  struct Reading {  // of one field in one sweep
    std::int64_t stage;
    std::int64_t sweep;
    int field;
  };
  void read(const Reading& reading, const MeshBox& box);
  void from_sweep(const Reading& reading, std::int64_t sweep, std::vector<MeshBox> boxes);
  void from_caller(const Reading& reading, const std::vector<MeshBox>& boxes);
  void from_segments(const Reading& reading, const Version& version, Held held);
  std::vector<MeshBox> not_held(const Held& wanted) const;

  const Tiling& tiling_;
  ChunkIndex chunk_;
  // of the pass under way
  const PassKind* kind_ = nullptr;
  const PassKind* before_ = nullptr;
  bool constants_ = false;
  const Found* found_ = nullptr;
  std::vector<Held> computed_;  // by this chunk, where several compute the same
  std::vector<Held> held_;      // what this pass has brought
  std::vector<Held> constants_held_;
};

}  // namespace redblue::stencil
