// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/codegen/late_tiles_text.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>

#include "schedule/c_text.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule::codegen {

namespace {

// The dimensions of times in front of which remarks have a place: (stage, block, level).
constexpr int before_remarks = 3;

std::string element_of(const LateTiles& tiles) {
  std::string text = tiles.copied.array;
  for (int d = 0; d < tiles.dimensions; ++d) text += "[0]";
  return text;
}

void declare(const LateTiles& tiles, const StepCopy& copy, std::vector<std::string>& lines) {
  const program::Statement& made = tiles.copied.program.statements[copy.statement];
  const std::string type = "__typeof__(" + element_of(tiles) + ")";
  std::string rows, first;
  for (int d = 0; d < static_cast<int>(made.iterators.size()); ++d) {
    const isl::pw_aff last = isl::manage(isl_set_dim_max(made.domain.copy(), d));
    const std::string extent =
        "[redblue_max(1, " + renamed(in_parameters(last, made.domain.params())) + " + 1)]";
    (d == 0 ? first : rows) += extent;
  }
  lines.push_back("/* " + copy.element + " as step " + tiles.copied.step +
                  (copy.before ? " finds it. */" : " leaves it. */"));
  lines.push_back(type + " (*" + copy.name + ")" + rows + " = malloc(sizeof(" + type + first +
                  rows + "));");
  lines.push_back("if (" + copy.name + " == 0) abort();");
}

void explain(const LateTiles& tiles, std::vector<std::string>& lines) {
  const std::string side = std::to_string(tiles.side), step = tiles.copied.step;
  std::string tile = side;
  for (int d = 1; d < tiles.dimensions; ++d) tile += " x " + side;
  const std::string& array = tiles.copied.array;
  lines.push_back("/* The steps " + step + " come in blocks of " + side + ", the elements of " +
                  array + " in tiles of " + tile + ".");
  lines.push_back(" * What steps read of " + array +
                  " is copied as they find or leave it. A tile that makes copies in");
  lines.push_back(
      " * a block must have run all steps before; until then it waits, and runs them at");
  lines.push_back(
      " * once, with the copies of other tiles. Every element runs its steps in order. */");
}

// Times with a place for remarks in front of tiles.
isl::union_map with_places(const isl::union_map& times) {
  isl::union_map result = nothing();
  times.foreach_map([&](const isl::map& m) {
    isl_map* longer = isl_map_insert_dims(m.copy(), isl_dim_out, before_remarks, 1);
    result = result.unite(
        isl::union_map(isl::manage(isl_map_fix_si(longer, isl_dim_out, before_remarks, 1))));
  });
  return result;
}

// At the begin of a level in every block that has it, or (-1) of the last steps.
Remark remark(const isl::union_map& times, int level, const std::string& text) {
  const std::string name = "Remark" + std::to_string(level + 1);
  const std::string when = level < 0 ? "[1, b, 0]" : "[0, b, " + std::to_string(level) + "]";
  const isl::union_set here(program::context(), "{ " + when + " }");
  const isl::union_set all = leading(times, before_remarks).range().intersect(here).coalesce();
  const isl::union_map named(program::context(), "{ " + when + " -> " + name + "[b] }");
  const isl::union_map time(program::context(),
                            "{ " + name + "[b] -> " + when.substr(0, when.size() - 1) + ", 0] }");
  return {name, text, time.intersect_domain(all.apply(named))};
}

}  // namespace

Schedule schedule_of(const LateTiles& tiles) {
  Schedule result;
  const program::Program& program = tiles.copied.program;
  explain(tiles, result.opening);
  for (const StepCopy& copy : tiles.copied.copies) {
    declare(tiles, copy, result.opening);
    result.closing.push_back("free(" + copy.name + ");");
  }
  for (int level = 0; level < tiles.levels; ++level) {
    const std::string text = level == 0
                                 ? "Tiles that need no copies of this block but their own."
                                 : "Tiles that need copies which those above made, and make some.";
    result.remarks.push_back(remark(tiles.times, level, text));
  }
  result.remarks.push_back(remark(tiles.times, -1, "All tiles: the steps that are left."));
  result.names = {"stage", tiles.copied.step + "_tile", "level", "remark"};
  const auto innermost = std::max_element(
      program.statements.begin(), program.statements.end(),
      [](const auto& a, const auto& b) { return a.iterators.size() < b.iterators.size(); });
  const std::vector<program::Subscript> subscripts =
      program::subscripts(innermost->writes.front().elements);
  for (const program::Subscript& s : subscripts) {
    const bool known = s.kind == program::Subscript::Kind::coordinate;
    result.names.push_back(
        (known ? innermost->iterators[static_cast<std::size_t>(s.iterator)] : "t") + "_tile");
  }
  result.names.emplace_back("in_block");
  result.tiles_counted.emplace();
  for (int d = 0; d < tiles.dimensions; ++d)
    result.tiles_counted->push_back(before_remarks + 1 + d);
  result.unrolled = {0, before_remarks - 1, before_remarks, before_remarks + 1 + tiles.dimensions};
  result.rest = with_places(tiles.times);
  return result;
}

std::string emitted(const LateTiles& tiles) {
  const program::Program& program = tiles.copied.program;
  return emitted(program, schedule_of(tiles), one_at_a_time(program));
}

}  // namespace redblue::schedule::codegen
