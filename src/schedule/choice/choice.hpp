// SPDX-License-Identifier: BSD-3-Clause
// The orders that a program's loops can run in, each a plain value that code is made of, and the
// one that should run fastest, by a model of loops: no program is run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "program/enumerate.hpp"
#include "schedule/codegen/emit.hpp"

namespace redblue::schedule::codegen {

struct Processor {
  std::int64_t cache_words = 131'072;  // of doubles, of the cache that tiles are for
  int vector_bytes = 64;
  int threads = 1;
  std::vector<std::int64_t> call_sides = {};  // of tiles that may call BLAS, largest first; or none
  bool reassociate = false;                   // sums and products may run in any order
};

// How the loops of one band run.
struct BandChoice {
  std::optional<BlockSizes> block;       // register blocks, or
  int inner = 0;                         // the member that is innermost, and
  std::vector<std::int64_t> tiles = {};  // sizes by member (0: the whole loop); empty: no tiles
  int other = none;  // the member that the inner one is added to (bands/wavefront.hpp), or none
  static constexpr int none = -1;
  bool operator==(const BandChoice&) const = default;
};

// An order of all loops.
constexpr int own_order = -1, late_order = -2;
struct Choice {
  int nest = own_order;   // of Orders, or the program's own, or tiles that wait (late_tiles.hpp)
  int vector_bytes = 64;  // of a register
  std::vector<BandChoice> bands = {};
  std::int64_t side = 0;  // of tiles that wait
  bool operator==(const Choice&) const = default;
};

struct Chosen {
  program::Program program;  // with the families' storage in its accesses
  Schedule schedule;
  isl::union_map order;      // what must stay in order in `program`
  isl::union_map exclusive;  // what must not run at once: also updates that may run in any order
  double cycles = 0;         // the model's, at the sizes it was chosen for
  Choice choice = {};
  std::vector<std::string> copies = {};  // arrays of copies that `program` has besides: "D -> D_ik"
};

// What can be chosen for a band.
struct BandShape {
  int members = 0;
  std::int64_t element_bytes = 0;  // of a sum of products, which may run in register blocks; or 0
};

// The orders of one program at given sizes. Both must outlive this.
class Orders {
 public:
  Orders(const program::Program& program, const program::Sizes& sizes, const Processor& processor);
  ~Orders();

  // Nothing where no order is expected to beat the program's own.
  std::optional<Chosen> fastest() const;
  // That, and others that the model takes for at most twice as slow and for faster than the
  // program's own: `most` at most, the best first.
  std::vector<Chosen> best(int most) const;

  // Loops found by isl's scheduler, before tiles and blocks: the numbers 0, 1, ..
  int nests() const;
  std::vector<BandShape> bands(int nest) const;
  // What the model chooses for one, and the order of any choice: nothing where it is not legal, or
  // the program's own.
  std::optional<Chosen> modelled(int nest) const;
  std::optional<Chosen> made(const Choice& choice) const;

 private:
  class Chooser;
  std::unique_ptr<const Chooser> chooser_;
};

}  // namespace redblue::schedule::codegen
