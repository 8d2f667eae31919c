// SPDX-License-Identifier: BSD-3-Clause
// Tiles for stencils, between hyperplanes oblique in time and in several directions of space at
// once. docs/algorithms/cone_tiles.md says why they move less than skewed boxes.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "schedule/nests.hpp"

namespace redblue::schedule {

// The hyperplanes slope * t + normal * x + shifts[statement] = constant, where t counts the steps
// of the program's outermost loop and x is the element that an instance writes. No dependence leads
// from one to a lower one.
struct Hyperplane {
  std::vector<int> normal;
  std::int64_t slope = 0;
  std::vector<std::int64_t> shifts;  // by statement
  bool operator==(const Hyperplane&) const = default;
};

// Of this normal those of the least slope, at most `steepest`, with the least shifts; nothing where
// a dependence reaches further back than any slope repairs. The normal has as many entries as the
// elements have subscripts.
std::optional<Hyperplane> hyperplane(const program::Program& program,
                                     const std::vector<int>& normal, std::int64_t steepest);

// Nests of one band: the steps of the outermost loop and hyperplanes of as many normals as the
// arrays have dimensions, for each set of normals that suits; inside of tiles the program's own
// order. Nothing for programs that are no loop around statements that each write elements of one to
// three subscripts, all of as many, and where a direction needs no slope: plain tiles do there.
std::vector<Nest> cone_nests(const program::Program& program);

}  // namespace redblue::schedule
