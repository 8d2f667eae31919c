// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/gemm/stationary_choice.hpp"

#include <algorithm>
#include <vector>

#include "decomposition/cost.hpp"
#include "decomposition/stationary.hpp"

namespace redblue {

namespace {

constexpr int most_ranks = 1024;

std::int64_t most_rounds(const GemmShape& shape) {
  return std::min(shape.m / 2, shape.n / 2);
}

// Those with even enough work, in one round, the ones that move least first.
std::vector<Candidate> in_one_round(const GemmPlanRequest& request, double work_limit) {
  std::vector<Candidate> result;
  const bool suits = request.memory && request.exchange != Exchange::doubling &&
                     request.ranks % 4 == 0 && request.ranks <= most_ranks &&
                     most_rounds(request.shape) > 0;
  if (!suits) return result;
  Decomposition d;
  d.kind = Decomposition::Kind::stationary;
  d.shape = request.shape;
  d.ranks = request.ranks;
  for (d.strips = 1; d.strips <= d.ranks / 4; ++d.strips) {
    const std::vector<Cuboid> cuboids = stationary_cuboids(d);
    const bool all_work =
        std::none_of(cuboids.begin(), cuboids.end(), [](const Cuboid& c) { return c.empty(); });
    if (!all_work) continue;
    const Cost cost = stationary_words(d);
    if (cost.work <= work_limit) result.push_back({d, cost});
  }
  std::stable_sort(result.begin(), result.end(), [](const Candidate& x, const Candidate& y) {
    return x.cost.words < y.cost.words;
  });
  return result;
}

// Calls f(cost) for 1, 2, 4, .. rounds and the most there can be, until it returns true.
template <class F>
bool try_rounds(Decomposition& d, F f) {
  const std::int64_t most = most_rounds(d.shape);
  for (d.rounds = 1;; d.rounds = std::min(2 * d.rounds, most)) {
    if (f(stationary_words(d))) return true;
    if (d.rounds == most) return false;
  }
}

}  // namespace

std::optional<Candidate> stationary_candidate(const GemmPlanRequest& request, double work_limit) {
  for (Candidate& c : in_one_round(request, work_limit)) {
    Decomposition& d = c.decomposition;
    const auto fits = [&](const Cost& cost) { return cost.memory <= *request.memory; };
    if (!try_rounds(d, fits)) continue;
    std::int64_t fitting = d.rounds;
    for (std::int64_t few = fitting / 2; few + 1 < fitting;) {
      d.rounds = few + (fitting - few) / 2;
      (fits(stationary_words(d)) ? fitting : few) = d.rounds;
    }
    d.rounds = fitting;
    c.cost = cost_of(d, request.machine);
    return c;
  }
  return std::nullopt;
}

std::optional<Words> least_stationary_memory(const GemmPlanRequest& request, double work_limit) {
  std::optional<Words> least;
  for (Candidate& c : in_one_round(request, work_limit)) {
    try_rounds(c.decomposition, [&least](const Cost& cost) {
      least = std::min(least.value_or(cost.memory), cost.memory);
      return false;
    });
  }
  return least;
}

}  // namespace redblue
