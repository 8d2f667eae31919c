// SPDX-License-Identifier: BSD-3-Clause
// Choosing triangle blocks, and what they cost.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "decomposition/cost.hpp"
#include "decomposition/request.hpp"
#include "decomposition/symmetric/triangle.hpp"
#include "redblue/error.hpp"

namespace redblue {

using covering::Covering;
using covering::PairSharing;

namespace {

struct RankCost {
  std::int64_t words = 0;
  std::int64_t owned = 0;                    // storage
  std::vector<std::pair<int, int>> sources;  // of A: (peer, round); each may stand here repeatedly
  std::vector<int> contributors;             // likewise
  bool shares_a = false;
  std::int64_t largest = 0;  // contribution of one peer to its part of C
};

// How many different values there are.
template <class T>
std::int64_t different(std::vector<T>& values) {
  std::sort(values.begin(), values.end());
  return std::unique(values.begin(), values.end()) - values.begin();
}

void add_inputs(const TriangleDecomposition& d, const std::vector<Cell>& cells,
                std::vector<RankCost>& ranks) {
  for (const Cell& cell : cells) {
    const std::int64_t rows = cell.block.rows.size();
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankCost& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      rank.owned += cell.share(t);
      rank.words += cell.block.size() - cell.share(t);
      rank.shares_a = rank.shares_a || cell.needers.size() > 1;
      for (std::size_t o = 0; o < cell.needers.size(); ++o) {
        if (o == t || cell.share(o) == 0) continue;
        if (d.rounds == 1) {
          rank.sources.emplace_back(cell.needers[o], 0);
          continue;
        }
        const std::int64_t first = cell.block.columns.begin + cell.begins[o] / rows;
        const std::int64_t last = cell.block.columns.begin + (cell.begins[o + 1] - 1) / rows;
        for (auto round = round_index(cell.block.columns, first, d.rounds);
             round <= round_index(cell.block.columns, last, d.rounds); ++round) {
          rank.sources.emplace_back(cell.needers[o], static_cast<int>(round));
        }
      }
    }
  }
}

void add_outputs(const TriangleDecomposition& d, std::vector<RankCost>& ranks) {
  for_each_output(d, [&ranks](const Cell& cell) {
    for (std::size_t t = 0; t < cell.needers.size(); ++t) {
      RankCost& rank = ranks[static_cast<std::size_t>(cell.needers[t])];
      const std::int64_t share = counted(cell, cell.begins[t + 1]) - counted(cell, cell.begins[t]);
      rank.owned += cell.share(t);
      rank.words += share * static_cast<std::int64_t>(cell.needers.size() - 1);
      if (cell.needers.size() > 1) rank.largest += share;
      for (const int other : cell.needers) {
        if (share > 0 && other != cell.needers[t]) rank.contributors.push_back(other);
      }
    }
  });
}

// Multiplications of one rank of a replica, per column of A, and the size of its pairs.
struct Faces {
  std::int64_t work = 0;
  std::int64_t storage = 0;
};

Faces faces(const TriangleDecomposition& d, std::size_t member) {
  Faces f;
  for (const auto& [i, j] : d.pairs[member]) {
    const std::int64_t size = d.rows(i).size() * d.rows(j).size();
    f.storage += size;
    f.work += i == j ? d.rows(i).size() * (d.rows(i).size() + 1) / 2 : size;
  }
  return f;
}

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
  std::stable_sort(result.begin(), result.end(), [by_words](const auto& a, const auto& b) {
    if (a.idles != b.idles) return b.idles;
    return by_words ? a.words < b.words : a.seconds < b.seconds;
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

namespace {

// Adds a rank's cost to that of the busiest.
void add_rank(const TriangleDecomposition& d, const RankCost& rank, std::int64_t sources,
              std::int64_t contributors, std::size_t member, int replica, const Faces& face,
              Cost& cost) {
  const std::int64_t columns = d.columns(replica).size();
  std::int64_t slab = 0;
  if (rank.shares_a || d.row_blocks_of[member].size() > 1) {
    for (const int p : d.row_blocks_of[member]) slab += d.rows(p).size();
    slab *= (columns + d.rounds - 1) / d.rounds;
  }
  const std::int64_t contributions = std::min<std::int64_t>(2, contributors) * rank.largest;
  const std::int64_t resident = rank.owned + (d.replicas > 1 ? face.storage : 0);
  cost.words = std::max(cost.words, Words(rank.words));
  cost.mean_words += static_cast<double>(rank.words) / d.ranks;
  cost.messages = std::max(cost.messages, Messages(sources + contributors));
  cost.resident = std::max(cost.resident, Words(resident + contributions));
  cost.memory = std::max(cost.memory, Words(resident + std::max(slab, contributions)));
  cost.work = std::max(cost.work, static_cast<double>(face.work) * static_cast<double>(columns));
}

// What replicas share of a member's pairs: elements that count, and all that are stored.
struct ReplicaShare {
  std::int64_t counted = 0;
  std::int64_t owned = 0;
};

std::vector<ReplicaShare> replica_shares(const TriangleDecomposition& d, std::size_t member) {
  const auto replicas = static_cast<std::size_t>(d.replicas);
  std::vector<ReplicaShare> result(replicas);
  std::int64_t each = 0;                         // of pairs off the diagonal
  std::vector<std::int64_t> more(replicas + 1);  // by how much a replica gets more than the last
  OutputShares shares(d.replicas);
  Cell cell;
  for (const auto& [i, j] : d.pairs[member]) {
    cell.block = {d.rows(i), d.rows(j)};
    const std::int64_t size = cell.block.size();
    if (size == 0) continue;
    if (i == j) {
      shares.share(cell);
      for (std::size_t l = 0; l < replicas; ++l) {
        result[l].owned += cell.share(l);
        result[l].counted += counted(cell, cell.begins[l + 1]) - counted(cell, cell.begins[l]);
      }
      continue;
    }
    each += size / d.replicas;
    const auto first = static_cast<std::size_t>(shares.first_with_more(size));
    const std::size_t last = first + static_cast<std::size_t>(size % d.replicas);
    ++more[first];
    --more[std::min(last, replicas)];
    if (last > replicas) {
      ++more[0];
      --more[last - replicas];
    }
  }
  std::int64_t extra = 0;
  for (std::size_t l = 0; l < replicas; ++l) {
    extra += more[l];
    result[l].owned += each + extra;
    result[l].counted += each + extra;
  }
  return result;
}

// Where replicas are alike: A's part of one of each width stands for all.
Cost cost_of_alike(const TriangleDecomposition& d, const std::vector<Faces>& face) {
  struct Layer {
    std::vector<RankCost> members;
    std::vector<std::int64_t> sources;
  };
  std::map<std::int64_t, Layer> of_width;
  for (int l = 0; l < d.replicas; ++l) {
    Layer& replica = of_width[d.columns(l).size()];
    if (!replica.members.empty()) continue;
    replica.members.resize(d.row_blocks_of.size());
    add_inputs(d, inputs_of_replica(d, l), replica.members);
    for (RankCost& m : replica.members) {
      replica.sources.push_back(different(m.sources));
      m.sources.clear();
      m.sources.shrink_to_fit();
    }
  }
  Cost cost;
  for (std::size_t m = 0; m < d.row_blocks_of.size(); ++m) {
    const std::vector<ReplicaShare> shares = replica_shares(d, m);
    for (int l = 0; l < d.replicas; ++l) {
      const ReplicaShare& share = shares[static_cast<std::size_t>(l)];
      const Layer& replica = of_width.at(d.columns(l).size());
      RankCost rank = replica.members[m];
      rank.owned += share.owned;
      rank.words += share.counted * (d.replicas - 1);
      if (d.replicas > 1) rank.largest = share.counted;
      const std::int64_t contributors = share.counted > 0 ? d.replicas - 1 : 0;
      add_rank(d, rank, replica.sources[m], contributors, m, l, face[m], cost);
    }
  }
  return cost;
}

}  // namespace

Cost cost_of(const TriangleDecomposition& d, const Machine& machine) {
  std::vector<Faces> face;
  for (std::size_t m = 0; m < d.row_blocks_of.size(); ++m) face.push_back(faces(d, m));
  Cost cost;
  if (replicas_are_alike(d)) {
    cost = cost_of_alike(d, face);
  } else {
    const auto members = d.row_blocks_of.size();
    std::vector<RankCost> ranks(static_cast<std::size_t>(d.ranks_used()));
    add_inputs(d, inputs(d), ranks);
    add_outputs(d, ranks);
    for (std::size_t r = 0; r < ranks.size(); ++r) {
      const std::size_t member = r % members;
      const std::int64_t sources = different(ranks[r].sources);
      const std::int64_t contributors = different(ranks[r].contributors);
      add_rank(d, ranks[r], sources, contributors, member, static_cast<int>(r / members),
               face[member], cost);
    }
  }
  cost.seconds = predicted_seconds(cost, machine);
  return cost;
}

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
  const std::pair<Cost, TriangleDecomposition>* best = nullptr;
  for (const auto& f : fitting) {
    if (f.first.work > most_work) continue;
    if (best == nullptr || better(f.first, best->first, request.objective)) best = &f;
  }
  return best->second;
}

SyrkPlanReport plan_syrk(const SyrkPlanRequest& request) {
  SyrkPlanReport report;
  report.decomposition = choose_syrk(request);
  report.cost = cost_of(report.decomposition, request.machine);
  report.lower_bound = syrk_lower_bound(request.shape, request.ranks, request.memory);
  const auto ratio = [&report](Words words) {
    const auto w = static_cast<double>(words.value);
    return w == 0 && report.lower_bound == 0 ? 1 : w / report.lower_bound;
  };
  report.ratio = ratio(report.cost.words);
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
    report.alternatives.push_back({name, d.name(), d.ranks_used(), cost, ratio(cost.words)});
  }
  return report;
}

}  // namespace redblue
