// SPDX-License-Identifier: BSD-3-Clause
// Multiplications in between: most of one operand stays where it is, and groups of ranks take each
// other's parts of it, too, for a share of the products that these take part in.
#include <algorithm>

#include "decomposition/ownership.hpp"
#include "linalg/gemm/placement.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;
using layout::Interval;
using layout::Patch;

namespace {

// Ranks with the same `kept` indices form groups, which merge their `merged` indices and split the
// `split` ones: each takes what `side` of its part of the other operand says, as far as it goes.
struct Grouping {
  IndexSet Domain::*kept;
  IndexSet Domain::*merged;
  IndexSet Domain::*split;
  Operand other;
  IndexSet Patch::*side;
};

std::vector<Grouping> groupings(Operand stays) {
  constexpr auto i = &Domain::i;
  constexpr auto j = &Domain::j;
  constexpr auto k = &Domain::k;
  constexpr auto rows = &Patch::rows;
  constexpr auto columns = &Patch::columns;
  if (stays == Operand::a) return {{i, k, j, Operand::c, columns}, {k, i, j, Operand::b, columns}};
  if (stays == Operand::b) return {{k, j, i, Operand::a, rows}, {j, k, i, Operand::c, rows}};
  return {{i, j, k, Operand::a, columns}, {j, i, k, Operand::b, rows}};
}

// Disjoint sets as one, at positions counted from 0.
IndexSet united(const std::vector<IndexSet>& sets) {
  std::vector<Interval> all;
  for (const IndexSet& s : sets) {
    all.insert(all.end(), s.intervals().begin(), s.intervals().end());
  }
  std::sort(all.begin(), all.end(),
            [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  std::vector<Interval> joined;
  std::int64_t position = 0;
  for (const Interval& next : all) {
    if (!joined.empty() && joined.back().end == next.begin) {
      joined.back().end = next.end;
    } else {
      joined.push_back({next.begin, next.end, position});
    }
    position += next.end - next.begin;
  }
  return IndexSet(std::move(joined));
}

// Even shares of `all`: first of what each owns, then of what is left.
std::vector<IndexSet> shares(const IndexSet& all, const std::vector<IndexSet>& owned) {
  const auto count = static_cast<std::int64_t>(owned.size());
  std::vector<IndexSet> result;
  IndexSet left = all.dense();
  const auto quota = [&](std::int64_t t) { return round_of({0, all.size()}, t, count).size(); };
  for (std::int64_t t = 0; t < count; ++t) {
    const IndexSet mine = intersection(left, owned[static_cast<std::size_t>(t)]);
    result.push_back(mine.slice(0, std::min(mine.size(), quota(t))));
    left = without(left, result.back()).dense();
  }
  for (std::int64_t t = 0; t < count; ++t) {
    IndexSet& share = result[static_cast<std::size_t>(t)];
    const std::int64_t missing = quota(t) - share.size();
    share = united({share, left.slice(0, missing)});
    left = left.slice(missing, left.size());
  }
  return result;
}

// The ranks that have work, in buckets of the same indices on one side.
std::vector<std::vector<std::size_t>> alike(const std::vector<Domain>& domains,
                                            IndexSet Domain::*side) {
  std::vector<std::vector<std::size_t>> buckets;
  for (std::size_t r = 0; r < domains.size(); ++r) {
    if (domains[r].empty()) continue;
    const IndexSet& mine = domains[r].*side;
    const auto found = std::find_if(buckets.begin(), buckets.end(), [&](const auto& bucket) {
      const IndexSet& theirs = domains[bucket.front()].*side;
      return theirs.size() == mine.size() && count_shared(theirs, mine) == mine.size();
    });
    if (found == buckets.end()) {
      buckets.push_back({r});
    } else {
      found->push_back(r);
    }
  }
  return buckets;
}

std::vector<Domain> grouped(const std::vector<Domain>& in_place, const Grouping& grouping,
                            const Arrangement& other, std::int64_t size) {
  std::vector<Domain> result = in_place;
  for (const std::vector<std::size_t>& bucket : alike(in_place, grouping.kept)) {
    const auto ranks = static_cast<std::int64_t>(bucket.size());
    const std::int64_t groups = std::max<std::int64_t>(1, ranks / size);
    for (std::int64_t g = 0; g < groups; ++g) {
      const Range members = round_of({0, ranks}, g, groups);
      std::vector<IndexSet> merged, owned;
      for (std::int64_t t = members.begin; t < members.end; ++t) {
        const std::size_t rank = bucket[static_cast<std::size_t>(t)];
        merged.push_back(in_place[rank].*grouping.merged);
        const std::vector<Patch>& part = other.of_rank[rank];
        owned.push_back(part.size() == 1 ? part.front().*grouping.side : IndexSet());
      }
      const IndexSet together = united(merged);
      const std::vector<IndexSet> split = shares(in_place[bucket.front()].*grouping.split, owned);
      for (std::int64_t t = members.begin; t < members.end; ++t) {
        Domain& d = result[bucket[static_cast<std::size_t>(t)]];
        d.*grouping.merged = together;
        d.*grouping.split = split[static_cast<std::size_t>(t - members.begin)];
      }
    }
  }
  return result;
}

}  // namespace

std::vector<std::vector<Domain>> in_groups(const std::vector<Domain>& in_place, Operand stays,
                                           const Arrangement& a, const Arrangement& b,
                                           const Arrangement& c, std::int64_t size) {
  std::vector<std::vector<Domain>> result;
  for (const Grouping& g : groupings(stays)) {
    const Arrangement& other = g.other == Operand::a ? a : g.other == Operand::b ? b : c;
    result.push_back(grouped(in_place, g, other, size));
  }
  return result;
}

}  // namespace redblue::linalg
