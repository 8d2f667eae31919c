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
  command
      .add_option(
          "--exchange", exchange,
          "How ranks share blocks: direct (a message for each two of them) or doubling (few "
          "messages, one after the other); default: direct, or with --minimise time either")
      ->check(CLI::IsMember({"direct", "doubling"}));
}

GemmPlanRequest GemmOptionTexts::request(int ranks) const {
  GemmPlanRequest request;
  request.shape = {whole_number("-m", m), whole_number("-n", n), whole_number("-k", k)};
  request.ranks = ranks;
  model.read(request);
  if (exchange == "direct") request.exchange = Exchange::direct;
  if (exchange == "doubling") request.exchange = Exchange::doubling;
  return request;
}

}  // namespace redblue::cli
