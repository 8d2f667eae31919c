// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/model/sweeps.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "redblue/error.hpp"
#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

bool moves(const StencilRead& read) {
  return read.below != MeshIndex{0, 0, 0} || read.above != MeshIndex{0, 0, 0};
}

bool reads_own_neighbours(const StencilSweep& sweep) {
  return std::any_of(sweep.reads.begin(), sweep.reads.end(),
                     [&sweep](const StencilRead& r) { return r.field == sweep.field && moves(r); });
}

}  // namespace

Sweeps::Sweeps(const StencilProgram& program) : program_(program) {
  check_stencil(program_);
  two_buffers_.resize(fields());
  writes_before_.assign(fields(), {0});
  set_points_.assign(fields(), no_points());
  worked_on_ = no_points();
  for (const StencilSweep& s : program_.sweeps) {
    if (reads_own_neighbours(s)) two_buffers_[static_cast<std::size_t>(s.field)] = true;
    for (std::size_t f = 0; f < fields(); ++f) {
      const bool set = static_cast<std::size_t>(s.field) == f;
      writes_before_[f].push_back(writes_before_[f].back() + (set ? 1 : 0));
      if (set) set_points_[f] = hull(set_points_[f], s.interior);
    }
    worked_on_ = hull(worked_on_, s.interior);
  }
}

int Sweeps::buffer(int field, std::int64_t t) const {
  if (!two_buffers(field)) return 0;
  const std::vector<int>& before = writes_before_[static_cast<std::size_t>(field)];
  const std::int64_t writes =
      t / per_step() * before.back() + before[static_cast<std::size_t>(t % per_step())];
  return static_cast<int>(writes % 2);
}

namespace {

// An array in memory: a field, or one of its two buffers.
struct Array {
  int field, buffer;
  bool operator==(const Array&) const = default;
};

Array target(const Sweeps& sweeps, std::int64_t t) {
  const int field = sweeps.at(t).field;
  return {field, sweeps.buffer(field, t + 1)};
}

// What sweep t must keep from sweep s < t, whose sides are at lower, upper:
//   flow:   t reads y that s sets      begin_t - below >= begin_s, end_t + above <= end_s
//   anti:   t sets y that s reads      begin_t - above >= begin_s, end_t + below <= end_s
//   output: t sets y that s sets       begin_t >= begin_s
void keep_apart(const Sweeps& sweeps, std::int64_t s, const MeshIndex& lower_s,
                const MeshIndex& upper_s, std::int64_t t, MeshIndex& lower, MeshIndex& upper) {
  const auto at_least = [&](const MeshIndex& below, const MeshIndex& above) {
    for (std::size_t j = 0; j < most_dimensions; ++j) {
      lower[j] = std::max(lower[j], lower_s[j] + below[j]);
      upper[j] = std::max(upper[j], upper_s[j] + above[j]);
    }
  };
  at_least({0, 0, 0}, {0, 0, 0});  // sides never move back: that is the output dependence
  for (const StencilRead& r : sweeps.at(t).reads) {
    if (Array{r.field, sweeps.buffer(r.field, t)} == target(sweeps, s)) at_least(r.below, r.above);
  }
  for (const StencilRead& r : sweeps.at(s).reads) {
    if (Array{r.field, sweeps.buffer(r.field, s)} == target(sweeps, t)) at_least(r.above, r.below);
  }
}

Slopes slopes_of(const Sweeps& sweeps, std::int64_t first, std::int64_t count, bool symmetric) {
  Slopes result;
  // older sweeps come to the same, as sides never move back and a buffer is set anew in two steps
  const std::int64_t behind = 2 * sweeps.per_step();
  for (std::int64_t t = 0; t < count; ++t) {
    MeshIndex lower = {0, 0, 0};
    MeshIndex upper = {0, 0, 0};
    for (std::int64_t s = std::max<std::int64_t>(0, t - behind); s < t; ++s) {
      const auto k = static_cast<std::size_t>(s);
      keep_apart(sweeps, first + s, result.lower[k], result.upper[k], first + t, lower, upper);
    }
    for (std::size_t j = 0; symmetric && j < most_dimensions; ++j) {
      lower[j] = upper[j] = std::max(lower[j], upper[j]);
    }
    result.lower.push_back(lower);
    result.upper.push_back(upper);
  }
  return result;
}

}  // namespace

Slopes slopes(const Sweeps& sweeps, std::int64_t first, std::int64_t count) {
  return slopes_of(sweeps, first, count, false);
}

Slopes symmetric_slopes(const Sweeps& sweeps, std::int64_t first, std::int64_t count) {
  return slopes_of(sweeps, first, count, true);
}

}  // namespace redblue::stencil

