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

// Of each `stream` and each set of tiled loops: tiles with this volume.
std::vector<Tiles> tilings_of_volume(int loops, double volume, int most_tiled) {
  std::vector<Tiles> result;
  for (int stream = loops - 1; stream >= 0; --stream) {
    for (unsigned chosen = 1; chosen < (1U << static_cast<unsigned>(loops)); ++chosen) {
      const auto has = [chosen](int d) { return ((chosen >> static_cast<unsigned>(d)) & 1U) != 0; };
      const int tiled = std::popcount(chosen);
      if (has(stream) || tiled > most_tiled) continue;
      const auto size = static_cast<std::int64_t>(std::pow(volume, 1.0 / tiled));
      Tiles t;
      for (const bool wanted : {false, true}) {
        for (int d = 0; d < loops; ++d) {
          if (d == stream || has(d) != wanted) continue;
          t.order.push_back(d);
          t.sizes.push_back(wanted ? std::max<std::int64_t>(size, 1) : 1);
        }
      }
      t.order.push_back(stream);
      t.sizes.push_back(1);
      result.push_back(t);
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

std::vector<Tiles> tilings(int loops, std::int64_t s, double share) {
  const double volume = share * static_cast<double>(s);
  std::vector<Tiles> result = tilings_of_volume(loops, volume, loops);
  for (const double fewer : {2, 8, 32}) {
    if (loops > 3) break;
    for (const Tiles& t : tilings_of_volume(loops, volume / fewer, 1)) result.push_back(t);
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
    for (const Tiles& next : tilings(static_cast<int>(plan_.nest.bands[b].loops.size()),
                                     s * plan_.nest.volume_per_instance, share)) {
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
    ways.push_back(tilings(static_cast<int>(band.loops.size()), s, share));
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
    const auto side =
        static_cast<std::int64_t>(std::pow(share * static_cast<double>(s), 1.0 / tiled));
    for (std::int64_t& size : t.sizes) size = size > 1 ? std::max<std::int64_t>(side, 1) : 1;
  }
  return plan;
}

}  // namespace redblue::schedule
