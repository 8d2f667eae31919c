// SPDX-License-Identifier: BSD-3-Clause
// What a plan of any parallel algorithm costs, and by what one is chosen. Arithmetic only: no MPI.
#pragma once

#include <string>

#include "redblue/units.hpp"

namespace redblue {

// What a decomposition costs, worst rank each but for the mean (received words = footprint - owned,
// every element owned by one of the ranks that need it, shares even).
struct Cost {
  Words words;            // received
  double mean_words = 0;  // received, of all ranks
  Messages messages;      // received
  Words memory;           // owned parts, the C face, and the A and B slabs of a round or, if they
                          // are more, what is received of contributions at a time
  Words resident;         // the part of memory that more rounds cannot shrink: all but the slabs
  double work = 0;        // multiplications
  double seconds = 0;     // messages, words and flops on the machine, one after the other
};

struct Alternative {
  std::string name;    // "best grid", "best bisection", "2D grid", "2.5D grid", "recursive halving"
  std::string shape;   // Decomposition::name()
  int ranks_used = 0;  // the others idle
  Cost cost;
  double ratio = 0;  // words / lower bound (which holds for even work: idling may go below 1)
};

// By what the decomposition is chosen, among those whose busiest rank computes at most 1.03 times
// an even share, or the least that whole multiplications allow (idling ranks could buy fewer words:
// one rank alone moves none). Of gemm by seconds, those with idle ranks compete, too.
enum class Objective { words, seconds };

// How the ranks of a grid line get each other's parts of a block, or add up their contributions to
// it.
enum class Exchange {
  direct,    // one message from each to each, all under way at once: g - 1 of them for g ranks
  doubling,  // ceil(log2 g) rounds, in each of which a rank passes on all it has [bruck1997]: the
             // same words (of contributions, within a word per round), but every round waits for
             // the one before; on grids only
};

}  // namespace redblue
