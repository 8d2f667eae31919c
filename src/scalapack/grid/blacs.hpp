// SPDX-License-Identifier: BSD-3-Clause
// The BLACS of the ScaLAPACK in the process, found at run time.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::scalapack {

// Shape of a process grid, and the caller's row and column in it (-1: none).
struct GridShape {
  int rows = -1;
  int columns = -1;
  int my_row = -1;
  int my_column = -1;

  bool inside() const { return my_row >= 0 && my_column >= 0; }
};

// The shape of a context's grid; nothing inside for -1 or where no BLACS is there. Local.
GridShape grid_shape(int context);

// A process grid with a communicator of its own, ranks in row-major grid order.
struct ProcessGrid {
  GridShape shape;
  std::unique_ptr<comm::Communicator> own;

  std::vector<Rank> ranks() const;
};

// The grid of a BLACS context, made on the first call and kept; null where the caller does not
// belong to it or no BLACS is there. Collective over the grid.
std::shared_ptr<ProcessGrid> process_grid(int context);

// Whether this is BLACS's process 0.
bool is_first_process();

// Reports argument `position` of a routine as ScaLAPACK does (PXERBLA's line, then the BLACS abort
// the program, as after every wrong PBLAS argument).
void report_argument(int context, std::string routine, int position);

}  // namespace redblue::scalapack
