// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/bands/parallel.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "program/checked.hpp"
#include "program/instances.hpp"
#include "schedule/blocks/block_maps.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Sizes;

namespace {

// Pairs of times, of which `order` holds instances in order, that differ in the last dimension
// only.
isl::union_map waiting(const isl::union_map& order, const isl::union_map& upto) {
  isl::union_map result = nothing();
  order.apply_domain(upto).apply_range(upto).foreach_map([&](const isl::map& m) {
    const auto all = static_cast<int>(isl_map_dim(m.get(), isl_dim_out));
    isl_map* same = m.copy();
    for (int d = 0; d + 1 < all; ++d) same = isl_map_equate(same, isl_dim_in, d, isl_dim_out, d);
    isl_map* still = isl_map_equate(isl_map_copy(same), isl_dim_in, all - 1, isl_dim_out, all - 1);
    result = result.unite(isl::union_map(isl::manage(isl_map_subtract(same, still))));
  });
  return result;
}

std::vector<std::string> times_named(int count) {
  std::vector<std::string> names;
  for (int d = 0; d < count; ++d) names.push_back("t" + std::to_string(d));
  return names;
}

isl::set set_of(const isl::union_set& all) {
  isl::set result;
  all.foreach_set([&](const isl::set& s) { result = s; });
  return result;
}

// The least value of the last dimension, or the largest, for all values of the others.
isl::map ends(const isl::set& times, isl_map* (*end)(isl_map*)) {
  const auto last = isl_set_dim(times.get(), isl_dim_set) - 1;
  isl_map* steps = isl_map_project_out(isl_map_reverse(isl_set_identity(times.copy())), isl_dim_in,
                                       static_cast<unsigned>(last), 1);
  return isl::manage(end(steps));
}

isl::set first_steps(const isl::set& times) {
  return ends(times, isl_map_lexmin).range();
}

// [.., t, ..] -> [.., phase, t, ..]: 0 where the leading times are in `first`.
isl::map with_phase(const isl::set& first, int length) {
  const auto at = static_cast<int>(isl_set_dim(first.get(), isl_dim_set)) - 1;
  const std::vector<std::string> names = times_named(length);
  const auto inserted = [&](const std::string& phase) {
    std::vector<std::string> longer = names;
    longer.insert(longer.begin() + at, phase);
    return map("{ [" + list(names) + "] -> [" + list(longer) + "] }");
  };
  const isl::set here = isl::manage(
      isl_set_add_dims(first.copy(), isl_dim_set, static_cast<unsigned>(length - at - 1)));
  return inserted("0").intersect_domain(here).unite(
      inserted("1").intersect_domain(isl::manage(isl_set_complement(here.copy()))));
}

void insert_phase(Blocked& block, const isl::set& first) {
  const int length = longest(block.loops);
  block.loops = padded(block.loops, length).apply_range(isl::union_map(with_phase(first, length)));
  block.tiles = block.tiles.apply(with_phase(first, block.tile_depth)).coalesce();
  const auto at = static_cast<int>(isl_set_dim(first.get(), isl_dim_set)) - 1;
  block.names.insert(block.names.begin() + at, "phase");
  for (int& phase : block.phases) ++phase;
  block.phases.insert(block.phases.begin(), at);
  ++block.tile_depth;
}

// Values of the times before the last: how often the loop is entered.
isl::union_set entries(const isl::union_map& upto) {
  isl::union_set result = isl::manage(isl_union_set_empty_ctx(program::context().get()));
  upto.foreach_map([&](const isl::map& m) {
    const auto last = static_cast<unsigned>(isl_map_dim(m.get(), isl_dim_out)) - 1;
    result = result.unite(isl::union_set(
        isl::manage(isl_set_project_out(isl_map_range(m.copy()), isl_dim_set, last, 1))));
  });
  return result;
}

}  // namespace

isl::union_map beside(const isl::union_map& upto, const isl::union_map& outside) {
  const isl::set entered = set_of(outside.range());
  return upto.intersect_range(
      isl::union_set(isl::manage(isl_set_add_dims(entered.copy(), isl_dim_set, 1))));
}

