// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/model/needs.hpp"

#include <algorithm>
#include <utility>

#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

// The points at which a star reads, arm by arm; of a box, the box.
std::vector<MeshBox> points_read(const MeshBox& set, const StencilRead& read) {
  if (!read.star) return {grown(set, read.below, read.above)};
  std::vector<MeshBox> arms;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    MeshBox arm = set;
    arm.begin[j] -= read.below[j];
    arm.end[j] += read.above[j];
    if (arm != set) arms.push_back(arm);
  }
  if (arms.empty()) arms.push_back(set);
  return arms;
}

}  // namespace

void Needs::pass(const PassKind& kind, const PassKind* before, bool constants, const Found& found) {
  kind_ = &kind;
  before_ = before;
  constants_ = constants;
  found_ = &found;
  held_.clear();
  computed_.clear();
  const std::vector<Tile> tiles = tiling_.tiles(kind, chunk_);
  if (tiling_.redundant()) {
    const auto remember = [&](const PassKind& k, std::int64_t offset) {
      for (const Tile& tile : tiling_.tiles(k, chunk_)) {
        for (const TileSweep& s : tile.sweeps) {
          computed_.push_back({tiling_.sweeps().at(s.sweep).field, s.sweep + offset, s.box});
        }
      }
    };
    remember(kind, 0);
    if (before != nullptr) remember(*before, -before->sweeps);
  }
  for (const Tile& tile : tiles) {
    for (const TileSweep& s : tile.sweeps) {
      for (const StencilRead& r : tiling_.sweeps().at(s.sweep).reads) {
        for (const MeshBox& box : points_read(s.box, r)) {
          read({tile.stage, s.sweep, r.field}, box);
        }
      }
    }
  }
}

void Needs::results(const PassKind& last, const Found& found) {
  if (tiling_.redundant()) return;  // home already
  kind_ = nullptr;
  before_ = &last;
  constants_ = false;
  found_ = &found;
  held_.clear();
  computed_.clear();
  for (int f = 0; f < tiling_.sweeps().program().fields; ++f) {
    const MeshBox home = intersection(tiling_.owned(chunk_), tiling_.sweeps().set_points(f));
    if (!home.empty()) read({0, 0, f}, home);
  }
}

// Every point of `box` was set last by the latest sweep before that has it in its interior; by
// none where no sweep sets it, or no pass was before.
void Needs::read(const Reading& reading, const MeshBox& box) {
  const Sweeps& sweeps = tiling_.sweeps();
  const std::int64_t per_step = sweeps.per_step();
  const std::int64_t oldest =
      std::max(reading.sweep - per_step, before_ == nullptr ? 0 : -before_->sweeps);
  std::vector<MeshBox> rest = {box};
  for (std::int64_t s = reading.sweep - 1; s >= oldest && !rest.empty(); --s) {
    const std::int64_t in_step = s >= 0 ? s : s + per_step;
    if (sweeps.at(in_step).field != reading.field) continue;
    const MeshBox interior = tiling_.interior(in_step);
    std::vector<MeshBox> set_here;
    for (const MeshBox& b : rest) {
      const MeshBox part = intersection(b, interior);
      if (!part.empty()) set_here.push_back(part);
    }
    rest = difference(rest, interior);
    from_sweep(reading, s, std::move(set_here));
  }
  from_caller(reading, rest);
}

void Needs::from_sweep(const Reading& reading, std::int64_t sweep, std::vector<MeshBox> boxes) {
  for (const Held& h : computed_) {
    if (h.sweep == sweep) boxes = difference(boxes, h.box);
  }
  Version version;
  version.pass = sweep >= 0 ? kind_ : before_;
  version.sweep = sweep >= 0 ? sweep : sweep + before_->sweeps;
  for (const MeshBox& b : boxes) from_segments(reading, version, {reading.field, sweep, b});
}

void Needs::from_caller(const Reading& reading, const std::vector<MeshBox>& boxes) {
  const bool torus = tiling_.sweeps().periodic();
  const MeshBox& set = tiling_.sweeps().set_points(reading.field);
  for (const MeshBox& box : boxes) {
    std::vector<MeshBox> never_set;
    if (set.empty() || !torus) append_difference(box, set, never_set);
    for (const MeshBox& b : never_set) {
      if (constants_) from_segments(reading, Version{}, {reading.field, Held::constant, b});
    }
    if (set.empty()) continue;
    // no sweep of this program has set it yet: read in the first pass
    const MeshBox not_yet = torus ? box : intersection(box, set);
    from_segments(reading, Version{}, {reading.field, Held::given, not_yet});
  }
}

std::vector<MeshBox> Needs::not_held(const Held& wanted) const {
  std::vector<MeshBox> boxes;
  if (!wanted.box.empty()) boxes.push_back(wanted.box);
  const std::vector<Held>& have = wanted.sweep == Held::constant ? constants_held_ : held_;
  for (const Held& h : have) {
    if (boxes.empty()) break;
    if (h.field == wanted.field && h.sweep == wanted.sweep) boxes = difference(boxes, h.box);
  }
  return boxes;
}

void Needs::from_segments(const Reading& reading, const Version& version, Held held) {
  const std::vector<MeshBox> boxes = not_held(held);
  const int buffer = tiling_.sweeps().buffer(reading.field, reading.sweep);
  for (const MeshBox& box : boxes) {
    std::array<std::vector<Segment>, 3> along;
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      along[j] = tiling_.segments(version, static_cast<int>(j), {box.begin[j], box.end[j]});
    }
    for (const Segment& s0 : along[0]) {
      for (const Segment& s1 : along[1]) {
        for (const Segment& s2 : along[2]) {
          Piece piece;
          piece.field = reading.field;
          piece.buffer = held.sweep == Held::constant ? 0 : buffer;
          piece.constant = held.sweep == Held::constant;
          piece.source = {s0.chunk, s1.chunk, s2.chunk};
          piece.shift = {s0.shift, s1.shift, s2.shift};
          piece.box = intersection(box, {{s0.range.begin, s1.range.begin, s2.range.begin},
                                         {s0.range.end, s1.range.end, s2.range.end}});
          if (piece.source == chunk_ && piece.shift == MeshIndex{0, 0, 0}) continue;
          (*found_)(reading.stage, piece);
        }
      }
    }
  }
  for (const MeshBox& box : boxes) {
    held.box = box;
    (held.sweep == Held::constant ? constants_held_ : held_).push_back(held);
  }
}

}  // namespace redblue::stencil
