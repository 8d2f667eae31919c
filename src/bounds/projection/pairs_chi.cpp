// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/projection/pairs_chi.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::bounds {

using symbolic::Rational;

namespace {

Rational places(const PairsShape& shape) {
  return shape.both + shape.placed;
}

// Lemma 6: instances on blocks with places that no other instance reads are at most (X - D / pairs
// a value)^2 over this.
Rational looked_through_by(const PairsShape& shape) {
  const Rational four = 4;
  return four * places(shape) - (shape.layers > 1 ? 2 : 0);
}

}  // namespace

Rational pairs_constant(const PairsShape& shape) {
  const Rational rows = shape.layers, one = 1, four = 4, eight = 8, e = places(shape);
  if (shape.layers == 1) return one / (eight * e);
  const Rational one_block = rows / (four * (rows + shape.both) * e);
  return e + e < rows ? one_block : std::max(one_block, one / (eight * e - rows));
}

double far_enough(const PairsShape& shape, double x) {
  if (shape.pairs_a_value > 0) {
    const double share = (pairs_constant(shape) * looked_through_by(shape)).to_double();
    return static_cast<double>(shape.pairs_a_value) * (1 - std::sqrt(share)) * x;
  }
  return (shape.layers == 1 ? 1 - std::sqrt(0.5) : 0.5) * x / places(shape).to_double();
}

double pairs_chi(const PairsShape& shape, double x, double distance) {
  const double e = places(shape).to_double();
  const double far = pairs_constant(shape).to_double() * x * x;
  if (shape.pairs_a_value > 0) {
    const double looked_through = static_cast<double>(shape.layers * shape.pairs_a_value) * x;
    const double rest = x - distance / static_cast<double>(shape.pairs_a_value);
    const double most = std::max(far, looked_through);
    if (rest <= 0) return most;
    return std::max(most, rest * rest / looked_through_by(shape).to_double() + looked_through);
  }
  if (shape.layers == 1)
    return std::max(far, std::pow(std::max(0.0, x - e * distance), 2) / (4 * e));
  return distance >= x / (2 * e) ? far : std::max(far, x * x / (4 * e));
}

symbolic::Expr near_at_best(const PairsShape& shape) {
  const symbolic::Expr s = symbolic::fast_memory();
  return s * s / looked_through_by(shape) + 2 * shape.layers * shape.pairs_a_value * s;
}

}  // namespace redblue::bounds
