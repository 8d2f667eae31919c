// SPDX-License-Identifier: BSD-3-Clause
// A whole register block as C: elements in vectors, sums running through them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "schedule/blocks/blocks.hpp"
#include "schedule/codegen/ast_text.hpp"
#include "schedule/codegen/statement_text.hpp"

namespace redblue::schedule::codegen {

struct Microkernel {
  const program::Program* program = nullptr;
  const StatementText* text = nullptr;
  const Blocked* block = nullptr;
  std::string name;  // makes the names of its copies unlike those of others
  std::string type;  // of loop variables
  int vector_bytes = 64;
};

// What the copies need around a tile's loops, by name: "double copy0_1[256][24]".
std::map<std::string, std::string> declarations(const Microkernel& kernel);

// The block with these coordinates: others, sum tile, row, column.
void write_block(const Microkernel& kernel, const Reached& reached, Lines& lines);

// The products of leading factors of a block's rows: others, sum tile, column tile, row.
void write_row_factors(const Microkernel& kernel, const Reached& reached, Lines& lines);

// An instance that reads a tile's copy: iterators, column of its block.
void write_single(const Microkernel& kernel, const Reached& reached, Lines& lines);

// The copy for a tile: others, sum tile, row tile, column.
void write_copy(const Microkernel& kernel, const Reached& reached, Lines& lines);

}  // namespace redblue::schedule::codegen
