// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/interval_table.hpp"

#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <cmath>

#include "bounds/facts.hpp"
#include "bounds/gave_up.hpp"
#include "bounds/roles.hpp"
#include "dataflow/data_flow.hpp"
#include "program/count.hpp"
#include "redblue/error.hpp"

namespace redblue::bounds {

using dataflow::axis_of;
using dataflow::DataFlow;
using dataflow::Flow;
using dataflow::Relation;
using dataflow::unite;

using program::Statement;
using symbolic::Expr;
using symbolic::Rational;

namespace {

// The loops of T[w, y] over x.
struct Loops {
  int w, y, x;
};

int coefficient(const isl::aff& f, int loop) {
  const isl::val c = isl::manage(isl_aff_get_coefficient_val(f.get(), isl_dim_in, loop));
  return c.is_one() ? 1 : c.is_negone() ? -1 : 0;
}

// The loop as a function of the instances f is one of.
isl::aff variable(const isl::aff& f, int loop) {
  return isl::manage(isl_aff_var_on_domain(isl_aff_get_domain_local_space(f.get()), isl_dim_set,
                                           static_cast<unsigned>(loop)));
}

// Coordinate d of the values where it is the loop, or minus the loop, and constants.
std::optional<isl::aff> following(const isl::map& values, int d, int loop) {
  const auto at = static_cast<std::size_t>(d);
  if (program::subscripts(values)[at].iterator != loop) return std::nullopt;
  const std::vector<isl::aff> formulas = program::single_formulas(values);
  if (formulas.empty() || coefficient(formulas[at], loop) == 0) return std::nullopt;
  return formulas[at];
}

// The x at which f, which follows it, is the value of `loop`.
isl::aff solved_for(const isl::aff& f, int x, int loop) {
  const int sign = coefficient(f, x);
  isl_aff* rest = isl_aff_set_coefficient_si(f.copy(), isl_dim_in, x, 0);
  isl_aff* at = isl_aff_sub(variable(f, loop).release(), rest);
  return isl::manage(sign < 0 ? isl_aff_neg(at) : at);
}

// A table: the interval of each instance and the instances that end a chain.
struct Table {
  isl::map interval;
  isl::set last;  // instances that finish a chain
};

// instance -> [u, v], or [-u, -v] unless `up`, so that u < v in tables filled downwards, too.
isl::map intervals(const isl::aff& u, const isl::aff& v, const isl::set& domain, bool up) {
  isl_map* one = isl_map_from_aff(up ? u.copy() : isl_aff_neg(u.copy()));
  isl_map* other = isl_map_from_aff(up ? v.copy() : isl_aff_neg(v.copy()));
  return isl::manage(
      isl_map_intersect_domain(isl_map_flat_range_product(one, other), domain.copy()));
}

// Which loops are w, y and x, judged by the loops the left and the right operand vary over. Nothing
// unless the statement has three loops and one chain, with a known step and one previous value.
std::optional<Loops> loops_of(const Roles& roles, const ValueRole& left, const ValueRole& right) {
  if (roles.loops() != 3 || roles.chains.size() != 1 || roles.chains.front().step.empty() ||
      roles.chains.front().values.size() != 1)
    return std::nullopt;
  const int x = axis_of(roles.chains.front().step);
  if (x < 0) return std::nullopt;
  const int first = x == 0 ? 1 : 0;
  const int second = 3 - x - first;
  for (const auto& [w, y] : {std::pair(first, second), std::pair(second, first)}) {
    if (left.loops == std::vector<int>{std::min(w, x), std::max(w, x)} &&
        right.loops == std::vector<int>{std::min(y, x), std::max(y, x)})
      return Loops{w, y, x};
  }
  return std::nullopt;
}

// Nothing where the statement does not combine two values of the table it fills.
std::optional<Table> table_of(const Roles& roles, const ValueRole& left, const ValueRole& right,
                              bool up) {
  const Statement& s = *roles.statement;
  const auto loops = loops_of(roles, left, right);
  if (!loops || !same_space(left.range, s.domain) || !same_space(right.range, s.domain))
    return std::nullopt;
  const isl::set last = s.domain.subtract(roles.chains.front().values.front().range());
  const auto same_w = following(left.values, loops->w, loops->w);
  const auto to_x = following(left.values, loops->y, loops->x);
  const auto from_x = following(right.values, loops->w, loops->x);
  const auto same_y = following(right.values, loops->y, loops->y);
  if (!same_w || !to_x || !from_x || !same_y || !left.range.is_subset(last) ||
      !right.range.is_subset(last))
    return std::nullopt;
  const auto is_loop = [](const isl::aff& f, int loop) {
    return isl_aff_plain_is_equal(f.get(), variable(f, loop).get()) == isl_bool_true;
  };
  if (!is_loop(*same_w, loops->w) || !is_loop(*same_y, loops->y)) return std::nullopt;
  return Table{intervals(solved_for(*from_x, loops->x, loops->w),
                         solved_for(*to_x, loops->x, loops->y), s.domain, up),
               last};
}

isl::map on_intervals(const std::string& condition) {
  return isl::map(program::context(), "{ [u, v] -> [w, y] : " + condition + " }");
}

// Which finished intervals each needs, directly or through other statements' values.
isl::map needed(const DataFlow& flow, const Statement& s, const Table& table) {
  const isl::map finished = table.interval.intersect_domain(table.last);
  isl::map result = on_intervals("false");
  Relation front = {{s.name, table.interval.reverse()}};
  for (std::size_t depth = 0; depth <= flow.flows.size() && !front.empty(); ++depth) {
    Relation next;
    for (const Flow& f : flow.flows) {
      const auto known = front.find(f.reader->name);
      if (known == front.end()) continue;
      const isl::map read = known->second.apply_range(f.values);
      if (f.writer == s.name) {
        result = result.unite(read.apply_range(finished));
      } else {
        unite(next, f.writer, read);
      }
    }
    front = std::move(next);
  }
  return result.coalesce();
}

// Whether a finished interval has finished all intervals within it: one of those next to it towards
// each, at least, is needed by it.
bool closed_within(const isl::map& needed, const isl::set& all) {
  const auto has = [&](const std::string& step) {
    return needed.intersect(on_intervals(step)).domain();
  };
  const isl::map within = on_intervals("u <= w and y <= v and (u < w or y < v)")
                              .intersect_domain(all)
                              .intersect_range(all);
  const isl::map shorter_left =
      within.intersect(on_intervals("u < w")).intersect_domain(has("w = u + 1 and y = v"));
  const isl::map shorter_right =
      within.intersect(on_intervals("y < v")).intersect_domain(has("w = u and y = v - 1"));
  return within.is_subset(shorter_left.unite(shorter_right));
}

bool is_triangular(const Table& table, const ValueRole& left, const ValueRole& right) {
  const isl::set operands = left.range.unite(right.range).apply(table.interval);
  const isl::set other(program::context(), "{ [u, v] : u >= v }");
  return operands.is_disjoint(other);
}

std::optional<Table> closed_table(const DataFlow& flow, const Roles& roles) {
  std::vector<ValueRole> operands;
  std::copy_if(roles.values.begin(), roles.values.end(), std::back_inserter(operands),
               [](const ValueRole& role) { return !role.input; });
  if (operands.size() != 2) return std::nullopt;
  for (const auto& [l, r] : {std::pair<std::size_t, std::size_t>(0, 1), {1, 0}}) {
    for (const bool up : {true, false}) {
      const ValueRole& left = operands[l];
      const ValueRole& right = operands[r];
      const auto table = table_of(roles, left, right, up);
      if (table && is_triangular(*table, left, right) &&
          closed_within(needed(flow, *roles.statement, *table), table->interval.range()))
        return table;
    }
  }
  return std::nullopt;
}

bool is_monomial(const Expr& e) {
  return !GiNaC::is_a<GiNaC::add>(e.expand());
}

Expr root_of_monomial(const Expr& e) {
  if (GiNaC::is_a<GiNaC::power>(e)) return GiNaC::pow(e.op(0), e.op(1) / 2);
  if (!GiNaC::is_a<GiNaC::mul>(e)) return GiNaC::sqrt(e);
  Expr result = 1;
  for (std::size_t i = 0; i < e.nops(); ++i) result *= root_of_monomial(e.op(i));
  return result;
}

class Derivation {
 public:
  Derivation(const Bound& projection, const program::Count& chains, const Sizes& sizes)
      : projection_(projection), hbl_(*projection.hbl), chains_(chains), sizes_(sizes) {}

