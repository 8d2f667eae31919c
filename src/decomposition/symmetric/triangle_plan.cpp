// SPDX-License-Identifier: BSD-3-Clause
// Choosing triangle blocks.
#include <algorithm>
#include <cmath>
#include <limits>

#include "decomposition/cost.hpp"
#include "decomposition/request.hpp"
#include "decomposition/symmetric/triangle.hpp"
#include "redblue/error.hpp"
#include "redblue/lower_bound.hpp"

namespace redblue {

using covering::Covering;
using covering::PairSharing;

namespace {

struct Candidate {
  const Covering* covering;
  int replicas;
  int members;  // of a replica
  double words;
  double seconds;
  bool idles;  // leaves many ranks without work
};

TriangleDecomposition built(const SyrkPlanRequest& request, const Candidate& c) {
  TriangleDecomposition d;
  d.shape = request.shape;
  d.ranks = request.ranks;
  d.replicas = c.replicas;
  d.row_blocks = c.covering->points;
  PairSharing sharing = covering::share_pairs(*c.covering, c.members);
  d.row_blocks_of = std::move(sharing.sets);
  d.pairs = std::move(sharing.pairs);
  return d;
}

// The coverings to look at: those finer than the rows gain nothing.
std::vector<Covering> known_coverings(const SyrkPlanRequest& request) {
  std::vector<Covering> known = covering::coverings(request.ranks);
  if (request.ranks > ranks_that_all_work) {
    std::erase_if(
        known, [n = request.shape.n](const Covering& c) { return c.points > 1 && c.points > n; });
  }
  return known;
}

// By so much more do the ranks that work have to do because the others idle. Words are weighed with
// it: of k cut 13 and 16 ways on 16 ranks the former moves 1.5 % less and takes 23 % longer. On
// more than a thousand ranks, any but a thousand may idle.
double idle_factor(const SyrkPlanRequest& request, int used) {
  return static_cast<double>(std::min(request.ranks, ranks_that_all_work)) /
         std::min(used, ranks_that_all_work);
}

// Estimates for every covering and number of replicas, the best first. On more than a thousand
// ranks any but a thousand may idle; replicas then come in steps of a sixty-fourth.
std::vector<Candidate> candidates(const SyrkPlanRequest& request,
                                  const std::vector<Covering>& known) {
  const auto n = static_cast<double>(request.shape.n);
  const auto k = static_cast<double>(request.shape.k);
  const bool many = request.ranks > ranks_that_all_work;
  constexpr double few = 0.75;
  const double needed = few * std::min(request.ranks, ranks_that_all_work);
  const std::int64_t most_replicas = std::max<std::int64_t>(1, request.shape.k);
  std::vector<Candidate> result;
  for (const Covering& c : known) {
    const int sets = static_cast<int>(c.sets.size());
    // on many ranks points have few rows, so that some have noticeably more than others
    const double uneven = many && n > 0 ? std::ceil(n / c.points) * c.points / n : 1;
    for (std::int64_t l = 1; l <= request.ranks / sets && l <= most_replicas;
         l += many ? std::max<std::int64_t>(1, l / 64) : 1) {
      const int replicas = static_cast<int>(l);
      const int members = c.points == 1 ? 1 : many ? sets : request.ranks / replicas;
      const double slab = n * k / replicas;
      const double words = slab * (uneven * c.fraction() - 1.0 / members) +
                           uneven * uneven * n * n / 2 / members * (1 - 1.0 / replicas);
      Cost cost;
      cost.words = Words(static_cast<std::int64_t>(words));
      cost.work = std::floor(slab * n / 2 / members);
      const double seconds = predicted_seconds(cost, request.machine);
      const bool idles = static_cast<double>(members) * replicas < needed;
      result.push_back({&c, replicas, members, words, seconds, idles});
    }
  }
  const bool by_words = request.objective == Objective::words;
  const auto weight = [&request](const Candidate& c) {
    return c.words * idle_factor(request, c.members * c.replicas);
  };
  std::stable_sort(result.begin(), result.end(), [&](const auto& a, const auto& b) {
    if (a.idles != b.idles) return b.idles;
    return by_words ? weight(a) < weight(b) : a.seconds < b.seconds;
  });
  return result;
}

void check(const SyrkPlanRequest& request) {
  if (request.shape.n < 0 || request.shape.k < 0) {
    throw Error("syrk " + std::to_string(request.shape.n) + " x " + std::to_string(request.shape.k),
                "a negative size", "give sizes of at least 0");
  }
  check_matrix("syrk", request.shape.n, request.shape.n);
  check_matrix("syrk", request.shape.n, request.shape.k);
  check_ranks("syrk", request.ranks);
}

// The fewest rounds that fit; the least memory that would do where none does.
std::int64_t fit(TriangleDecomposition& d, const SyrkPlanRequest& request) {
  if (!request.memory) return 0;
  const std::int64_t most = std::max<std::int64_t>(1, d.columns(0).size());
  std::int64_t needed = 0;
  for (d.rounds = 1;; d.rounds = std::min(most, 2 * d.rounds)) {
    needed = cost_of(d, request.machine).memory.value;
    if (needed <= request.memory->value || d.rounds == most) break;
  }
  return needed <= request.memory->value ? 0 : needed;
}

}  // namespace

TriangleDecomposition choose_syrk(const SyrkPlanRequest& request) {
  check(request);
  constexpr int enormous = 20'000;  // ranks, of which a plan takes a second to cost
  const std::size_t compared =
      request.ranks > enormous
          ? 2
          : std::clamp<std::size_t>(3000 / static_cast<std::size_t>(request.ranks), 3, 12);
  const bool many = request.ranks > ranks_that_all_work;
  constexpr std::size_t most_refused = 64;
  constexpr double slack = 1.3;
  const std::vector<Covering> known = known_coverings(request);
  const std::vector<Candidate> all = candidates(request, known);
  const double share =
      static_cast<double>(request.shape.n) * static_cast<double>(request.shape.n + 1) / 2 *
      static_cast<double>(request.shape.k) / std::min(request.ranks, ranks_that_all_work);
  std::vector<std::pair<Cost, TriangleDecomposition>> fitting;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t c = 0; c < all.size() && fitting.size() < compared; ++c) {
    TriangleDecomposition d = built(request, all[c]);
    if (const std::int64_t needed = fit(d, request); needed > 0) {
      least = std::min(least, needed);
      if (many && c >= most_refused) break;
      continue;
    }
    const Cost cost = cost_of(d, request.machine);
    fitting.emplace_back(cost, std::move(d));
  }
  if (many && !request.memory) {
    SyrkPlanRequest fewer = request;
    fewer.ranks = request.ranks > enormous ? enormous : ranks_that_all_work;
    TriangleDecomposition d = choose_syrk(fewer);
    d.ranks = request.ranks;
    const Cost cost = cost_of(d, request.machine);
    fitting.emplace_back(cost, std::move(d));
  }
  if (fitting.empty()) {
    throw Error("syrk in " + std::to_string(request.memory->value) + " words per rank",
                "no triangle blocks fit", "the least that does is " + std::to_string(least), least);
  }
  double most_work = std::numeric_limits<double>::max();
  for (const auto& [cost, d] : fitting) {
    most_work = std::min(most_work, cost.work);
  }
  most_work = std::max(most_work, slack * share);
  const auto weighed = [&request](const std::pair<Cost, TriangleDecomposition>& f) {
    if (request.objective == Objective::seconds) return f.first.seconds;
    return static_cast<double>(f.first.words.value) * idle_factor(request, f.second.ranks_used());
  };
  const std::pair<Cost, TriangleDecomposition>* best = nullptr;
  for (const auto& f : fitting) {
    if (f.first.work > most_work) continue;
    if (best == nullptr || weighed(f) < weighed(*best) ||
        (weighed(f) == weighed(*best) && better(f.first, best->first, request.objective))) {
      best = &f;
    }
  }
  return best->second;
}

