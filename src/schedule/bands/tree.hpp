// SPDX-License-Identifier: BSD-3-Clause
// A nest taken apart: its innermost bands, and the statements without loops of their own.
#pragma once

#include <vector>

#include "schedule/blocks/blocks.hpp"
#include "schedule/nests.hpp"

namespace redblue::schedule::codegen {

struct Parts {
  std::vector<LeafBand> bands;  // permutable, of at least one member
  isl::union_map rest;          // times of statements in no such band
};

Parts parts_of(const program::Program& program, const Nest& nest);

}  // namespace redblue::schedule::codegen
