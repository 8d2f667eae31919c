// SPDX-License-Identifier: BSD-3-Clause
#include "cli/linalg/gemm_options.hpp"

#include "cli/options.hpp"

namespace redblue::cli {

void GemmOptionTexts::add_to(CLI::App& command) {
  command.add_option("-m", m, "Rows of A and C")->required();
  command.add_option("-n", n, "Columns of B and C")->required();
  command.add_option("-k", k, "Columns of A, rows of B")->required();
  model.add_to(command, "Words a rank may hold, everything counted (default: unlimited)");
}

void GemmOptionTexts::add_exchange_to(CLI::App& command) {
  add_exchange(command, exchange, "ranks share blocks");
}

GemmPlanRequest GemmOptionTexts::request(int ranks) const {
  GemmPlanRequest request;
  request.shape = {whole_number("-m", m), whole_number("-n", n), whole_number("-k", k)};
  request.ranks = ranks;
  model.read(request);
  request.exchange = exchange_of(exchange);
  return request;
}

}  // namespace redblue::cli
