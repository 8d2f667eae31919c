#include "linalg/gemm_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace redblue {

namespace {

constexpr std::uint64_t seed_x = 3;

Range chunk(std::int64_t length, int index, int count) {
  return {length * index / count, length * (index + 1) / count};
}

}  // namespace

double random_element(std::uint64_t seed, std::int64_t row, std::int64_t column) {
  // splitmix64's finaliser over the three numbers
  std::uint64_t z = seed * 0x9e3779b97f4a7c15U +
                    static_cast<std::uint64_t>(row) * 0xbf58476d1ce4e5b9U +
                    static_cast<std::uint64_t>(column) * 0x94d049bb133111ebU;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1.0p-53 - 0.5;
}

std::vector<double> random_part(const GemmPlan& plan, Operand operand, std::uint64_t seed) {
  std::vector<double> values(static_cast<std::size_t>(plan.owned(operand).value));
  for_each_element(plan.parts(operand),
                   [&](std::int64_t row, std::int64_t column, std::int64_t offset) {
                     values[static_cast<std::size_t>(offset)] = random_element(seed, row, column);
                   });
  return values;
}

Residual check_product(comm::Communicator& communicator, const GemmShape& shape,
                       const std::vector<OwnedPart>& parts, const double* c) {
  std::vector<double> x(static_cast<std::size_t>(shape.n));
  for (std::int64_t j = 0; j < shape.n; ++j)
    x[static_cast<std::size_t>(j)] = random_element(seed_x, j, 0);
  std::vector<double> bx(static_cast<std::size_t>(shape.k), 0.0);
  const Range inner = chunk(shape.k, communicator.rank().value, communicator.size());
  for (std::int64_t l = inner.begin; l < inner.end; ++l) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      bx[static_cast<std::size_t>(l)] +=
          random_element(seed_b, l, j) * x[static_cast<std::size_t>(j)];
    }
  }
  communicator.sum(bx);
  std::vector<double> difference(static_cast<std::size_t>(shape.m), 0.0);
  for_each_element(parts, [&](std::int64_t row, std::int64_t column, std::int64_t offset) {
    difference[static_cast<std::size_t>(row)] += c[offset] * x[static_cast<std::size_t>(column)];
  });
  const Range rows = chunk(shape.m, communicator.rank().value, communicator.size());
  for (std::int64_t i = rows.begin; i < rows.end; ++i) {
    for (std::int64_t l = 0; l < shape.k; ++l) {
      difference[static_cast<std::size_t>(i)] -=
          random_element(seed_a, i, l) * bx[static_cast<std::size_t>(l)];
    }
  }
  communicator.sum(difference);
  double largest = 0;
  bool finite = true;
  for (const double d : difference) {
    largest = std::max(largest, std::abs(d));
    finite = finite && std::isfinite(d);
  }
  const double scale = static_cast<double>(std::max<std::int64_t>(1, shape.k * shape.n)) *
                       std::numeric_limits<double>::epsilon() / 8;
  return {finite ? largest / scale : std::numeric_limits<double>::infinity(),
          finite && largest < scale};
}

}  // namespace redblue
