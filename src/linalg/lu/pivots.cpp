// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/lu/pivots.hpp"

#include <algorithm>

namespace redblue::linalg {

namespace {

// Calls f(exchange, index in `local`) for this process's exchanges.
template <class F>
void for_each_own(Rank me, const BlockCyclic& layout, F f) {
  const auto found = std::find(layout.ranks.begin(), layout.ranks.end(), me);
  if (found == layout.ranks.end()) return;
  const auto row = static_cast<int>((found - layout.ranks.begin()) / layout.across.processes);
  const std::int64_t count = std::min(layout.rows, layout.columns);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t index = layout.first_row + i;
    if (layout.down.owner(index) == row) f(i, layout.down.local(index));
  }
}

bool in_first_column(Rank me, const BlockCyclic& layout) {
  const auto found = std::find(layout.ranks.begin(), layout.ranks.end(), me);
  return (found - layout.ranks.begin()) % layout.across.processes == 0;
}

}  // namespace

std::vector<std::int64_t> whole_pivots(comm::Communicator& communicator, const BlockCyclic& layout,
                                       const int* local) {
  std::vector<double> all(static_cast<std::size_t>(std::min(layout.rows, layout.columns)));
  if (in_first_column(communicator.rank(), layout)) {
    for_each_own(communicator.rank(), layout, [&](std::int64_t i, std::int64_t place) {
      all[static_cast<std::size_t>(i)] = static_cast<double>(local[place] - 1 - layout.first_row);
    });
  }
  communicator.sum(all);
  std::vector<std::int64_t> pivots;
  for (const double x : all) pivots.push_back(static_cast<std::int64_t>(x));
  return pivots;
}

void local_pivots(Rank me, const BlockCyclic& layout, const std::vector<std::int64_t>& pivots,
                  int* local) {
  for_each_own(me, layout, [&](std::int64_t i, std::int64_t place) {
    local[place] = static_cast<int>(pivots[static_cast<std::size_t>(i)] + 1 + layout.first_row);
  });
}

}  // namespace redblue::linalg
