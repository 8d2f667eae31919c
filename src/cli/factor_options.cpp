#include "cli/factor_options.hpp"

#include <algorithm>
#include <limits>

#include "cli/options.hpp"

namespace redblue::cli {

void FactorOptionTexts::add_to(CLI::App& command, Kernel kernel) {
  if (kernel == Kernel::lu) command.add_option("-m", m, "Rows (default: as columns)");
  command.add_option("-n", n, kernel == Kernel::lu ? "Columns" : "Order")->required();
  if (kernel == Kernel::trsm) command.add_option("-k", k, "Right-hand sides")->required();
  if (kernel == Kernel::syrk) {
    command.add_option("-k", k, "Columns of A")->required();
  } else {
    command.add_option("--block", block, "Rows and columns of a block (default: chosen)");
  }
  if (kernel == Kernel::lu) {
    command.add_option("--layers", layers, "Grids that share the work of a step (default: chosen)");
  }
  command.add_option("--memory", memory,
                     kernel == Kernel::syrk
                         ? "Words a rank may hold, everything counted (default: unlimited)"
                         : "Words a rank may hold beside the caller's arrays (default: unlimited)");
  command.add_option("--machine", machine,
                     "Machine file for predicted times (redblue machine writes one)");
  command.add_option("--minimise", minimise, "What the decomposition is chosen by: words or time")
      ->check(CLI::IsMember({"words", "time"}))
      ->capture_default_str();
}

SyrkPlanRequest FactorOptionTexts::syrk(int ranks) const {
  SyrkPlanRequest request;
  request.shape = {columns(), whole_number("-k", k)};
  request.ranks = ranks;
  if (!machine.empty()) request.machine = read_machine(machine);
  request.memory = memory_limit(memory, request.machine);
  request.objective = minimise == "time" ? Objective::seconds : Objective::words;
  return request;
}

FactorOptions FactorOptionTexts::factor() const {
  FactorOptions options;
  if (!block.empty()) options.block = whole_number("--block", block);
  if (!layers.empty()) {
    constexpr std::int64_t most = std::numeric_limits<int>::max();
    options.layers =
        static_cast<int>(std::clamp<std::int64_t>(whole_number("--layers", layers), 0, most));
  }
  if (!machine.empty()) options.machine = read_machine(machine);
  options.memory = memory_limit(memory, options.machine);
  options.objective = minimise == "time" ? Objective::seconds : Objective::words;
  return options;
}

std::int64_t FactorOptionTexts::columns() const {
  return whole_number("-n", n);
}

std::int64_t FactorOptionTexts::sides() const {
  return whole_number("-k", k);
}

std::int64_t FactorOptionTexts::rows() const {
  return m.empty() ? columns() : whole_number("-m", m);
}

}  // namespace redblue::cli
