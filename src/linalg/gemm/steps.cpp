// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "linalg/gemm/placement.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;
using layout::Patch;

namespace {

// The different row or column sets of the ranks' patches, ascending.
std::vector<IndexSet> different(const Arrangement& matrix, IndexSet Patch::*side) {
  std::vector<IndexSet> sets;
  for (const std::vector<Patch>& patches : matrix.of_rank) {
    for (const Patch& p : patches) sets.push_back((p.*side).dense());
  }
  const auto first = [](const IndexSet& s) { return s.intervals().front().begin; };
  std::sort(sets.begin(), sets.end(),
            [&](const IndexSet& x, const IndexSet& y) { return first(x) < first(y); });
  sets.erase(
      std::unique(sets.begin(), sets.end(),
                  [&](const IndexSet& x, const IndexSet& y) { return first(x) == first(y); }),
      sets.end());
  return sets;
}

// The k that one grid column has of A and one grid row has of B; nothing where these do not make up
// `k`, as when the ranks' parts overlap in several ways.
std::vector<IndexSet> classes(const IndexSet& k, const Arrangement& a, const Arrangement& b) {
  std::vector<IndexSet> result;
  std::int64_t covered = 0;
  for (const IndexSet& x : different(a, &Patch::columns)) {
    for (const IndexSet& y : different(b, &Patch::rows)) {
      IndexSet both = layout::intersection(x, y);
      covered += both.size();
      if (!both.empty()) result.push_back(std::move(both));
    }
  }
  if (covered != k.size()) result.clear();
  return result;
}

bool all_have(const std::vector<Domain>& domains, const IndexSet& k) {
  return std::all_of(domains.begin(), domains.end(), [&k](const Domain& d) {
    return d.k.intervals().size() == 1 && d.k.size() == k.size();
  });
}

// The step of which the rank owns most of A and B.
std::size_t nearest(const std::vector<IndexSet>& steps, const std::vector<Patch>& a,
                    const std::vector<Patch>& b) {
  std::size_t best = 0;
  std::int64_t most = -1;
  for (std::size_t s = 0; s < steps.size(); ++s) {
    std::int64_t local = 0;
    for (const Patch& p : a) local += count_shared(p.columns, steps[s]);
    for (const Patch& p : b) local += count_shared(p.rows, steps[s]);
    if (local > most) {
      most = local;
      best = s;
    }
  }
  return best;
}

}  // namespace

void cut_into_steps(Placement& placement, const Arrangement& a, const Arrangement& b,
                    const Machine& machine) {
  constexpr std::int64_t good = 768;  // k of a step: the BLAS is near its peak
  constexpr std::int64_t least = 128;
  std::vector<Domain>& domains = placement.domains;
  std::int64_t longest = 1;
  for (const Domain& d : domains) longest = std::max(longest, d.empty() ? 1 : d.k.size());
  const IndexSet all(Range{0, a.columns});
  if (all_have(domains, all)) {
    const std::vector<IndexSet> steps = classes(all, a, b);
    const auto count = static_cast<std::int64_t>(steps.size());
    if (count > 1 && a.columns / count >= least) {
      for (std::size_t r = 0; r < domains.size(); ++r) {
        domains[r].steps = steps;
        const auto start = nearest(steps, a.of_rank[r], b.of_rank[r]);
        std::rotate(domains[r].steps.begin(),
                    domains[r].steps.begin() + static_cast<std::ptrdiff_t>(start),
                    domains[r].steps.end());
      }
      return;
    }
  }
  // latency may take a twentieth of the time
  const double latency = static_cast<double>(placement.messages.value) * machine.latency_seconds;
  const double affordable =
      std::clamp(0.05 * placement.seconds / std::max(1e-12, latency), 1.0, 1e6);
  const std::int64_t wanted = (longest + good / 2) / good;
  cut_evenly(domains, std::clamp<std::int64_t>(wanted, 1, static_cast<std::int64_t>(affordable)));
}

}  // namespace redblue::linalg
