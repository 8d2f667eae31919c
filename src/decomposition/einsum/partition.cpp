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

double by_variance(double x) {
  return 4 * x * (1 - x);
}
double by_entropy(double x) {
  return x > 0 ? std::exp(1.0) * x * std::log(1 / x) : 0;
}
double by_entropy_of_others(double x) {
  return by_entropy(1 - x);
}

namespace {

constexpr std::size_t most_indices = 16;  // whose subsets are looked at

// Lemma einsum.8, the second charge: x E, near 1 what the others leave.
double by_largest_part(double x) {
  constexpr double everywhere =
      0.983;  // E: no more than the largest of the above on [1/2, 1 - 1/e]
  const double even = x * everywhere;
  if (x < 1 - std::exp(-1.0)) return even;
  return std::min(even, by_entropy_of_others(x) - (1 - x) * everywhere);
}

using Charge = std::function<double(double)>;  // of a part, a fraction of a batch

// The lower convex hull, at `even`, of a function that is concave between multiples of `step`, from
// `least` to `most`.
double lower_hull(const Charge& f, double step, double least, double most, double even) {
  if (most - least <= 0) return f(even);
  std::vector<double> below = {least}, above = {most};
  for (double at = std::ceil(least / step) * step; at < most; at += step)
    (at <= even ? below : above).push_back(at);
  double hull = std::numeric_limits<double>::infinity();
  constexpr double aside = 1e-9;  // f may jump
  const auto lowest = [&f](double v) { return std::min({f(v), f(v - aside), f(v + aside)}); };
  for (const double low : below) {
    for (const double high : above) {
      const double share = high > low ? (even - low) / (high - low) : 0;
      hull = std::min(hull, lowest(low) + share * (lowest(high) - lowest(low)));
    }
  }
  return hull;
}

// A charge that is concave, and nothing for a whole batch: parts and whole ones cost least together
// where there is one part.
double least_charge(const Charge& charge, double least, double most, double even) {
  return lower_hull([&charge](double v) { return std::max(0.0, charge(v - std::floor(v))); }, 1,
                    least, most, even);
}

// Lemma einsum.9: of a batch, at most n parts are larger than 1 / (n + 1), so that these may be
// charged more and all a little less.
struct LargeParts {
  Charge half;  // what both sides of a part are charged
  int n;
  double more;

  double step() const { return 1.0 / (n + 1); }
  double of_part(double x) const {
    if (x <= 0 || x >= 1) return 0;
    double g = -n * x;
    if (x > step()) g = x > 1 - step() ? n * (1 - x) : 1 - n * x;
    return half(x) + more * g;
  }
  // The least of all ways to have v batches: all parts but one end a concave piece.
  double of_rank(double v) const {
    double least = std::numeric_limits<double>::infinity();
    for (int i = 0; i <= n; ++i) {
      for (int j = 0; j <= n; ++j) {
        const double left = v - i * step() - j * (1 - step());
        if (left < 0) continue;
        const double ends = i * of_part(step()) + j * of_part(1 - step());
        least = std::min(least, ends + of_part(left - std::floor(left)));
      }
    }
    return least;
  }
  // else halves and wholes could not be exchanged
  bool is_positive() const { return of_part(step()) >= 0 && of_part(1 - step()) >= 0; }
};

double by_large_parts(const Charge& half, double least, double most, double even) {
  constexpr int most_parts = 3, tries = 20, finer = 16;
  double best = 0;
  for (int n = 1; n <= most_parts; ++n) {
    double highest = 0, at = 0;
    const auto look = [&](double more) {
      const LargeParts charge{half, n, more};
      if (!charge.is_positive()) return;
      const double bound =
          lower_hull([&](double v) { return charge.of_rank(v); }, charge.step(), least, most, even);
      if (bound <= highest) return;
      highest = bound;
      at = more;
    };
    for (int k = 1; k <= tries; ++k) look(static_cast<double>(k) / tries);
    const double coarse = at;
    for (int k = 1 - finer; k < finer && coarse > 0; ++k)
      look(coarse + static_cast<double>(k) / (tries * finer));
    best = std::max(best, highest);
  }
  return best;
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
    for (std::size_t a = 0; a < elements.size(); ++a)
      all += (lacking[a] & set) != 0 ? elements[a] : 0;
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
  const std::array<Charge, 3> halves = {[](double x) { return 0.5 * by_variance(x); },
                                        [](double x) { return 0.5 * by_entropy(x); },
                                        [](double x) { return 0.5 * by_entropy_of_others(x); }};
  double best = least_charge(by_largest_part, least, most, even);
  for (const Charge& half : halves) {
    best = std::max(best, least_charge(half, least, most, even));
    best = std::max(best, by_large_parts(half, least, most, even));
  }
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
