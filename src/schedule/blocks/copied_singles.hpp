// SPDX-License-Identifier: BSD-3-Clause
// Instances outside of whole blocks that read a tile's copies (on isl).
#pragma once

#include <isl/cpp.h>

#include "schedule/blocks/blocks.hpp"

namespace redblue::schedule::codegen {

// `single` (instance -> times, in its block's place) with the instances renamed that find their
// columns' operands in the copy which their tile makes for whole blocks: they read side by side
// what lies far apart in the array. The copy has what they read: the same column, the same step of
// the sum; and nothing in the tile writes it (Blocked::copied). `steps`: instance -> step of its
// block.
isl::union_map with_copied_singles(const program::Program& program, const Blocked& block,
                                   const isl::map& steps, const isl::union_map& single);

// Instances that read copies by the name of their statement again.
isl::union_map of_statement_again(const isl::union_map& times, const program::Statement& s);

}  // namespace redblue::schedule::codegen
