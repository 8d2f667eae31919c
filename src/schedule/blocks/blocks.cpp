// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/blocks/blocks.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

#include <algorithm>

#include "schedule/blocks/block_maps.hpp"
#include "schedule/blocks/copied_singles.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

namespace {

isl::union_set instances(const Program& program, const std::vector<std::size_t>& statements) {
  isl::union_set result = isl::manage(isl_union_set_empty_ctx(program::context().get()));
  for (const std::size_t s : statements)
    result = result.unite(isl::union_set(program.statements[s].domain));
  return result;
}

// The sets and times of one band.
class Blocking {
 public:
  Blocking(const Program& program, const LeafBand& band, const Contraction& c,
           const BlockSizes& sizes, const std::vector<int>& members)
      : program_(program), band_(band), c_(c), sizes_(sizes), s_(program.statements[c.statement]) {
    x_ = codegen::names("x", s_.iterators.size());
    m_ = codegen::names("m", static_cast<std::size_t>(band.members));
    at_ = members;
    const auto around = fixed_values(*of_statement(band.prefix, s_.name));
    for (const long place : *around) prefix_ += std::to_string(place) + ", ";
    find_whole_blocks();
    mixed_ = tiles_of_others();
  }

  enum class Others { before, after, apart };
  // Instances outside of whole blocks: in their block's place, or behind all blocks of the tile.
  enum class Singles { behind, in_place };

  Blocked with(Others mode, Singles singles) {
    singles_ = singles;
    whole_ = all_whole_;
    if (mode == Others::apart) whole_ = whole_.subtract(in_tiles(mixed_));
    copied_ =
        copies_ok() ? whole_.subtract(in_tiles(overwritten_tiles(copies()))) : nothing_whole();
    if (!c_.transposed.empty()) whole_ = copied_;
    whole_ = whole_.coalesce();
    copied_ = copied_.coalesce();
    ahead_ = factors_ahead();
    Blocked result{
        c_, sizes_,   nothing(), nothing(), tile_depth(), tiles(), loop_names(s_, c_, places()),
        {}, places(), whole_,    copied_,   copies(),     ahead_};
    const isl::union_map single = times_of_singles(mode).unite(times_of_others(mode));
    result.times = single.unite(times_of_steps());
    const bool from_copy = singles_ == Singles::in_place && !c_.transposed.empty();
    result.loops = (from_copy ? with_copied_singles(program_, result, steps_, single) : single)
                       .unite(times_of_blocks());
    return result;
  }

 private:
  std::string x(int iterator) const { return x_[static_cast<std::size_t>(iterator)]; }
  std::string m(int iterator) const {
    return m_[static_cast<std::size_t>(at_[static_cast<std::size_t>(iterator)])];
  }

  std::vector<std::string> all(const std::vector<int>& iterators, const std::string& prefix) const {
    std::vector<std::string> names;
    for (const int d : iterators) names.push_back(prefix + std::to_string(d));
    return names;
  }

  // others, row, column, sums.
  std::string block_coordinates(const std::string& row, const std::string& column) const {
    std::vector<std::string> parts = all(c_.others, "x");
    parts.push_back(row);
    parts.push_back(column);
    for (const std::string& k : all(c_.sums, "x")) parts.push_back(k);
    return "[" + list(parts) + "]";
  }

  // A block's step is whole where all its rows and columns are instances.
  void find_whole_blocks() {
    const isl::map to_block =
        map("{ " + s_.name + "[" + list(x_) + "] -> Step" +
            block_coordinates(tile(x(c_.rows), sizes_.rows), tile(x(c_.columns), sizes_.columns)) +
            " }");
    const std::string r = x(c_.rows), v = x(c_.columns);
    const isl::map inside =
        map("{ Step" + block_coordinates("r0", "v0") + " -> " + s_.name + "[" + list(x_) +
            "] : r0 <= " + r + " < r0 + " + std::to_string(sizes_.rows) + " and v0 <= " + v +
            " < v0 + " + std::to_string(sizes_.columns) + " }");
    steps_ = to_block;
    const isl::set touched = s_.domain.apply(to_block);
    const isl::map missing = isl::manage(
        isl_map_subtract_range(inside.intersect_domain(touched).release(), s_.domain.copy()));
    all_whole_ = touched.subtract(missing.domain()).coalesce();
  }

  // Cache tiles from the band's members: others, first sum, columns, rows.
  isl::map tile_of_members() const {
    return map("{ [" + list(m_) + "] -> [" + list(tile_coordinates(true)) + "] }");
  }

