// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/calls.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

#include <algorithm>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

namespace {

// Other statements of a tile with a call run before it, behind it, or such tiles are none.
enum class Others { before, behind, apart };

struct Level {
  std::array<std::int64_t, 3> sizes = {};  // rows, columns, sums
  Cut cut;
  std::vector<CallTiles> calls;
};

class Caller {
 public:
  Caller(const CallBand& band, const CallTiling& tiling)
      : b_(band),
        p_(*band.product),
        s_(band.program->statements[p_.statement]),
        order_(tiling.order) {
    m_ = codegen::names("m", static_cast<std::size_t>(b_.band->members));
    const auto around = fixed_values(*of_statement(b_.band->prefix, s_.name));
    for (const long place : *around) prefix_.push_back(std::to_string(place));
    std::array<bool, 3> whole = {};
    for (const std::size_t n : {0, 1, 2})
      whole[n] = tiling.keeps_whole && separable(b_, loop(static_cast<int>(n)));
    for (std::array<std::int64_t, 3> sizes : tiling.levels) {
      for (const std::size_t n : {0, 1, 2})
        if (whole[n]) sizes[n] = 0;
      if (levels_.empty() || levels_.back().sizes != sizes) add_level(sizes);
    }
  }

  bool any() const {
    return std::any_of(levels_.begin(), levels_.end(),
                       [](const Level& level) { return !level.calls.empty(); });
  }

  Called with(Others mode) const {
    Called result{p_, {}, nothing(), nothing(), names()};
    isl::union_set left = all_instances();
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      for (std::size_t c = 0; c < levels_[l].calls.size(); ++c) {
        const CallTiles& call = levels_[l].calls[c];
        isl::set tiles = call.tiles;
        if (mode == Others::apart && !call.division) tiles = tiles.subtract(with_others(l));
        add_call(l, call, tiles, left, result);
        if (mode == Others::behind) add_others_behind(l, tiles, left, result);
      }
    }
    const isl::union_map single = single_times().intersect_domain(left);
    result.times = result.times.unite(single);
    result.loops = result.loops.unite(single);
    return result;
  }

 private:
  isl::union_set all_instances() const {
    isl::union_set result = isl::manage(isl_union_set_empty_ctx(program::context().get()));
    for (const std::size_t s : b_.band->statements)
      result = result.unite(isl::union_set(b_.program->statements[s].domain));
    return result;
  }

  std::string m(int iterator) const {
    return m_[static_cast<std::size_t>(b_.members[static_cast<std::size_t>(iterator)])];
  }

  // Rows, columns, sums.
  int loop(int number) const { return number == 0 ? p_.rows : number == 1 ? p_.columns : p_.sum; }

  // Others, then tiles in their order.
  isl::union_map tiles(const std::array<std::int64_t, 3>& sizes) const {
    std::vector<std::string> parts;
    for (const int d : p_.outer) parts.push_back(m(d));
    for (const int n : order_)
      parts.push_back(tile(m(loop(n)), sizes[static_cast<std::size_t>(n)]));
    return b_.band->loops.apply_range(
        isl::union_map(map("{ [" + list(m_) + "] -> [" + list(parts) + "] }")));
  }

  std::size_t width() const { return p_.outer.size() + 3; }

  void add_level(const std::array<std::int64_t, 3>& sizes) {
    Level level{sizes, {tiles(sizes), {}}, {}};
    level.cut.bounds = bounds_of(b_, level.cut.tiles);
    level.calls = call_tiles(b_, level.cut);
    // Not inside of larger calls.
    for (CallTiles& calls : level.calls) {
      for (const Level& larger : levels_) {
        for (const CallTiles& done : larger.calls) {
          const isl::map to_larger = map("{ [" + list(codegen::names("t", width())) + "] -> [" +
                                         list(larger_tile(larger)) + "] }");
          calls.tiles = calls.tiles.subtract(done.tiles.apply(to_larger.reverse())).coalesce();
        }
      }
    }
    std::erase_if(level.calls, [](const CallTiles& c) { return c.tiles.is_empty(); });
    levels_.push_back(std::move(level));
  }

  std::vector<std::string> larger_tile(const Level& level) const {
    std::vector<std::string> result = codegen::names("t", width());
    for (std::size_t n = 0; n < 3; ++n) {
      std::string& t = result[p_.outer.size() + n];
      t = tile(t, level.sizes[static_cast<std::size_t>(order_[n])]);
    }
    return result;
  }

  isl::set with_others(std::size_t l) const {
    isl::union_set others = all_instances().subtract(isl::union_set(s_.domain));
    const isl::set none =
        isl::manage(isl_set_empty(isl_set_get_space(levels_[l].calls.front().tiles.get())));
    return isl::manage(isl_union_set_extract_set(
        others.apply(levels_[l].cut.tiles).unite(isl::union_set(none)).get(),
        isl_set_get_space(none.get())));
  }

