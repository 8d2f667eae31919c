// SPDX-License-Identifier: BSD-3-Clause
#include "cli/analysis/cache_levels.hpp"

#include "machine/caches.hpp"
#include "redblue/error.hpp"
#include "redblue/machine.hpp"

namespace redblue::cli {

Caches caches_of(const std::string& machine_file) {
  Caches result;
  if (machine_file.empty()) {
    for (const DataCache& cache : data_caches())
      result.levels.push_back({"L" + cache.level + " cache", cache.bytes});
    return result;
  }
  const Machine machine = read_machine(machine_file);
  constexpr std::int64_t word_bytes = 8;
  result.roof.operations_per_second = machine.flops_per_second;
  for (std::size_t l = 0; l + 1 < machine.levels.size(); ++l) {
    result.levels.push_back({machine.levels[l].name, word_bytes * machine.levels[l].words});
    // A level's balance is that of its way to what is below it: to this cache.
    result.roof.words_per_second.push_back(machine.levels[l + 1].words_per_flop *
                                           machine.flops_per_second);
  }
  if (result.levels.empty()) {
    throw Error("the caches of " + machine_file, "it has no memory levels beside main memory",
                "give a file that redblue machine --measure wrote");
  }
  return result;
}

}  // namespace redblue::cli
