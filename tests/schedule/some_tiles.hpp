// SPDX-License-Identifier: BSD-3-Clause
// Tiles that no search would choose, for tests of what holds for all.
#pragma once

#include <cstdint>
#include <vector>

#include "schedule/nests.hpp"

namespace redblue::test {

// Uneven tiles for every band, its loops in another order where they have none.
inline std::vector<schedule::Tiles> some_tiles(const schedule::Nest& nest) {
  std::vector<schedule::Tiles> result;
  for (const schedule::Band& band : nest.bands) {
    schedule::Tiles tiles;
    const auto in_order = static_cast<std::size_t>(band.in_order);
    for (std::size_t d = band.loops.size() - in_order; d-- > 0;) {
      tiles.order.push_back(static_cast<int>(d));
      tiles.sizes.push_back(static_cast<std::int64_t>(d == 0 && in_order == 0 ? 1 : 2 + d));
    }
    for (std::size_t d = band.loops.size() - in_order; d < band.loops.size(); ++d) {
      tiles.order.push_back(static_cast<int>(d));
      tiles.sizes.push_back(1);
    }
    result.push_back(tiles);
  }
  return result;
}

}  // namespace redblue::test
