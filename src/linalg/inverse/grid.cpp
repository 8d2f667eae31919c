// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/inverse/grid.hpp"

namespace redblue::linalg::inverse {

Place place_of(const InverseSteps& steps, const std::vector<int>& ranks, Rank me) {
  Place place{steps, ranks};
  if (const auto found = linalg::place_of(ranks, steps.across.classes, me)) {
    place.row = found->row;
    place.column = found->column;
  }
  return place;
}

Place transposed(const Place& place) {
  Place result{{place.steps.across, place.steps.down}, {}, place.column, place.row};
  for (int c = 0; c < place.steps.across.classes; ++c) {
    for (int r = 0; r < place.steps.down.classes; ++r) result.ranks.push_back(place.at(r, c).value);
  }
  return result;
}

}  // namespace redblue::linalg::inverse
