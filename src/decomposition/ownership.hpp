// SPDX-License-Identifier: BSD-3-Clause
// Who needs and who owns which part of a matrix.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/gemm_model.hpp"

namespace redblue {

// A block of a matrix, rows x columns.
struct Block {
  Range rows, columns;
  std::int64_t size() const { return rows.size() * columns.size(); }
};

// What a rank needs of an operand: the projection of its cuboid.
Block footprint(const Cuboid& cuboid, Operand operand);

// A block needed by exactly the same ranks in the same round. Its elements, in column-major order,
// are shared out among them: needer t owns [begins[t], begins[t+1]).
struct Cell {
  Block block;
  std::vector<int> needers;          // ascending
  std::vector<std::int64_t> begins;  // one more than needers; from 0 to block.size()

  std::int64_t share(std::size_t needer) const { return begins[needer + 1] - begins[needer]; }
};

inline std::int64_t ceil_div(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

// floor(total * part / parts), where the product may need more than 64 bits.
inline std::int64_t fraction_of(std::int64_t total, std::int64_t part, std::int64_t parts) {
  return total / parts * part + total % parts * part / parts;
}

// Piece `round` of `rounds` of a k range, as even as can be.
Range round_of(const Range& k, std::int64_t round, std::int64_t rounds);

// The round whose piece contains `position`.
std::int64_t round_index(const Range& k, std::int64_t position, std::int64_t rounds);

// The side of a block of A or B that runs along k.
const Range& k_range(const Block& block, Operand operand);

// All cells, in column-major order of their first elements, covering everything some rank needs.
// For A and B no cell crosses a round boundary of a rank that needs it, for C none of its panels or
// reductions.
struct Ownership {
  std::vector<Cell> a, b, c;
  const std::vector<Cell>& of(Operand operand) const;
};

// A block needed by these ranks, ascending, in even shares.
Cell even_cell(const Block& block, const std::vector<int>& needers);

// Moves shares of an input's cells so that the words received by the ranks become even.
void even_out(std::vector<Cell>& cells, std::size_t ranks);

// The same of several inputs, in any order in `a` and `b`, and outputs, in `c`.
void even_out(Ownership& ownership, std::size_t ranks);

// Shares are even within a cell; off the grid they are then moved to even out the words received
// (more of an input one owns is less to receive, more of C is more to receive). Where A and B are
// stationary, only who keeps a part of them is in a cell.
// O(sum over cells of needers).
Ownership ownership(const Decomposition& decomposition, const std::vector<Cuboid>& cuboids);

}  // namespace redblue
