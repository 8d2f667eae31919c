// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/emit.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <map>
#include <set>

#include "schedule/bands/parallel.hpp"
#include "schedule/bands/private_arrays.hpp"
#include "schedule/blocks/copied_singles.hpp"
#include "schedule/codegen/call_text.hpp"
#include "schedule/codegen/extremes.hpp"
#include "schedule/codegen/loop_marks.hpp"
#include "schedule/codegen/loop_names.hpp"
#include "schedule/codegen/microkernel.hpp"
#include "schedule/codegen/storage.hpp"
#include "schedule/order.hpp"
#include "schedule/region_text.hpp"
#include "schedule/time_maps.hpp"
#include "schedule/updates.hpp"

namespace redblue::schedule::codegen {

using program::Program;
using program::Statement;

namespace {

// The instances that access the array.
isl::union_set users(const Program& program, const std::string& array) {
  isl::union_set result = nothing().domain();
  for (const Statement& s : program.statements) {
    const auto here = [&array](const program::Access& a) { return a.array == array; };
    if (std::any_of(s.reads.begin(), s.reads.end(), here) ||
        std::any_of(s.writes.begin(), s.writes.end(), here))
      result = result.unite(isl::union_set(s.domain));
  }
  return result;
}

// What runs together: one place of the outermost sequence.
struct Piece {
  isl::union_map loops = nothing();  // outside of register blocks' bands
  std::vector<const ScheduledBand*> bands;
};

class ProgramWriter {
 public:
  ProgramWriter(const Program& program, const Schedule& schedule, const isl::union_map& order)
      : program_(program),
        schedule_(schedule),
        order_(order),
        text_(program, schedule.families),
        storage_(program, schedule.families),
        type_(storage_.counter_type()) {}

  std::string region() {
    Lines lines(1), used(1), loops(1);
    for (const auto& [place, piece] : pieces()) write(piece, loops);
    storage_.declare(always_private(), lines);
    for (const std::string& line : schedule_.opening) lines.add(line);
    lines.append(loops);
    for (const std::string& line : schedule_.closing) lines.add(line);
    storage_.copy_out(lines);
    // Only statements that never run named these.
    const program::Span& where = program_.region.where;
    const std::string source = program_.region.text.substr(where.begin, where.end - where.begin);
    for (const program::Variable& v : program_.region.variables) {
      if (!v.inside && has_word(source, v.name) && !has_word(lines.text(), v.name))
        used.add("(void)" + v.name + ";");
    }
    used.append(lines);
    return used.text();
  }

  std::set<std::string> vector_types() const {
    std::set<std::string> types;
    for (const ScheduledBand& b : schedule_.bands)
      if (b.block) types.insert(b.block->contraction.element);
    return types;
  }

 private:
  std::map<long, Piece> pieces() const {
    std::map<long, Piece> result;
    bool split = true;
    const auto places = [&](const isl::union_map& times, const auto& visit) {
      times.foreach_map([&](const isl::map& m) {
        // A loop, not a place in the outermost sequence, where it varies.
        const std::optional<long> place = fixed_value(m, 0);
        split = split && place;
        visit(place.value_or(0), m);
      });
    };
    const auto none = [](long, const isl::map&) {};
    for (const ScheduledBand& b : schedule_.bands) places(b.times, none);
    places(schedule_.rest, none);
    const bool separate = split;
    const auto into = [&](const isl::union_map& loops, const ScheduledBand* band) {
      places(loops, [&](long place, const isl::map& m) {
        Piece& piece = result[separate ? place : 0];
        if (band == nullptr || !band->block) piece.loops = piece.loops.unite(isl::union_map(m));
        if (band != nullptr && std::count(piece.bands.begin(), piece.bands.end(), band) == 0)
          piece.bands.push_back(band);
      });
    };
    for (const ScheduledBand& b : schedule_.bands)
      into(b.block ? b.block->loops : b.calls ? b.calls->loops : b.times, &b);
    into(schedule_.rest, nullptr);
    for (const Remark& remark : schedule_.remarks) into(remark.times, nullptr);
    return result;
  }

