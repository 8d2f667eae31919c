// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/roles.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "bounds/far_sizes.hpp"
#include "dataflow/dependences.hpp"
#include "program/operation_limit.hpp"

namespace redblue::bounds {

using dataflow::sources;
using dataflow::translation;
using dataflow::Vector;

using program::Access;
using program::Program;
using program::Statement;

namespace {

class Collector {
 public:
  Collector(Roles& roles, bool all_sources)
      : roles_(roles),
        program_(*roles.program),
        statement_(*roles.statement),
        all_sources_(all_sources) {}

  void add_read(const Access& read) {
    const std::vector<program::Source> all = sources(program_, statement_, read);
    for (const program::Source& source : all) {
      if (!covers_almost_all(source.values.domain())) continue;
      if (source.statement == statement_.name) {
        if (add_own_chain(source.values, all)) continue;
      }
      if (source.statement.empty() || roles_.is_few(source.values.range())) {
        add_value(read, source, all);
      } else if (source.statement != statement_.name) {
        add_steps_through(source);
      }
    }
  }

  // Chains through several other statements' values.
  void add_longer_chains() {
    for (const Access& read : statement_.reads) {
      if (read.conditional) continue;
      for (const program::Source& source : sources(program_, statement_, read)) {
        if (source.statement.empty() || source.statement == statement_.name ||
            !covers_almost_all(source.values.domain()) || !source.values.is_injective())
          continue;
        std::vector<isl::map> values = {source.values};
        std::vector<std::string> passed;
        follow(source.statement, values, passed);
      }
    }
  }

 private:
  bool covers_almost_all(const isl::set& part) const {
    return roles_.is_few(statement_.domain.subtract(part));
  }

  // One step, or several that leave some loops as they are: a reduction over the others.
  bool add_own_chain(const isl::map& values, const std::vector<program::Source>& all) {
    std::vector<int> kept;
    for (int d = 0; d < roles_.loops(); ++d) {
      const isl::map same =
          isl::manage(isl_map_equate(values.copy(), isl_dim_in, d, isl_dim_out, d));
      if (values.is_subset(same)) kept.push_back(d);
    }
    const auto step = translation(values);
    if (!step && (kept.empty() || !values.is_injective())) return false;
    add_chain({step.value_or(Vector()),
               kept,
               {values},
               values.domain(),
               own_inputs(all),
               ways_to_inputs(all)});
    return true;
  }

  static std::vector<isl::map> own_inputs(const std::vector<program::Source>& all) {
    std::vector<isl::map> result;
    for (const program::Source& source : all) {
      if (source.statement.empty() && source.values.is_injective()) result.push_back(source.values);
    }
    return result.size() == 1 ? result : std::vector<isl::map>();
  }

  // Of instances that read another statement's value: ways from value to value that end at inputs,
  // each instance's its own; nothing where two may meet.
  std::vector<isl::map> ways_to_inputs(const std::vector<program::Source>& all) const {
    std::vector<isl::map> ways;
    for (const program::Source& source : all) {
      if (source.statement.empty() || source.statement == statement_.name) continue;
      const std::vector<isl::map> way = way_to_input(source.statement, source.values, 0);
      ways.insert(ways.end(), way.begin(), way.end());
    }
    std::map<std::string, isl::map> joint;
    std::vector<isl::map> ends = own_inputs(all);
    ends.insert(ends.end(), ways.begin(), ways.end());
    for (const isl::map& map : ends) {
      const std::string name = isl_map_get_tuple_name(map.get(), isl_dim_out);
      const auto [known, added] = joint.emplace(name, map);
      if (!added) known->second = known->second.unite(map);
      if (!known->second.is_injective()) return {};
    }
    return ways;
  }

  // `values`: instance -> value of `of`; and on from there, to an input.
  std::vector<isl::map> way_to_input(const std::string& of, const isl::map& values,
                                     int passed) const {
    constexpr int most_passed = 4;
    const Statement* other = dataflow::statement_named(program_, of);
    if (other == nullptr || passed == most_passed || of == statement_.name) return {};
    for (const Access& read : other->reads) {
      if (read.conditional) continue;
      for (const program::Source& source : sources(program_, *other, read)) {
        const isl::map on = values.apply_range(source.values);
        if (!values.domain().is_subset(on.domain()) || !on.is_injective()) continue;
        if (source.statement.empty()) return {values, on};
        std::vector<isl::map> rest = way_to_input(source.statement, on, passed + 1);
        if (rest.empty()) continue;
        rest.push_back(values);
        return rest;
      }
    }
    return {};
  }

