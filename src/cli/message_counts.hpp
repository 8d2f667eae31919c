// What this process's MPI calls move, whichever library makes them: the command defines the MPI
// functions that linear algebra libraries use, counts, and goes on to MPI's own (the profiling
// interface). Collectives count the least they can move: a broadcast once to each rank, a reduction
// once to its root, a reduction to all once to each.
#pragma once

#include "redblue/units.hpp"

namespace redblue::cli {

// Starts counting at zero. Collective over MPI_COMM_WORLD.
void start_counting_messages();

// Bytes sent to this rank since, by all others. Collective over MPI_COMM_WORLD.
Bytes counted_bytes_received();

}  // namespace redblue::cli
