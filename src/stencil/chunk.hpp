// SPDX-License-Identifier: BSD-3-Clause
// A chunk of the mesh in memory, and how its sweeps are computed.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "redblue/stencil.hpp"
#include "stencil/model/cost.hpp"
#include "stencil/stages.hpp"

namespace redblue::stencil {

// Row-major, all fields over one box; those with two buffers twice.
template <class T>
class Chunk {
 public:
  Chunk(const Sweeps& sweeps, const MeshBox& storage);

  std::int64_t words() const { return words_; }
  void use(T* memory) { memory_ = memory; }
  const MeshBox& storage() const { return storage_; }

  // Of one of the field's buffers, counted as in memory.
  FieldView<T> view(int field, int buffer) const;

  // Copy a box's values out of or into the buffer; return where the next ones go.
  T* pack(int field, int buffer, const MeshBox& box, T* to) const;
  const T* unpack(int field, int buffer, const MeshBox& box, const T* from) const;
  // The box's values from another chunk (or the other side of a torus), where they are at
  // box - shift.
  void copy(int field, int buffer, const MeshBox& box, const Chunk& source, const MeshIndex& shift);

 private:
  std::size_t along_;  // the contiguous dimension
  MeshBox storage_;
  MeshIndex stride_;
  std::int64_t words_ = 0;
  std::vector<std::array<std::int64_t, 2>> offsets_;  // of each field's buffers
  T* memory_ = nullptr;
};

// Calls updates for a tile's sweeps.
template <class T>
class TileRunner {
 public:
  TileRunner(const Sweeps& sweeps, const std::vector<StencilUpdate<T>>& updates);

  // How the sweeps of tiles are blocked for the cache.
  void block(const CacheBlocking& blocking);

  // `pass`: the first sweep of the pass among all of the execution; `step`: the first time step's
  // number for the caller. Returns the points computed.
  std::int64_t run(const Chunk<T>& chunk, const std::vector<TileSweep>& tile, std::int64_t pass,
                   std::int64_t step);

 private:
  void run_strips(const Chunk<T>& chunk, const TileSweep* first, const TileSweep* last,
                  std::int64_t pass, std::int64_t step);
  void sweep(const Chunk<T>& chunk, std::int64_t number, MeshBox box, std::int64_t step);
  void call(const Chunk<T>& chunk, std::int64_t sweep, const MeshBox& box, const MeshIndex& shift,
            std::int64_t step);

  const Sweeps& sweeps_;
  const std::vector<StencilUpdate<T>>& updates_;
  CacheBlocking blocking_;
  Slopes slopes_;  // of blocking_.depth sweeps from the first of a step
  std::vector<FieldView<T>> views_;
};

}  // namespace redblue::stencil