  static std::vector<int> kept_by(const Vector& step) {
    std::vector<int> kept;
    for (std::size_t d = 0; d < step.size(); ++d) {
      if (step[d] == 0) kept.push_back(static_cast<int>(d));
    }
    return kept;
  }

  void add_value(const Access& read, const program::Source& source,
                 const std::vector<program::Source>& all) {
    std::set<int> loops;
    for (const program::Subscript& s : program::subscripts(source.values)) {
      if (s.kind == program::Subscript::Kind::coordinate) loops.insert(s.iterator);
    }
    if (loops.empty()) return;
    roles_.values.push_back({read.text,
                             source.values,
                             source.values.range(),
                             {loops.begin(), loops.end()},
                             source.statement.empty()});
    if (all_sources_) add_further_sources(all);
  }

  // Inputs, each read at one place of the role's loops only.
  void add_further_sources(const std::vector<program::Source>& all) {
    ValueRole& role = roles_.values.back();
    for (const program::Source& other : all) {
      if (!other.statement.empty() || same_space(other.values.range(), role.range)) continue;
      if (other.values.reverse().apply_range(only(role.loops)).is_single_valued())
        role.more.push_back(other.values);
    }
  }

  // Instance -> its counters of these loops.
  isl::map only(const std::vector<int>& loops) const {
    isl_map* result = isl_set_identity(statement_.domain.copy());
    result = isl_map_reset_tuple_id(result, isl_dim_out);
    for (int d = roles_.loops() - 1; d >= 0; --d) {
      if (std::count(loops.begin(), loops.end(), d) == 0)
        result = isl_map_project_out(result, isl_dim_out, static_cast<unsigned>(d), 1);
    }
    return isl::manage(result);
  }

  // Statement -> other statement -> statement, where that is a step.
  void add_steps_through(const program::Source& source) {
    const Statement* other = dataflow::statement_named(program_, source.statement);
    for (const Access& read : other->reads) {
      if (read.conditional) continue;
      for (const program::Source& further : sources(program_, *other, read)) {
        if (further.statement != statement_.name) continue;
        const isl::map way = source.values.apply_range(further.values);
        if (way.is_empty() || !covers_almost_all(way.domain())) continue;
        if (const auto step = translation(way))
          add_chain({*step, kept_by(*step), {source.values, way}, way.domain()});
      }
    }
  }

  // Ways on from values of `of`, which the instances read by way of `values`.
  void follow(const std::string& of, std::vector<isl::map>& values,
              std::vector<std::string>& passed) {
    constexpr std::size_t most_passed = 4;
    const Statement* other = dataflow::statement_named(program_, of);
    if (other == nullptr || passed.size() == most_passed ||
        std::find(passed.begin(), passed.end(), of) != passed.end())
      return;
    passed.push_back(of);
    for (const Access& read : other->reads) {
      if (read.conditional) continue;
      for (const program::Source& source : sources(program_, *other, read)) {
        if (source.statement.empty()) continue;
        const isl::map way = values.back().apply_range(source.values);
        if (way.is_empty() || !covers_almost_all(way.domain()) || !way.is_injective()) continue;
        values.push_back(way);
        if (source.statement != statement_.name) {
          follow(source.statement, values, passed);
        } else if (const auto step = translation(way); step && dataflow::axis_of(*step) >= 0) {
          add_chain({*step, kept_by(*step), values, way.domain()});
        }
        values.pop_back();
      }
    }
    passed.pop_back();
  }

  void add_chain(const ChainRole& chain) {
    const auto same = [&chain](const ChainRole& known) {
      return known.step == chain.step && known.kept == chain.kept;
    };
    if (std::none_of(roles_.chains.begin(), roles_.chains.end(), same))
      roles_.chains.push_back(chain);
  }

