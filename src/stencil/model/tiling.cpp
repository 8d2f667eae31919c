// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/model/tiling.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "redblue/error.hpp"
#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  return a >= 0 ? a / b : -((b - 1 - a) / b);
}

std::size_t index(int j) {
  return static_cast<std::size_t>(j);
}

Range range_of(const MeshBox& box, int j) {
  return {box.begin[index(j)], box.end[index(j)]};
}

bool meet(const Range& a, const Range& b) {
  return std::max(a.begin, b.begin) < std::min(a.end, b.end);
}

MeshBox box_of(const std::array<Range, 3>& ranges) {
  MeshBox box;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    box.begin[j] = ranges[j].begin;
    box.end[j] = ranges[j].end;
  }
  return box;
}

}  // namespace

Tiling::Tiling(const StencilProgram& program, const StencilDecomposition& decomposition,
               std::int64_t steps)
    : sweeps_(program), decomposition_(decomposition) {
  check_decomposition();
  chunks_ = decomposition_.grid;
  add_passes(steps);
  if (decomposition_.scheme == StencilScheme::outer_blocked) {
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      // z = ceil((n + m (b~ - 1)) / b), b = r p^(1/d)
      std::int64_t farthest = 0;
      for (const PassKind& k : kinds_) {
        if (k.sweeps > 0) farthest = std::max(farthest, k.slopes.lower.back()[j]);
      }
      const std::int64_t b = decomposition_.side[j] * decomposition_.grid[j];
      const std::int64_t extent = range_of(sweeps_.worked_on(), static_cast<int>(j)).size();
      outer_blocks_[j] = (extent + farthest + b - 1) / b;
      chunks_[j] = static_cast<int>(outer_blocks_[j] * decomposition_.grid[j]);
    }
    for (PassKind& k : kinds_) {
      k.stages = outer_blocks_[0] * outer_blocks_[1] * outer_blocks_[2] * k.sweeps;
    }
  }
  check_depth();
}

int Tiling::kind(std::int64_t count, Direction direction, const MeshIndex& shift) {
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    if (kinds_[k].sweeps == count && kinds_[k].direction == direction &&
        kinds_[k].shift_at_start == shift) {
      return static_cast<int>(k);
    }
  }
  PassKind made;
  made.sweeps = count;
  made.direction = direction;
  made.shift_at_start = shift;
  if (decomposition_.scheme == StencilScheme::outer_blocked) {
    made.slopes = symmetric_slopes(sweeps_, 0, count);
  } else {
    made.slopes = slopes(sweeps_, 0, count);
  }
  if (decomposition_.scheme == StencilScheme::trapezoid) {
    for (int j = 0; j < 3; ++j) made.stages += has_inverted(j, 0) ? 1 : 0;
  }
  kinds_.push_back(std::move(made));
  return static_cast<int>(kinds_.size()) - 1;
}

void Tiling::add_passes(std::int64_t steps) {
  MeshIndex shift = {0, 0, 0};
  Direction direction = Direction::forward;
  const bool outer = decomposition_.scheme == StencilScheme::outer_blocked;
  for (std::int64_t done = 0; done < steps; done += decomposition_.depth) {
    const std::int64_t count = std::min(decomposition_.depth, steps - done) * sweeps_.per_step();
    passes_.push_back(kind(count, direction, shift));
    if (!outer) continue;
    const MeshIndex& moved = kinds_[index(passes_.back())].slopes.lower.back();
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      shift[j] += direction == Direction::forward ? moved[j] : -moved[j];
    }
    direction = direction == Direction::forward ? Direction::backward : Direction::forward;
  }
}

void Tiling::check_decomposition() const {
  const StencilDecomposition& d = decomposition_;
  const bool outer = d.scheme == StencilScheme::outer_blocked;
  bool right = d.depth >= 1 && (d.depth == 1 || d.scheme != StencilScheme::pa0);
  double used = 1;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    const std::int64_t extent = range_of(sweeps_.worked_on(), static_cast<int>(j)).size();
    right =
        right && d.grid[j] >= 1 && d.side[j] >= 1 && (outer || d.grid[j] <= extent) &&
        (static_cast<int>(j) < sweeps_.program().dimensions || (d.grid[j] == 1 && d.side[j] == 1));
    used *= d.grid[j];
  }
  if (!right || used > d.ranks) {
    throw Error("stencil on " + std::to_string(d.ranks) + " ranks by " + d.name(),
                "no such decomposition of this mesh", "give a smaller grid, depths and sides >= 1");
  }
  if (outer && sweeps_.periodic()) {
    throw Error("outer-blocked on a periodic mesh", "its first block would wait for its last",
                "use pa1 or trapezoid");
  }
}

