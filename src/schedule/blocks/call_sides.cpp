// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/call_sides.hpp"

#include <algorithm>

#include "program/instances.hpp"
#include "schedule/region_text.hpp"

namespace redblue::schedule::codegen {

CallTiling of_sides(const std::vector<std::int64_t>& sides) {
  CallTiling result;
  for (const std::int64_t side : sides) result.levels.push_back({side, side, side});
  return result;
}

std::optional<Called> calls_of(const program::Program& program, const std::vector<Family>& families,
                               const isl::union_map& order, const LeafBand& band,
                               std::size_t statement, const CallTiling& tiling) {
  const std::optional<Product> product = product_of(program, statement);
  if (!product) return std::nullopt;
  const auto moved = [&](std::optional<std::size_t> read) {
    return moved_family(families, statement, read) != nullptr;
  };
  if (moved(std::nullopt) || moved(product->left.read) || moved(product->right.read))
    return std::nullopt;
  return called(program, band, *product, tiling, order);
}

double part_in_calls(const Called& called, const program::Program& program, std::size_t statement,
                     const program::Sizes& sizes) {
  constexpr std::int64_t some_tiles = 2048;
  program::Sizes counted = sizes;
  for (auto& [name, size] : counted) size = std::min(size, some_tiles);
  constexpr std::int64_t most = std::int64_t{1} << 50;
  const program::InstanceCount instances(program.statements[statement].domain);
  const double all = instances.at(counted, most).to_double();
  return all > 0 ? instances_in_calls(called, counted) / all : 1;
}

}  // namespace redblue::schedule::codegen
