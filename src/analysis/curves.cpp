// SPDX-License-Identifier: BSD-3-Clause
// What every method proves, as the fast memory grows.
#include <algorithm>
#include <utility>

#include "redblue/analysis.hpp"

namespace redblue {

namespace {

// The strongest at one S, and the strongest with nothing assumed.
struct Strongest {
  double of_all = 0, proved = 0;
};

// By method; under the empty name of all methods.
std::map<std::string, Strongest> strongest(const BoundReport& report) {
  std::map<std::string, Strongest> result;
  for (const LowerBound& bound : report.bounds) {
    const double words = bound.value.value_or(0);
    for (const std::string& name : {std::string(), bound.method}) {
      Strongest& most = result[name];
      most.of_all = std::max(most.of_all, words);
      if (bound.proved()) most.proved = std::max(most.proved, words);
    }
  }
  return result;
}

}  // namespace

std::vector<MemoryCurve> curves_by_memory(const BoundedProgram& program,
                                          std::map<std::string, std::int64_t> sizes,
                                          const std::vector<std::int64_t>& memories,
                                          std::int64_t units, const ProgressCallback& progress) {
  std::map<std::string, std::vector<std::pair<std::int64_t, Strongest>>> found;
  for (std::size_t m = 0; m < memories.size(); ++m) {
    if (progress) progress({static_cast<double>(m), static_cast<double>(memories.size())});
    sizes["S"] = memories[m];
    for (const auto& [method, most] : strongest(program.at(sizes, units)))
      found[method].emplace_back(memories[m], most);
  }
  std::vector<MemoryCurve> result;
  for (const auto& [method, points] : found) {
    MemoryCurve proved{method, true, {}}, of_all{method, false, {}};
    bool more = false, some = false;
    for (const auto& [s, most] : points) {
      proved.points.emplace_back(s, most.proved);
      of_all.points.emplace_back(s, most.of_all);
      some = some || most.proved > 0;
      more = more || most.of_all > most.proved;
    }
    if (some) result.push_back(proved);
    if (more) result.push_back(of_all);
  }
  return result;
}

}  // namespace redblue
