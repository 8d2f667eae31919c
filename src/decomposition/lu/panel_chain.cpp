// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/lu/panel_chain.hpp"

#include <algorithm>
#include <bit>

#include "decomposition/doubling.hpp"

namespace redblue {

std::int64_t tournament_messages(int ranks) {
  const auto butterfly = std::bit_floor(static_cast<unsigned>(ranks));
  return std::bit_width(butterfly) - 1 + (static_cast<int>(butterfly) < ranks ? 1 : 0);
}

double panel_chain_seconds(const LuDecomposition& d, const Machine& machine) {
  constexpr double word_bytes = 8;
  const int classes = d.grid_rows * d.replicas;
  const auto rounds = static_cast<double>(tournament_messages(classes));
  const double reductions = d.replicas > 1 ? 2 : 0;
  const double gathering = d.grid_rows == 1 ? 0
                           : d.exchange == Exchange::doubling
                               ? static_cast<double>(count_doubling_stages(d.grid_rows))
                               : 1;
  const double sending = d.grid_columns > 1 ? 1 : 0;
  const std::int64_t pivots = std::min(d.m, d.n);
  double words = 0;
  double products = 0;
  double steps = 0;
  for (std::int64_t first = 0; first < pivots; first += d.block, ++steps) {
    const auto width = static_cast<double>(std::min(d.block, pivots - first));
    const double rows = static_cast<double>(d.m - first) / classes;
    words += rounds * width * width + sending * rows * width;
    products += 2 * rows * width * width + 5. / 3 * rounds * width * width * width;
  }
  return steps * (rounds + reductions + gathering + sending) * machine.latency_seconds +
         words * word_bytes / machine.bytes_per_second + 2 * products / machine.flops_per_second;
}

}  // namespace redblue
