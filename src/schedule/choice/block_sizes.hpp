// SPDX-License-Identifier: BSD-3-Clause
// Sides of register blocks and of their tiles, by a processor's registers and caches.
#pragma once

#include <string>

#include "schedule/choice/choice.hpp"

namespace redblue::schedule::codegen {

// Of an element.
inline int bytes_of(const std::string& type) {
  return type == "float" ? 4 : 8;
}

// Where a band writes what its blocks read, tiles on the diagonal run without blocks or without
// copies: they are kept small, and square.
BlockSizes block_sizes(const program::Program& program, const LeafBand& band,
                       const std::string& element, const Processor& processor);

}  // namespace redblue::schedule::codegen