  std::vector<std::string> tile_coordinates(bool of_members) const {
    const auto name = [&](int d) { return of_members ? m(d) : x(d); };
    std::vector<std::string> parts;
    for (const int d : c_.others) parts.push_back(name(d));
    parts.push_back(tile(name(c_.sums.front()), sizes_.sum_tile));
    parts.push_back(tile(of_members ? name(c_.columns) : "v0", sizes_.column_tile));
    parts.push_back(tile(of_members ? name(c_.rows) : "r0", sizes_.row_tile));
    return parts;
  }

  isl::map tile_of_steps() const {
    return map("{ Step" + block_coordinates("r0", "v0") + " -> [" + list(tile_coordinates(false)) +
               "] }");
  }

  isl::union_set other_instances() const {
    std::vector<std::size_t> others = band_.statements;
    others.erase(std::remove(others.begin(), others.end(), c_.statement), others.end());
    return instances(program_, others);
  }

  isl::set tiles_of_others() const {
    return as_tiles(other_instances().apply(tiles_of_instances()));
  }

  isl::set as_tiles(const isl::union_set& tiles) const {
    const isl::set none =
        isl::manage(isl_set_empty(isl_set_get_space(tile_of_members().range().get())));
    return isl::manage(isl_union_set_extract_set(tiles.unite(isl::union_set(none)).get(),
                                                 isl_set_get_space(none.get())));
  }

  isl::set in_tiles(const isl::set& tiles) const {
    return tile_of_steps().intersect_range(tiles).domain();
  }

  isl::set nothing_whole() const {
    return isl::manage(isl_set_empty(isl_set_get_space(all_whole_.get())));
  }

  bool copies_ok() const { return c_.sums.size() == 1 && !copies().empty(); }

  std::vector<std::size_t> copies() const {
    std::vector<std::size_t> result;
    for (const Contraction::Operand& o : c_.operands) {
      if (o.columns != Stride::none) result.push_back(o.read);
    }
    return result;
  }

  // Whether no tile with copied blocks writes what the leading factors read.
  bool factors_ahead() const {
    if (!c_.factors || sizes_.row_tile == 0 || copied_.is_empty()) return false;
    std::vector<std::size_t> reads;
    for (const Contraction::Operand& o : c_.operands)
      if (o.columns == Stride::none) reads.push_back(o.read);
    return copied_.intersect(in_tiles(overwritten_tiles(reads))).is_empty();
  }

  // Tiles that write an element which whole blocks read there.
  isl::set overwritten_tiles(const std::vector<std::size_t>& by) const {
    const isl::union_map to_tile = tiles_of_instances();
    isl::union_map written = schedule::nothing();
    for (const std::size_t i : band_.statements) {
      written = written.unite(isl::union_map(program_.statements[i].writes.front().elements)
                                  .intersect_domain(isl::union_set(program_.statements[i].domain)));
    }
    const isl::union_map writes = to_tile.reverse().apply_range(written);
    isl::union_map reads = schedule::nothing();
    const isl::set instances = steps_.reverse().intersect_domain(whole_).range();
    for (const std::size_t r : by) {
      reads = reads.unite(to_tile.reverse().apply_range(
          isl::union_map(s_.reads[r].elements.intersect_domain(instances))));
    }
    return as_tiles(writes.intersect(reads).domain());
  }

  isl::union_map around(const isl::union_map& tile, const isl::union_map& inside) const {
    return product(product(band_.prefix, tile), inside);
  }

  isl::union_map tiles_of_instances() const {
    return band_.loops.apply_range(isl::union_map(tile_of_members()));
  }

  // Times around the band, which are constants.
  int places() const {
    const isl::map around = *of_statement(band_.prefix, s_.name);
    return static_cast<int>(isl_map_dim(around.get(), isl_dim_out));
  }

  int tile_depth() const { return places() + static_cast<int>(tile_coordinates(true).size()); }

  // Of all instances of the band.
  isl::set tiles() const {
    isl::set result;
    instances(program_, band_.statements)
        .apply(product(band_.prefix, tiles_of_instances()))
        .foreach_set([&](const isl::set& s) { result = s; });  // all in one space
    // A tile without instances does nothing, so that a superset will do: one nest of loops.
    const isl::set hull = isl::manage(isl_set_from_basic_set(isl_set_simple_hull(result.copy())));
    return isl_set_is_bounded(hull.get()) == isl_bool_true ? hull : result.coalesce();
  }

