// SPDX-License-Identifier: BSD-3-Clause
#include "cli/machine/measure_memory.hpp"

#include <unistd.h>

#include <algorithm>

#include "machine/caches.hpp"

namespace redblue::cli {

namespace {

constexpr std::int64_t word_bytes = 8;
// What one rank reads at most: systems call caches larger than they are, and to fill gigabytes
// takes longer than to read them.
constexpr std::int64_t most_read = std::int64_t{1} << 26;

// The data caches and main memory, in words of 8 bytes.
std::vector<MemoryLevel> described_levels() {
  const std::int64_t processors = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
  std::vector<MemoryLevel> levels;
  for (const DataCache& cache : data_caches()) {
    levels.push_back({"L" + cache.level + " cache",
                      std::max<std::int64_t>(1, processors / cache.sharing),
                      cache.bytes / word_bytes, 0});
  }
  levels.push_back(
      {"memory", 1, sysconf(_SC_PHYS_PAGES) * (sysconf(_SC_PAGESIZE) / word_bytes), 0});
  return levels;
}

// Words per second of this rank's processor time read from an array of that many words, best of
// several passes. Whole numbers, so that the compiler may add them in any order.
double read_rate(std::int64_t words) {
  const std::size_t quarter = static_cast<std::size_t>(words) / 4;
  const std::vector<std::uint64_t> array(4 * quarter, 1);
  const std::int64_t passes = std::max<std::int64_t>(1, (std::int64_t{1} << 24) / words);
  double best = 0;
  volatile std::uint64_t sink = 0;
  for (int series = 0; series < 4; ++series) {
    const double start = comm::processor_seconds();
    for (std::int64_t p = 0; p < passes; ++p) {
      const std::uint64_t* x = array.data();
      std::uint64_t a = 0, b = 0, c = 0, d = 0;
      for (std::size_t i = 0; i < quarter; ++i) {
        a += x[i];
        b += x[i + quarter];
        c += x[i + 2 * quarter];
        d += x[i + 3 * quarter];
      }
      sink = sink + a + b + c + d;
    }
    const double seconds = comm::processor_seconds() - start;
    best = std::max(best, static_cast<double>(words * passes) / std::max(seconds, 1e-9));
  }
  return best;
}

// The slowest rank's while all read.
double slowest_rate(comm::Communicator& world, std::int64_t words) {
  world.barrier();
  return -world.maximum(-read_rate(words));
}

}  // namespace

void measure_memory(comm::Communicator& world, Machine& machine) {
  machine.levels = described_levels();
  std::vector<MemoryLevel>& levels = machine.levels;
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const std::int64_t below = levels[l - 1].words;
    const bool memory = l + 1 == levels.size();  // all ranks have arrays in it at once
    const std::int64_t readers = memory ? world.size() : 1;
    const std::int64_t words = std::min({4 * below, levels[l].words / (2 * readers), most_read});
    levels[l].words_per_flop =
        slowest_rate(world, std::max(words, std::int64_t{1024})) / machine.flops_per_second;
  }
  const double memory = levels.back().words_per_flop * machine.flops_per_second;
  machine.memory_bytes_per_second = memory * word_bytes;
  if (levels.size() < 2) return;
  // The system may call a cache larger than what it lets these ranks have of it: their data are
  // there as long as they come at nearly its rate.
  const MemoryLevel& last = levels[levels.size() - 2];
  const double cache = last.words_per_flop * machine.flops_per_second;
  const std::int64_t least = levels.size() > 2 ? 2 * levels[levels.size() - 3].words : 1024;
  for (std::int64_t words = least; words <= last.words; words *= 2) {
    if (slowest_rate(world, words) < (cache + memory) / 2) break;
    machine.cached_bytes = words * word_bytes;
    machine.cache_bytes_per_second = cache * word_bytes;
  }
}

}  // namespace redblue::cli
