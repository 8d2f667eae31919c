// SPDX-License-Identifier: BSD-3-Clause
// Choices that differ from another in one thing: what a search tries next.
#pragma once

#include <string>
#include <vector>

#include "schedule/choice/choice.hpp"

namespace redblue::schedule::codegen {

struct Neighbour {
  std::string move;  // "band 0: tile 1 twice": what gained once may gain again
  Choice choice;
};

// Other cache tiles (twice, half, none), register blocks, innermost loops and, not beyond the
// processor's, vectors. Most are legal; Orders::made says which. `bands`: of the choice's nest.
std::vector<Neighbour> neighbours(const Choice& choice, const std::vector<BandShape>& bands,
                                  const Processor& processor);

}  // namespace redblue::schedule::codegen
