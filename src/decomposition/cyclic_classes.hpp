// SPDX-License-Identifier: BSD-3-Clause
// Blocks of rows dealt out cyclically to classes: where a class's blocks begin, what is left of it.
#pragma once

#include <algorithm>
#include <cstdint>

namespace redblue {

// Indices 0 .. extent-1 in blocks; block b belongs to class b mod classes, whose blocks stand one
// after another.
struct CyclicClasses {
  std::int64_t extent = 0;
  std::int64_t block = 1;
  int classes = 1;

  std::int64_t blocks() const { return (extent + block - 1) / block; }
  int of_block(std::int64_t b) const { return static_cast<int>(b % classes); }
  // Of a block, in its class.
  std::int64_t position(std::int64_t b) const { return b / classes * block; }
  std::int64_t block_size(std::int64_t b) const { return std::min(block, extent - b * block); }
  // Blocks of the class before b, and its first block after b, which may be beyond the last.
  std::int64_t blocks_before(int c, std::int64_t b) const {
    return b <= c ? 0 : (b - c - 1) / classes + 1;
  }
  std::int64_t next_block(int c, std::int64_t b) const {
    return c + blocks_before(c, b + 1) * classes;
  }
  // Indices of the class that lie in blocks before b, and in all.
  std::int64_t before(int c, std::int64_t b) const {
    const std::int64_t count = blocks_before(c, b);
    if (count == 0) return 0;
    return (count - 1) * block + block_size(c + (count - 1) * classes);
  }
  std::int64_t size(int c) const { return before(c, blocks()); }
  // The class's last block; -1: it has none.
  std::int64_t last(int c) const {
    return c < blocks() ? blocks() - 1 - (blocks() - 1 - c) % classes : -1;
  }
  // Indices of the class in blocks after b.
  std::int64_t after(int c, std::int64_t b) const { return size(c) - before(c, b + 1); }
};

// From column to column of a matrix of so many rows: an odd number of cache lines, as columns of a
// power of two would share the same few places in every cache.
inline std::int64_t column_stride(std::int64_t rows) {
  constexpr std::int64_t line = 8;  // words
  constexpr std::int64_t few = 16 * line;
  return rows < few ? rows : (((rows + line - 1) / line) | 1) * line;
}

// A block large enough for the BLAS, small enough that every class has `each` where that can be.
// Larger where there would be more steps than `most_steps`, as every one is planned for: in
// matrices of more than a million rows.
inline std::int64_t suitable_block(std::int64_t extent, int classes, std::int64_t largest,
                                   std::int64_t each, std::int64_t most_steps = 1 << 14) {
  std::int64_t block = 16;
  if (each * 32 * classes <= extent) block = 32;
  if (each * largest * classes <= extent) block = largest;
  while (extent / block > most_steps) block *= 2;
  return block;
}

}  // namespace redblue
