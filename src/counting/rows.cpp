// SPDX-License-Identifier: BSD-3-Clause
#include "counting/rows.hpp"

#include <map>

#include "counting/algebra/guard.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

Expr larger(const Expr& a, const Expr& b, const Facts& facts) {
  return simplified(symbolic::maximum(a, b), facts);
}

Range with(const Range& range, const Expr& factor) {
  return {expanded(range.lower * factor), range.upper};
}

bool nothing(const Range& range) {
  return range.lower.is_zero() && range.upper.is_zero();
}

}  // namespace

std::vector<Row> rows(const std::vector<CountedLoop>& loops, const Busiest& busiest,
                      const Facts& facts) {
  struct Parts {
    Range own, begun;
    bool has_own = false, has_begun = false;
  };
  std::vector<Row> all;
  std::vector<Parts> parts;
  std::map<int, std::size_t> places;
  for (const CountedLoop& loop : loops) {
    const auto [place, is_new] = places.try_emplace(loop.loop->id, all.size());
    const std::size_t row = is_new || loop.loop->id == 0 ? all.size() : place->second;
    if (row == all.size()) {
      all.push_back({&loop, {}, true, false});
      parts.emplace_back();
    }
    all[row].affine = all[row].affine && loop.affine;
    Range& part = loop.begun ? parts[row].begun : parts[row].own;
    part = part + loop.iterations;
    (loop.begun ? parts[row].has_begun : parts[row].has_own) = true;
  }
  for (std::size_t row = 0; row < all.size(); ++row) {
    all[row].by_both = parts[row].has_own && parts[row].has_begun;
    // A loop that is never reached needs no symbol.
    all[row].affine = all[row].affine || (nothing(parts[row].own) && nothing(parts[row].begun));
    const Range own = busiest(parts[row].own), begun = busiest(parts[row].begun);
    if (!all[row].by_both) {
      all[row].iterations = parts[row].has_own ? own : begun;
      continue;
    }
    const bool exact = own.exact() && begun.exact();
    const Expr lower = larger(own.lower, begun.lower, facts);
    all[row].iterations = {lower, exact ? lower : larger(own.upper, begun.upper, facts)};
  }
  return all;
}

void Sum::add(const Range& part, bool begun, bool apart, bool by_both) {
  Range& sum = !by_both ? always_ : begun ? begun_ : own_;
  sum = sum + (apart ? with(part, whole_) : part);
}

Range Sum::total(const Busiest& busiest, const Facts& facts) const {
  const auto expand = [](const Range& range) {
    return Range{range.lower.expand(), range.upper.expand()};
  };
  if (nothing(own_) && nothing(begun_)) return busiest(expand(always_));
  const Range first = busiest(expand(always_ + own_)), second = busiest(expand(always_ + begun_));
  const Range together = busiest(expand(always_ + own_ + begun_));
  return {larger(first.lower, second.lower, facts), together.upper};
}

}  // namespace redblue::counting