  Bound derive() const {
    Bound bound = projection_;
    bound.method = "table";
    bound.projections.clear();
    bound.largest.reset();
    bound.tiles.clear();
    bound.factor = 1;
    const Expr s = symbolic::fast_memory();
    bound.segment = 3 * s;
    bound.intensity = GiNaC::sqrt(s) / 2;
    const Expr segments = (hbl_.not_tagged.formula / bound.intensity).expand();
    // Of every memory: one may finish a chain that another has touched.
    const Expr chains = sizes_.amount(chains_).formula * sizes_.memories();
    const Expr most = sizes_.leading(segments), least = sizes_.leading(chains);
    const Expr e = best_excess(most, least);
    bound.expression =
        (segments * (1 - e / 2) - hbl_.tagged.formula - (2 / e - 1) * chains).expand();
    bound.leading = sizes_.leading(bound.expression);
    if (!GiNaC::is_a<Rational>(e)) bound.conditions.push_back({most, least});
    if (sizes_.complete) bound.value = value();
    bound.ledger.push_back(
        {"a value of the table is finished after all within it: left and right operands in common "
         "need as much as different ones, but for chains that a segment finishes",
         proved});
    return bound;
  }

 private:
  // Where e/2 of the segments' words and 2/e words for each chain are fewest together; every e > 0
  // gives a bound.
  static Expr best_excess(const Expr& segments, const Expr& chains) {
    const bool known =
        is_monomial(segments) && is_monomial(chains) && !segments.is_zero() && !chains.is_zero();
    if (!known) return Rational(1) / 16;
    return 2 * root_of_monomial(chains / segments);
  }

