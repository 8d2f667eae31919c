// The BLACS of the ScaLAPACK in the process, found at run time.
#pragma once

#include <memory>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/redistribute.hpp"

namespace redblue::scalapack {

// A process grid with a communicator of its own, ranks in row-major grid order.
struct ProcessGrid {
  comm::Grid grid;
  MPI_Comm communicator = MPI_COMM_NULL;  // freed with the grid
  std::unique_ptr<comm::Communicator> own;

  ~ProcessGrid();
};

// The grid of a BLACS context, made on the first call and kept; null where the caller does not
// belong to it or no BLACS is there. Collective over the grid.
std::shared_ptr<ProcessGrid> process_grid(int context);

// The next definition of a symbol after this library, as LD_PRELOAD needs it; null when none.
void* next_symbol(const char* name);

}  // namespace redblue::scalapack
