// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/modelled.hpp"

#include <algorithm>
#include <map>
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
  using Outermost = Nest::Outermost;
  const std::map<Outermost, std::size_t> most = {
      {Outermost::together, 2}, {Outermost::one_by_one, 1}, {Outermost::in_groups, 1}};
  std::vector<Modelled> found;
  for (const Nest& nest : all) {
    std::optional<TileModel> model = TileModel::of(program, nest, sizes);
    if (!model) continue;
    Plan plan{nest, model->best(s)};
    const double moved = model->moved(plan.tiles, s);
    found.push_back({std::move(plan), std::move(*model), moved});
  }
  const auto tells_all = [&](const Modelled& m) { return in_bands(program, m.plan.nest); };
  const auto partly = [](const Modelled& m) {
    return m.plan.nest.outermost == Outermost::one_by_one;
  };
  if (std::any_of(found.begin(), found.end(),
                  [&](const Modelled& m) { return partly(m) && tells_all(m); }))
    std::erase_if(found, [&](const Modelled& m) { return partly(m) && !tells_all(m); });
  std::stable_sort(found.begin(), found.end(),
                   [](const Modelled& a, const Modelled& b) { return a.moved < b.moved; });
  std::vector<Modelled> result;
  std::map<Outermost, std::size_t> taken;
  for (Modelled& m : found) {
    const Outermost kind = m.plan.nest.outermost;
    if (taken[kind]++ < most.at(kind)) result.push_back(std::move(m));
  }
  return result;
}

}  // namespace redblue::schedule
