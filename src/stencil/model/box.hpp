// SPDX-License-Identifier: BSD-3-Clause
// Arithmetic with boxes of mesh points.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "redblue/stencil_model.hpp"

namespace redblue::stencil {

inline constexpr std::size_t most_dimensions = 3;

inline MeshBox intersection(const MeshBox& a, const MeshBox& b) {
  MeshBox both;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    both.begin[j] = std::max(a.begin[j], b.begin[j]);
    both.end[j] = std::min(a.end[j], b.end[j]);
  }
  return both;
}

// The least box around both; an empty one counts for nothing.
inline MeshBox hull(const MeshBox& a, const MeshBox& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  MeshBox around;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    around.begin[j] = std::min(a.begin[j], b.begin[j]);
    around.end[j] = std::max(a.end[j], b.end[j]);
  }
  return around;
}

inline bool contains(const MeshBox& outer, const MeshBox& inner) {
  return inner.empty() || intersection(outer, inner) == inner;
}

inline MeshBox grown(MeshBox box, const MeshIndex& below, const MeshIndex& above) {
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    box.begin[j] -= below[j];
    box.end[j] += above[j];
  }
  return box;
}

inline MeshBox shifted(MeshBox box, const MeshIndex& by) {
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    box.begin[j] += by[j];
    box.end[j] += by[j];
  }
  return box;
}

inline MeshBox whole_mesh(const StencilProgram& program) {
  return {{0, 0, 0}, program.extents};
}

inline MeshBox no_points() {
  return {{0, 0, 0}, {0, 0, 0}};
}

// Appends a \ b as at most six disjoint boxes.
inline void append_difference(const MeshBox& a, const MeshBox& b, std::vector<MeshBox>& result) {
  if (a.empty()) return;
  const MeshBox common = intersection(a, b);
  if (common.empty()) {
    result.push_back(a);
    return;
  }
  MeshBox rest = a;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    MeshBox part = rest;
    part.end[j] = common.begin[j];
    if (!part.empty()) result.push_back(part);
    part = rest;
    part.begin[j] = common.end[j];
    if (!part.empty()) result.push_back(part);
    rest.begin[j] = common.begin[j];
    rest.end[j] = common.end[j];
  }
}

// The points of `boxes` that are not in b.
inline std::vector<MeshBox> difference(const std::vector<MeshBox>& boxes, const MeshBox& b) {
  std::vector<MeshBox> rest;
  for (const MeshBox& a : boxes) append_difference(a, b, rest);
  return rest;
}

// Rows of the box along that dimension.
inline std::int64_t rows_of(const MeshBox& box, int along) {
  return box.empty() ? 0 : box.points() / box.size(along);
}

// Calls f(i) for the first point i of each row of the box along dimension `along`.
template <class F>
void for_each_row(MeshBox box, std::size_t along, F f) {
  if (box.empty()) return;
  box.end[along] = box.begin[along] + 1;
  MeshIndex i = box.begin;
  for (i[0] = box.begin[0]; i[0] < box.end[0]; ++i[0]) {
    for (i[1] = box.begin[1]; i[1] < box.end[1]; ++i[1]) {
      for (i[2] = box.begin[2]; i[2] < box.end[2]; ++i[2]) f(i);
    }
  }
}

}  // namespace redblue::stencil