  double value() const {
    const double chains = chains_.number(sizes_.values) * sizes_.units;
    // Segments are cut between words: below X = 12 two instances may stand across a cut.
    const double vertices = hbl_.not_tagged.value - (sizes_.memory() < 12 ? 2 : 0);
    double best = 0;
    for (double e = 2; e > 0.02 && vertices > 0; e /= 1.25) {
      const auto chi = [e](double x) { return interval_table_chi(x, e) * (1 + 1e-9); };
      // Less one: costs are no whole numbers.
      const double words = segments_bound(chi, vertices, sizes_.memory(), sizes_.units) - 1;
      best = std::max(best, words - hbl_.tagged.value - (2 / e - 1) * chains);
    }
    return best;
  }

  const Bound& projection_;
  const HblProblem& hbl_;
  const program::Count& chains_;
  const Sizes& sizes_;
};

}  // namespace

double interval_table_chi(double x, double e) {
  return std::sqrt(1 + e) * std::pow(x / 3, 1.5);
}

std::vector<Bound> interval_tables(const Facts& facts, const Sizes& sizes) {
  constexpr unsigned long most_operations = 300'000;  // to find a statement's table
  std::vector<Bound> result;
  for (const Statement& s : facts.program().statements) {
    const Roles& roles = facts.roles(s);
    if (roles.cut_short) note_limit(sizes, "table", s.name);
    std::optional<Table> table;
    std::optional<program::Count> chains;
    try {
      table = facts.once(
          s.name + ": table", [&] { return closed_table(facts.flow(), roles); }, most_operations);
      if (table) chains = program::count(table->interval.range());
    } catch (const isl::exception&) {
      note_limit(sizes, "table", s.name);
      continue;  // not known to be closed
    } catch (const Error&) {
      note_uncountable(sizes, "table", s.name);
      continue;
    }
    if (!table) continue;
    const auto projection = value_projection(roles, sizes, {});
    if (projection && projection->hbl)
      result.push_back(Derivation(*projection, *chains, sizes).derive());
  }
  return result;
}

}  // namespace redblue::bounds
