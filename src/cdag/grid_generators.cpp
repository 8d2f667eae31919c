// SPDX-License-Identifier: BSD-3-Clause
// Graphs of iterations on regular grids: stencils, conjugate gradients, GMRES.
#include <array>
#include <cstdlib>

#include "cdag/generators.hpp"

namespace redblue::cdag {

Grid::Grid(std::vector<std::int32_t> extents, std::int32_t radius, bool box)
    : extents_(std::move(extents)) {
  for (const std::int32_t e : extents_) points_ *= e;
  std::vector<std::int32_t> offset(extents_.size(), -radius);
  while (true) {
    int away = 0;
    for (const std::int32_t o : offset) away += o != 0 ? 1 : 0;
    if (box || away <= 1) offsets_.push_back(offset);
    std::size_t d = offset.size();
    while (d > 0 && offset[d - 1] == radius) offset[--d] = -radius;
    if (d == 0) break;
    ++offset[d - 1];
  }
}

std::vector<std::int32_t> Grid::coordinates(std::int32_t point) const {
  std::vector<std::int32_t> result(extents_.size());
  for (std::size_t d = extents_.size(); d-- > 0;) {
    result[d] = point % extents_[d];
    point /= extents_[d];
  }
  return result;
}

std::vector<std::int32_t> Grid::neighbours(std::int32_t point) const {
  const std::vector<std::int32_t> here = coordinates(point);
  std::vector<std::int32_t> result;
  for (const auto& offset : offsets_) {
    std::int32_t there = 0;
    bool inside = true;
    for (std::size_t d = 0; d < here.size() && inside; ++d) {
      const std::int32_t x = here[d] + offset[d];
      inside = x >= 0 && x < extents_[d];
      there = there * extents_[d] + x;
    }
    if (inside) result.push_back(there);
  }
  return result;
}

namespace {

std::size_t index(std::int32_t point) {
  return static_cast<std::size_t>(point);
}

// Vectors over a grid, computed element by element; coordinates are (iteration, point).
class GridProgram {
 public:
  GridProgram(std::int32_t n, std::int32_t dimensions)
      : grid_(std::vector<std::int32_t>(static_cast<std::size_t>(dimensions), n), 1, false) {}

  using Vector = std::vector<Vertex>;

  Vector given(const std::string& name) {
    const auto family = builder.family(name);
    Vector result;
    for (std::int32_t i = 0; i < grid_.points(); ++i) {
      result.push_back(builder.input(family, std::array{std::int32_t{0}, i}));
    }
    return result;
  }

  // The sparse matrix-vector product of a stencil whose coefficients are constants.
  Vector product(const std::string& name, std::int32_t iteration, const Vector& x) {
    const auto family = builder.family(name);
    Vector result;
    for (std::int32_t i = 0; i < grid_.points(); ++i) {
      Vector operands;
      for (const std::int32_t j : grid_.neighbours(i)) operands.push_back(x[index(j)]);
      result.push_back(builder.compute(operands, family, std::array{iteration, i}));
    }
    return result;
  }

  // y + scalar * x, element by element.
  Vector update(const std::string& name, std::int32_t iteration, const Vector& y, Vertex scalar,
                const Vector& x) {
    const auto family = builder.family(name);
    Vector result;
    for (std::int32_t i = 0; i < grid_.points(); ++i) {
      result.push_back(builder.compute(std::array{y[index(i)], scalar, x[index(i)]}, family,
                                       std::array{iteration, i}));
    }
    return result;
  }

  // The inner product as a chain of additions.
  Vertex dot(const std::string& name, std::int32_t iteration, const Vector& x, const Vector& y) {
    const auto family = builder.family(name);
    Vertex sum = -1;
    for (std::int32_t i = 0; i < grid_.points(); ++i) {
      Vector operands{x[index(i)], y[index(i)]};
      if (sum >= 0) operands.push_back(sum);
      sum = builder.compute(operands, family, std::array{iteration, i});
    }
    return sum;
  }

