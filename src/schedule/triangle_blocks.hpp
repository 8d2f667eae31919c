// SPDX-License-Identifier: BSD-3-Clause
// Triangle blocks: an order for symmetric updates that reads 1 / sqrt(2) of the rows squares read.
//
// Where every pair (i, j) of rows is worked on by itself and what it reads of row i it reads of
// row j, a set of t rows serves t (t - 1) / 2 pairs. Rows are cut into as many pieces as a
// projective plane has points; every line of it is a block, which works on the pairs of its pieces
// ([aldaas2023, section 5], which does so on processors; coverings as for those).
#pragma once

#include <isl/cpp.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "program/program.hpp"

namespace redblue::schedule {

// Statements whose instances conflict only where they agree on (i, j), all others before or after
// them.
struct PairLoops {
  struct Member {
    std::size_t statement;
    int i, j;  // positions among its iterators
  };
  std::vector<Member> members;
  std::vector<std::size_t> before, after;  // statements, in any of the program's own order
};

// Those of the first statement that reads one array by i and by j. Legal in any order of the
// pairs, which isl proves; nothing where there are none.
std::optional<PairLoops> pair_loops(const program::Program& program);

// The program's own time of a member without what steps through i and j.
isl::map rest_of_time(const program::Program& program, const PairLoops::Member& member);

// The values i and j take in any member.
isl::set rows_of(const program::Program& program, const PairLoops& loops);

// Changes times into keys that may depend on tables.
using Rearrangement = std::function<void(std::vector<std::int64_t>&)>;

struct TriangleBlocks {
  PairLoops loops;
  int points = 1;  // of the plane: the number of row blocks, and of triangle blocks
  // Block b touches the pieces line[u] + b modulo points; of every two pieces one block touches
  // both, and works on their pairs. Pairs within piece line[0] + b are block b's.
  std::vector<int> line;
};

// Blocks whose pairs fit into a fast memory of s words at these sizes: `most` ways at most, those
// that touch fewest rows first.
std::vector<TriangleBlocks> triangle_blocks(const program::Program& program, const PairLoops& loops,
                                            const program::Sizes& sizes, std::int64_t s,
                                            std::size_t most);

// When instances run at given sizes: `times` (and `tiles`: one per block and time without i and j)
// say where an instance lies, `order` turns either into what is compared.
struct TriangleTimes {
  isl::union_map times, tiles;
  Rearrangement order;
};
TriangleTimes times(const program::Program& program, const TriangleBlocks& blocks,
                    const program::Sizes& sizes);

}  // namespace redblue::schedule
