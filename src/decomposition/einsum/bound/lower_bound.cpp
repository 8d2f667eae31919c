// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>

#include "decomposition/einsum/bound/rounded_shares.hpp"
#include "decomposition/einsum/bound/two_parts.hpp"
#include "decomposition/einsum/footprint.hpp"
#include "decomposition/einsum/partition.hpp"
#include "decomposition/received.hpp"
#include "redblue/error.hpp"

namespace redblue {

double einsum_lower_bound(const EinsumShape& asked, int ranks, std::optional<double> products,
                          std::optional<Words> memory) {
  // letters that a layout has taken apart are one index for the bound
  const EinsumShape fused = with_separate_letters(asked, "");
  const bool same = fused.products() == asked.products();
  const EinsumShape& shape = same ? fused : asked;
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
  const double bound = best_received(kernel, {ranks, products, memory});
  const double even = all / ranks;
  const double busiest =
      std::clamp(products.value_or(even), std::max(1.0, even), std::max(1.0, all));
  const double of_two = ranks == 2 ? einsum::two_parts_bound(shape, busiest) : 0;
  return std::max({bound, of_two, einsum::partition_bound(shape, ranks, busiest),
                   einsum::rounded_shares_bound(shape, ranks, busiest)});
}

}  // namespace redblue
