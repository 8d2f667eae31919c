// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/rates.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>

#include "machine/caches.hpp"
#include "machine/sharing.hpp"
#include "stencil/chunk.hpp"
#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

// Inside the sweep's interior, with few enough points for any cache.
MeshBox small_box(const StencilProgram& program, const MeshBox& interior) {
  const MeshIndex most = program.dimensions == 1   ? MeshIndex{4096, 1, 1}
                         : program.dimensions == 2 ? MeshIndex{8, 512, 1}
                                                   : MeshIndex{4, 8, 128};
  MeshBox box = interior;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    box.end[j] = std::min(box.end[j], box.begin[j] + most[j]);
  }
  return box;
}

}  // namespace

template <class T>
double seconds_per_update(comm::Communicator& communicator, const Sweeps& sweeps,
                          const std::vector<StencilUpdate<T>>& updates) {
  std::vector<TileSweep> tile;
  MeshBox storage = no_points();
  for (std::int64_t t = 0; t < sweeps.per_step(); ++t) {
    const MeshBox box = small_box(sweeps.program(), sweeps.at(t).interior);
    tile.push_back({t, box});
    storage = hull(storage, box);
    for (const StencilRead& r : sweeps.at(t).reads) {
      storage = hull(storage, grown(box, r.below, r.above));
    }
  }
  // sweeps of one program may be far apart: then one of them stands for all
  constexpr std::int64_t most_points = 1 << 20;
  if (storage.points() > most_points) {
    tile.resize(1);
    storage = tile.front().box;
    for (const StencilRead& r : sweeps.at(0).reads) {
      storage = hull(storage, grown(tile.front().box, r.below, r.above));
    }
  }
  Chunk<T> chunk(sweeps, storage);
  std::vector<T> memory(static_cast<std::size_t>(chunk.words()), T(1));
  chunk.use(memory.data());
  TileRunner<T> runner(sweeps, updates);
  // The middle of many: the first are slow, some wait while another rank has the processor, and a
  // few have what cores share for themselves, which no rank has while all compute.
  std::array<double, 15> tries{};
  constexpr std::int64_t points_per_try = 400'000;
  communicator.barrier();
  for (double& seconds : tries) {
    std::int64_t points = 0;
    const double start = comm::seconds();
    while (points < points_per_try) points += runner.run(chunk, tile, 0, 0);
    seconds = (comm::seconds() - start) / static_cast<double>(points);
  }
  std::sort(tries.begin(), tries.end());
  return communicator.maximum(tries[tries.size() / 2]);
}

Machine with_memory(comm::Communicator& communicator, Machine machine, Bytes held) {
  if (machine.levels.size() >= 2) return machine;
  // the last is taken to be shared by all, the others each core's own
  const std::vector<DataCache> caches = data_caches();
  const std::int64_t cache = caches.empty() ? 0 : caches.back().bytes;
  const auto cores = std::min<std::int64_t>(communicator.size(), sysconf(_SC_NPROCESSORS_ONLN));
  const bool exceeds = cache > 0 && held.value > cache / std::max<std::int64_t>(1, cores);
  if (communicator.all(!exceeds) || !communicator.all(cache > 0)) return machine;
  // values of b = values of a: two words read (one to be replaced), one written
  const auto words = static_cast<std::size_t>(cache / 8);
  std::vector<double> a(words, 1.);
  std::vector<double> b(words, 0.);
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    communicator.barrier();
    const double start = comm::seconds();
    for (std::size_t x = 0; x < words; ++x) b[x] = a[x] + static_cast<double>(i);
    a[static_cast<std::size_t>(i)] = b[words - 1];  // what is computed is used
    best = std::min(best, comm::seconds() - start);
  }
  // all ranks took part: of a processor it is what its ranks moved together
  const double words_per_second = 3. * static_cast<double>(words) / communicator.maximum(best) *
                                  slowdown_by_sharing(machine, communicator.size());
  machine.levels.clear();
  for (const DataCache& c : caches) {
    machine.levels.push_back({"cache", c.bytes == cache ? 1 : cores, c.bytes / 8, 0});
  }
  machine.levels.push_back(
      {"memory", 1, std::int64_t{1} << 60, words_per_second / machine.flops_per_second});
  return machine;
}

template double seconds_per_update<float>(comm::Communicator&, const Sweeps&,
                                          const std::vector<StencilUpdate<float>>&);
template double seconds_per_update<double>(comm::Communicator&, const Sweeps&,
                                           const std::vector<StencilUpdate<double>>&);

}  // namespace redblue::stencil
