// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/bound/two_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "decomposition/einsum/footprint.hpp"

namespace redblue::einsum {

namespace {

// The indices but one, and the tensors that have that one and a single one of these.
struct Slice {
  Projections axes;
  double values = 1;  // of the index that is left out
  double large = 0;   // elements of the tensor that has it not
};

std::optional<Slice> slice_of(const EinsumShape& shape, std::size_t without) {
  Slice slice;
  std::vector<int> places(shape.indices.size(), -1);
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    if (t == without) continue;
    places[t] = static_cast<int>(slice.axes.extents.size());
    slice.axes.extents.push_back(static_cast<double>(shape.indices[t].extent));
  }
  slice.values = static_cast<double>(shape.indices[without].extent);
  bool is_large = false;
  for (const EinsumTensor& a : shape.tensors) {
    if (!a.has(static_cast<int>(without))) {
      if (a.indices.size() + 1 != shape.indices.size()) continue;
      is_large = true;
      slice.large += static_cast<double>(shape.elements(a));
    } else if (a.indices.size() == 2) {
      const auto other = static_cast<std::size_t>(a.indices[0]) == without ? 1U : 0U;
      slice.axes.tensors.push_back({places[static_cast<std::size_t>(a.indices[other])]});
    }
  }
  if (!is_large || slice.axes.tensors.empty()) return std::nullopt;
  return slice;
}

// Shared elements of a slice of whose products either part has at least the fraction `part`.
double shared(const Slice& slice, double part) {
  double all = 1;
  for (const double e : slice.axes.extents) all *= e;
  if (part * all < 1) return 0;
  std::vector<double> weight(slice.axes.extents.size(), 0);
  double sum = 0;
  for (const auto& tensor : slice.axes.tensors) {
    const auto t = static_cast<std::size_t>(tensor[0]);
    weight[t] += slice.axes.extents[t];
    sum += slice.axes.extents[t];
  }
  double least = std::numeric_limits<double>::infinity();
  for (const double w : weight) least = std::min(least, sum - w);
  const auto e = exponents(slice.axes, best_box(slice.axes, part * all));
  return std::min(least, e.least_footprint(slice.axes, part * all, slice.axes.extents));
}

}  // namespace

double two_parts_bound(const EinsumShape& shape, double busiest) {
  constexpr int steps = 256;
  constexpr double rounding = 1e-9;
  const double part = 1 - busiest / shape.products();  // of the rank with less
  if (!(part > 0)) return 0;
  double best = 0;
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    const auto slice = slice_of(shape, t);
    if (!slice) continue;
    double least = slice->large * part;
    for (int k = 0; k < steps; ++k) {  // how much slices differ, from k to k + 1 steps
      const double from = part * k / steps;
      const double to = part * (k + 1) / steps;
      if (slice->large * from >= least) break;
      least = std::min(least, slice->large * from + slice->values * shared(*slice, part - to));
    }
    best = std::max(best, least);
  }
  return 0.5 * (1 - rounding) * best;
}

}  // namespace redblue::einsum
