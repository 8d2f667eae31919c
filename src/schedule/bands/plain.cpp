// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/plain.hpp"

#include <isl/map.h>
#include <isl/union_map.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Statement;

namespace {

std::vector<std::string> names(const std::string& prefix, int count) {
  std::vector<std::string> result;
  for (int d = 0; d < count; ++d) result.push_back(prefix + std::to_string(d));
  return result;
}

isl::union_map picked(const LeafBand& band, const std::vector<std::string>& parts) {
  const isl::map chosen(program::context(),
                        "{ [" + list(names("m", band.members)) + "] -> [" + list(parts) + "] }");
  return band.loops.apply_range(isl::union_map(chosen));
}

isl::union_map without(const LeafBand& band, int member) {
  std::vector<std::string> parts = names("m", band.members);
  parts.erase(parts.begin() + member);
  return picked(band, parts);
}

// Pairs of `order` that agree on these times.
isl::union_map agreeing(const isl::union_map& order, const isl::union_map& times) {
  return order.intersect(times.apply_range(times.reverse()));
}

// What a step of a member does to an access, all else around it and in the band being the same.
Stride stride_along(const LeafBand& band, const Statement& s, const Access& access, int member) {
  const std::optional<isl::map> around = of_statement(band.prefix, s.name);
  const std::optional<isl::map> own = of_statement(band.loops, s.name);
  const auto outside = static_cast<int>(isl_map_dim(around->get(), isl_dim_out));
  const isl::map all =
      isl::manage(isl_map_flat_range_product(around->copy(), own->copy())).reverse();
  if (isl_map_is_single_valued(all.get()) != isl_bool_true) return Stride::other;
  Access result = access;
  result.elements = all.apply_range(access.elements);
  return stride_of(result, outside + member);
}

// Statements with a smaller part of a band's instances run beside its loops' steps: isl cuts the
// loop there.
constexpr double few = 1.0 / 16;

int least_divisions(const Program& program, const LeafBand& band) {
  int least = std::numeric_limits<int>::max();
  for (const std::size_t s : band.statements)
    least = std::min(least, divisions(program.statements[s]));
  return least;
}

bool backwards(const isl::union_map& pairs, const isl::union_map& suffix) {
  const isl::union_map not_after =
      isl::manage(isl_union_map_lex_gt_union_map(suffix.copy(), suffix.copy()));
  return !pairs.intersect(not_after).is_empty();
}

}  // namespace

int divisions(const Statement& s) {
  return static_cast<int>(std::count(s.source.begin(), s.source.end(), '/'));
}

void count_accesses(const Statement& s, InnerLoop& inner, double part,
                    const std::function<Stride(const Access&)>& stride,
                    const std::function<Stride(const Access&)>& around) {
  for (const auto* accesses : {&s.reads, &s.writes}) {
    for (const Access& access : *accesses) {
      const Stride along = stride(access);
      const double weight = accesses == &s.writes ? 2 * part : part;
      double& count = along == Stride::none  ? inner.same
                      : along == Stride::one ? inner.next
                                             : inner.far;
      count += weight;
      if (along == Stride::other && around && around(access) == Stride::one)
        inner.far_in_line += weight;
    }
  }
}

InnerLoop inner_loop(const Program& program, const LeafBand& band, int m,
                     const isl::union_map& order, const std::vector<double>& instances) {
  const isl::union_map around = agreeing(order, band.prefix);
  const isl::union_map own =
      around.intersect_domain(band.loops.domain()).intersect_range(band.loops.domain());
  InnerLoop inner;
  inner.member = m;
  inner.divisions = least_divisions(program, band);
  double all = 0;
  for (const std::size_t s : band.statements) all += instances[s];
  const auto along = [&](const Statement& s, int loop) -> std::function<Stride(const Access&)> {
    return [&, loop](const Access& access) { return stride_along(band, s, access, loop); };
  };
  const int around_inner = band.members < 2 ? -1 : loops_in_order(band, inner).end()[-2];
  isl::union_set many = isl::manage(isl_union_set_empty_ctx(program::context().get()));
  for (const std::size_t index : band.statements) {
    const Statement& s = program.statements[index];
    const double part = all > 0 ? instances[index] / all : 0;
    count_accesses(s, inner, part, along(s, m),
                   around_inner < 0 ? nullptr : along(s, around_inner));
    if (part >= few) many = many.unite(isl::union_set(s.domain));
  }
  const isl::union_map inside = agreeing(own, without(band, m));
  const isl::union_map carried = inside.subtract(agreeing(inside, member(band, m)));
  const isl::union_map of_many = carried.intersect_domain(many).intersect_range(many);
  inner.apart = band.statements.size() > 1 && !backwards(carried, band.suffix);
  inner.independent = inner.apart ? agreeing(of_many, band.suffix).is_empty() : of_many.is_empty();
  return inner;
}

std::vector<InnerLoop> inner_loops(const Program& program, const LeafBand& band,
                                   const isl::union_map& order,
                                   const std::vector<double>& instances) {
  std::vector<InnerLoop> result;
  for (int m = 0; m < band.members; ++m)
    result.push_back(inner_loop(program, band, m, order, instances));
  return result;
}

InnerLoop best_inner_loop(const std::vector<InnerLoop>& all) {
  const auto worse = [](const InnerLoop& a, const InnerLoop& b) {
    const auto cost = [](const InnerLoop& l) {
      return std::pair((l.independent ? 0 : 4 + 39 * l.divisions) + 3 * l.far, -l.next);
    };
    return cost(a) > cost(b);
  };
  InnerLoop best = all.front();
  for (const InnerLoop& next : all) {
    if (!worse(next, best)) best = next;
  }
  return best;
}

isl::union_map member(const LeafBand& band, int member) {
  return picked(band, {"m" + std::to_string(member)});
}

std::vector<int> loops_in_order(const LeafBand& band, const InnerLoop& inner) {
  std::vector<int> result;
  for (int m = 0; m < band.members; ++m)
    if (m != inner.member) result.push_back(m);
  result.push_back(inner.member);
  return result;
}

isl::union_map plain_times(const LeafBand& band, const InnerLoop& inner,
                           const std::vector<std::int64_t>& tiles,
                           const std::vector<std::string>& outside,
                           const std::map<int, isl::union_map>& pieces) {
  std::vector<std::string> parts = outside;
  for (int m = 0; m < static_cast<int>(tiles.size()); ++m) {
    const std::int64_t size = tiles[static_cast<std::size_t>(m)];
    if (size == 0) continue;
    parts.push_back(tile("m" + std::to_string(m), size));
  }
  isl::union_map result = parts.empty() ? band.prefix : product(band.prefix, picked(band, parts));
  for (const int m : loops_in_order(band, inner)) {
    if (m == inner.member && inner.apart) result = product(result, band.suffix);
    if (const auto known = pieces.find(m); known != pieces.end())
      result = product(result, known->second);
    result = product(result, member(band, m));
  }
  return inner.apart ? result : product(result, band.suffix);
}

std::vector<int> piece_depths(const LeafBand& band, const InnerLoop& inner,
                              const std::vector<std::int64_t>& tiles,
                              const std::map<int, isl::union_map>& pieces) {
  std::vector<int> result;
  int depth = longest(band.prefix) +
              static_cast<int>(std::ssize(tiles) - std::count(tiles.begin(), tiles.end(), 0));
  for (const int m : loops_in_order(band, inner)) {
    if (m == inner.member && inner.apart) depth += longest(band.suffix);
    if (pieces.count(m) != 0) result.push_back(depth++);
    ++depth;
  }
  return result;
}

}  // namespace redblue::schedule::codegen
