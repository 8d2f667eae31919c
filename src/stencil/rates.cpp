// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/rates.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "machine/caches.hpp"
#include "machine/sharing.hpp"
#include "stencil/chunk.hpp"
#include "stencil/model/box.hpp"
#include "stencil/model/cost.hpp"

namespace redblue::stencil {

namespace {

// The first points of the sweep's interior, about so many and not more than there are, in rows as
// long as they get.
MeshBox first_points(const StencilProgram& program, const MeshBox& interior, std::int64_t points) {
  MeshBox box = interior;
  const auto last = static_cast<std::size_t>(program.dimensions - 1);
  constexpr std::array<std::int64_t, 3> longest = {std::int64_t{1} << 40, 1024, 128};
  MeshIndex most = {1, 1, 1};
  most[last] = std::min(longest[last], interior.size(static_cast<int>(last)));
  for (std::size_t j = last; j-- > 0;) {
    const std::int64_t rest = points / (most[0] * most[1] * most[2]);
    most[j] = std::max<std::int64_t>(
        1, j == 0 ? rest : static_cast<std::int64_t>(std::sqrt(static_cast<double>(rest))));
  }
  if (last == 0) most[0] = points;
  for (std::size_t j = 0; j < most_dimensions; ++j) {
    box.end[j] = std::min(box.end[j], box.begin[j] + std::max<std::int64_t>(1, most[j]));
  }
  return box;
}

// A step's sweeps of about so many points each, on memory of its own.
template <class T>
class Sample {
 public:
  Sample(const Sweeps& sweeps, const std::vector<StencilUpdate<T>>& updates, std::int64_t points)
      : along_(sweeps.program().dimensions - 1), runner_(sweeps, updates) {
    MeshBox storage = no_points();
    for (std::int64_t t = 0; t < sweeps.per_step(); ++t) {
      tile_.push_back({t, first_points(sweeps.program(), sweeps.at(t).interior, points)});
      storage = hull(storage, read_by(sweeps, tile_.back()));
    }
    // sweeps of one program may be far apart: then one of them stands for all
    constexpr std::int64_t far_apart = 4;
    if (storage.points() > far_apart * points + (std::int64_t{1} << 16)) {
      tile_.resize(1);
      storage = read_by(sweeps, tile_.front());
    }
    chunk_.emplace(sweeps, storage);
    memory_.assign(static_cast<std::size_t>(chunk_->words() + storage.points()), T(1));
    chunk_->use(memory_.data());
  }

  const MeshBox& box() const { return tile_.front().box; }

  // Processor seconds per point of the sweeps, in boxes that have `most` points in a row.
  double update(std::int64_t most) {
    std::vector<TileSweep> tile = tile_;
    for (TileSweep& s : tile) shorten(s.box, most);
    return typical([&] { return runner_.run(*chunk_, tile, 0, 0); });
  }

  // Per point of the first field, into a message and out of it.
  double move(std::int64_t most) {
    MeshBox part = box();
    shorten(part, most);
    T* const message = memory_.data() + chunk_->words();
    return typical([&] {
      chunk_->pack(0, 0, part, message);
      chunk_->unpack(0, 0, part, message);
      return part.points();
    });
  }

 private:
  static MeshBox read_by(const Sweeps& sweeps, const TileSweep& sweep) {
    MeshBox storage = sweep.box;
    for (const StencilRead& r : sweeps.at(sweep.sweep).reads) {
      storage = hull(storage, grown(sweep.box, r.below, r.above));
    }
    return storage;
  }

  // To rows of so many points.
  void shorten(MeshBox& box, std::int64_t most) const {
    const auto along = static_cast<std::size_t>(along_);
    box.end[along] = std::min(box.end[along], box.begin[along] + most);
  }

  // Of many: the first and those beside other programs are slow, and a few have what cores share
  // for themselves, which no rank has while all compute.
  template <class F>
  static double typical(F run) {
    std::array<double, 9> tries{};
    constexpr std::int64_t points_per_try = 50'000;
    constexpr int calls_per_try = 2'000;
    for (double& seconds : tries) {
      std::int64_t points = 0;
      const double start = comm::processor_seconds();
      for (int i = 0; i < calls_per_try && points < points_per_try; ++i) points += run();
      seconds = (comm::processor_seconds() - start) /
                static_cast<double>(std::max<std::int64_t>(1, points));
    }
    std::sort(tries.begin(), tries.end());
    return tries[tries.size() / 3];
  }

  int along_;
  TileRunner<T> runner_;
  std::vector<TileSweep> tile_;
  std::optional<Chunk<T>> chunk_;
  std::vector<T> memory_;
};

// What rows of one point take more than rows of `length` points, for each.
double of_row(double one, double of_many, std::int64_t length) {
  if (length <= 1) return 0;
  // one = row + point, of_many = row / length + point
  const double part = 1 - 1 / static_cast<double>(length);
  return std::max(0., (one - of_many) / part);
}

}  // namespace

template <class T>
StencilRates measured_rates(comm::Communicator& communicator, const Sweeps& sweeps,
                            const std::vector<StencilUpdate<T>>& updates, std::int64_t points) {
  // a tile fills half of the largest cache that a core has for itself
  std::int64_t own = std::int64_t{1} << 18;
  for (const DataCache& c : data_caches()) own = c.sharing == 1 ? std::max(own, c.bytes) : own;
  const std::int64_t arrays = std::max<std::int64_t>(1, arrays_of(sweeps));
  const std::int64_t in_tile = own / 2 / (arrays * static_cast<std::int64_t>(sizeof(T)));
  constexpr std::int64_t most = std::int64_t{1} << 20;
  Sample<T> part(sweeps, updates, std::clamp<std::int64_t>(points, 1, most));
  Sample<T> tile(sweeps, updates, std::clamp<std::int64_t>(points, 1, in_tile));
  const int along = sweeps.program().dimensions - 1;
  const std::int64_t length = part.box().size(along);
  communicator.barrier();
  const double update = part.update(length);
  const double blocked = tile.update(length);
  const double row = of_row(tile.update(1), blocked, length);
  const double moved = part.move(length);
  const double moved_row = of_row(part.move(1), moved, length);
  StencilRates rates;
  rates.word_bytes = sizeof(T);
  rates.seconds_per_row = communicator.maximum(row);
  rates.seconds_per_moved_row = communicator.maximum(moved_row);
  const double rows = 1 / static_cast<double>(length);  // for each point
  const auto beside_rows = [&](double seconds, double of_rows) {
    return std::max(0., communicator.maximum(seconds) - rows * of_rows);
  };
  rates.seconds_per_update = beside_rows(update, rates.seconds_per_row);
  rates.seconds_per_blocked_update = beside_rows(blocked, rates.seconds_per_row);
  rates.seconds_per_moved_word = beside_rows(moved, rates.seconds_per_moved_row);
  return rates;
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
  // of arrays that the ranks of a host together cannot keep in the cache
  const auto words = static_cast<std::size_t>(2 * cache / std::max<std::int64_t>(1, cores) / 8);
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

template StencilRates measured_rates<float>(comm::Communicator&, const Sweeps&,
                                            const std::vector<StencilUpdate<float>>&, std::int64_t);
template StencilRates measured_rates<double>(comm::Communicator&, const Sweeps&,
                                             const std::vector<StencilUpdate<double>>&,
                                             std::int64_t);

}  // namespace redblue::stencil
