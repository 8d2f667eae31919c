// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <limits>

#include "decomposition/einsum/footprint.hpp"
#include "decomposition/received.hpp"
#include "redblue/error.hpp"

namespace redblue {

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
  return best_received(kernel, {ranks, products, memory});
}

}  // namespace redblue
