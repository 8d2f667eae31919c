// SPDX-License-Identifier: BSD-3-Clause
// What this process's MPI calls move, whichever library makes them and in whichever language: the
// command, or a library that is preloaded, defines the MPI functions that move data (calls.cpp, the
// one table of them), counts, and goes on to MPI's own.
//
// A rank receives the words of other ranks only. p ranks, n words of data:
//
//   messages             what the sender gives (all forms of send, persistent ones at each start)
//   Bcast                n on every rank but the root
//   Scatter, Scatterv    a rank's part, on every rank but the root
//   Gather, Gatherv      all parts but its own, on the root
//   Allgather(v), Alltoall(v, w)   all parts but its own, on every rank
//   Reduce_scatter(_block), Reduce, Allreduce   see below
//   Scan, Exscan         n on every rank but the first
//   Neighbor_*           a part from every neighbour that is another rank
//   Put, Accumulate      n on the target
//   Get                  n on the origin
//   Get_accumulate, Fetch_and_op   n on both; on the origin alone where the operation is MPI_NO_OP
//   Compare_and_swap     1 on the origin, 2 on the target
//
// Nobody can add up p contributions to a word with fewer than p - 1 messages, and trees, rings and
// pairwise exchanges all take as many, but end up with different ranks as the busiest. So the rank
// that gets a word's sum counts 1, as it must receive something, and the other p - 1 ranks share
// the p - 2 messages left evenly. With equal parts a reduce-scatter is (p - 1) / p n words on every
// rank; a reduction is n on its root. A reduction to all is a reduce-scatter of equal parts and an
// allgather of them: 2 (p - 1) / p n. So a collective's counts add up to the fewest words with
// which it can be done; MPI may take more (where it passes small gathers and scatters on through
// others, doubles in reductions to all, or scatters before it gathers in a broadcast).
//
// Not counted: what moves without such a call (loads from shared memory, files), collectives
// between two groups (intercommunicators), processes outside MPI_COMM_WORLD, the calls of MPI 4
// with counts of 64 bits. Shared windows, two groups and other processes are noticed and told.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "redblue/units.hpp"

namespace redblue::trace {

struct MessageCounts {
  Bytes worst;                         // received by the rank that received most
  Bytes total;                         // by all
  std::vector<std::string> uncounted;  // what was done that is not counted
};

// Of this process since counting started.
struct OwnCounts {
  std::vector<std::int64_t> sent;      // bytes to each rank of MPI_COMM_WORLD: messages, puts
  std::int64_t received = 0;           // bytes, by collectives and gets
  std::vector<std::string> uncounted;  // as in MessageCounts
};
OwnCounts own_counts();

// Starts counting at zero. Collective over MPI_COMM_WORLD.
void start_counting_messages();

// What has been received since; ends the counting. Collective over MPI_COMM_WORLD.
MessageCounts counted_messages();

}  // namespace redblue::trace