bool enough_to_do(const Program& program, const isl::union_map& upto, const Sizes& sizes) {
  constexpr double least_instances = 20'000, most_entries = 100'000;
  constexpr std::int64_t most_counted = 20'000'000;
  double instances = 0;
  for (const program::Statement& s : program.statements) {
    const std::optional<isl::map> inside = of_statement(upto, s.name);
    if (!inside) continue;
    const isl::set domain = isl::manage(isl_map_domain(inside->copy()));
    instances += program::InstanceCount(domain).at(sizes, most_counted).to_double();
  }
  const auto most = static_cast<std::int64_t>(std::min(most_entries, instances / least_instances));
  return most > 0 && program::points(set_of(entries(upto)), sizes, most) <= most;
}

bool any_order(const isl::union_map& order, const isl::union_map& upto) {
  return waiting(order, upto).is_empty();
}

bool equal_steps(const isl::union_map& upto, const Sizes& sizes) {
  const isl::set steps = program::at_sizes(set_of(upto.range()), sizes);
  const isl::map to_first = ends(steps, isl_map_lexmin), to_last = ends(steps, isl_map_lexmax);
  const isl::map along = to_first.reverse().apply_range(to_last);
  const auto length = static_cast<int>(isl_map_dim(along.get(), isl_dim_out));
  const auto most =
      program::whole_number(isl_set_dim_max_val(isl_map_deltas(along.copy()), length - 1));
  if (!most) return false;
  const std::vector<std::string> first = times_named(length);
  std::vector<std::string> last = first, half = first;
  last.back() += " + " + std::to_string(*most);
  half.back() = "h";
  const isl::map with_most =
      along.intersect(map("{ [" + list(first) + "] -> [" + list(last) + "] }"));
  const isl::set begin =
      isl::manage(isl_set_from_point(isl_set_sample_point(with_most.domain().release())));
  const isl::map before_half =
      map("{ [" + list(first) + "] -> [" + list(half) + "] : h <= " + first.back() + " + " +
          std::to_string(*most / 2) + " }");
  const isl::set middle = isl::manage(
      isl_set_lexmax(before_half.intersect_range(steps).intersect_domain(begin).range().release()));
  const auto instances = [&](const isl::set& step) {
    constexpr std::int64_t most_points = 100'000'000;
    double count = 0;
    upto.intersect_range(isl::union_set(step)).domain().foreach_set([&](const isl::set& s) {
      count += program::InstanceCount(s).at(sizes, most_points).to_double();
    });
    return count;
  };
  return instances(begin) == instances(middle);
}

void separate_first_steps(Blocked& block, const isl::union_map& order) {
  const isl::union_set here = block.times.domain();
  const isl::union_map own = order.intersect_domain(here).intersect_range(here);
  std::vector<isl::set> first;
  for (int d = block.places; d < block.tile_depth; ++d) {
    const isl::union_map upto = leading(block.times, d + 1);
    const isl::union_map pairs = waiting(own, upto);
    if (pairs.is_empty()) break;
    const isl::set steps = first_steps(set_of(upto.range()));
    if (pairs.subtract_domain(isl::union_set(steps)).is_empty()) first.push_back(steps);
  }
  // The innermost loop first: the depths of the others stay what they are.
  for (auto steps = first.rbegin(); steps != first.rend(); ++steps) insert_phase(block, *steps);
}

