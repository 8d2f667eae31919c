// SPDX-License-Identifier: BSD-3-Clause
// A schedule as C: the original file with its region replaced.
#pragma once

#include <string>
#include <vector>

#include "schedule/late/late_tiles.hpp"
#include "schedule/privatise.hpp"
#include "schedule/triangle_blocks.hpp"

namespace redblue::schedule {

// Of `families`, those the new times cannot do without; the others keep their array.
std::vector<Family> needed(const program::Program& program, const isl::union_map& times,
                           const std::vector<Family>& families);

// The C file the program was read from, its statements in the order of `times` (loops by isl), with
// storage for the moved families and copies of what must end in the array itself. Computes what the
// original computes, in the same arithmetic; loop variables have no value after it. Throws Error
// for programs that were not read from one region of a C file.
std::string code(const program::Program& program, const isl::union_map& times,
                 const std::vector<Family>& families);

// Likewise, with triangle blocks around the statements they hold.
std::string code(const program::Program& program, const TriangleBlocks& blocks);

// Likewise, in tiles that wait.
std::string code(const LateTiles& tiles);

}  // namespace redblue::schedule