  // Loops over the tiles of blocks, and over everything else; what a tile holds is written where
  // they reach it.
  void write(const Piece& piece, Lines& lines) {
    std::vector<BlockedTiles> tiles;
    isl::union_map outer = piece.loops;
    for (const ScheduledBand* b : piece.bands) {
      if (!b->block) continue;
      const std::string number = std::to_string(kernel_++);
      tiles.push_back({"Tile" + number,
                       &*b->block,
                       {&program_, &text_, &*b->block, number, type_, schedule_.vector_bytes}});
      outer = outer.unite(isl::union_map(tiles.back().times()));
    }
    const int length = longest(outer);
    LoopText loops;
    loops.times = padded(outer, length);
    loops.names = names_of(piece, length);
    loops.type = type_;
    loops.unrolled = schedule_.unrolled;
    for (const BlockedTiles& t : tiles)
      loops.unrolled.insert(loops.unrolled.end(), t.block->phases.begin(), t.block->phases.end());
    if (piece.bands.size() == 1)
      loops.unrolled.insert(loops.unrolled.end(), piece.bands.front()->pieces.begin(),
                            piece.bands.front()->pieces.end());
    loops.write = [&](const Reached& reached, Lines& inner) {
      for (const BlockedTiles& t : tiles)
        if (t.name == reached.name) return write(t, reached, inner);
      for (const ScheduledBand* b : piece.bands)
        if (b->calls) write_calls(*b->calls, reached, inner);
      for (const Remark& remark : schedule_.remarks)
        if (remark.name == reached.name) inner.add("/* " + remark.text + " */");
      text_.write(reached, inner);
    };
    loops.parallel = [&](const isl::union_map& upto) { return independent(upto); };
    if (schedule_.threads > 1) {
      loops.shared = [&](const isl::union_map& upto,
                         const std::string& name) -> std::optional<std::vector<std::string>> {
        if (const Shared* known = alone(piece)) {
          if (name != loops.names[static_cast<std::size_t>(known->depth)]) return std::nullopt;
          return std::vector<std::string>();
        }
        const auto of_this_name = [&](int d) {
          return name == loops.names[static_cast<std::size_t>(d)];
        };
        const std::optional<std::vector<int>>& counted = schedule_.tiles_counted;
        if (counted && std::none_of(counted->begin(), counted->end(), of_this_name))
          return std::nullopt;
        return shared(of_instances(upto, tiles));
      };
      if (schedule_.tiles_counted)
        loops.equal_steps = [&](const isl::union_map& upto) {
          return equal_steps(of_instances(upto, tiles), schedule_.sizes);
        };
    }
    write_loops(loops, lines);
  }

  // The lines that the body of a loop that threads share begins with; nothing where they do not.
  std::optional<std::vector<std::string>> shared(const isl::union_map& upto) {
    if (!enough_to_do(program_, upto, schedule_.sizes)) return std::nullopt;
    const auto own = private_arrays(program_, order_, upto, schedule_.sizes);
    if (!own) return std::nullopt;
    std::vector<std::string> lines;
    for (const std::string& array : *own) {
      lines.push_back(program_.arrays.at(array).declaration + ";");
      isl::union_set& inside = private_in_.try_emplace(array, nothing().domain()).first->second;
      inside = inside.unite(upto.domain());
    }
    return lines;
  }

  // Arrays that no instance uses outside of loops whose steps have them for themselves.
  std::set<std::string> always_private() const {
    std::set<std::string> result;
    for (const auto& [array, inside] : private_in_)
      if (users(program_, array).is_subset(inside)) result.insert(array);
    return result;
  }

  void write_calls(const Called& called, const Reached& reached, Lines& lines) const {
    for (const Call& call : called.calls)
      if (call.name == reached.name) write_call(program_, text_, called, call, reached, lines);
  }

  // What threads share in a piece that is one band.
  static const Shared* alone(const Piece& piece) {
    if (piece.bands.size() != 1 || !piece.bands.front()->shared) return nullptr;
    const isl::union_set own = piece.bands.front()->band.loops.domain();
    const bool all = piece.loops.domain().is_subset(own);
    return all ? &*piece.bands.front()->shared : nullptr;
  }

