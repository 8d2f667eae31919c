// SPDX-License-Identifier: BSD-3-Clause
// Stencils whose dependency intervals are double cones over a point of the mesh.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "program/program.hpp"
#include "symbolic/expr.hpp"

namespace redblue::tradeoff {

// Sweeps over a mesh: every instance reads the sweep before it at all points to distance `radius`,
// along the axes (star, radius 1) or in the whole box. The sweeps at one point are a chain.
struct Cone {
  const program::Statement* statement;  // of the first sweep of a time step
  int dimensions = 1;                   // of the mesh
  int radius = 1;
  bool box = true;
  int sweeps = 1;                      // in a time step
  bool direct = true;                  // no step leads through another statement's values
  symbolic::Expr length;               // sweeps of the whole program
  std::vector<symbolic::Expr> widths;  // of the mesh

  // Instances between two of the chain's vertices b - 1 sweeps apart, for b = 0 .. most, on a mesh
  // of at least 2 half + 1 points in every dimension. O(most).
  std::vector<double> intervals(std::int64_t most, std::int64_t half) const;
  // Their number / b^(dimensions + 1) for large b, large meshes.
  symbolic::Rational leading() const;

  // Steps of `dimensions` + 1 kinds that lead from a vertex of the chain to another: so many sweeps
  // if each is taken once, and so many in the longest kind.
  int sweeps_per_step() const { return box ? dimensions + 1 : 2 * dimensions; }
  int longest_step() const { return box ? 1 : 2; }
  // Points along a side of the blocks that all read all of the next ones.
  int block() const { return box ? (radius + 1) / 2 : 1; }
};

std::optional<Cone> cone(const program::Program& program);

}  // namespace redblue::tradeoff
