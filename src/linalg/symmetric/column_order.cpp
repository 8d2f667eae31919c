// SPDX-License-Identifier: BSD-3-Clause
#include "linalg/symmetric/column_order.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "decomposition/ownership.hpp"

namespace redblue::linalg {

using layout::Arrangement;
using layout::IndexSet;
using layout::Interval;
using layout::Patch;

namespace {

// The columns that a rank stores; none where it stores nothing.
const IndexSet* columns_of(const std::vector<Patch>& patches) {
  return patches.empty() || patches.front().size() == 0 ? nullptr : &patches.front().columns;
}

bool same(const IndexSet& a, const IndexSet& b) {
  return std::equal(
      a.intervals().begin(), a.intervals().end(), b.intervals().begin(), b.intervals().end(),
      [](const Interval& x, const Interval& y) { return x.begin == y.begin && x.end == y.end; });
}

// Ranks that store the same columns, by the first of these.
using Classes = std::map<std::int64_t, std::vector<std::size_t>>;

// Of a factor; none where they are no partition of the columns.
std::optional<Classes> classes_of(const Arrangement& factor) {
  Classes classes;
  std::int64_t columns = 0;
  for (std::size_t r = 0; r < factor.of_rank.size(); ++r) {
    if (factor.of_rank[r].size() > 1) return std::nullopt;
    const IndexSet* mine = columns_of(factor.of_rank[r]);
    if (mine == nullptr) continue;
    std::vector<std::size_t>& ranks = classes[mine->intervals().front().begin];
    if (ranks.empty()) {
      columns += mine->size();
    } else if (!same(*mine, *columns_of(factor.of_rank[ranks.front()]))) {
      return std::nullopt;
    }
    ranks.push_back(r);
  }
  // every column is in some class: in one alone if their sizes add up
  if (columns != factor.columns) return std::nullopt;
  return classes;
}

bool same_columns(const Arrangement& a, const Arrangement& b) {
  for (std::size_t r = 0; r < a.of_rank.size(); ++r) {
    if (b.of_rank[r].size() > 1) return false;
    const IndexSet* x = columns_of(a.of_rank[r]);
    const IndexSet* y = columns_of(b.of_rank[r]);
    if ((x == nullptr) != (y == nullptr) || (x != nullptr && !same(*x, *y))) return false;
  }
  return true;
}

// A rank's share of its class's columns, counted there, and the first of their new numbers.
struct Share {
  Range of_class;
  std::int64_t first = 0;
};

std::vector<Share> shares_of(const Arrangement& factor, const Classes& classes) {
  std::vector<Share> shares(factor.of_rank.size());
  for (const auto& [column, ranks] : classes) {
    const Range all{0, columns_of(factor.of_rank[ranks.front()])->size()};
    for (std::size_t s = 0; s < ranks.size(); ++s) {
      shares[ranks[s]].of_class =
          round_of(all, static_cast<std::int64_t>(s), static_cast<std::int64_t>(ranks.size()));
    }
  }
  std::int64_t next = 0;
  for (Share& s : shares) s.first = std::exchange(next, next + s.of_class.size());
  return shares;
}

// The same columns at the same places, by their new numbers.
IndexSet renumbered(const IndexSet& columns, const std::vector<std::size_t>& ranks,
                    const std::vector<Share>& shares) {
  std::vector<Interval> numbers;
  auto interval = columns.intervals().begin();
  std::int64_t before = 0;  // columns in the intervals before this one
  for (const std::size_t r : ranks) {
    const auto& [of_class, first] = shares[r];
    for (std::int64_t at = of_class.begin; at < of_class.end;) {
      const std::int64_t end = before + interval->end - interval->begin;
      if (at == end) {
        before = end;
        ++interval;
        continue;
      }
      const std::int64_t until = std::min(end, of_class.end);
      const std::int64_t number = first + at - of_class.begin;
      const std::int64_t place = interval->position + at - before;
      Interval* last = numbers.empty() ? nullptr : &numbers.back();
      if (last != nullptr && last->end == number &&
          last->position + last->end - last->begin == place) {
        last->end += until - at;
      } else {
        numbers.push_back({number, number + until - at, place});
      }
      at = until;
    }
  }
  return IndexSet(std::move(numbers));
}

}  // namespace

std::optional<std::vector<Arrangement>> columns_by_owner(const std::vector<Arrangement>& factors) {
  const Arrangement& first = factors.front();
  const auto classes = classes_of(first);
  const bool alike = std::all_of(factors.begin(), factors.end(),
                                 [&](const Arrangement& f) { return same_columns(first, f); });
  if (!classes || !alike) return std::nullopt;
  const std::vector<Share> shares = shares_of(first, *classes);
  std::vector<Arrangement> result = factors;
  for (const auto& [column, ranks] : *classes) {
    for (Arrangement& f : result) {
      for (const std::size_t r : ranks) {
        IndexSet& columns = f.of_rank[r].front().columns;
        columns = renumbered(columns, ranks, shares);
      }
    }
  }
  return result;
}

}  // namespace redblue::linalg
