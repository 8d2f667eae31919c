// SPDX-License-Identifier: BSD-3-Clause
// What all processes of a program kept of their calls, together.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "comm/communicator.hpp"
#include "page/words_matrix.hpp"
#include "scalapack/serving/history.hpp"

namespace redblue::scalapack {

struct ProgramHistory {
  std::string command;  // the first process's, on one line
  History all;          // served and passed of all grids; spans in the order of their begin
  std::vector<OwnTotals> ranks;
  page::WordsMatrix matrix;  // of calls that were served; of very many ranks none
};

// A rank's history as lines of fields between tabs; and those of all ranks, one after the other,
// put together.
std::string text_of(const History& history);
ProgramHistory history_of(const std::string& text);

// On rank 0; empty elsewhere. Collective over the communicator, MPI_COMM_WORLD's ranks.
ProgramHistory gathered(const comm::Communicator& world);

}  // namespace redblue::scalapack