namespace {

// Members that carry nothing of `order`: those not in vectors before the one that is, those in
// tiles before the others.
std::vector<int> free_members(const LeafBand& band, const InnerLoop& inner,
                              const std::vector<std::int64_t>& tiles, const isl::union_map& order) {
  const isl::union_set here = band.loops.domain();
  const isl::union_map own = order.intersect_domain(here).intersect_range(here);
  std::vector<int> result;
  for (int m = 0; m < band.members; ++m) {
    if (any_order(own, product(band.prefix, member(band, m)))) result.push_back(m);
  }
  std::stable_sort(result.begin(), result.end(), [&](int a, int b) {
    const auto rank = [&](int m) {
      return std::pair(m == inner.member, tiles.empty() || tiles[static_cast<std::size_t>(m)] == 0);
    };
    return rank(a) < rank(b);
  });
  return result;
}

// Steps of a loop of so many that leave every thread several pieces.
std::int64_t piece(double steps, int threads) {
  constexpr std::int64_t vectors = 64;
  constexpr double pieces = 4;
  const auto even = static_cast<std::int64_t>(steps / (pieces * threads));
  return std::max<std::int64_t>(vectors, even / vectors * vectors);
}

double steps_of(const Program& program, const isl::union_map& member, const Sizes& sizes) {
  const isl::set values =
      set_of(instances(program).apply(member).intersect_params(program::at_sizes(sizes)));
  const auto low = program::whole_number(isl_set_dim_min_val(values.copy(), 0));
  const auto high = program::whole_number(isl_set_dim_max_val(values.copy(), 0));
  return low && high ? static_cast<double>(*high - *low + 1) : 0;
}

// Where fewer than two members have tiles, all get some: vectors go along the inner one.
std::vector<std::int64_t> at_least_two(const LeafBand& band, const InnerLoop& inner,
                                       const std::vector<std::int64_t>& tiles) {
  if (std::ssize(tiles) - std::count(tiles.begin(), tiles.end(), 0) >= 2) return tiles;
  std::vector<std::int64_t> result(static_cast<std::size_t>(band.members), 32);
  result[static_cast<std::size_t>(inner.member)] = 256;
  return result;
}

// Whether instances that `order` holds in order, at one time around the band, step backwards along
// no member.
bool forwards(const LeafBand& band, const isl::union_map& order) {
  const isl::union_map own = order.intersect(band.prefix.apply_range(band.prefix.reverse()));
  for (int m = 0; m < band.members; ++m) {
    const isl::union_map step = member(band, m);
    const isl::union_map back =
        isl::manage(isl_union_map_lex_gt_union_map(step.copy(), step.copy()));
    if (!own.intersect(back).is_empty()) return false;
  }
  return true;
}

// Around the tiles the sum of their numbers, then the loop over most tiles.
std::optional<Shared> wavefront(const Program& program, const LeafBand& band,
                                const InnerLoop& inner, const std::vector<std::int64_t>& tiles,
                                const isl::union_map& order, const Sizes& sizes) {
  if (band.members < 2 || !forwards(band, order)) return std::nullopt;
  const std::vector<std::int64_t> cut = at_least_two(band, inner, tiles);
  std::string sum, shared;
  double most = 0;
  for (int m = 0; m < band.members; ++m) {
    const std::int64_t size = cut[static_cast<std::size_t>(m)];
    if (size == 0) continue;
    const std::string name = "m" + std::to_string(m);
    sum += (sum.empty() ? "floor(" : " + floor(") + name + "/" + std::to_string(size) + ")";
    const double count = steps_of(program, member(band, m), sizes) / static_cast<double>(size);
    if (count <= most) continue;
    most = count;
    shared = tile(name, size);
  }
  const int depth = longest(band.prefix) + 1;
  if (most == 0) return std::nullopt;
  const Shared result = {plain_times(band, inner, cut, {sum, shared}), depth};
  if (!enough_to_do(program, leading(result.times, depth + 1), sizes)) return std::nullopt;
  return result;
}

}  // namespace

std::optional<Shared> shared_tiles(const Program& program, const LeafBand& band,
                                   const InnerLoop& inner, const std::vector<std::int64_t>& tiles,
                                   int threads, const isl::union_map& order, const Sizes& sizes) {
  const int around = longest(band.prefix);
  const auto size = [&](int m) { return tiles.empty() ? 0 : tiles[static_cast<std::size_t>(m)]; };
  const std::vector<int> members = free_members(band, inner, tiles, order);
  if (!members.empty()) {
    const int m = members.front();
    const std::string name = "m" + std::to_string(m);
    const std::int64_t cut =
        size(m) > 0 ? size(m) : piece(steps_of(program, member(band, m), sizes), threads);
    const bool whole = tiles.empty() && m != inner.member;
    const Shared result = {plain_times(band, inner, tiles, {whole ? name : tile(name, cut)}),
                           around};
    const isl::union_map upto = leading(result.times, around + 1);
    if (!enough_to_do(program, upto, sizes)) return std::nullopt;
    return result;
  }
  return wavefront(program, band, inner, tiles, order, sizes);
}

}  // namespace redblue::schedule::codegen
