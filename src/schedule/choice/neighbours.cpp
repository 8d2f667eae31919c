// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/neighbours.hpp"

#include <algorithm>
#include <utility>

#include "schedule/bands/cycles.hpp"

namespace redblue::schedule::codegen {

namespace {

// Loops longer than that are not cut, pieces shorter than that not worth a loop.
constexpr std::int64_t longest_tile = 8192, shortest_tile = 4;

std::int64_t rounded_up(std::int64_t n, std::int64_t to) {
  return (n + to - 1) / to * to;
}

class Moves {
 public:
  Moves(const Choice& from, const std::vector<BandShape>& bands, const Processor& processor)
      : from_(from), bands_(bands), processor_(processor) {}

  std::vector<Neighbour> all() {
    for (std::size_t b = 0; b < bands_.size(); ++b) {
      band_ = b;
      if (from_.bands[b].block) {
        block_tiles();
        without_block();
      } else {
        plain_tiles();
        inner_loops();
        diagonals();
      }
      if (bands_[b].element_bytes > 0) block_shapes();
    }
    vectors();
    return std::move(result_);
  }

 private:
  const BandChoice& own() const { return from_.bands[band_]; }

  void add(const std::string& move, const BandChoice& band) {
    Choice choice = from_;
    choice.bands[band_] = band;
    if (choice == from_) return;
    result_.push_back({"band " + std::to_string(band_) + ": " + move, std::move(choice)});
  }

  void plain_tiles() {
    const int members = bands_[band_].members;
    const auto tiles_of = [&](auto&& size) {
      BandChoice next = own();
      next.tiles.resize(static_cast<std::size_t>(members), 0);
      for (int m = 0; m < members; ++m) size(m, next.tiles[static_cast<std::size_t>(m)]);
      if (std::count(next.tiles.begin(), next.tiles.end(), 0) == members) next.tiles.clear();
      return next;
    };
    const auto usual = [&](int m) { return m == own().inner ? 256 : 32; };
    if (members > 1 && own().tiles.empty())
      add("tiles", tiles_of([&](int m, std::int64_t& size) { size = usual(m); }));
    if (!own().tiles.empty()) add("no tiles", tiles_of([](int, std::int64_t& size) { size = 0; }));
    for (int m = 0; m < members; ++m) {
      const auto only = [&](const std::string& what, auto&& change) {
        add("tile " + std::to_string(m) + " " + what, tiles_of([&](int at, std::int64_t& size) {
              if (at == m) size = change(size);
            }));
      };
      const bool cut = !own().tiles.empty() && own().tiles[static_cast<std::size_t>(m)] > 0;
      if (!cut) {
        only("some", [&](std::int64_t) { return usual(m); });
        continue;
      }
      only("twice", [](std::int64_t size) { return std::min(2 * size, longest_tile); });
      only("half", [](std::int64_t size) { return std::max(size / 2, shortest_tile); });
      only("none", [](std::int64_t) { return 0; });
    }
  }

  void inner_loops() {
    for (int m = 0; m < bands_[band_].members; ++m) {
      BandChoice next = own();
      next.inner = m;
      add("inner " + std::to_string(m), next);
    }
  }

  void diagonals() {
    const auto add_other = [&](int other, const std::string& move) {
      BandChoice next = own();
      next.other = other;
      if (other != BandChoice::none) {
        next.tiles.resize(static_cast<std::size_t>(bands_[band_].members), 0);
        std::int64_t& size = next.tiles[static_cast<std::size_t>(next.inner)];
        if (size == 0) size = in_wavefront;
      }
      add(move, next);
    };
    add_other(BandChoice::none, "no diagonal");
    for (int m = 0; m < bands_[band_].members; ++m)
      if (m != own().inner) add_other(m, "diagonal " + std::to_string(m));
  }

  void without_block() {
    BandChoice next = own();
    next.block.reset();
    next.tiles.clear();
    add("no block", next);
  }

  // Tiles hold whole blocks; the copies of one lie on the stack.
  void add(const std::string& move, BlockSizes block) {
    constexpr std::int64_t most_on_stack = 1 << 18;  // elements
    if (block.row_tile * block.sum_tile > most_on_stack) return;
    if (block.columns * block.sum_tile > most_on_stack) return;
    block.row_tile = rounded_up(block.row_tile, block.rows);
    block.column_tile = rounded_up(block.column_tile, block.columns);
    BandChoice next = own();
    next.block = block;
    next.tiles.clear();
    add(move, next);
  }

  void block_tiles() {
    const auto both = [&](const std::string& name, std::int64_t BlockSizes::*tile) {
      BlockSizes next = *own().block;
      next.*tile = std::min(2 * next.*tile, longest_tile);
      add(name + " twice", next);
      next = *own().block;
      next.*tile = std::max(next.*tile / 2, 2 * shortest_tile);
      add(name + " half", next);
    };
    both("rows of a tile", &BlockSizes::row_tile);
    both("sums of a tile", &BlockSizes::sum_tile);
    BlockSizes next = *own().block;
    if (next.column_tile > 0) {
      both("columns of a tile", &BlockSizes::column_tile);
      next.column_tile = 0;
      add("columns of a tile, all", next);
    } else {
      constexpr std::int64_t some = 256;
      next.column_tile = some;
      add("columns of a tile, some", next);
    }
  }

  // Those that fill at least half of the registers: sums, a row of operands, a factor.
  void block_shapes() {
    const std::int64_t wide = from_.vector_bytes / bands_[band_].element_bytes;
    const std::int64_t registers = processor_.vector_bytes >= 64 ? 32 : 16;
    for (const std::int64_t vectors : {3, 2, 4, 1, 6}) {
      for (const std::int64_t rows : {8, 6, 4, 12, 10, 14, 5, 3, 2}) {
        const std::int64_t needed = rows * vectors + vectors + 1;
        if (needed > registers || 2 * needed < registers) continue;
        BlockSizes next = own().block.value_or(BlockSizes{});
        next.rows = rows;
        next.columns = vectors * wide;
        add(std::to_string(rows) + " x " + std::to_string(vectors) + " vectors", next);
      }
    }
  }

  // As many vectors in a block.
  void vectors() {
    for (int bytes = 16; bytes <= processor_.vector_bytes; bytes *= 2) {
      Choice next = from_;
      next.vector_bytes = bytes;
      bool blocks = false;
      for (BandChoice& band : next.bands) {
        if (!band.block) continue;
        blocks = true;
        band.block->columns = band.block->columns * bytes / from_.vector_bytes;
        band.block->column_tile = rounded_up(band.block->column_tile, band.block->columns);
      }
      if (blocks && bytes != from_.vector_bytes)
        result_.push_back({"vectors of " + std::to_string(bytes), std::move(next)});
    }
  }

  const Choice& from_;
  const std::vector<BandShape>& bands_;
  const Processor& processor_;
  std::size_t band_ = 0;
  std::vector<Neighbour> result_;
};

}  // namespace

std::vector<Neighbour> neighbours(const Choice& choice, const std::vector<BandShape>& bands,
                                  const Processor& processor) {
  return Moves(choice, bands, processor).all();
}

}  // namespace redblue::schedule::codegen
