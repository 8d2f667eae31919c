// SPDX-License-Identifier: BSD-3-Clause
// Graphs of dense linear algebra, transforms and small classics.
#include "cdag/generators.hpp"

#include <array>

namespace redblue::cdag {

namespace {

using Coordinates = std::array<std::int32_t, 3>;

std::size_t at(std::int64_t row, std::int64_t column, std::int64_t columns) {
  return static_cast<std::size_t>(row * columns + column);
}

// The newest value of every element of a matrix updated in place.
struct Matrix {
  Matrix(Builder& builder, const std::string& name, std::int32_t rows, std::int32_t columns,
         bool lower_only = false)
      : columns_(columns), newest(at(rows, 0, columns), -1) {
    const auto family = builder.family(name);
    for (std::int32_t i = 0; i < rows; ++i) {
      for (std::int32_t j = 0; j < (lower_only ? i + 1 : columns); ++j) {
        newest[at(i, j, columns)] = builder.input(family, Coordinates{i, j, 0});
      }
    }
  }
  Vertex& operator()(std::int32_t i, std::int32_t j) { return newest[at(i, j, columns_)]; }

 private:
  std::int32_t columns_;

 public:
  std::vector<Vertex> newest;
};

}  // namespace

Graph matmul(std::int32_t m, std::int32_t n, std::int32_t k) {
  Builder builder(3);
  Matrix a(builder, "A", m, k);
  Matrix b(builder, "B", k, n);
  const auto family = builder.family("C");
  for (std::int32_t i = 0; i < m; ++i) {
    for (std::int32_t j = 0; j < n; ++j) {
      Vertex c = -1;
      for (std::int32_t l = 0; l < k; ++l) {
        const std::array<Vertex, 3> operands{a(i, l), b(l, j), c};
        c = builder.compute(std::span(operands).first(l == 0 ? 2 : 3), family,
                            Coordinates{i, j, l});
      }
    }
  }
  return builder.finish();
}

Graph lu(std::int32_t n) {
  Builder builder(3);
  Matrix a(builder, "A", n, n);
  const auto lower = builder.family("L");
  const auto update = builder.family("U");
  for (std::int32_t k = 0; k < n; ++k) {
    for (std::int32_t i = k + 1; i < n; ++i) {
      a(i, k) = builder.compute(std::array{a(i, k), a(k, k)}, lower, Coordinates{k, i, k});
    }
    for (std::int32_t i = k + 1; i < n; ++i) {
      for (std::int32_t j = k + 1; j < n; ++j) {
        a(i, j) =
            builder.compute(std::array{a(i, j), a(i, k), a(k, j)}, update, Coordinates{k, i, j});
      }
    }
  }
  for (const Vertex v : a.newest) builder.output(v);
  return builder.finish();
}

Graph cholesky(std::int32_t n) {
  Builder builder(3);
  Matrix a(builder, "A", n, n, true);
  const auto factor = builder.family("L");
  const auto update = builder.family("S");
  for (std::int32_t k = 0; k < n; ++k) {
    a(k, k) = builder.compute(std::array{a(k, k)}, factor, Coordinates{k, k, k});
    for (std::int32_t i = k + 1; i < n; ++i) {
      a(i, k) = builder.compute(std::array{a(i, k), a(k, k)}, factor, Coordinates{k, i, k});
    }
    for (std::int32_t i = k + 1; i < n; ++i) {
      for (std::int32_t j = k + 1; j <= i; ++j) {
        a(i, j) =
            builder.compute(std::array{a(i, j), a(i, k), a(j, k)}, update, Coordinates{k, i, j});
      }
    }
  }
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j <= i; ++j) builder.output(a(i, j));
  }
  return builder.finish();
}

Graph triangular_solve(std::int32_t n) {
  Builder builder(3);
  Matrix l(builder, "L", n, n, true);
  Matrix b(builder, "b", n, 1);
  const auto sum = builder.family("s");
  const auto solution = builder.family("x");
  std::vector<Vertex> x;
  for (std::int32_t i = 0; i < n; ++i) {
    for (std::int32_t j = 0; j < i; ++j) {
      b(i, 0) = builder.compute(std::array{b(i, 0), l(i, j), x[static_cast<std::size_t>(j)]}, sum,
                                Coordinates{i, j, 0});
    }
    x.push_back(builder.compute(std::array{b(i, 0), l(i, i)}, solution, Coordinates{i, i, 0}));
  }
  for (const Vertex v : x) builder.output(v);
  return builder.finish();
}