  // Before the blocks: others; early singles; rows' factors. Behind: late singles, others.
  static_assert(slot_of_blocks == 3);
  static constexpr const char *first_others = "0", *early_singles = "1", *ahead = "2",
                              *blocks = "3", *late_singles = "4", *last_others = "5";

  // [slot, column, half, row, part, sums, rows, columns]
  std::string place(const std::string& slot, const std::string& column, const std::string& half,
                    const std::string& row, const std::string& part,
                    const std::vector<std::string>& rest) const {
    std::vector<std::string> parts = {slot, column, half, row, part};
    parts.insert(parts.end(), rest.begin(), rest.end());
    while (parts.size() < 7 + c_.sums.size()) parts.emplace_back("0");
    return "[" + list(parts) + "]";
  }

  std::vector<std::string> inside() const {
    std::vector<std::string> parts = all(c_.sums, "x");
    parts.push_back(x(c_.rows));
    parts.push_back(x(c_.columns));
    return parts;
  }

  isl::map in_block(const std::string& part) const {
    return map("{ " + s_.name + "[" + list(x_) + "] -> " +
               place(blocks, tile(x(c_.columns), sizes_.columns), "1",
                     tile(x(c_.rows), sizes_.rows), part, inside()) +
               " }");
  }

  // Behind or before all blocks of the tile.
  isl::map outside_blocks(const std::string& slot) const {
    return map("{ " + s_.name + "[" + list(x_) + "] -> " +
               place(slot, "0", "0", "0", "0", inside()) + " }");
  }

  isl::set instances_of(const isl::set& steps) const {
    return steps_.intersect_range(steps).domain().intersect(s_.domain);
  }

  isl::union_map times_of_steps() const {
    return around(tiles_of_instances(),
                  isl::union_map(in_block("1").intersect_domain(instances_of(whole_))));
  }

  // Members in the order sums, rows, columns; the order of statements inside.
  isl::union_map one_by_one(const std::string& slot) const {
    std::vector<std::string> parts;
    for (const int d : c_.sums) parts.push_back(m(d));
    parts.push_back(m(c_.rows));
    parts.push_back(m(c_.columns));
    const isl::map order =
        map("{ [" + list(m_) + "] -> " + place(slot, "0", "0", "0", "0", parts) + " }");
    return product(band_.loops.apply_range(isl::union_map(order)), band_.suffix);
  }

  // Instances of the contraction outside of whole blocks: before their block's steps where those
  // sum up later, else after.
  isl::union_map times_of_singles(Others mode) const {
    isl::set single = s_.domain.subtract(instances_of(whole_));
    isl::union_map result = schedule::nothing();
    if (mode == Others::apart) {
      const isl::union_map tiles = tiles_of_instances();
      const isl::union_map mixed = tiles.intersect_range(isl::union_set(mixed_));
      const isl::union_set here = mixed.domain().intersect(isl::union_set(single));
      result = around(tiles, one_by_one(first_others).intersect_domain(here));
      single = single.subtract(isl::manage(isl_union_set_extract_set(
          here.unite(isl::union_set(isl::manage(isl_set_empty(isl_set_get_space(single.get())))))
              .get(),
          isl_set_get_space(single.get()))));
    }
    const isl::set early = single.intersect(earlier_sums());
    const isl::set late = single.subtract(early);
    const bool behind_all = singles_ == Singles::behind;
    const isl::map before = behind_all ? outside_blocks(early_singles) : in_block("0");
    const isl::map after = behind_all ? outside_blocks(late_singles) : in_block("2");
    const isl::union_map inside = isl::union_map(before.intersect_domain(early))
                                      .unite(isl::union_map(after.intersect_domain(late)));
    return result.unite(around(tiles_of_instances(), inside));
  }

  // Instances with a whole step of their block, in their tile, that sums up later.
  isl::set earlier_sums() const {
    const std::vector<std::string> k = all(c_.sums, "x");
    std::string key = list(all(c_.others, "x"));
    key += (key.empty() ? "" : ", ") + tile(x(c_.rows), sizes_.rows) + ", " +
           tile(x(c_.columns), sizes_.columns) + ", " + tile(x(c_.sums.front()), sizes_.sum_tile);
    const isl::map keyed = map("{ " + s_.name + "[" + list(x_) + "] -> [" + key + "] }");
    const isl::map sums = map("{ " + s_.name + "[" + list(x_) + "] -> [" + list(k) + "] }");
    const isl::set full = instances_of(whole_);
    const isl::map same_block = keyed.apply_range(keyed.intersect_domain(full).reverse());
    const isl::map before = isl::manage(isl_map_lex_lt_map(sums.copy(), sums.copy()));
    return same_block.intersect(before).domain();
  }

