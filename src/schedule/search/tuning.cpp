// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/search/tuning.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace redblue::schedule {

namespace {

double tiled_loops(const Tiles& t) {
  return static_cast<double>(
      std::count_if(t.sizes.begin(), t.sizes.end(), [](auto size) { return size > 1; }));
}

void set_sides(Tiles& tiles, std::int64_t side) {
  for (std::int64_t& size : tiles.sizes) size = size > 1 ? std::max<std::int64_t>(side, 1) : 1;
}

std::vector<std::vector<double>> changes(const std::vector<std::int64_t>& sizes, double factor) {
  std::vector<std::vector<double>> result = {std::vector<double>(sizes.size(), factor)};
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] == 1) continue;
    for (std::size_t against = 0; against < sizes.size(); ++against) {
      std::vector<double> one(sizes.size(), 1);
      one[d] = factor;
      if (against != d) one[against] = 1 / factor;
      if (against == d || sizes[against] > 1) result.push_back(one);
    }
  }
  return result;
}

// Of each way to pass by and each set of tiled loops: tiles with this volume.
std::vector<Tiles> tilings_of_volume(const Band& band, double volume, int most_tiled) {
  std::vector<Tiles> result;
  const auto loops = static_cast<unsigned>(band.loops.size());
  for (const LoopSet stream : streams(static_cast<int>(loops), band.in_order)) {
    for (LoopSet chosen = 1; chosen < (1U << loops); ++chosen) {
      const int tiled = std::popcount(chosen);
      if ((chosen & stream) != 0 || tiled > most_tiled) continue;
      const auto size = static_cast<std::int64_t>(std::pow(volume, 1.0 / tiled));
      const std::vector<std::int64_t> sizes(loops, std::max<std::int64_t>(size, 1));
      result.push_back(passed_by(sizes, chosen, stream));
    }
  }
  // Several tiled loops first: they reuse more.
  std::stable_sort(result.begin(), result.end(), [](const Tiles& a, const Tiles& b) {
    const auto steps = [](const Tiles& t) { return std::count(t.sizes.begin(), t.sizes.end(), 1); };
    return steps(a) < steps(b);
  });
  return result;
}

}  // namespace

std::vector<LoopSet> streams(int loops, int in_order) {
  const LoopSet all = (1U << static_cast<unsigned>(loops)) - 1;
  if (in_order > 0) return {all & ~((1U << static_cast<unsigned>(loops - in_order)) - 1)};
  std::vector<LoopSet> result;
  for (int loop = loops - 1; loop >= 0; --loop) result.push_back(1U << static_cast<unsigned>(loop));
  return result;
}

Tiles passed_by(const std::vector<std::int64_t>& sizes, LoopSet tiled, LoopSet stream) {
  Tiles result;
  for (const LoopSet set : {~(tiled | stream), tiled, stream}) {
    for (int loop = 0; loop < static_cast<int>(sizes.size()); ++loop) {
      if (!contains(set, loop)) continue;
      result.order.push_back(loop);
      result.sizes.push_back(set == tiled ? sizes[static_cast<std::size_t>(loop)] : 1);
    }
  }
  return result;
}

std::vector<Tiles> tilings(const Band& band, std::int64_t s, double share) {
  const double volume = share * static_cast<double>(s);
  const auto loops = static_cast<int>(band.loops.size());
  std::vector<Tiles> result = tilings_of_volume(band, volume, loops);
  for (const double fewer : {2, 8, 32}) {
    if (loops > 3) break;
    for (const Tiles& t : tilings_of_volume(band, volume / fewer, 1)) result.push_back(t);
  }
  return result;
}

std::vector<Tiles> cubes(int loops, std::int64_t s) {
  std::vector<Tiles> result;
  for (const double share : {0.7, 0.5}) {
    const double side = std::pow(share * static_cast<double>(s), 1.0 / loops);
    Tiles t;
    for (int d = 0; d < loops; ++d) {
      t.order.push_back(d);
      t.sizes.push_back(std::max<std::int64_t>(1, std::llround(side)));
    }
    result.push_back(t);
  }
  return result;
}

