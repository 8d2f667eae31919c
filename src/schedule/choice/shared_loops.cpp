// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/choice/shared_loops.hpp"

#include <optional>

#include "schedule/bands/parallel.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

namespace {

// Whether nothing else runs at the band's place in the outermost sequence: what does has no
// phases.
bool alone(const ScheduledBand& band, const Schedule& schedule) {
  const auto at = [](const isl::map& m) { return fixed_value(m, 0); };
  std::optional<long> own;
  band.times.foreach_map([&](const isl::map& m) { own = at(m); });
  bool result = true;
  const auto apart = [&](const isl::union_map& times) {
    times.foreach_map([&](const isl::map& m) {
      const std::optional<long> other = at(m);
      result = result && own && other && *other != *own;
    });
  };
  for (const ScheduledBand& other : schedule.bands) {
    if (&other != &band) apart(other.times);
  }
  apart(schedule.rest);
  return result;
}

void share(ScheduledBand& band, const Chosen& chosen) {
  if (band.block && alone(band, chosen.schedule))
    separate_first_steps(*band.block, chosen.exclusive);
  if (band.shared) band.times = band.shared->times;
}

}  // namespace

void share_loops(Chosen& chosen) {
  for (ScheduledBand& band : chosen.schedule.bands) share(band, chosen);
}

}  // namespace redblue::schedule::codegen
