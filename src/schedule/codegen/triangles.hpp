// SPDX-License-Identifier: BSD-3-Clause
// Triangle blocks in C.
#pragma once

#include <string>

#include "schedule/triangle_blocks.hpp"

namespace redblue::schedule::codegen {

// C that computes what the program computes, block by block, for all sizes: the statements before
// the blocks and after them in loops of their own. Throws Error for programs that were not read
// from one region of a C file.
std::string emitted(const program::Program& program, const TriangleBlocks& blocks);

}  // namespace redblue::schedule::codegen
