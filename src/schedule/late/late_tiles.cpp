// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/late/late_tiles.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include "dataflow/dependences.hpp"
#include "schedule/c_text.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

constexpr int most_levels = 4;

std::string floor_of(const std::string& value, std::int64_t side) {
  return "floor((" + value + ")/" + std::to_string(side) + ")";
}

class Tiler {
 public:
  Tiler(const WithCopies& copied, std::int64_t side)
      : copied_(copied),
        side_(side),
        dimensions_(copied.program.arrays.at(copied.array).dimensions),
        tile_(numbered("t", static_cast<std::size_t>(dimensions_))) {}

  std::optional<isl::union_map> late() {
    const isl::union_map tasks = tasks_of_all();
    if (!find_levels(tasks)) return std::nullopt;
    return product(tasks.apply_range(runs()), times(copied_.program));
  }

  std::optional<LateTiles> tiled() {
    const std::optional<isl::union_map> found = late();
    if (!found) return std::nullopt;
    LateTiles result{copied_, side_, dimensions_, static_cast<int>(levels_.size()), *found};
    if (!result.times.domain().is_equal(instances(copied_.program)) ||
        !respects(result.times, conflicts(copied_.program)))
      return std::nullopt;
    return result;
  }

 private:
  // Instance -> (block of steps, tile of the element it changes, or copies).
  isl::union_map tasks_of_all() const {
    std::string tiles;
    for (int d = 0; d < dimensions_; ++d)
      tiles += (d == 0 ? "" : ", ") + floor_of("t" + std::to_string(d), side_);
    const isl::union_map tile(isl::map(
        program::context(), "{ " + copied_.array + "[" + tile_ + "] -> [" + tiles + "] }"));
    isl::union_map result = nothing();
    for (std::size_t s = 0; s < copied_.program.statements.size(); ++s) {
      const Statement& statement = copied_.program.statements[s];
      const bool copies = copied_.part_of[s].empty();
      const program::Access& changed = copies ? statement.reads.front() : statement.writes.front();
      const isl::map block(program::context(), "{ " + statement.name + "[" +
                                                   numbered("x", statement.iterators.size()) +
                                                   "] -> [" + floor_of("x0", side_) + "] }");
      result = result.unite(product(isl::union_map(block.intersect_domain(statement.domain)),
                                    isl::union_map(changed.elements).apply_range(tile)));
    }
    return result;
  }

  // The panels of every level.
  bool find_levels(const isl::union_map& tasks) {
    isl::union_map flow = nothing(), all = nothing();
    for (std::size_t s = 0; s < copied_.program.statements.size(); ++s) {
      const Statement& reader = copied_.program.statements[s];
      if (copied_.part_of[s].empty()) continue;
      for (const program::Access& read : reader.reads) {
        for (const StepCopy& copy : copied_.copies) {
          if (copy.name != read.array) continue;
          for (const auto& source : dataflow::sources(copied_.program, reader, read))
            flow = flow.unite(isl::union_map(source.values.reverse()));
        }
      }
    }
    const isl::union_map between = tasks.reverse().apply_range(flow).apply_range(tasks);
    const isl::union_map same_block(
        program::context(), "{ [k, " + tile_ + "] -> [k, " + numbered("u", tile_count()) + "] }");
    const isl::union_map in_block =
        between.intersect(same_block)
            .subtract(
                isl::union_map(program::context(), "{ [k, " + tile_ + "] -> [k, " + tile_ + "] }"));
    isl::union_set left = isl::union_set(panels(tasks));
    for (int found = 0; !left.is_empty(); ++found) {
      const isl::union_set waiting =
          in_block.intersect_domain(left).intersect_range(left).range().coalesce();
      const isl::union_set first = left.subtract(waiting).coalesce();
      if (first.is_empty() || found == most_levels) return false;
      for (const isl::union_set& line : in_lines(first)) levels_.push_back(line);
      left = left.intersect(waiting).coalesce();
    }
    return !levels_.empty();
  }

  // Tiles of a level need nothing of each other. Those that lie in the block but for one dimension,
  // a row or a column of tiles, come one after the other: loops over either are loops of equal
  // steps, which threads can share.
  std::vector<isl::union_set> in_lines(const isl::union_set& level) const {
    std::vector<isl::union_set> result;
    isl::union_set left = level;
    for (int along = 0; along < dimensions_ && !left.is_empty(); ++along) {
      std::string tile;
      for (int d = 0; d < dimensions_; ++d)
        tile += d == along ? ", t" + std::to_string(d) : std::string(", k");
      const isl::union_set line =
          left.intersect(isl::union_set(program::context(), "{ [k" + tile + "] }")).coalesce();
      if (line.is_empty()) continue;
      result.push_back(line);
      left = left.subtract(line).coalesce();
    }
    if (!left.is_empty()) result.push_back(left);
    return result;
  }

  isl::union_set panels(const isl::union_map& tasks) const {
    isl::union_set result = tasks.range().subtract(tasks.range());
    for (const StepCopy& copy : copied_.copies) {
      const isl::union_set made(copied_.program.statements[copy.statement].domain);
      result = result.unite(made.apply(tasks));
    }
    return result.coalesce();
  }

  // Task -> when it runs.
  isl::union_map runs() const {
    isl::union_set panels = levels_.front();
    for (const isl::union_set& level : levels_) panels = panels.unite(level);
    const isl::union_map later(program::context(),
                               "{ [k, " + tile_ + "] -> [m, " + tile_ + "] : k <= m }");
    const isl::union_map next = later.intersect_range(panels.coalesce()).lexmin();
    isl::union_map result = nothing();
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      const std::string when = "[0, m, " + std::to_string(level) + ", " + tile_;
      const isl::union_map here = next.intersect_range(levels_[level]);
      const auto run = [&](const std::string& which, int in_block) {
        const isl::union_map part(program::context(),
                                  "{ [k, " + tile_ + "] -> [m, " + tile_ + "] : " + which + " }");
        const isl::union_map timed(program::context(), "{ [m, " + tile_ + "] -> " + when + ", " +
                                                           std::to_string(in_block) + "] }");
        result = result.unite(here.intersect(part).apply_range(timed));
      };
      run("k < m", 0);
      run("k = m", 1);
    }
    const isl::union_map at_end(program::context(),
                                "{ [k, " + tile_ + "] -> [1, 0, 0, " + tile_ + ", 0] }");
    return result.unite(at_end.subtract_domain(next.domain()));
  }

  std::size_t tile_count() const { return static_cast<std::size_t>(dimensions_); }

  const WithCopies& copied_;
  std::int64_t side_;
  int dimensions_;
  std::string tile_;  // "t0, t1"
  std::vector<isl::union_set> levels_;
};

}  // namespace

std::optional<LateTiles> late_tiles(const WithCopies& copied, std::int64_t side) {
  return Tiler(copied, side).tiled();
}

std::optional<isl::union_map> late_times(const WithCopies& copied, std::int64_t side) {
  return Tiler(copied, side).late();
}

isl::union_map without_copies(const WithCopies& copied, const isl::union_map& times) {
  isl::union_map result = nothing();
  for (std::size_t s = 0; s < copied.part_of.size(); ++s) {
    if (copied.part_of[s].empty()) continue;
    const isl::map part = *of_statement(times, copied.program.statements[s].name);
    result = result.unite(isl::union_map(
        isl::manage(isl_map_set_tuple_name(part.copy(), isl_dim_in, copied.part_of[s].c_str()))));
  }
  return result;
}

}  // namespace redblue::schedule
