// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/partition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "decomposition/einsum/footprint.hpp"

namespace redblue::einsum {

namespace {

constexpr std::size_t most_indices = 16;  // whose subsets are looked at

// Lemma einsum.7: lines that a set of the fraction x of a box shares with its complement, over y.
double by_variance(double x) {
  return 4 * x * (1 - x);
}
double by_entropy(double x) {
  return x > 0 ? std::exp(1.0) * x * std::log(1 / x) : 0;
}
double by_entropy_of_others(double x) {
  return by_entropy(1 - x);
}

// Lemma einsum.8, the second charge: x E, near 1 what the others leave.
double by_largest_part(double x) {
  constexpr double everywhere = 0.983;  // E: no more than the largest of the above on [1/2, 1 - 1/e]
  const double even = x * everywhere;
  if (x < 1 - std::exp(-1.0)) return even;
  return std::min(even, by_entropy_of_others(x) - (1 - x) * everywhere);
}

// The lower convex hull, at `even`, of a charge for every fraction of a batch that a rank has beside
// whole ones, between `least` and `most` batches; it is 0 at whole numbers, and concave between.
double least_charge(const std::function<double(double)>& charge, double least, double most,
                    double even) {
  const auto at = [&charge](double x) { return std::max(0.0, charge(x - std::floor(x))); };
  const double whole = std::floor(even);
  const double low = std::max(least, whole);
  const double high = std::min(most, whole + 1);
  if (high - low <= 0) return at(even);
  const double share = std::clamp((even - low) / (high - low), 0.0, 1.0);
  return at(low) + share * (at(high) - at(low));
}

}  // namespace

std::optional<std::size_t> batch_index(const EinsumShape& shape) {
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    const bool everywhere =
        std::all_of(shape.tensors.begin(), shape.tensors.end(),
                    [t](const EinsumTensor& a) { return a.has(static_cast<int>(t)); });
    if (everywhere) return t;
  }
  return std::nullopt;
}

// By Hall's theorem for flows, the least over sets of indices of the elements of all tensors that
// lack one of them, by the number of the indices.
double least_weight(const EinsumShape& shape, std::optional<std::size_t> batch) {
  std::vector<std::size_t> indices;
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    if (t != batch) indices.push_back(t);
  }
  if (indices.empty() || indices.size() > most_indices) return 0;
  std::vector<double> elements;
  std::vector<std::size_t> lacking;  // bit i: of indices[i]
  for (const EinsumTensor& a : shape.tensors) {
    double size = 1;
    std::size_t without = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (a.has(static_cast<int>(indices[i]))) {
        size *= static_cast<double>(shape.indices[indices[i]].extent);
      } else {
        without |= std::size_t{1} << i;
      }
    }
    elements.push_back(size);
    lacking.push_back(without);
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t set = 1; set < (std::size_t{1} << indices.size()); ++set) {
    double all = 0;
    for (std::size_t a = 0; a < elements.size(); ++a) all += (lacking[a] & set) != 0 ? elements[a] : 0;
    double count = 0;
    for (std::size_t i = 0; i < indices.size(); ++i) count += static_cast<double>(set >> i & 1U);
    least = std::min(least, all / count);
  }
  return least;
}

double partition_bound(const EinsumShape& shape, int ranks, double busiest) {
  const auto batch = batch_index(shape);
  const double values = batch ? static_cast<double>(shape.indices[*batch].extent) : 1;
  const double one = shape.products() / values;
  const double even = values / ranks;  // in batches
  const double most = busiest / one;
  const double least = std::max(0.0, values - (ranks - 1) * most);
  const std::array<std::function<double(double)>, 4> charges = {
      [](double x) { return 0.5 * by_variance(x); }, [](double x) { return 0.5 * by_entropy(x); },
      [](double x) { return 0.5 * by_entropy_of_others(x); }, by_largest_part};
  double best = 0;
  for (const auto& charge : charges) best = std::max(best, least_charge(charge, least, most, even));
  best *= least_weight(shape, batch);
  // Lemma einsum.6: what a part of a batch needs beyond its share of the batch's elements
  Projections p = projections(shape);
  if (batch) p.extents[*batch] = 1;
  const double elements = footprint(p, p.extents);
  const auto beyond = [&](double x) {
    if (x * one < 1) return 0.0;
    const auto e = exponents(p, best_box(p, x * one));
    return e.least_footprint(p, x * one, p.extents) - x * elements;
  };
  best = std::max(best, least_charge(beyond, least, most, even));
  constexpr double rounding = 1e-9;
  return (1 - rounding) * best;
}

}  // namespace redblue::einsum
