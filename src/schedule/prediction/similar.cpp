// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/similar.hpp"

#include <algorithm>
#include <cmath>

#include "process/ahead.hpp"
#include "program/instances.hpp"
#include "schedule/prediction/sampled.hpp"
#include "schedule/traffic/placement.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Sizes;

namespace {

constexpr double most_residual = 0.05;

// What a smaller problem moves, times the elements of the arrays over those of its arrays.
struct Similar {
  double sides = 1;  // how much smaller
  double loads = 0, stores = 0, residual = 0;
  double moved() const { return loads + stores; }
};

std::optional<Sizes> divided(const Sizes& sizes, double factor) {
  constexpr std::int64_t least = 8;
  Sizes result;
  for (const auto& [name, size] : sizes) {
    result[name] = std::llround(static_cast<double>(size) / factor);
    if (result[name] < least) return std::nullopt;
  }
  return result;
}

std::optional<PredictedTraffic> moved(const SizedOrder& order, const Sizes& sizes, std::int64_t s,
                                      DeadValues dead) {
  constexpr std::int64_t few = 60'000'000;
  const InstanceCount accesses(order.program, program::Counted::accesses);
  if (accesses.at(sizes, few) > few) return sampled_lru(order, sizes, s, dead);
  return PredictedTraffic{streamed_lru(order.at(sizes), {s}, dead).front()};
}

std::optional<Similar> similar(const SizedOrder& order, const Sizes& sizes, std::int64_t s,
                               double factor, DeadValues dead) {
  const std::optional<SizedOrder::Alike> alike = order.alike(factor);
  if (!alike) return std::nullopt;
  const std::optional<Sizes> smaller = divided(sizes, alike->sides);
  if (!smaller) return std::nullopt;
  // Arrays of so many dimensions.
  const double arrays = static_cast<double>(elements(order.program, sizes)) /
                        static_cast<double>(elements(order.program, *smaller));
  const double dimensions = std::round(std::log(arrays) / std::log(alike->sides));
  const double times = std::pow(alike->sides, dimensions);
  const auto words = std::llround(static_cast<double>(s) / times);
  constexpr std::int64_t least = 128;
  if (words < least) return std::nullopt;
  const auto further = [&](double by) {
    std::optional<SizedOrder::Alike> next = order.alike(by * alike->sides);
    if (next) next->sides /= alike->sides;
    return next;
  };
  const auto found = moved({order.program, alike->order, further, further}, *smaller, words, dead);
  if (!found) return std::nullopt;
  return Similar{alike->sides, times * static_cast<double>(found->traffic.loads),
                 times * static_cast<double>(found->traffic.stores), found->residual};
}

PredictedTraffic predicted(double loads, double stores, double residual) {
  return {
      {std::llround(loads), std::llround(stores)}, residual, PredictedTraffic::From::smaller_sizes};
}

}  // namespace

std::optional<PredictedTraffic> similar_lru(const SizedOrder& order, const Sizes& sizes,
                                            std::int64_t s, DeadValues dead, std::int64_t most) {
  constexpr std::int64_t least = 16'384;
  constexpr double walked = 4096;  // words of the larger of both memories
  constexpr double far = 1.5;      // more than smallest problems are wrong by
  if (!order.alike || s < least) return std::nullopt;
  const double factor = std::max(2.0, std::sqrt(static_cast<double>(s) / walked));
  using Ahead = process::Ahead<std::optional<Similar>>;
  Ahead ahead([&](const Ahead::Send& send) { send(similar(order, sizes, s, factor, dead)); });
  const std::optional<Similar> smallest = similar(order, sizes, s, 2 * factor, dead);
  if (!smallest || smallest->residual > most_residual) return std::nullopt;
  if (smallest->moved() > far * static_cast<double>(most))
    return predicted(smallest->loads, smallest->stores, far - 1);
  const auto known = ahead.take();
  const std::optional<Similar> smaller = known ? *known : similar(order, sizes, s, factor, dead);
  if (!smaller) return std::nullopt;
  const double by = (smaller->sides - 1) / (smallest->sides - smaller->sides);
  const auto at_one = [by](double at, double further) {
    return std::max(0.0, at + by * (at - further));
  };
  const double loads = at_one(smaller->loads, smallest->loads);
  const double stores = at_one(smaller->stores, smallest->stores);
  const double residual =
      std::fabs(smaller->moved() - smallest->moved()) / std::max(1.0, loads + stores) +
      std::max(smaller->residual, smallest->residual);
  const bool clear = (1 - residual) * (loads + stores) > static_cast<double>(most);
  if (residual > most_residual && !clear) return std::nullopt;
  return predicted(loads, stores, residual);
}

}  // namespace redblue::schedule