  // Tile of level l -> [`around`, its larger tiles and itself, each before its slot, `slot`, zeros
  // up to the smallest tiles'].
  isl::map time_of_tile(std::size_t l, int slot, const std::vector<std::string>& around) const {
    std::vector<std::string> parts = around;
    const std::vector<std::string> own = codegen::names("t", width());
    for (std::size_t n = 0; n < levels_.size(); ++n) {
      const std::vector<std::string> at = n < l    ? larger_tile(levels_[n])
                                          : n == l ? own
                                                   : std::vector<std::string>(width(), "0");
      parts.insert(parts.end(), at.begin(), at.end());
      parts.push_back(n == l ? std::to_string(slot) : "0");
    }
    return map("{ [" + list(own) + "] -> [" + list(parts) + "] }");
  }

  // Members in the order sums, rows, columns; the order of statements inside.
  isl::union_map one_by_one() const {
    const isl::map order = map("{ [" + list(m_) + "] -> [" + m(p_.sum) + ", " + m(p_.rows) + ", " +
                               m(p_.columns) + "] }");
    return product(b_.band->loops.apply_range(isl::union_map(order)), b_.band->suffix);
  }

  isl::union_map times_in(std::size_t l, int slot) const {
    const isl::union_map tile =
        levels_[l].cut.tiles.apply_range(isl::union_map(time_of_tile(l, slot, {})));
    return product(product(b_.band->prefix, tile), one_by_one());
  }

  isl::union_map single_times() const { return times_in(levels_.size() - 1, before_calls); }

  isl::union_set instances_in(std::size_t l, const isl::set& tiles) const {
    return levels_[l].cut.tiles.intersect_range(isl::union_set(tiles)).domain();
  }

  static constexpr int before_calls = 0, of_calls = 1, behind_calls = 2;

  void add_call(std::size_t l, const CallTiles& call, const isl::set& tiles, isl::union_set& left,
                Called& result) const {
    if (tiles.is_empty()) return;
    isl::union_set part(s_.domain);
    if (call.division) part = part.unite(isl::union_set(statement(*call.division).domain));
    part = part.intersect(instances_in(l, tiles));
    left = left.subtract(part);
    result.times = result.times.unite(times_in(l, of_calls).intersect_domain(part));
    const std::string name = "Call_" + s_.name + "_" + std::to_string(result.calls.size());
    isl_map* times =
        isl_map_intersect_domain(time_of_tile(l, of_calls, prefix_).release(), tiles.copy());
    times = isl_map_set_tuple_name(times, isl_dim_in, name.c_str());
    result.loops = result.loops.unite(isl::union_map(isl::manage(times)));
    isl_pw_multi_aff* bounds =
        isl_pw_multi_aff_from_map(levels_[l].cut.bounds.intersect_domain(tiles).release());
    bounds = isl_pw_multi_aff_coalesce(isl_pw_multi_aff_gist(bounds, tiles.copy()));
    result.calls.push_back({name, call.kind, levels_[l].sizes, tiles, isl::manage(bounds)});
  }

  void add_others_behind(std::size_t l, const isl::set& tiles, isl::union_set& left,
                         Called& result) const {
    const isl::union_set behind =
        left.subtract(isl::union_set(s_.domain)).intersect(instances_in(l, tiles));
    left = left.subtract(behind);
    const isl::union_map times = times_in(l, behind_calls).intersect_domain(behind);
    result.times = result.times.unite(times);
    result.loops = result.loops.unite(times);
  }

  const Statement& statement(std::size_t s) const { return b_.program->statements[s]; }

  std::vector<std::string> names() const {
    const auto name = [&](int d) { return s_.iterators[static_cast<std::size_t>(d)]; };
    std::vector<std::string> result(prefix_.size(), "place");
    for (std::size_t l = 0; l < levels_.size(); ++l) {
      for (const int d : p_.outer) result.push_back(name(d));
      for (const int n : order_) {
        const std::string size = std::to_string(levels_[l].sizes[static_cast<std::size_t>(n)]);
        result.push_back(name(loop(n)) + "_tile" + (l == 0 ? "" : size));
      }
      result.emplace_back("order");
    }
    for (const int d : {p_.sum, p_.rows, p_.columns}) result.push_back(name(d));
    return result;
  }

  const CallBand& b_;
  const Product& p_;
  const Statement& s_;
  std::vector<std::string> m_;
  std::vector<std::string> prefix_;  // the times around the band, constants
  std::array<int, 3> order_;         // of the loops over tiles
  std::vector<Level> levels_;        // largest tiles first
};

}  // namespace

std::optional<Called> called(const Program& program, const LeafBand& band, const Product& product,
                             const CallTiling& tiling, const isl::union_map& order) {
  const Statement& s = program.statements[product.statement];
  const std::vector<int> members = members_of(s, band);
  const std::optional<isl::map> around = of_statement(band.prefix, s.name);
  if (members.empty() || !around || !fixed_values(*around)) return std::nullopt;
  const CallBand of{&program, &band, &product, members, &order};
  const Caller caller(of, tiling);
  if (!caller.any()) return std::nullopt;
  const isl::union_set here = band.loops.domain();
  const isl::union_map inside = order.intersect_domain(here).intersect_range(here);
  for (const Others mode : {Others::before, Others::behind, Others::apart}) {
    Called result = caller.with(mode);
    if (!result.calls.empty() && respects(padded(result.times, longest(result.times)), inside))
      return result;
    if (band.statements.size() == 1) break;
  }
  return std::nullopt;
}

}  // namespace redblue::schedule::codegen
