// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/factor_options.hpp"

#include <algorithm>
#include <limits>

#include "cli/options.hpp"

namespace redblue::cli {

void FactorOptionTexts::add_to(CLI::App& command, Kernel kernel) {
  const bool rectangular = kernel == Kernel::lu || kernel == Kernel::qr;
  if (rectangular) command.add_option("-m", m, "Rows (default: as columns)");
  command.add_option("-n", n, rectangular ? "Columns" : "Order")->required();
  if (kernel == Kernel::trsm) command.add_option("-k", k, "Right-hand sides")->required();
  if (is_symmetric(kernel)) {
    command
        .add_option("-k", k,
                    kernel == Kernel::syrk    ? "Columns of A"
                    : kernel == Kernel::syr2k ? "Columns of A and of B"
                                              : "Columns of B")
        ->required();
  } else {
    command.add_option("--block", block,
                       kernel == Kernel::qr ? "Columns of a panel (default: chosen)"
                                            : "Rows and columns of a block (default: chosen)");
  }
  if (kernel == Kernel::lu || kernel == Kernel::cholesky) {
    command.add_option("--replicas,--layers", replicas,
                       "Copies of the matrix that share the work of a step (default: chosen; "
                       "--layers, its old name, works)");
  }
  if (kernel == Kernel::lu) {
    add_exchange(command, exchange, "the ranks of a grid column share the pivots' rows");
  }
  model.add_to(command,
               is_symmetric(kernel)
                   ? "Words a rank may hold, everything counted (default: unlimited)"
                   : "Words a rank may hold beside the caller's arrays (default: unlimited)");
}

SyrkPlanRequest FactorOptionTexts::syrk(int ranks) const {
  SyrkPlanRequest request;
  request.shape = {columns(), whole_number("-k", k)};
  request.ranks = ranks;
  model.read(request);
  return request;
}

FactorOptions FactorOptionTexts::factor() const {
  FactorOptions options;
  if (!block.empty()) options.block = whole_number("--block", block);
  if (!replicas.empty()) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    options.replicas =
        static_cast<int>(std::clamp<std::int64_t>(whole_number("--replicas", replicas), 0, most));
  }
  model.read(options);
  options.exchange = exchange_of(exchange);
  return options;
}

std::int64_t FactorOptionTexts::columns() const {
  return whole_number("-n", n);
}

std::int64_t FactorOptionTexts::right_hand_sides() const {
  return whole_number("-k", k);
}

std::int64_t FactorOptionTexts::rows() const {
  return m.empty() ? columns() : whole_number("-m", m);
}

double lu_products(std::int64_t m, std::int64_t n) {
  const auto rows = static_cast<double>(m);
  const auto columns = static_cast<double>(n);
  const double small = std::min(rows, columns);
  return small * (rows * columns - small * (rows + columns) / 2 + small * small / 3);
}

}  // namespace redblue::cli