Graph fft(std::int32_t n) {
  Builder builder(2);
  const auto family = builder.family("f");
  std::vector<Vertex> level;
  for (std::int32_t i = 0; i < n; ++i) {
    level.push_back(builder.input(family, std::array{std::int32_t{0}, i}));
  }
  for (std::int32_t stride = 1, l = 1; stride < n; stride *= 2, ++l) {
    const std::vector<Vertex> below = level;
    for (std::int32_t i = 0; i < n; ++i) {
      level[static_cast<std::size_t>(i)] =
          builder.compute(std::array{below[static_cast<std::size_t>(i)],
                                     below[static_cast<std::size_t>(i ^ stride)]},
                          family, std::array{l, i});
    }
  }
  return builder.finish();
}

Graph reduction_tree(std::int32_t leaves, std::int32_t arity) {
  Builder builder(2);
  const auto family = builder.family("t");
  std::vector<Vertex> level;
  for (std::int32_t i = 0; i < leaves; ++i) {
    level.push_back(builder.input(family, std::array{std::int32_t{0}, i}));
  }
  for (std::int32_t depth = 1; level.size() > 1; ++depth) {
    std::vector<Vertex> above;
    for (std::size_t i = 0; i < level.size(); i += static_cast<std::size_t>(arity)) {
      const std::size_t some = std::min(level.size() - i, static_cast<std::size_t>(arity));
      above.push_back(builder.compute(std::span(level).subspan(i, some), family,
                                      std::array{depth, static_cast<std::int32_t>(above.size())}));
    }
    level = above;
  }
  return builder.finish();
}

Graph diamond(std::int32_t rows, std::int32_t columns) {
  Builder builder(2);
  const auto family = builder.family("v");
  std::vector<Vertex> above(static_cast<std::size_t>(columns), -1);
  for (std::int32_t i = 0; i < rows; ++i) {
    for (std::int32_t j = 0; j < columns; ++j) {
      std::vector<Vertex> operands;
      if (i > 0) operands.push_back(above[static_cast<std::size_t>(j)]);
      if (j > 0) operands.push_back(above[static_cast<std::size_t>(j - 1)]);
      const std::array where{i, j};
      above[static_cast<std::size_t>(j)] = operands.empty()
                                               ? builder.input(family, where)
                                               : builder.compute(operands, family, where);
    }
  }
  return builder.finish();
}

Graph pyramid(std::int32_t height) {
  Builder builder(2);
  const auto family = builder.family("v");
  std::vector<Vertex> row;
  for (std::int32_t i = 0; i <= height; ++i) {
    row.push_back(builder.input(family, std::array{std::int32_t{0}, i}));
  }
  for (std::int32_t r = 1; r <= height; ++r) {
    for (std::int32_t i = 0; i + r <= height; ++i) {
      const auto left = static_cast<std::size_t>(i);
      row[left] = builder.compute(std::array{row[left], row[left + 1]}, family, std::array{r, i});
    }
  }
  return builder.finish();
}

Graph random_graph(std::int32_t vertices, std::int32_t operands, std::int32_t seed) {
  auto state = static_cast<std::uint64_t>(seed) * 0x9e3779b97f4a7c15U + 1;
  const auto below = [&state](std::int32_t limit) {  // splitmix64
    std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
    return static_cast<Vertex>((z ^ (z >> 31U)) % static_cast<std::uint64_t>(limit));
  };
  Builder builder(1);
  const auto family = builder.family("v");
  for (Vertex v = 0; v < vertices; ++v) {
    const bool source = v == 0 || below(4) == 0;
    std::vector<Vertex> chosen;
    for (Vertex o = source ? 0 : 1 + below(operands); o > 0; --o) chosen.push_back(below(v));
    if (source) {
      builder.input(family, std::array{v});
    } else {
      builder.compute(chosen, family, std::array{v});
    }
  }
  return builder.finish();
}

}  // namespace redblue::cdag
