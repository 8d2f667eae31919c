// The message lists and buffers of one rank for one decomposition, made once.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/linalg.hpp"

namespace redblue {

using Segments = std::vector<comm::Segment>;

// A copy between two places of one rank, segment by segment in the same order.
struct Copy {
  Segments from, to;
};

// A column-major buffer that holds `block` of a matrix.
struct Panel {
  Block block;

  // Where elements begin .. end-1 of `part` (column-major order) lie in the panel.
  void append(Segments& segments, const Block& part, std::int64_t begin, std::int64_t end) const;
};

// The cells of one operand that this rank needs, and where its shares lie in its owned array.
struct LocalCell {
  const Cell* cell;
  std::size_t position;  // of this rank among the needers
  std::int64_t offset;   // of its share in the owned array
};

// The cells `me` needs, in order.
std::vector<LocalCell> local_cells(const std::vector<Cell>& cells, Rank me);

std::vector<OwnedPart> owned_parts(const std::vector<LocalCell>& cells);
Words total_share(const std::vector<LocalCell>& cells);

// One input operand: what is sent, and how each round's slab comes together.
struct Input {
  struct Round {
    Panel slab;
    std::vector<comm::Message> receives;
    Copy own;
    std::int64_t in_place = -1;  // >= 0: the slab lies whole at this offset of the owned array
  };
  std::vector<comm::Message> sends;
  std::vector<Round> rounds;
  std::vector<double> buffer;  // the largest slab that is not in place
};

Input input_plan(const std::vector<LocalCell>& cells, Operand operand,
                 const std::vector<Cuboid>& cuboids, std::int64_t rounds, Rank me);

// The output: the face of the cuboid, what is sent of it and what is added to the owned part.
struct Output {
  struct Contribution {
    comm::Message receive;  // into one half of the staging buffer
    Segments staged;        // all of its words
    Segments owned;         // where they are added, in order
  };
  Panel face;
  bool in_place = false;  // the owned array is the face
  std::vector<comm::Message> sends;
  std::vector<Contribution> contributions;
  Copy own;
  std::vector<double> buffer;   // the face
  std::vector<double> staging;  // two contributions
  std::int64_t half = 0;
};

Output output_plan(const std::vector<LocalCell>& cells, const Cuboid& mine, Rank me, int ranks);

}  // namespace redblue