void Tiling::check_depth() const {
  if (decomposition_.scheme != StencilScheme::trapezoid) return;
  for (const PassKind& k : kinds_) {
    for (int j = 0; j < 3; ++j) {
      for (std::int64_t c = 0; c < chunks_[index(j)]; ++c) {
        if (upright(k, k.sweeps - 1, j, c).size() >= 0) continue;
        throw Error("trapezoids of depth " + std::to_string(decomposition_.depth),
                    "too deep for blocks of " + std::to_string(block(j, c).size()) + " points",
                    "give a smaller depth or fewer ranks");
      }
    }
  }
}

// ---------------------------------------------------------------- blocks

Range Tiling::block(int j, std::int64_t number) const {
  const Range all = range_of(sweeps_.worked_on(), j);
  if (decomposition_.scheme == StencilScheme::outer_blocked) {
    const std::int64_t r = decomposition_.side[index(j)];
    return {all.begin + number * r, all.begin + (number + 1) * r};
  }
  const std::int64_t parts = chunks_[index(j)];
  const std::int64_t round = floor_div(number, parts);
  const std::int64_t c = number - round * parts;
  const std::int64_t each = all.size() / parts;
  const std::int64_t larger = all.size() % parts;
  const std::int64_t begin = all.begin + round * all.size() + c * each + std::min(c, larger);
  return {begin, begin + each + (c < larger ? 1 : 0)};
}

std::int64_t Tiling::block_at(int j, std::int64_t point) const {
  const Range all = range_of(sweeps_.worked_on(), j);
  if (decomposition_.scheme == StencilScheme::outer_blocked) {
    return floor_div(point - all.begin, decomposition_.side[index(j)]);
  }
  const std::int64_t parts = chunks_[index(j)];
  const std::int64_t round = floor_div(point - all.begin, all.size());
  const std::int64_t x = point - all.begin - round * all.size();
  const std::int64_t each = all.size() / parts;
  const std::int64_t larger = all.size() % parts;
  const std::int64_t c =
      x < larger * (each + 1) ? x / (each + 1) : larger + (x - larger * (each + 1)) / each;
  return round * parts + c;
}

// The boundary belongs to the first and the last block that has points.
Range Tiling::owned_range(int j, std::int64_t number) const {
  const Range all = range_of(sweeps_.worked_on(), j);
  Range own = block(j, number);
  own.end = std::min(own.end, all.end);
  if (own.size() <= 0) return {own.begin, own.begin};
  if (number == 0) own.begin = 0;
  if (own.end == all.end) own.end = sweeps_.program().extents[index(j)];
  return own;
}

MeshBox Tiling::owned(const ChunkIndex& chunk) const {
  return box_of({owned_range(0, chunk[0]), owned_range(1, chunk[1]), owned_range(2, chunk[2])});
}

std::vector<ChunkIndex> Tiling::chunks_of(Rank rank) const {
  const std::array<int, 3>& g = decomposition_.grid;
  if (rank.value >= decomposition_.used()) return {};
  const ChunkIndex q = {rank.value / (g[1] * g[2]), rank.value / g[2] % g[1], rank.value % g[2]};
  std::vector<ChunkIndex> result;
  for (int c0 = q[0]; c0 < chunks_[0]; c0 += g[0]) {
    for (int c1 = q[1]; c1 < chunks_[1]; c1 += g[1]) {
      for (int c2 = q[2]; c2 < chunks_[2]; c2 += g[2]) result.push_back({c0, c1, c2});
    }
  }
  return result;
}

Rank Tiling::rank_of(const ChunkIndex& chunk) const {
  const std::array<int, 3>& g = decomposition_.grid;
  return Rank{((chunk[0] % g[0]) * g[1] + chunk[1] % g[1]) * g[2] + chunk[2] % g[2]};
}

