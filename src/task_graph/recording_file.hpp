// SPDX-License-Identifier: BSD-3-Clause
// The file of a recorded execution: text, an action a line.
//
//   redblue recording 1
//   command TEXT
//   seconds S               of the slowest rank
//   flops_per_second F      of one rank's matrix multiplication, just before
//   ranks P
//   then of each rank:
//   rank R ACTIONS
//   c BEGIN END BUSY FLOPS MEMORY_WORDS
//   s BEGIN END PEER TAG COMMUNICATOR WORDS WORD_BYTES
//   r BEGIN END PEER TAG COMMUNICATOR WORDS WORD_BYTES
//   w BEGIN END A B ..      the messages it waits for: numbers of the rank's actions, from 0
//   a BEGIN END FIRST COMMUNICATOR MEMBERS
//
// Times are in nanoseconds since all ranks started.
#pragma once

#include <istream>
#include <string>

#include "task_graph/execution.hpp"

namespace redblue::task_graph {

// The lines of one rank, from `rank R` on.
std::string recording_of_rank(int rank, const RankActions& actions);
// What comes before them. Of `execution` only what does not belong to a rank.
std::string recording_head(const Execution& execution, int ranks);

// Throws Error naming file and line where the file cannot be read or is no recording.
Execution read_recording(const std::string& path);
Execution read_recording(std::istream& in, const std::string& name);

}  // namespace redblue::task_graph
