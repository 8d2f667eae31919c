#include "cli/gemm_options.hpp"

#include "cli/options.hpp"

namespace redblue::cli {

void GemmOptionTexts::add_to(CLI::App& command) {
  command.add_option("-m", m, "Rows of A and C")->required();
  command.add_option("-n", n, "Columns of B and C")->required();
  command.add_option("-k", k, "Columns of A, rows of B")->required();
  command.add_option("--memory", memory,
                     "Words a rank may hold, everything counted (default: unlimited)");
  command.add_option("--machine", machine,
                     "Machine file for predicted times (redblue machine writes one)");
  command.add_option("--minimise", minimise, "What the decomposition is chosen by: words or time")
      ->check(CLI::IsMember({"words", "time"}))
      ->capture_default_str();
}

GemmPlanRequest GemmOptionTexts::request(int ranks) const {
  GemmPlanRequest request;
  request.shape = {whole_number("-m", m), whole_number("-n", n), whole_number("-k", k)};
  request.ranks = ranks;
  if (!machine.empty()) request.machine = read_machine(machine);
  request.memory = memory_limit(memory, request.machine);
  request.objective = minimise == "time" ? Objective::seconds : Objective::words;
  return request;
}

}  // namespace redblue::cli