double lower_bound(const TriangleDecomposition& d, std::optional<Words> memory) {
  double busiest = 0;  // products off the diagonal, for each column
  for (const std::vector<std::pair<int, int>>& pairs : d.pairs) {
    double products = 0;
    for (const auto& [i, j] : pairs) {
      const auto rows = static_cast<double>(d.rows(i).size());
      products += i == j ? rows * (rows - 1) / 2 : rows * static_cast<double>(d.rows(j).size());
    }
    busiest = std::max(busiest, products);
  }
  std::int64_t widest = 0;
  for (int l = 0; l < d.replicas; ++l) widest = std::max(widest, d.columns(l).size());
  return syrk_lower_bound(d.shape, {d.ranks, busiest * static_cast<double>(widest), memory});
}

SyrkPlanReport plan_syrk(const SyrkPlanRequest& request) {
  SyrkPlanReport report;
  report.decomposition = choose_syrk(request);
  report.cost = cost_of(report.decomposition, request.machine);
  report.lower_bound = lower_bound(report.decomposition, request.memory);
  report.ratio = ratio_of(report.cost.words, report.lower_bound);
  const std::vector<Covering> known = known_coverings(request);
  std::vector<std::string> seen;
  for (const Candidate& c : candidates(request, known)) {
    const bool flat = c.covering->points == 1;
    if (flat && c.replicas == 1 && request.ranks > 1) continue;
    const std::string name = flat ? "1D" : c.replicas == 1 ? "2D" : "3D";
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) continue;
    seen.push_back(name);
    const TriangleDecomposition& chosen = report.decomposition;
    const bool is_chosen =
        chosen.row_blocks == c.covering->points && chosen.replicas == c.replicas &&
        static_cast<int>(chosen.row_blocks_of.size()) == c.members && chosen.rounds == 1;
    const TriangleDecomposition d = is_chosen ? chosen : built(request, c);
    const Cost cost = is_chosen ? report.cost : cost_of(d, request.machine);
    report.alternatives.push_back(
        {name, d.name(), d.ranks_used(), cost, ratio_of(cost.words, report.lower_bound)});
  }
  return report;
}

}  // namespace redblue
