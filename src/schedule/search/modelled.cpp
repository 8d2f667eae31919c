// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/modelled.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>

namespace redblue::schedule {

using program::Program;
using program::Sizes;

namespace {

// Whether a model of the bands' tiles tells of all that the program does.
bool in_bands(const Program& program, const Nest& nest) {
  std::set<std::string> statements;
  for (const Band& band : nest.bands)
    statements.insert(band.statements.begin(), band.statements.end());
  return statements.size() == program.statements.size();
}

}  // namespace

std::vector<Modelled> modelled(const Program& program, const std::vector<Nest>& all,
                               const Sizes& sizes, std::int64_t s) {
  constexpr std::size_t most = 2, most_as_written = 1;
  std::vector<Modelled> found;
  for (const Nest& nest : all) {
    std::optional<TileModel> model = TileModel::of(program, nest, sizes);
    if (!model) continue;
    Plan plan{nest, model->best(s)};
    const double moved = model->moved(plan.tiles, s);
    found.push_back({std::move(plan), std::move(*model), moved});
  }
  const auto tells_all = [&](const Modelled& m) { return in_bands(program, m.plan.nest); };
  const auto partly = [](const Modelled& m) { return m.plan.nest.partly_as_written; };
  if (std::any_of(found.begin(), found.end(),
                  [&](const Modelled& m) { return partly(m) && tells_all(m); }))
    std::erase_if(found, [&](const Modelled& m) { return partly(m) && !tells_all(m); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Modelled& a, const Modelled& b) { return a.moved < b.moved; });
  std::vector<Modelled> result;
  std::size_t as_written = 0, others = 0;
  for (Modelled& m : found) {
    if (partly(m) ? as_written++ < most_as_written : others++ < most)
      result.push_back(std::move(m));
  }
  return result;
}

}  // namespace redblue::schedule