void Tuning::choose_tilings(std::int64_t s, double share, double end) {
  const auto loops = [this](std::size_t b) { return plan_.nest.bands[b].loops.size(); };
  if (plan_.nest.bands.size() > 1) choose_for_all(s, share, end);
  std::vector<std::size_t> bands(plan_.nest.bands.size());
  std::iota(bands.begin(), bands.end(), std::size_t{0});
  std::stable_sort(bands.begin(), bands.end(),
                   [&](std::size_t a, std::size_t b) { return loops(a) > loops(b); });
  for (const std::size_t b : bands) {
    for (const Tiles& next :
         tilings(plan_.nest.bands[b], s * plan_.nest.volume_per_instance, share)) {
      if (judge_->spent() > end) return;
      improves(b, next);
    }
  }
}

void Tuning::choose_sizes(double end, const std::vector<double>& factors) {
  for (bool better = true; better;) {
    better = false;
    for (std::size_t b = 0; b < plan_.tiles.size(); ++b) {
      for (const double factor : factors) {
        for (const std::vector<double>& change : changes(plan_.tiles[b].sizes, factor)) {
          while (judge_->spent() < end && resized(b, change)) better = true;
        }
      }
    }
  }
}

// Bands of few loops keep the last way that they have.
void Tuning::choose_for_all(std::int64_t s, double share, double end) {
  std::vector<std::vector<Tiles>> ways;
  std::size_t most = 0;
  for (const Band& band : plan_.nest.bands) {
    ways.push_back(tilings(band, s, share));
    most = std::max(most, ways.back().size());
  }
  for (std::size_t way = 0; way < most && judge_->spent() < end; ++way) {
    Plan next = plan_;
    for (std::size_t b = 0; b < ways.size(); ++b) {
      if (!ways[b].empty()) next.tiles[b] = ways[b][std::min(way, ways[b].size() - 1)];
    }
    const std::int64_t moved = judge_->cost(next, cost_);
    if (moved >= cost_) continue;
    cost_ = moved;
    plan_ = std::move(next);
  }
}

bool Tuning::resized(std::size_t band, const std::vector<double>& factors) {
  Tiles next = plan_.tiles[band];
  for (std::size_t d = 0; d < next.sizes.size(); ++d) {
    if (next.sizes[d] == 1) continue;
    next.sizes[d] =
        std::max<std::int64_t>(1, std::lround(static_cast<double>(next.sizes[d]) * factors[d]));
  }
  return next.sizes != plan_.tiles[band].sizes && improves(band, next);
}

bool Tuning::improves(std::size_t band, const Tiles& next) {
  const Tiles before = plan_.tiles[band];
  plan_.tiles[band] = next;
  const std::int64_t moved = judge_->cost(plan_, cost_);
  if (moved < cost_) {
    cost_ = moved;
    return true;
  }
  plan_.tiles[band] = before;
  return false;
}

bool cheaper(const Tuning& a, const Tuning& b) {
  return a.cost() < b.cost();
}

Plan stretched(Plan plan, double ratio, int inside) {
  for (Tiles& t : plan.tiles) {
    const double grow = std::pow(ratio, 1.0 / (tiled_loops(t) + inside));
    for (std::int64_t& size : t.sizes) {
      if (size <= 1) continue;
      size = std::max<std::int64_t>(1, std::lround(static_cast<double>(size) * grow));
    }
  }
  return plan;
}

Plan squared(Plan plan, std::int64_t s, double share) {
  share *= static_cast<double>(plan.nest.volume_per_instance);
  for (Tiles& t : plan.tiles) {
    const double tiled = tiled_loops(t);
    if (tiled < 2) continue;
    set_sides(t, static_cast<std::int64_t>(std::pow(share * static_cast<double>(s), 1.0 / tiled)));
  }
  return plan;
}

Plan with_equal_sides(Plan plan) {
  for (Tiles& t : plan.tiles) {
    double volume = 1;
    for (const std::int64_t size : t.sizes) volume *= static_cast<double>(size);
    set_sides(t, std::llround(std::pow(volume, 1 / std::max(1.0, tiled_loops(t)))));
  }
  return plan;
}

}  // namespace redblue::schedule
