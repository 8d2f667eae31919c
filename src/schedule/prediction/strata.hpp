// SPDX-License-Identifier: BSD-3-Clause
// What some walks through each kind of chunks tell of all chunks: estimates from stratified
// samples.
#pragma once

#include <optional>
#include <vector>

#include "schedule/prediction/chunks.hpp"

namespace redblue::schedule {

// What a walk tells of one run of chunks.
struct Found {
  double instances = 0, loads = 0, stores = 0;
  // Before the chunk the memory was full, and what had filled it left or was touched again: what
  // has to be stored is known, too.
  bool settled = false;
  std::size_t full_at = 0;  // touches of the walk until the memory was first full; 0: it never was
  double moved() const { return loads + stores; }
};

// Runs of one kind, and what walks through some of them found.
struct Stratum {
  ChunkKind kind = {};
  double count = 0;
  std::optional<double> instances;  // in all of them, where they are counted
  std::vector<ChunkRun> drawn;
  std::vector<Found> found = {};
  std::int64_t before = 0;
  bool all_found() const { return found.size() == drawn.size(); }
  Found sum() const {
    Found result;
    for (const Found& f : found) {
      result.instances += f.instances;
      result.loads += f.loads;
      result.stores += f.stores;
    }
    return result;
  }
  // All runs of the kind over those looked at: by instances, or else by number. Nothing where those
  // looked at have no instances.
  std::optional<double> times() const {
    if (!instances) return count / static_cast<double>(found.size());
    const double seen = sum().instances;
    return seen > 0 ? std::optional(*instances / seen) : std::nullopt;
  }
};

struct Estimate {
  Found ratio;                      // an instance
  double error = 0;                 // standard error of the ratio, as a part of it
  std::vector<double> uncertainty;  // by stratum: what it adds to the variance
  bool clearly_above(double moved) const { return ratio.moved() * (1 - 3 * error) > moved; }
};

// Of stratified samples: where instances of each kind are known the separate ratios, which tell
// more where runs differ in size but not in what an instance moves, or else the combined ratio
// [cochran1977, 6.10 to 6.12]. Each stratum has a walk.
Estimate estimate(const std::vector<Stratum>& all);

}  // namespace redblue::schedule