MeshBox Tiling::interior(std::int64_t sweep) const {
  constexpr std::int64_t far = std::int64_t{1} << 60;
  if (!sweeps_.periodic()) return sweeps_.at(sweep).interior;
  return {{-far, -far, -far}, {far, far, far}};
}

// ---------------------------------------------------------------- segments

bool Tiling::has_inverted(int j, std::int64_t number) const {
  if (decomposition_.scheme != StencilScheme::trapezoid || j >= sweeps_.program().dimensions) {
    return false;
  }
  return sweeps_.periodic() || number + 1 < chunks_[index(j)];
}

Range Tiling::upright(const PassKind& kind, std::int64_t sweep, int j, std::int64_t number) const {
  Range r = block(j, number);
  const auto t = static_cast<std::size_t>(sweep);
  if (has_inverted(j, number - 1) && (sweeps_.periodic() || number > 0)) {
    r.begin += kind.slopes.lower[t][index(j)];
  }
  if (has_inverted(j, number)) r.end -= kind.slopes.upper[t][index(j)];
  return r;
}

// Between the upright part of block `number` and that of the next one.
Range Tiling::inverted(const PassKind& kind, std::int64_t sweep, int j, std::int64_t number) const {
  const std::int64_t side = block(j, number).end;
  const auto t = static_cast<std::size_t>(sweep);
  return {side - kind.slopes.upper[t][index(j)], side + kind.slopes.lower[t][index(j)]};
}

std::int64_t Tiling::shift_back(const PassKind& kind, std::int64_t sweep, int j) const {
  const std::int64_t moved = kind.slopes.lower[static_cast<std::size_t>(sweep)][index(j)];
  const std::int64_t before = kind.shift_at_start[index(j)];
  return kind.direction == Direction::forward ? before + moved : before - moved;
}

std::vector<Segment> Tiling::segments(const Version& version, int j, const Range& range) const {
  std::vector<Segment> found;
  const bool outer = decomposition_.scheme == StencilScheme::outer_blocked;
  const bool given = version.sweep == Version::given;
  const std::int64_t parts = chunks_[index(j)];
  const std::int64_t shift = outer && !given ? shift_back(*version.pass, version.sweep, j) : 0;
  // an inverted part reaches into the next block
  std::int64_t first = block_at(j, range.begin + shift) - 1;
  std::int64_t last = block_at(j, range.end - 1 + shift) + 1;
  if (!sweeps_.periodic()) {
    first = std::clamp<std::int64_t>(first, 0, parts - 1);
    last = std::clamp<std::int64_t>(last, 0, parts - 1);
    if (outer && given) last = parts - 1;  // the boundary's owner
  }
  for (std::int64_t number = first; number <= last; ++number) {
    const std::int64_t round = floor_div(number, parts);
    Segment s;
    s.chunk = static_cast<int>(number - round * parts);
    s.shift = round * sweeps_.program().extents[index(j)];
    const auto add = [&](const Range& r) {
      s.range = r;
      if (meet(r, range)) found.push_back(s);
    };
    if (given) {
      add(sweeps_.periodic() ? block(j, number) : owned_range(j, number));
    } else if (outer) {
      const Range b = block(j, number);
      add({b.begin - shift, b.end - shift});
    } else if (decomposition_.scheme != StencilScheme::trapezoid) {
      add(block(j, number));
    } else {
      add(upright(*version.pass, version.sweep, j, number));
      s.inverted = true;
      if (has_inverted(j, number)) add(inverted(*version.pass, version.sweep, j, number));
    }
  }
  return found;
}

// ---------------------------------------------------------------- tiles