namespace redblue {

using stencil::contains;
using stencil::grown;
using stencil::whole_mesh;

namespace {

std::string extents_text(const StencilProgram& p) {
  std::string text;
  for (int j = 0; j < p.dimensions; ++j) {
    text += (j > 0 ? " x " : "") + std::to_string(p.extents[static_cast<std::size_t>(j)]);
  }
  return "stencil on a mesh of " + text;
}

void check_mesh(const StencilProgram& p) {
  constexpr double most_points = 9007199254740992.;  // 2^53
  constexpr int most_fields = 16;
  if (p.dimensions < 1 || p.dimensions > 3) {
    throw Error("stencil in " + std::to_string(p.dimensions) + " dimensions", "not 1, 2 or 3",
                "give -d 1, 2 or 3");
  }
  double points = 1;
  for (int j = 0; j < 3; ++j) {
    const std::int64_t extent = p.extents[static_cast<std::size_t>(j)];
    points *= static_cast<double>(extent);
    if (extent < 1 || (j >= p.dimensions && extent != 1)) {
      throw Error(extents_text(p), "no point in some dimension", "give extents of at least 1");
    }
  }
  if (points > most_points) {
    throw Error(extents_text(p), "more than 2^53 points", "give a smaller mesh");
  }
  if (p.fields < 1 || p.fields > most_fields) {
    throw Error(extents_text(p), std::to_string(p.fields) + " fields", "give 1 to 16");
  }
  if (p.sweeps.empty()) throw Error(extents_text(p), "no sweep", "give at least one");
}

void check_reads(const StencilProgram& p, const StencilSweep& s) {
  const bool periodic = p.boundary == StencilBoundary::periodic;
  for (const StencilRead& r : s.reads) {
    if (r.field < 0 || r.field >= p.fields) {
      throw Error(extents_text(p), "a sweep of field " + std::to_string(r.field),
                  "give fields 0 to " + std::to_string(p.fields - 1));
    }
    for (std::size_t j = 0; j < 3; ++j) {
      const std::int64_t radius = std::max(r.below[j], r.above[j]);
      const bool used = static_cast<int>(j) < p.dimensions;
      if (r.below[j] < 0 || r.above[j] < 0 || (!used && radius > 0)) {
        throw Error(extents_text(p), "a negative radius, or one in a dimension that is not there",
                    "give radii of at least 0");
      }
      if (radius > p.extents[j]) {
        throw Error(extents_text(p), "smaller than the radius " + std::to_string(radius),
                    "give a larger mesh or a smaller radius");
      }
    }
    if (!periodic && !contains(whole_mesh(p), grown(s.interior, r.below, r.above))) {
      throw Error(extents_text(p), "a sweep reads outside it", "make its interior smaller");
    }
  }
}

void check_sweep(const StencilProgram& p, const StencilSweep& s) {
  if (s.field < 0 || s.field >= p.fields) {
    throw Error(extents_text(p), "a sweep of field " + std::to_string(s.field),
                "give fields 0 to " + std::to_string(p.fields - 1));
  }
  if (s.interior.empty() || !contains(whole_mesh(p), s.interior)) {
    throw Error(extents_text(p), "smaller than the radius: no interior, or one outside the mesh",
                "give a larger mesh or a smaller radius");
  }
  if (p.boundary == StencilBoundary::periodic && s.interior != whole_mesh(p)) {
    throw Error(extents_text(p), "periodic, with an interior that is not all of the mesh",
                "give a fixed boundary");
  }
  check_reads(p, s);
  if (!stencil::reads_own_neighbours(s)) return;
  for (const StencilSweep& other : p.sweeps) {
    if (other.field != s.field) continue;
    if (!stencil::reads_own_neighbours(other) || other.interior != s.interior) {
      throw Error(extents_text(p),
                  "field " + std::to_string(s.field) +
                      " is set from its own neighbours by one sweep and otherwise by another",
                  "use two fields");
    }
  }
}

}  // namespace

void check_stencil(const StencilProgram& program) {
  check_mesh(program);
  for (const StencilSweep& s : program.sweeps) check_sweep(program, s);
}

StencilProgram stencil_program(int dimensions, std::int64_t extent, std::int64_t radius, bool star,
                               StencilBoundary boundary) {
  StencilProgram p;
  p.dimensions = dimensions;
  p.boundary = boundary;
  const std::int64_t margin = boundary == StencilBoundary::fixed ? radius : 0;
  StencilSweep sweep;
  StencilRead read;
  read.star = star;
  for (std::size_t j = 0; j < static_cast<std::size_t>(std::clamp(dimensions, 0, 3)); ++j) {
    p.extents[j] = extent;
    read.below[j] = read.above[j] = radius;
    sweep.interior.begin[j] = margin;
    sweep.interior.end[j] = extent - margin;
  }
  sweep.reads = {read};
  p.sweeps = {sweep};
  if (radius < 0 || radius > (std::int64_t{1} << 40)) {
    throw Error("stencil of radius " + std::to_string(radius), "negative or beyond any mesh",
                "give a radius of at least 0");
  }
  check_stencil(p);
  return p;
}

std::int64_t flops_per_update(const StencilProgram& program) {
  const StencilRead& r = program.sweeps.front().reads.front();
  std::int64_t star = 1;
  std::int64_t box = 1;
  for (std::size_t j = 0; j < stencil::most_dimensions; ++j) {
    star += r.below[j] + r.above[j];
    box *= r.below[j] + r.above[j] + 1;
  }
  return r.star ? star : box;
}

}  // namespace redblue