  Vertex scalar(const std::string& name, std::int32_t iteration, const Vector& operands,
                std::int32_t number = 0) {
    return builder.compute(operands, builder.family(name), std::array{iteration, number});
  }

  Builder builder{2};

 private:
  Grid grid_;
};

}  // namespace

Graph stencil(std::int32_t steps, const std::vector<std::int32_t>& extents, std::int32_t radius,
              bool box) {
  const Grid grid(extents, radius, box);
  Builder builder(extents.size() + 1);
  const auto family = builder.family("u");
  std::vector<std::vector<std::int32_t>> neighbours;
  for (std::int32_t i = 0; i < grid.points(); ++i) neighbours.push_back(grid.neighbours(i));
  std::vector<Vertex> before;
  for (std::int32_t t = 0; t <= steps; ++t) {
    std::vector<Vertex> now;
    for (std::int32_t i = 0; i < grid.points(); ++i) {
      std::vector<std::int32_t> where = grid.coordinates(i);
      where.insert(where.begin(), t);
      std::vector<Vertex> operands;
      if (t > 0) {
        for (const std::int32_t j : neighbours[index(i)]) operands.push_back(before[index(j)]);
      }
      now.push_back(t == 0 ? builder.input(family, where)
                           : builder.compute(operands, family, where));
    }
    before = now;
  }
  return builder.finish();
}

// [elango2014, Figure 3].
Graph conjugate_gradient(std::int32_t iterations, std::int32_t n, std::int32_t dimensions) {
  GridProgram program(n, dimensions);
  auto x = program.given("x");
  auto r = program.given("r");
  auto p = r;
  Vertex rr = program.dot("rr", 0, r, r);
  for (std::int32_t t = 1; t <= iterations; ++t) {
    const auto v = program.product("v", t, p);
    const Vertex a = program.scalar("a", t, {rr, program.dot("pv", t, p, v)});
    x = program.update("x", t, x, a, p);
    r = program.update("r", t, r, a, v);
    const Vertex before = rr;
    rr = program.dot("rr", t, r, r);
    const Vertex g = program.scalar("g", t, {rr, before});
    p = program.update("p", t, r, g, p);
  }
  for (const Vertex v : x) program.builder.output(v);
  for (const Vertex v : r) program.builder.output(v);
  return program.builder.finish();
}

// [elango2014, Figure 4]: the basis, then x from it.
Graph gmres(std::int32_t iterations, std::int32_t n, std::int32_t dimensions) {
  GridProgram program(n, dimensions);
  std::vector<GridProgram::Vector> basis{program.given("v")};
  auto x = program.given("x");
  Vertex rotations = -1;  // everything the least squares problem has seen
  std::int32_t seen_so_far = 0;
  const auto seen = [&](std::int32_t i, Vertex h) {
    rotations = rotations < 0 ? program.scalar("q", i, {h}, seen_so_far)
                              : program.scalar("q", i, {rotations, h}, seen_so_far);
    ++seen_so_far;
  };
  for (std::int32_t i = 1; i <= iterations; ++i) {
    const auto w = program.product("w", i, basis.back());
    std::vector<Vertex> h;
    for (std::size_t j = 0; j < basis.size(); ++j) {
      h.push_back(program.dot("h" + std::to_string(j), i, w, basis[j]));
    }
    auto u = w;
    for (std::size_t j = 0; j < basis.size(); ++j) {
      u = program.update("u" + std::to_string(j), i, u, h[j], basis[j]);
      seen(i, h[j]);
    }
    const Vertex norm = program.dot("norm", i, u, u);
    seen(i, norm);
    basis.push_back(program.update("v", i, u, norm, u));
  }
  for (std::size_t j = 0; j < basis.size(); ++j) {
    const Vertex y = program.scalar("y", iterations, {rotations}, static_cast<std::int32_t>(j));
    x = program.update("x" + std::to_string(j), iterations, x, y, basis[j]);
  }
  return program.builder.finish();
}

}  // namespace redblue::cdag
