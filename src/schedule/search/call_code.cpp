// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/call_code.hpp"

#include <isl/union_map.h>

#include <algorithm>

#include "schedule/bands/tree.hpp"
#include "schedule/blocks/block_maps.hpp"
#include "schedule/blocks/call_sides.hpp"
#include "schedule/codegen/call_text.hpp"
#include "schedule/codegen/emit.hpp"
#include "schedule/order.hpp"

namespace redblue::schedule {

using codegen::CallTiling;
using codegen::LeafBand;
using program::Program;

namespace {

// The plan's tiles of a band of loops; null where it has none.
const Tiles* tiles_of(const Program& program, const Plan& plan, const LeafBand& band) {
  for (std::size_t b = 0; b < plan.tiles.size(); ++b) {
    const std::vector<std::string>& names = plan.nest.bands[b].statements;
    const bool same = names.size() == band.statements.size() &&
                      std::all_of(band.statements.begin(), band.statements.end(), [&](auto s) {
                        return std::count(names.begin(), names.end(), program.statements[s].name);
                      });
    const Tiles& tiles = plan.tiles[b];
    if (same && static_cast<int>(tiles.sizes.size()) == band.members) return &tiles;
  }
  return nullptr;
}

// The tiles by the product's loops.
std::optional<CallTiling> tiling_of(const Program& program, const LeafBand& band,
                                    const codegen::Product& product, const isl::union_map& order,
                                    const Tiles& tiles) {
  const std::vector<int> members = codegen::members_of(program.statements[product.statement], band);
  if (members.empty()) return std::nullopt;
  CallTiling result;
  result.keeps_whole = false;
  std::array<std::int64_t, 3> sizes = {};
  std::size_t next = 0;
  for (std::size_t t = 0; t < tiles.sizes.size(); ++t) {
    int n = 0;
    for (const int loop : {product.rows, product.columns, product.sum}) {
      if (members[static_cast<std::size_t>(loop)] == tiles.order[t]) {
        sizes[static_cast<std::size_t>(n)] = tiles.sizes[t];
        result.order[next++] = n;
      }
      ++n;
    }
  }
  const codegen::CallBand of{&program, &band, &product, members, &order};
  const bool whole = result.order.back() == 2 && codegen::separable(of, product.sum);
  sizes[2] = whole ? 0 : std::max({sizes[0], sizes[1], sizes[2]});
  result.levels = {sizes};
  return result;
}

isl::union_map of_others(const isl::union_map& times, const Program& program,
                         const std::vector<codegen::ScheduledBand>& bands) {
  isl::union_map result = times;
  for (const codegen::ScheduledBand& b : bands) {
    for (const std::size_t s : b.band.statements)
      result = isl::manage(isl_union_map_subtract_domain(
          result.release(), isl::union_set(program.statements[s].domain).release()));
  }
  return result;
}

}  // namespace

std::optional<CallCode> call_code(const Program& source, const Plan& plan,
                                  const std::vector<Family>& families) {
  if (plan.triangles) return std::nullopt;
  const Program program = privatised(source, families);
  const isl::union_map order = conflicts(program);
  codegen::Schedule schedule;
  schedule.families = families;
  CallCode result;
  for (const LeafBand& band : codegen::parts_of(program, plan.nest).bands) {
    const Tiles* tiles = tiles_of(program, plan, band);
    for (const std::size_t s : band.statements) {
      const auto product = tiles == nullptr ? std::nullopt : codegen::product_of(program, s);
      const auto tiling =
          product ? tiling_of(program, band, *product, order, *tiles) : std::nullopt;
      if (!tiling) continue;
      auto calls = codegen::calls_of(program, families, order, band, s, *tiling);
      if (!calls) continue;
      const auto described = codegen::described(program, *calls);
      result.calls.insert(result.calls.end(), described.begin(), described.end());
      codegen::ScheduledBand next{band, {}, calls->times, {}};
      next.calls = std::move(calls);
      schedule.bands.push_back(std::move(next));
      break;
    }
  }
  if (schedule.bands.empty()) return std::nullopt;
  schedule.rest = of_others(times(plan.nest, plan.tiles), program, schedule.bands);
  if (!respects(codegen::all_times(schedule), order)) return std::nullopt;
  result.code = codegen::emitted(program, schedule, one_at_a_time(program));
  return result;
}

}  // namespace redblue::schedule
