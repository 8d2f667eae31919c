// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/inside/shifted.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "schedule/inside/index_sets.hpp"
#include "schedule/order.hpp"
#include "schedule/time_maps.hpp"

namespace redblue::schedule {

using program::Program;
using program::Statement;

namespace {

using Names = std::set<std::string>;

// Pairs of which the later one is so many steps behind.
isl::union_map apart_by(const isl::union_map& pairs, const isl::union_map& steps, int distance) {
  const isl::union_map next(program::context(),
                            "{ [p, k] -> [p, k + " + std::to_string(distance) + "] }");
  return pairs.intersect(steps.apply_range(next).apply_range(steps.reverse()));
}

// Who waits, within a step, for whom.
std::map<std::string, Names> waits(const isl::union_map& pairs) {
  std::map<std::string, Names> result;
  pairs.foreach_map([&](const isl::map& m) {
    result[isl_map_get_tuple_name(m.get(), isl_dim_out)].insert(
        isl_map_get_tuple_name(m.get(), isl_dim_in));
  });
  return result;
}

// The statement and all that it waits for.
Names with_those_before(const std::string& statement, const std::map<std::string, Names>& waits) {
  Names result;
  std::vector<std::string> open = {statement};
  while (!open.empty()) {
    const std::string next = open.back();
    open.pop_back();
    if (!result.insert(next).second) continue;
    const auto before = waits.find(next);
    if (before != waits.end())
      open.insert(open.end(), before->second.begin(), before->second.end());
  }
  return result;
}

// Those statements a step ahead.
isl::union_map ahead(const isl::union_map& steps, const Names& statements) {
  isl::union_map result = nothing();
  const isl::map before(program::context(), "{ [p, k] -> [p, k - 1] }");
  steps.foreach_map([&](const isl::map& m) {
    const bool shifted = statements.contains(isl_map_get_tuple_name(m.get(), isl_dim_in));
    result = result.unite(isl::union_map(shifted ? m.apply_range(before) : m));
  });
  return result;
}

std::size_t most_iterators(const Program& program) {
  std::size_t result = 0;
  for (const Statement& s : program.statements) result = std::max(result, s.iterators.size());
  return result;
}

// Which statements may run a step ahead: those up to one in the innermost loops that reads, in the
// next step, what others in these loops compute.
std::set<Names> shifts(const Program& program, const isl::union_map& order,
                       const isl::union_map& flow, const isl::union_map& steps) {
  Names innermost;
  for (const Statement& s : program.statements) {
    if (s.iterators.size() == most_iterators(program)) innermost.insert(s.name);
  }
  const auto within = waits(apart_by(order, steps, 0));
  std::set<Names> result;
  apart_by(flow, steps, 1).foreach_map([&](const isl::map& m) {
    const std::string from = isl_map_get_tuple_name(m.get(), isl_dim_in);
    const std::string to = isl_map_get_tuple_name(m.get(), isl_dim_out);
    if (!innermost.contains(from) || !innermost.contains(to)) return;
    Names statements = with_those_before(to, within);
    if (!statements.contains(from)) result.insert(std::move(statements));
  });
  return result;
}

// Whether a nest has all loops of the innermost statements, the outermost one too, in one band.
bool tiles_all(const Nest& nest, std::size_t loops) {
  const auto all = [loops](const Band& band) {
    return longest(*band.around) == 0 && band.loops.size() >= loops;
  };
  return longest(nest.outer) == 0 && std::ranges::any_of(nest.bands, all);
}

}  // namespace

std::vector<Nest> nests_shifted(const Program& program, const std::vector<Nest>& nests) {
  const std::size_t loops = most_iterators(program);
  if (std::ranges::any_of(nests, [loops](const Nest& n) { return tiles_all(n, loops); })) return {};
  const isl::union_map steps = leading(times(program), place_and_counter);
  const isl::union_map order = conflicts(program), flow = schedule::flow(program);
  std::vector<Nest> result;
  const auto add = [&](const isl::union_map& outer, const Cuts& cuts) {
    auto nest =
        nest_inside(outer, inner_parts(program, outer, cuts), order, flow, Fusion::most, {});
    if (nest) result.push_back(std::move(*nest));
  };
  const auto add_cut = [&](const isl::union_map& outer) {
    const Cuts found = cuts(program, outer, apart_by(order, outer, 0));
    if (!found.empty()) add(outer, found);
  };
  add_cut(steps);
  for (const Names& statements : shifts(program, order, flow, steps)) {
    const isl::union_map outer = ahead(steps, statements);
    add(outer, {});
    add_cut(outer);
  }
  return result;
}

}  // namespace redblue::schedule
