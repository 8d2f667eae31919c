// SPDX-License-Identifier: BSD-3-Clause
// A band of loops around a contraction, in cache tiles and register blocks (on isl).
//
// Instances are cut into tiles for the caches, the tiles into blocks of rows x columns elements
// that stay in registers while the sums run ([goto2008], in the loops of any program). Blocks that
// are whole at a step of the sums are updated together; instances outside of whole blocks run one
// by one.
#pragma once

#include <isl/cpp.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "schedule/blocks/contraction.hpp"

namespace redblue::schedule::codegen {

// The loops of a band: statements that share permutable loops with no further loops inside.
struct LeafBand {
  std::vector<std::size_t> statements;
  isl::union_map prefix;  // instance -> what runs around the band
  isl::union_map loops;   // instance -> its members
  isl::union_map suffix;  // instance -> order inside, constants
  int members = 0;
};

struct BlockSizes {
  std::int64_t rows = 8, columns = 24;                           // of a register block
  std::int64_t row_tile = 384, column_tile = 0, sum_tile = 128;  // of a cache tile; 0: all
  bool operator==(const BlockSizes&) const = default;
};

// A contraction's band in blocks. Blocks have the coordinates others, sum tile, row, column.
struct Blocked {
  Contraction contraction;
  BlockSizes sizes;
  isl::union_map times;  // of every instance: what must respect the program's order
  isl::union_map loops;  // of instances outside blocks, blocks and copies: what is written
  int tile_depth = 0;    // leading times: around the band, then its tiles
  isl::set tiles;        // values of these leading times
  std::vector<std::string> names;   // of the loops, by depth of `loops`
  std::vector<int> phases;          // depths of `loops` that are phases (parallel.hpp), ascending
  int places = 0;                   // leading times that are places in a sequence, constants
  isl::set whole;                   // Step[others, row, column, sums]: steps of whole blocks
  isl::set copied;                  // those that read copies of the operands that vectors load
  std::vector<std::size_t> copies;  // reads
  bool factors_ahead = false;       // copied blocks find the products of leading factors made

  // Whether the times at this depth step through an iterator, or its tiles.
  bool steps(int depth) const {
    return depth >= places && std::find(phases.begin(), phases.end(), depth) == phases.end();
  }
};

constexpr const char* whole_block = "Block";    // updates in registers
constexpr const char* copied_block = "Copied";  // with operands from a copy
constexpr const char* copy_in = "Copy";  // makes the copy: others, sum tile, row tile, column
// An instance outside of whole blocks that finds operands in its tile's copy: iterators, column.
constexpr const char* copied_single = "CopiedSingle";
// The first time inside a tile where blocks and their copies run.
constexpr int slot_of_blocks = 3;
// The product of leading factors for a block's rows: others, sum tile, column tile, row.
constexpr const char* row_factors = "RowFactors";

// Nothing where the band's loops are not the statement's own or no order of the tiles respects
// `order`.
std::optional<Blocked> blocked(const program::Program& program, const LeafBand& band,
                               const Contraction& contraction, const BlockSizes& sizes,
                               const isl::union_map& order);

}  // namespace redblue::schedule::codegen
