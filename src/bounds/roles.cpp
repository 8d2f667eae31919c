// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/roles.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <set>

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
  explicit Collector(Roles& roles)
      : roles_(roles), program_(*roles.program), statement_(*roles.statement) {}

  void add_read(const Access& read) {
    const std::vector<program::Source> all = sources(program_, statement_, read);
    for (const program::Source& source : all) {
      if (!covers_almost_all(source.values.domain())) continue;
      if (source.statement == statement_.name) {
        if (add_own_chain(source.values, own_inputs(all))) continue;
      }
      if (source.statement.empty() || roles_.is_few(source.values.range())) {
        add_value(read, source);
      } else if (source.statement != statement_.name) {
        add_steps_through(source);
      }
    }
  }

 private:
  bool covers_almost_all(const isl::set& part) const {
    return roles_.is_few(statement_.domain.subtract(part));
  }

  // One step, or several that leave some loops as they are: a reduction over the others.
  bool add_own_chain(const isl::map& values, const std::vector<isl::map>& starts) {
    std::vector<int> kept;
    for (int d = 0; d < roles_.loops(); ++d) {
      const isl::map same =
          isl::manage(isl_map_equate(values.copy(), isl_dim_in, d, isl_dim_out, d));
      if (values.is_subset(same)) kept.push_back(d);
    }
    const auto step = translation(values);
    if (!step && (kept.empty() || !values.is_injective())) return false;
    add_chain({step.value_or(Vector()), kept, {values}, values.domain(), starts});
    return true;
  }

  static std::vector<isl::map> own_inputs(const std::vector<program::Source>& all) {
    std::vector<isl::map> result;
    for (const program::Source& source : all) {
      if (source.statement.empty() && source.values.is_injective()) result.push_back(source.values);
    }
    return result.size() == 1 ? result : std::vector<isl::map>();
  }

  static std::vector<int> kept_by(const Vector& step) {
    std::vector<int> kept;
    for (std::size_t d = 0; d < step.size(); ++d) {
      if (step[d] == 0) kept.push_back(static_cast<int>(d));
    }
    return kept;
  }

  void add_value(const Access& read, const program::Source& source) {
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
};

}  // namespace

bool is_few(const isl::set& set, const program::Count& among) {
  constexpr double few = 0.125;
  return set.is_empty() || program::count(set).far_out() <= few * among.far_out();
}

Roles roles_of(const Program& program, const Statement& statement) {
  Roles roles{&program, &statement, program::count(statement.domain), {}, {}};
  Collector collector(roles);
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

bool same_space(const isl::set& a, const isl::set& b) {
  return std::string(isl_set_get_tuple_name(a.get())) == isl_set_get_tuple_name(b.get());
}

isl::set meeting(const ValueRole& role, const isl::set& values) {
  const isl::set readers = role.values.domain();
  return same_space(role.range, values) ? role.values.intersect_range(values).domain()
                                        : readers.subtract(readers);
}

}  // namespace redblue::bounds
