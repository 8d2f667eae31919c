// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/stencil/cone_tiles.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/schedule_node.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>

#include <algorithm>
#include <cstdlib>

#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

// Instance -> (t, x): the step of the outermost loop, the element that is written.
std::optional<std::vector<isl::map>> places(const Program& program) {
  constexpr int counter = 1;
  std::vector<isl::map> result;
  int dimensions = 0;
  std::optional<long> loop;
  for (const Statement& s : program.statements) {
    if (s.writes.size() != 1 || isl_map_dim(s.schedule.get(), isl_dim_out) <= counter)
      return std::nullopt;
    const std::optional<long> here = fixed_value(s.schedule, 0);
    if (!here || (loop && *loop != *here)) return std::nullopt;
    loop = here;
    const auto all = static_cast<unsigned>(isl_map_dim(s.schedule.get(), isl_dim_out));
    isl_map* time = isl_map_project_out(s.schedule.copy(), isl_dim_out, counter + 1, all - 2);
    time = isl_map_project_out(time, isl_dim_out, 0, 1);
    isl_map* element = isl_map_reset_tuple_id(s.writes.front().elements.copy(), isl_dim_out);
    const int own = isl_map_dim(element, isl_dim_out);
    result.push_back(isl::manage(isl_map_flat_range_product(time, element)));
    if (own < 1 || own > 3 || (dimensions != 0 && own != dimensions)) return std::nullopt;
    dimensions = own;
  }
  return result;
}

// What instances of `from` that `to` depends on are away from it in time and space.
struct Distance {
  std::size_t from, to;
  isl::set vectors;  // (dt, dx)
};

std::vector<Distance> distances(const Program& program, const std::vector<isl::map>& places) {
  std::vector<Distance> result;
  const auto number = [&](const char* name) {
    const auto at = std::find_if(program.statements.begin(), program.statements.end(),
                                 [name](const Statement& s) { return s.name == name; });
    return static_cast<std::size_t>(at - program.statements.begin());
  };
  conflicts(program).foreach_map([&](const isl::map& m) {
    const std::size_t from = number(isl_map_get_tuple_name(m.get(), isl_dim_in));
    const std::size_t to = number(isl_map_get_tuple_name(m.get(), isl_dim_out));
    isl_map* between = isl_map_apply_domain(m.copy(), places[from].copy());
    between = isl_map_apply_range(between, places[to].copy());
    result.push_back({from, to, isl::manage(isl_map_deltas(between))});
  });
  return result;
}

// slope * t + normal * x, on a space of (t, x).
isl_aff* rise_on(isl_space* space, std::int64_t slope, const std::vector<int>& normal) {
  isl_aff* rise = isl_aff_zero_on_domain(isl_local_space_from_space(space));
  rise = isl_aff_set_coefficient_si(rise, isl_dim_in, 0, static_cast<int>(slope));
  for (std::size_t d = 0; d < normal.size(); ++d)
    rise = isl_aff_set_coefficient_si(rise, isl_dim_in, static_cast<int>(d) + 1, normal[d]);
  return rise;
}

// The least of slope * dt + normal * dx; nothing where there is none.
std::optional<std::int64_t> least_rise(const isl::set& vectors, std::int64_t slope,
                                       const std::vector<int>& normal) {
  isl_aff* rise = rise_on(isl_set_get_space(vectors.get()), slope, normal);
  isl_val* least = isl_set_min_val(vectors.get(), rise);
  isl_aff_free(rise);
  const bool whole = isl_val_is_int(least) == isl_bool_true;
  const std::int64_t value = whole ? isl_val_get_num_si(least) : 0;
  isl_val_free(least);
  if (!whole) return std::nullopt;
  return value;
}

// The least shifts >= 0 with shifts[to] - shifts[from] + rise >= 0 for all dependences (Bellman and
// Ford); nothing where a cycle of them descends.
std::optional<std::vector<std::int64_t>> shifts(std::size_t statements,
                                                const std::vector<Distance>& distances,
                                                std::int64_t slope,
                                                const std::vector<int>& normal) {
  std::vector<std::optional<std::int64_t>> rises;
  for (const Distance& d : distances) {
    rises.push_back(least_rise(d.vectors, slope, normal));
    if (!rises.back()) return std::nullopt;
  }
  std::vector<std::int64_t> result(statements);
  for (std::size_t round = 0; round <= statements; ++round) {
    bool changed = false;
    for (std::size_t n = 0; n < distances.size(); ++n) {
      const std::int64_t least = result[distances[n].from] - *rises[n];
      if (result[distances[n].to] >= least) continue;
      result[distances[n].to] = least;
      changed = true;
    }
    if (!changed) return result;
  }
  return std::nullopt;
}