  Roles& roles_;
  const Program& program_;
  const Statement& statement_;
  const bool all_sources_;
};

std::set<std::string> parameters_of(const isl::set& set) {
  std::set<std::string> result;
  for (unsigned p = 0; p < static_cast<unsigned>(isl_set_dim(set.get(), isl_dim_param)); ++p)
    result.insert(isl_set_get_dim_name(set.get(), isl_dim_param, p));
  return result;
}

// The points in boxes around the set's parts, all parameters at 2^20; infinite where a part is
// empty there. To count them exactly takes a hundred times as long.
double in_boxes_far_out(const isl::set& set) {
  symbolic::Valuation far;
  for (const std::string& p : parameters_of(set)) far[p] = symbolic::Rational(1L << 20);
  double points = 0;
  set.foreach_basic_set([&](const isl::basic_set& part) {
    double box = 1;
    for (const double extent : program::extents(isl::set(part), far))
      box *= extent > 0 ? extent : HUGE_VAL;
    points += box;
  });
  return points;
}

}  // namespace

bool is_few(const isl::set& set, const program::Count& among) {
  if (set.is_empty()) return true;
  constexpr double share = 0.125;
  const double most = share * among.far_out();
  if (most > 0) return in_boxes_far_out(set) <= most || program::count(set).far_out() <= most;
  const program::Count few = program::count(set);
  std::set<std::string> parameters = parameters_of(set);
  for (const program::CountPiece& piece : among.pieces)
    parameters.merge(parameters_of(piece.where));
  // Nothing is left at equal sizes (i from n to m).
  for (const symbolic::Valuation& sizes : sizes_far_apart({parameters.begin(), parameters.end()})) {
    const double all = among.number(sizes);
    if (all > 0) return few.number(sizes) <= share * all;
  }
  return few.far_out() <= 0;
}

Roles roles_of(const Program& program, const Statement& statement, bool all_sources) {
  Roles roles{&program, &statement, program::count(statement.domain), {}, {}};
  Collector collector(roles, all_sources);
  for (const Access& read : statement.reads) {
    if (read.conditional) continue;
    try {
      const program::OperationLimit limit;
      collector.add_read(read);
    } catch (const isl::exception&) {
      roles.cut_short = true;  // bounds that do not count this read are weaker, and hold
    }
  }
  return roles;
}

bool add_longer_chains(Roles& roles) {
  const std::size_t before = roles.chains.size();
  try {
    const program::OperationLimit limit;
    Collector(roles, false).add_longer_chains();
  } catch (const isl::exception&) {
    roles.cut_short = true;
  }
  return roles.chains.size() > before;
}

bool same_space(const isl::set& a, const isl::set& b) {
  return std::string(isl_set_get_tuple_name(a.get())) == isl_set_get_tuple_name(b.get());
}

isl::set meeting(const ValueRole& role, const isl::set& values) {
  const isl::set readers = role.values.domain();
  isl::set result = readers.subtract(readers);
  if (same_space(role.range, values)) result = role.values.intersect_range(values).domain();
  for (const isl::map& further : role.more) {
    if (same_space(further.range(), values))
      result = result.unite(further.intersect_range(values).domain());
  }
  return result;
}

isl::set ChainRole::begun() const {
  isl::set result = domain.subtract(domain);
  for (const isl::map& value : from_outside()) result = result.unite(value.domain());
  return result.subtract(domain);
}

std::vector<isl::map> ChainRole::from_outside() const {
  std::vector<isl::map> result = starts;
  result.insert(result.end(), ways_to_starts.begin(), ways_to_starts.end());
  return result;
}

void unite(std::vector<isl::set>& all, const isl::set& set) {
  for (isl::set& known : all) {
    if (!same_space(known, set)) continue;
    known = known.unite(set).coalesce();
    return;
  }
  all.push_back(set);
}

isl::set ValueRole::readers() const {
  isl::set result = values.domain();
  for (const isl::map& further : more) result = result.unite(further.domain());
  return result;
}

std::vector<isl::set> ValueRole::ranges() const {
  std::vector<isl::set> result = {range};
  for (const isl::map& further : more) result.push_back(further.range());
  return result;
}

}  // namespace redblue::bounds
