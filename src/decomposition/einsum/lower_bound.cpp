// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "decomposition/einsum/footprint.hpp"
#include "decomposition/received.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

using einsum::Projections;

// Lemma einsum.6: words for each rank, where an index of all tensors (a batch) cannot be cut and
// each rank forms more products than one of its values has. `busiest`: at most so many.
double batch_bound(const EinsumShape& shape, const Projections& p, std::size_t batch, double ranks,
                   double busiest, double elements) {
  Projections one = p;  // value of the batch
  one.extents[batch] = 1;
  const double values = p.extents[batch];
  const double products = shape.products() / values;
  const double whole = std::floor(busiest / products * (1 + 1e-12));
  const double even = shape.products() / ranks;
  const double rest = busiest - whole * products;
  if (whole < 1 || rest < 1 || even <= whole * products) return 0;
  double best = 0;
  for (const double volume : {rest, std::sqrt(rest * products), products}) {
    const auto e = einsum::exponents(one, einsum::best_box(one, volume));
    const auto least = [&](double v) { return e.least_footprint(one, v, one.extents); };
    const double start = whole * least(products);
    const double end = start + least(rest);
    const double share = (even - whole * products) / rest;
    // the lower hull of (0, 0), (whole, start) and (busiest, end)
    const double hull = std::min(start + share * (end - start), end * even / busiest);
    best = std::max(best, (1 - 1e-9) * hull - elements / ranks);
  }
  return best;
}

}  // namespace

double einsum_lower_bound(const EinsumShape& shape, int ranks, std::optional<double> products,
                          std::optional<Words> memory) {
  const double all = shape.products();
  if (ranks >= 1 && !(all > 0)) return 0;
  const einsum::Projections p = einsum::projections(shape);
  Kernel kernel;
  kernel.products = all;
  for (const EinsumTensor& t : shape.tensors)
    kernel.elements += static_cast<double>(shape.elements(t));
  kernel.least = [&p, all](double v) {
    const double volume = std::clamp(v, 1.0, all);
    const auto e = einsum::exponents(p, einsum::best_box(p, volume));
    return e.least_footprint(p, volume, p.extents);
  };
  double bound = best_received(kernel, {ranks, products, memory});
  const double even = all / ranks;
  const double busiest =
      std::clamp(products.value_or(even), std::max(1.0, even), std::max(1.0, all));
  for (std::size_t t = 0; t < p.extents.size(); ++t) {
    const bool is_batch =
        std::all_of(shape.tensors.begin(), shape.tensors.end(),
                    [t](const EinsumTensor& a) { return a.has(static_cast<int>(t)); });
    if (is_batch)
      bound = std::max(bound, batch_bound(shape, p, t, ranks, busiest, kernel.elements));
  }
  return bound;
}

}  // namespace redblue