// Backwards from what the chunk owns: a sweep computes what is needed of its field later
// [demmel2008]. Needs are boxes.
std::vector<Tile> Tiling::halo_tiles(const PassKind& kind, const ChunkIndex& chunk) const {
  const StencilProgram& p = sweeps_.program();
  const MeshBox own = box_of({block(0, chunk[0]), block(1, chunk[1]), block(2, chunk[2])});
  const auto of_field = [&](int field, const MeshBox& box) {
    return sweeps_.periodic() ? box : intersection(box, sweeps_.set_points(field));
  };
  std::vector<MeshBox> needed;
  for (int f = 0; f < p.fields; ++f) {
    needed.push_back(sweeps_.set_points(f).empty() ? no_points() : of_field(f, own));
  }
  Tile tile;
  for (std::int64_t t = kind.sweeps - 1; t >= 0; --t) {
    const StencilSweep& s = sweeps_.at(t);
    MeshBox& of_target = needed[index(s.field)];
    const MeshBox computed = intersection(of_target, interior(t));
    std::vector<MeshBox> rest;
    append_difference(of_target, computed, rest);
    of_target = no_points();
    for (const MeshBox& r : rest) of_target = hull(of_target, r);
    if (computed.empty()) continue;
    tile.sweeps.push_back({t, computed});
    for (const StencilRead& r : s.reads) {
      if (sweeps_.set_points(r.field).empty()) continue;
      MeshBox& n = needed[index(r.field)];
      n = hull(n, of_field(r.field, grown(computed, r.below, r.above)));
    }
  }
  std::reverse(tile.sweeps.begin(), tile.sweeps.end());
  return {tile};
}

std::vector<Tile> Tiling::trapezoids(const PassKind& kind, const ChunkIndex& chunk) const {
  std::vector<Tile> tiles;
  for (int shape = 0; shape < 8; ++shape) {  // bit j: inverted in dimension j
    Tile tile;
    bool exists = true;
    for (int j = 0; j < 3; ++j) {
      if ((shape >> j & 1) == 0) continue;
      exists = exists && has_inverted(j, chunk[index(j)]);
      ++tile.stage;
    }
    for (std::int64_t t = 0; exists && t < kind.sweeps; ++t) {
      std::array<Range, 3> ranges;
      for (int j = 0; j < 3; ++j) {
        ranges[index(j)] = (shape >> j & 1) != 0 ? inverted(kind, t, j, chunk[index(j)])
                                                 : upright(kind, t, j, chunk[index(j)]);
      }
      const MeshBox box = intersection(box_of(ranges), interior(t));
      if (!box.empty()) tile.sweeps.push_back({t, box});
    }
    if (!tile.sweeps.empty()) tiles.push_back(std::move(tile));
  }
  return tiles;
}

// Lines 7 to 15 and 18 to 26 of Schedule 1: blocks (u_1, .., u_d) in lexicographic order, in the
// backward pass in reverse; in each the sweeps.
std::vector<Tile> Tiling::outer_blocks(const PassKind& kind, const ChunkIndex& chunk) const {
  const std::array<int, 3>& g = decomposition_.grid;
  const std::array<std::int64_t, 3>& z = outer_blocks_;
  std::int64_t place = (chunk[0] / g[0] * z[1] + chunk[1] / g[1]) * z[2] + chunk[2] / g[2];
  if (kind.direction == Direction::backward) place = z[0] * z[1] * z[2] - 1 - place;
  std::vector<Tile> tiles;
  for (std::int64_t t = 0; t < kind.sweeps; ++t) {
    std::array<Range, 3> ranges;
    for (int j = 0; j < 3; ++j) {
      const Range b = block(j, chunk[index(j)]);
      const std::int64_t shift = shift_back(kind, t, j);
      ranges[index(j)] = {b.begin - shift, b.end - shift};
    }
    const MeshBox box = intersection(box_of(ranges), interior(t));
    if (!box.empty()) tiles.push_back({place * kind.sweeps + t, {{t, box}}});
  }
  return tiles;
}

std::vector<Tile> Tiling::tiles(const PassKind& kind, const ChunkIndex& chunk) const {
  switch (decomposition_.scheme) {
    case StencilScheme::trapezoid:
      return trapezoids(kind, chunk);
    case StencilScheme::outer_blocked:
      return outer_blocks(kind, chunk);
    default:
      return halo_tiles(kind, chunk);
  }
}

MeshBox Tiling::storage(const ChunkIndex& chunk) const {
  MeshBox all = owned(chunk);
  for (const PassKind& k : kinds_) {
    for (const Tile& tile : tiles(k, chunk)) {
      for (const TileSweep& s : tile.sweeps) {
        all = hull(all, s.box);
        for (const StencilRead& r : sweeps_.at(s.sweep).reads) {
          all = hull(all, grown(s.box, r.below, r.above));
        }
      }
    }
  }
  return all;
}

}  // namespace redblue::stencil
