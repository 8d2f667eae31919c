// SPDX-License-Identifier: BSD-3-Clause
// The graphs make_graph knows by name; what they are stands at make_graph in redblue/cdag.hpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redblue/cdag.hpp"

namespace redblue::cdag {

Graph matmul(std::int32_t m, std::int32_t n, std::int32_t k);
Graph lu(std::int32_t n);
Graph cholesky(std::int32_t n);
Graph triangular_solve(std::int32_t n);
Graph fft(std::int32_t n);
// `box`: all neighbours within `radius`, not only those along the axes.
Graph stencil(std::int32_t steps, const std::vector<std::int32_t>& extents, std::int32_t radius,
              bool box);
Graph conjugate_gradient(std::int32_t iterations, std::int32_t n, std::int32_t dimensions);
Graph gmres(std::int32_t iterations, std::int32_t n, std::int32_t dimensions);
Graph reduction_tree(std::int32_t leaves, std::int32_t arity);
Graph diamond(std::int32_t rows, std::int32_t columns);
Graph pyramid(std::int32_t height);
Graph random_graph(std::int32_t vertices, std::int32_t operands, std::int32_t seed);

// A row-major grid of up to four dimensions and the neighbours of a point in it.
class Grid {
 public:
  Grid(std::vector<std::int32_t> extents, std::int32_t radius, bool box);
  std::int32_t points() const { return points_; }
  std::vector<std::int32_t> coordinates(std::int32_t point) const;
  // The point itself included, those outside left out.
  std::vector<std::int32_t> neighbours(std::int32_t point) const;

 private:
  std::vector<std::int32_t> extents_;
  std::int32_t points_ = 1;
  std::vector<std::vector<std::int32_t>> offsets_;
};

}  // namespace redblue::cdag