  struct BlockedTiles {
    std::string name;
    const Blocked* block = nullptr;
    Microkernel kernel;

    // Tile[times] -> [times]
    isl::map times() const {
      isl_set* named = isl_set_set_tuple_name(block->tiles.copy(), name.c_str());
      return isl::manage(isl_map_reset_tuple_id(isl_set_identity(named), isl_dim_out));
    }
  };

  // The loops inside a tile, over what has its times.
  void write(const BlockedTiles& tile, const Reached& reached, Lines& lines) const {
    const Blocked& block = *tile.block;
    std::vector<std::string> names(block.names.begin(), block.names.begin() + block.tile_depth);
    std::string parameters, coordinates, where;
    for (int d = 0; d < block.tile_depth; ++d) {
      const auto at = static_cast<std::size_t>(d);
      const std::string c = "c" + std::to_string(d);
      coordinates += (d == 0 ? "" : ", ") + c;
      if (d < block.places) continue;
      const bool steps = block.steps(d);
      if (steps) parameters += (parameters.empty() ? "" : ", ") + names[at];
      where += (where.empty() ? "" : " and ") + c + " = " +
               (steps ? names[at] : reached.coordinates[at]);
    }
    const int length = longest(block.loops);
    for (int d = block.tile_depth; d < length; ++d) coordinates += ", c" + std::to_string(d);
    std::string rest;
    for (int d = block.tile_depth; d < length; ++d)
      rest += (rest.empty() ? "" : ", ") + ("c" + std::to_string(d));
    const isl::map inside(program::context(), "[" + parameters + "] -> { [" + coordinates +
                                                  "] -> [" + rest + "] : " + where + " }");
    LoopText loops;
    loops.times = padded(block.loops, length).apply_range(isl::union_map(inside));
    loops.known = known_tile(tile, inside);
    loops.names.assign(block.names.begin() + block.tile_depth, block.names.end());
    for (int d = static_cast<int>(loops.names.size()); d < length - block.tile_depth; ++d)
      loops.names.push_back("order" + std::to_string(d));
    loops.type = type_;
    loops.write = [&](const Reached& inner, Lines& text) {
      if (inner.name == copy_in) return write_copy(tile.kernel, inner, text);
      if (inner.name == row_factors) return write_row_factors(tile.kernel, inner, text);
      if (inner.name == copied_single) return write_single(tile.kernel, inner, text);
      if (inner.name == whole_block || inner.name == copied_block)
        return write_block(tile.kernel, inner, text);
      text_.write(inner, text);
    };
    loops.parallel = [&](const isl::union_map& upto) {
      return independent(
          of_statement_again(upto, program_.statements[block.contraction.statement]));
    };
    Lines body(lines.indent());
    write_loops(loops, body);
    std::string constants;
    for (int d = 0; d < block.tile_depth; ++d) {
      const auto at = static_cast<std::size_t>(d);
      if (!block.steps(d) || !has_word(body.text(), names[at]) ||
          names[at] == reached.coordinates[at])
        continue;
      constants += (constants.empty() ? "const " + type_ + " " : ", ") + names[at] + " = " +
                   reached.coordinates[at];
    }
    if (!constants.empty()) lines.add(constants + ";");
    for (const auto& [name, declaration] : declarations(tile.kernel))
      if (has_word(body.text(), name)) lines.add(declaration);
    lines.append(body);
  }

  // What the loops around say of a tile's coordinates.
  static isl::set known_tile(const BlockedTiles& tile, const isl::map& inside) {
    const isl::set tiles = isl::manage(isl_set_reset_tuple_id(tile.times().domain().release()));
    const auto length = static_cast<unsigned>(isl_map_dim(inside.get(), isl_dim_in));
    isl_set* padded = isl_set_add_dims(tiles.copy(), isl_dim_set,
                                       length - static_cast<unsigned>(tile.block->tile_depth));
    return inside.intersect_domain(isl::manage(padded)).domain().params();
  }