// For arrays of so many dimensions the sets of normals to try. Those of the first set have the
// largest determinant that entries of -1, 0 and 1 give (Hadamard): 1, 2, 4.
std::vector<std::vector<std::vector<int>>> normal_sets(std::size_t dimensions) {
  switch (dimensions) {
    case 1:
      return {{{1}}};
    case 2:
      return {{{1, 1}, {1, -1}}, {{1, 0}, {0, 1}}};
    default:
      return {{{1, 1, 1}, {1, -1, 1}, {1, 1, -1}},
              {{1, 1, 0}, {1, -1, 0}, {0, 0, 1}},
              {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  }
}

constexpr std::int64_t most_slope = 16;

// |det| of one to three normals.
std::int64_t volume(const std::vector<std::vector<int>>& n) {
  if (n.size() == 1) return std::abs(n[0][0]);
  const auto minor = [&](std::size_t r, std::size_t a, std::size_t b) {
    return n[r][a] * n[r + 1][b] - n[r][b] * n[r + 1][a];
  };
  if (n.size() == 2) return std::abs(minor(0, 0, 1));
  return std::abs(n[0][0] * minor(1, 1, 2) - n[0][1] * minor(1, 0, 2) + n[0][2] * minor(1, 0, 1));
}

std::optional<Hyperplane> hyperplane(std::size_t statements, const std::vector<Distance>& distances,
                                     const std::vector<int>& normal, std::int64_t steepest) {
  for (std::int64_t slope = 0; slope <= steepest; ++slope) {
    if (auto found = shifts(statements, distances, slope, normal))
      return Hyperplane{normal, slope, std::move(*found)};
  }
  return std::nullopt;
}

// (t, x) -> slope * t + normal * x + shift
isl::map value_of(const Hyperplane& plane, std::size_t statement) {
  isl_space* space = isl_space_set_alloc(program::context().get(), 0,
                                         static_cast<unsigned>(plane.normal.size()) + 1);
  isl_aff* value = rise_on(space, plane.slope, plane.normal);
  value = isl_aff_set_constant_si(value, static_cast<int>(plane.shifts[statement]));
  return isl::manage(isl_map_from_aff(value));
}

// Loops of one band: t and the hyperplanes.
Nest nest_of(const Program& program, const std::vector<isl::map>& places,
             const std::vector<Hyperplane>& planes) {
  isl::union_map band = nothing();
  for (std::size_t s = 0; s < program.statements.size(); ++s) {
    isl_map* loops =
        isl_map_project_out(places[s].copy(), isl_dim_out, 1, static_cast<unsigned>(planes.size()));
    for (const Hyperplane& plane : planes) {
      isl_map* next = isl_map_apply_range(places[s].copy(), value_of(plane, s).release());
      loops = isl_map_flat_range_product(loops, next);
    }
    band = band.unite(isl::union_map(isl::manage(loops)));
  }
  isl_schedule* all = isl_schedule_from_domain(instances(program).release());
  isl_schedule_node* node = isl_schedule_get_root(all);
  isl_schedule_free(all);
  node = isl_schedule_node_child(node, 0);
  node = isl_schedule_node_insert_partial_schedule(
      node, isl_multi_union_pw_aff_from_union_map(band.release()));
  node = isl_schedule_node_band_set_permutable(node, 1);
  const isl::schedule tree = isl::manage(isl_schedule_node_get_schedule(node));
  isl_schedule_node_free(node);
  Nest nest{leading(times(program), 0), tree, bands(tree), {}};
  nest.points = times(program);
  return nest;
}

}  // namespace

std::optional<Hyperplane> hyperplane(const Program& program, const std::vector<int>& normal,
                                     std::int64_t steepest) {
  const auto where = places(program);
  if (!where) return std::nullopt;
  return hyperplane(program.statements.size(), distances(program, *where), normal, steepest);
}

std::vector<Nest> cone_nests(const Program& program) {
  const auto where = places(program);
  if (!where || where->empty()) return {};
  const auto dimensions =
      static_cast<std::size_t>(isl_map_dim(where->front().get(), isl_dim_out)) - 1;
  const std::vector<Distance> between = distances(program, *where);
  std::vector<Nest> result;
  for (const auto& normals : normal_sets(dimensions)) {
    std::vector<Hyperplane> planes;
    for (const std::vector<int>& normal : normals) {
      if (auto plane = hyperplane(program.statements.size(), between, normal, most_slope))
        planes.push_back(std::move(*plane));
    }
    const bool all = planes.size() == normals.size();
    const auto flat = [](const Hyperplane& plane) { return plane.slope == 0; };
    if (!all || std::any_of(planes.begin(), planes.end(), flat)) continue;
    result.push_back(nest_of(program, *where, planes));
    result.back().volume_per_instance = volume(normals);
  }
  return result;
}

}  // namespace redblue::schedule
