// Moving a matrix between a block-cyclic layout and a plan's native layout, each element once.
#pragma once

#include <vector>

#include "comm/communicator.hpp"
#include "layout/block_cyclic.hpp"
#include "redblue/linalg.hpp"

namespace redblue::comm {

// The ranks of a process grid.
struct Grid {
  int rows = 1;
  int columns = 1;
  std::vector<int> ranks;  // rank of (row, column) at [row * columns + column]
  int my_row = 0;
  int my_column = 0;

  int rank_of(int row, int column) const {
    const auto index = std::int64_t{row} * columns + column;
    return ranks.at(static_cast<std::size_t>(index));
  }
};

// A redistribution between the two layouts, built once and used in either direction.
class Redistribution {
 public:
  // parts[r]: what rank r owns natively.
  Redistribution(Communicator& communicator, const Grid& grid, const layout::BlockCyclicView& view,
                 std::vector<std::vector<OwnedPart>> parts);

  // owned = view of `local`. Collective.
  void to_native(const double* local, double* owned, Traffic& count);

  // view of `local` = owned; elements outside the view stay. Collective.
  void from_native(const double* owned, double* local, Traffic& count);

 private:
  struct Side {
    std::vector<Segment> segments;  // in the packed buffer, by rank
    std::vector<double> packed;
  };

  // Calls f(native offset, run) for what process (row, column) holds of rank r's parts.
  template <class F>
  void for_each_run_of(int r, int row, int column, F f) const;

  void exchange(Side& from, Side& to, Traffic& count);
  static void resize(Side& side);

  Communicator& communicator_;
  Grid grid_;
  layout::BlockCyclicView view_;
  std::vector<std::vector<OwnedPart>> parts_;
  Side cyclic_, native_;
};

}  // namespace redblue::comm