  // Tiles by the instances they hold, without remarks. (isl leaves out of `upto` what is the same
  // in all of a loop, as phases are.)
  isl::union_map of_instances(const isl::union_map& upto,
                              const std::vector<BlockedTiles>& tiles) const {
    isl::union_map result = nothing(), all = upto;
    for (const Remark& remark : schedule_.remarks) all = all.subtract_domain(remark.times.domain());
    all.foreach_map([&](const isl::map& m) {
      const std::string name = isl_map_get_tuple_name(m.get(), isl_dim_in);
      const auto tile = std::find_if(tiles.begin(), tiles.end(),
                                     [&](const BlockedTiles& t) { return t.name == name; });
      if (tile == tiles.end()) {
        result = result.unite(isl::union_map(m));
        return;
      }
      const Blocked& block = *tile->block;
      isl_map* unphased = isl_map_reset_tuple_id(m.copy(), isl_dim_in);
      for (auto d = block.phases.rbegin(); d != block.phases.rend(); ++d)
        unphased = isl_map_project_out(unphased, isl_dim_in, static_cast<unsigned>(*d), 1);
      const int depth = block.tile_depth - static_cast<int>(block.phases.size());
      result = result.unite(
          leading(block.times, depth).apply_range(isl::union_map(isl::manage(unphased))));
    });
    return result;
  }

  // Whether the steps of the loop that `upto` ends with may run in any order.
  bool independent(const isl::union_map& upto) const {
    bool known = true;
    upto.foreach_map([&](const isl::map& m) {
      const std::string name = isl_map_get_tuple_name(m.get(), isl_dim_in);
      known = known && std::any_of(program_.statements.begin(), program_.statements.end(),
                                   [&](const Statement& s) { return s.name == name; });
    });
    return known && any_order(order_, upto);
  }

  std::vector<std::string> names_of(const Piece& piece, int length) const {
    std::vector<std::string> names = schedule_.names;
    if (piece.bands.size() == 1) {
      const ScheduledBand& band = *piece.bands.front();
      if (band.block || band.calls) names = band.block ? band.block->names : band.calls->names;
    }
    names.resize(std::min(names.size(), static_cast<std::size_t>(std::max(length, 1))));
    std::set<std::string> used = storage_.names();
    for (int d = 0; d < std::max(length, 1); ++d) {
      if (static_cast<int>(names.size()) <= d) names.push_back(loop_name(program_, piece.loops, d));
      std::string& name = names[static_cast<std::size_t>(d)];
      name = free_name(name, used);
      used.insert(name);
    }
    return names;
  }

  const Program& program_;
  const Schedule& schedule_;
  const isl::union_map& order_;
  StatementText text_;
  Storage storage_;
  std::string type_;
  std::map<std::string, isl::union_set> private_in_;  // array -> instances whose loops declare it
  int kernel_ = 0;
};

}  // namespace

isl::union_map all_times(const Schedule& schedule) {
  int length = longest(schedule.rest);
  for (const ScheduledBand& b : schedule.bands) length = std::max(length, longest(b.times));
  isl::union_map all = padded(schedule.rest, length);
  for (const ScheduledBand& b : schedule.bands) all = all.unite(padded(b.times, length));
  return all;
}

std::string emitted(const Program& program, const Schedule& schedule, const isl::union_map& order) {
  require_one_region(program);
  ProgramWriter writer(program, schedule, order);
  std::string types;
  for (const std::string& t : writer.vector_types()) {
    types += "typedef " + t + " redblue_" + t + " __attribute__((vector_size(" +
             std::to_string(schedule.vector_bytes) + "), aligned(sizeof(" + t +
             ")), may_alias));\n";
  }
  const std::string region = writer.region();
  const bool calls = std::any_of(schedule.bands.begin(), schedule.bands.end(),
                                 [](const ScheduledBand& b) { return b.calls.has_value(); });
  return with_region(program,
                     std::string(calls ? "#include <cblas.h>\n" : "") +
                         (reassociates(program) ? any_order_of_sums : "") + marks_defined(region) +
                         types + extremes_defined(region),
                     region);
}

}  // namespace redblue::schedule::codegen