  isl::union_map times_of_others(Others mode) const {
    return around(tiles_of_instances(),
                  one_by_one(mode == Others::after ? last_others : first_others)
                      .intersect_domain(other_instances()));
  }

  // Blocks[others, sum tile, row, column] and their copies.
  isl::union_map times_of_blocks() const {
    std::vector<std::string> parts = all(c_.others, "x");
    const std::string k = tile(x(c_.sums.front()), sizes_.sum_tile);
    const std::string start = list(parts) + (parts.empty() ? "" : ", ");
    const auto block = [&](const std::string& name) {
      return map("{ Step" + block_coordinates("r0", "v0") + " -> " + name + "[" + start + k +
                 ", r0, v0] }");
    };
    const isl::map copy =
        map("{ Step" + block_coordinates("r0", "v0") + " -> " + std::string(copy_in) + "[" + start +
            k + ", " + tile("r0", sizes_.row_tile) + ", v0] }");
    const std::string named = start + "k0, r0, v0";
    const std::string tiles =
        start + "k0, " + tile("v0", sizes_.column_tile) + ", " + tile("r0", sizes_.row_tile);
    const auto timed = [&](const std::string& name, const std::string& half,
                           const std::string& row) {
      return map("{ " + name + "[" + named + "] -> [" + prefix_ + tiles + ", " +
                 place(blocks, "v0", half, row, "1", {}).substr(1) + " }");
    };
    const isl::map plain =
        timed(whole_block, "1", "r0")
            .intersect_domain(whole_.subtract(copied_).apply(block(whole_block)));
    const isl::map from_copy =
        timed(copied_block, "1", "r0").intersect_domain(copied_.apply(block(copied_block)));
    const isl::map copies = timed(copy_in, "0", "0").intersect_domain(copied_.apply(copy));
    const isl::union_map all =
        isl::union_map(plain).unite(isl::union_map(from_copy)).unite(isl::union_map(copies));
    if (!ahead_) return all;
    const isl::map rows = map("{ Step" + block_coordinates("r0", "v0") + " -> " + row_factors +
                              "[" + start + k + ", " + tile("v0", sizes_.column_tile) + ", r0] }");
    const isl::map timed_rows =
        map("{ " + std::string(row_factors) + "[" + start + "k0, v0, r0] -> [" + prefix_ + start +
            "k0, v0, " + tile("r0", sizes_.row_tile) + ", " +
            place(ahead, "0", "0", "r0", "0", {}).substr(1) + " }");
    return all.unite(isl::union_map(timed_rows.intersect_domain(copied_.apply(rows))));
  }

  const Program& program_;
  const LeafBand& band_;
  const Contraction& c_;
  BlockSizes sizes_;
  const Statement& s_;
  std::vector<std::string> x_, m_;
  std::vector<int> at_;  // member of each iterator
  std::string prefix_;   // the times around the band: "0, 2, "
  isl::map steps_;       // instance -> step of its block
  isl::set all_whole_, whole_, copied_, mixed_;
  Singles singles_ = Singles::behind;
  bool ahead_ = false;
};

}  // namespace

std::optional<Blocked> blocked(const Program& program, const LeafBand& band, const Contraction& c,
                               const BlockSizes& sizes, const isl::union_map& order) {
  const std::vector<int> members = members_of(program.statements[c.statement], band);
  if (members.empty()) return std::nullopt;
  const std::optional<isl::map> around =
      of_statement(band.prefix, program.statements[c.statement].name);
  if (!around || !fixed_values(*around)) return std::nullopt;
  Blocking blocking(program, band, c, sizes, members);
  const bool alone = band.statements.size() == 1;
  const isl::union_set here = instances(program, band.statements);
  const isl::union_map inside = order.intersect_domain(here).intersect_range(here);
  using Others = Blocking::Others;
  using Singles = Blocking::Singles;
  // Where copies transpose, single instances read them, too, which are there in the block's place.
  const auto ways = c.transposed.empty() ? std::vector{Singles::behind, Singles::in_place}
                                         : std::vector{Singles::in_place, Singles::behind};
  for (const Others mode : {Others::before, Others::after, Others::apart}) {
    for (const Singles singles : ways) {
      Blocked result = blocking.with(mode, singles);
      if (respects(padded(result.times, longest(result.times)), inside)) return result;
    }
    if (alone) break;
  }
  return std::nullopt;
}

}  // namespace redblue::schedule::codegen
