// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/plain.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "schedule/order.hpp"

namespace redblue::schedule::codegen {

using program::Access;
using program::Program;
using program::Sizes;
using program::Statement;

namespace {

isl::union_map product(const isl::union_map& first, const isl::union_map& second) {
  return isl::manage(isl_union_map_flat_range_product(first.copy(), second.copy()));
}

std::vector<std::string> names(const std::string& prefix, int count) {
  std::vector<std::string> result;
  for (int d = 0; d < count; ++d) result.push_back(prefix + std::to_string(d));
  return result;
}

std::string list(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : ", ") + p;
  return text;
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

void count_accesses(const Program& program, const LeafBand& band, InnerLoop& inner) {
  for (const std::size_t index : band.statements) {
    const Statement& s = program.statements[index];
    for (const auto* accesses : {&s.reads, &s.writes}) {
      for (const Access& access : *accesses) {
        const int weight = accesses == &s.writes ? 2 : 1;
        switch (stride_along(band, s, access, inner.member)) {
          case Stride::none:
            inner.same += weight;
            break;
          case Stride::one:
            inner.next += weight;
            break;
          case Stride::other:
            inner.far += weight;
        }
      }
    }
  }
}

bool backwards(const isl::union_map& pairs, const isl::union_map& suffix) {
  const isl::union_map not_after =
      isl::manage(isl_union_map_lex_gt_union_map(suffix.copy(), suffix.copy()));
  return !pairs.intersect(not_after).is_empty();
}

}  // namespace

std::vector<InnerLoop> inner_loops(const Program& program, const LeafBand& band,
                                   const isl::union_map& order) {
  const isl::union_map around = agreeing(order, band.prefix);
  const isl::union_map own =
      around.intersect_domain(band.loops.domain()).intersect_range(band.loops.domain());
  std::vector<InnerLoop> result;
  for (int m = 0; m < band.members; ++m) {
    InnerLoop inner;
    inner.member = m;
    count_accesses(program, band, inner);
    const isl::union_map inside = agreeing(own, without(band, m));
    const isl::union_map carried =
        inside.subtract(agreeing(inside, picked(band, {"m" + std::to_string(m)})));
    const isl::union_map same_statement = agreeing(carried, band.suffix);
    inner.independent = same_statement.is_empty();
    inner.apart = band.statements.size() > 1 && !backwards(carried, band.suffix);
    if (!inner.apart && !carried.is_empty()) inner.independent = false;
    result.push_back(inner);
  }
  return result;
}

InnerLoop best_inner_loop(const std::vector<InnerLoop>& all) {
  const auto worse = [](const InnerLoop& a, const InnerLoop& b) {
    const auto cost = [](const InnerLoop& l) {
      return std::pair((l.independent ? 0 : 4) + 3 * l.far, -l.next);
    };
    return cost(a) > cost(b);
  };
  InnerLoop best = all.front();
  for (const InnerLoop& next : all) {
    if (!worse(next, best)) best = next;
  }
  return best;
}

isl::union_map plain_times(const LeafBand& band, const InnerLoop& inner,
                           const std::vector<std::int64_t>& tiles) {
  std::vector<std::string> parts;
  for (int m = 0; m < static_cast<int>(tiles.size()); ++m) {
    const std::int64_t size = tiles[static_cast<std::size_t>(m)];
    if (size == 0) continue;
    const std::string n = std::to_string(size);
    parts.push_back(n + "*floor(m" + std::to_string(m) + "/" + n + ")");
  }
  std::vector<std::string> rest = names("m", band.members);
  rest.erase(rest.begin() + inner.member);
  parts.insert(parts.end(), rest.begin(), rest.end());
  const isl::union_map outside =
      parts.empty() ? band.prefix : product(band.prefix, picked(band, parts));
  const isl::union_map last = picked(band, {"m" + std::to_string(inner.member)});
  return inner.apart ? product(product(outside, band.suffix), last)
                     : product(product(outside, last), band.suffix);
}

namespace {

std::int64_t number(isl_val* value) {
  const bool whole = isl_val_is_int(value) == isl_bool_true;
  const std::int64_t result = whole ? isl_val_get_num_si(value) : 0;
  isl_val_free(value);
  return result;
}

std::pair<std::int64_t, std::int64_t> range(const isl::set& set, int dimension) {
  return {number(isl_set_dim_min_val(set.copy(), dimension)),
          number(isl_set_dim_max_val(set.copy(), dimension))};
}

isl::union_set at_sizes(const isl::union_set& set, const Sizes& sizes) {
  std::string text, where;
  for (const auto& [name, value] : sizes) {
    text += (text.empty() ? "" : ", ") + name;
    where += (where.empty() ? "" : " and ") + name + " = " + std::to_string(value);
  }
  return set.intersect_params(isl::set(
      program::context(), "[" + text + "] -> { : " + (where.empty() ? "true" : where) + " }"));
}

// The band's members at given sizes.
isl::set member_box(const LeafBand& band, const Sizes& sizes) {
  const isl::union_set all = at_sizes(band.loops.domain(), sizes).apply(band.loops);
  isl::set result;
  all.foreach_set([&](const isl::set& s) { result = s; });
  return result;
}

}  // namespace

double footprint(const Program& program, const LeafBand& band,
                 const std::vector<std::int64_t>& tiles, const Sizes& sizes) {
  const isl::set box = member_box(band, sizes);
  if (box.is_null() || box.is_empty()) return 0;
  isl::set tile = isl::manage(isl_set_universe(isl_set_get_space(box.get())));
  for (int m = 0; m < band.members; ++m) {
    const std::int64_t size = tiles[static_cast<std::size_t>(m)];
    if (size == 0) continue;
    const auto [low, high] = range(box, m);
    const std::int64_t begin = low + std::max<std::int64_t>(0, (high - low - size) / 2);
    isl_set* cut = isl_set_lower_bound_si(tile.copy(), isl_dim_set, static_cast<unsigned>(m),
                                          static_cast<int>(begin));
    tile = isl::manage(isl_set_upper_bound_si(cut, isl_dim_set, static_cast<unsigned>(m),
                                              static_cast<int>(begin + size - 1)));
  }
  const isl::union_set instances =
      at_sizes(band.loops.intersect_range(isl::union_set(tile)).domain(), sizes);
  std::map<std::string, std::vector<std::pair<std::int64_t, std::int64_t>>> boxes;
  for (const std::size_t index : band.statements) {
    const Statement& s = program.statements[index];
    for (const auto* accesses : {&s.reads, &s.writes}) {
      for (const Access& access : *accesses) {
        instances.apply(isl::union_map(access.elements)).foreach_set([&](const isl::set& touched) {
          auto& known = boxes[access.array];
          const int dimensions = static_cast<int>(isl_set_dim(touched.get(), isl_dim_set));
          for (int d = 0; d < dimensions; ++d) {
            const auto here = range(touched, d);
            const auto at = static_cast<std::size_t>(d);
            if (known.size() <= at) {
              known.push_back(here);
            } else {
              known[at] = {std::min(known[at].first, here.first),
                           std::max(known[at].second, here.second)};
            }
          }
        });
      }
    }
  }
  double words = 0;
  for (const auto& [array, ranges] : boxes) {
    double volume = 1;
    for (const auto& [low, high] : ranges) volume *= static_cast<double>(high - low + 1);
    words += volume;
  }
  return words;
}

namespace {

int dimensions_of(const isl::union_map& maps) {
  int most = 0;
  maps.foreach_map([&most](const isl::map& m) {
    most = std::max(most, static_cast<int>(isl_map_dim(m.get(), isl_dim_out)));
  });
  return most;
}

// How many values each of the band's members has; those behind the first `around`, where the first
// are in the middle of theirs (a member may repeat a loop around the band: it has one value then).
std::vector<double> extents_of(const isl::set& box, int around) {
  std::vector<double> result;
  isl::set inside = box;
  const auto members = static_cast<int>(isl_set_dim(box.get(), isl_dim_set));
  for (int m = 0; m < members; ++m) {
    const isl::set& here = m < around ? box : inside;
    const auto [low, high] = range(here, m);
    result.push_back(static_cast<double>(std::max<std::int64_t>(high - low + 1, 1)));
    if (m >= around) continue;
    const isl::set middle =
        isl::manage(isl_set_fix_si(inside.copy(), isl_dim_set, static_cast<unsigned>(m),
                                   static_cast<int>(low + (high - low) / 2)));
    if (!middle.is_empty()) inside = middle;
  }
  return result;
}

// The band with the loops around it as its first members.
LeafBand with_loops_around(const LeafBand& band) {
  LeafBand result = band;
  result.loops = product(band.prefix, band.loops);
  result.members += dimensions_of(band.prefix);
  return result;
}

}  // namespace

std::vector<std::int64_t> tiles_for(const Program& program, const LeafBand& inner_band,
                                    const InnerLoop& inner, const Sizes& sizes,
                                    std::int64_t cache_words) {
  const LeafBand band = with_loops_around(inner_band);
  const int around = band.members - inner_band.members;
  const int innermost = around + inner.member;
  std::vector<std::int64_t> whole(static_cast<std::size_t>(band.members), 0);
  std::fill_n(whole.begin(), around, 1);
  const auto room = 0.6 * static_cast<double>(cache_words);
  if (inner_band.members < 2 || footprint(program, band, whole, sizes) <= room) return {};
  const isl::set box = member_box(band, sizes);
  std::vector<std::vector<std::int64_t>> choices;
  for (int m = 0; m < band.members; ++m) {
    const auto [low, high] = range(box, m);
    if (m < around) {
      choices.push_back({1});
      continue;
    }
    std::vector<std::int64_t> sizes_of = {0};
    for (const std::int64_t size : {8, 16, 32, 64, 128, 512, 2048}) {
      if (size > high - low || (m == innermost) != (size > 128)) continue;
      sizes_of.push_back(size);
    }
    choices.push_back(sizes_of);
  }
  // What must move per instance: a tile's footprint over its instances.
  std::vector<std::int64_t> best, tiles(static_cast<std::size_t>(band.members), 0);
  double least = 0;
  const std::vector<double> extents = extents_of(box, around);
  const std::function<void(int)> choose = [&](int m) {
    if (m < band.members) {
      for (const std::int64_t size : choices[static_cast<std::size_t>(m)]) {
        tiles[static_cast<std::size_t>(m)] = size;
        choose(m + 1);
      }
      return;
    }
    const double words = footprint(program, band, tiles, sizes);
    if (words > room) return;
    double instances = 1;
    for (std::size_t d = 0; d < tiles.size(); ++d)
      instances *= tiles[d] == 0 ? extents[d] : static_cast<double>(tiles[d]);
    const double moved = words / instances;
    if (best.empty() || moved < 0.999 * least) {
      best = tiles;
      least = moved;
    }
  };
  choose(0);
  if (!best.empty()) best.erase(best.begin(), best.begin() + around);
  return best;
}

double moved_per_instance(const Program& program, const LeafBand& inner_band,
                          const std::vector<int>& in_order, const std::vector<std::int64_t>& tiles,
                          const Sizes& sizes, std::int64_t cache_words) {
  const LeafBand band = with_loops_around(inner_band);
  const int around = band.members - inner_band.members;
  const isl::set box = member_box(band, sizes);
  if (box.is_null() || box.is_empty() || band.members == 0) return 0;
  const std::vector<double> extents = extents_of(box, around);
  const auto points = [&](const std::vector<std::int64_t>& cut) {
    double product = 1;
    for (std::size_t m = 0; m < extents.size(); ++m)
      product *= cut[m] == 0 ? extents[m] : std::min(extents[m], static_cast<double>(cut[m]));
    return product;
  };
  std::vector<std::int64_t> cut(static_cast<std::size_t>(band.members), 0);
  if (!tiles.empty()) {
    std::fill_n(cut.begin(), around, 1);
    std::copy(tiles.begin(), tiles.end(), cut.begin() + around);
  }
  std::vector<int> all;
  for (int m = 0; m < around; ++m) all.push_back(m);
  for (const int m : in_order) all.push_back(around + m);
  for (const int m : all) {
    const double words = footprint(program, band, cut, sizes);
    if (words <= 0.8 * static_cast<double>(cache_words)) return words / points(cut);
    cut[static_cast<std::size_t>(m)] = 1;
  }
  return footprint(program, band, cut, sizes);
}

}  // namespace redblue::schedule::codegen
