// SPDX-License-Identifier: BSD-3-Clause
// Tiles that wait (schedule/late/late_tiles.hpp) as C.
#pragma once

#include <string>

#include "schedule/codegen/emit.hpp"
#include "schedule/late/late_tiles.hpp"

namespace redblue::schedule::codegen {

// Of `tiles.copied.program`: its times, with the arrays of copies declared around them and remarks
// that say what runs.
Schedule schedule_of(const LateTiles& tiles);

// C that computes what the program computes, bit for bit. Throws Error for programs that were not
// read from one region of a C file.
std::string emitted(const LateTiles& tiles);

}  // namespace redblue::schedule::codegen
