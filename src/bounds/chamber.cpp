// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/chamber.hpp"
#include "symbolic/formula.hpp"

#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/set.h>

#include <algorithm>
#include <map>
#include <utility>

namespace redblue::bounds {

using program::Count;
using program::CountPiece;
using symbolic::Expr;
using symbolic::Valuation;

namespace {

std::vector<isl::basic_set> convex_parts(const isl::set& set) {
  std::vector<isl::basic_set> result;
  isl_basic_set_list* list = isl_set_get_basic_set_list(
      isl::manage(isl_set_coalesce(isl_set_compute_divs(set.copy()))).get());
  for (int b = 0; b < static_cast<int>(isl_basic_set_list_n_basic_set(list)); ++b)
    result.push_back(isl::manage(isl_basic_set_list_get_basic_set(list, b)));
  isl_basic_set_list_free(list);
  return result;
}

// The convex part of `set` that holds these sizes, which `set` does.
isl::set part_at(const isl::set& set, const Valuation& sizes) {
  for (const isl::basic_set& part : convex_parts(set)) {
    const isl::set whole = part;
    if (program::contains(whole, sizes)) return whole;
  }
  return set;
}

// f >= 0 or f = 0, with the parameters (and floors of them) in f.
struct Side {
  isl::aff f;
  bool equality;
};

std::vector<Side> sides_of(const isl::basic_set& set) {
  std::vector<Side> result;
  isl_basic_set_foreach_constraint(
      set.get(),
      [](isl_constraint* c, void* user) {
        static_cast<std::vector<Side>*>(user)->push_back(
            {isl::manage(isl_constraint_get_aff(c)),
             isl_constraint_is_equality(c) == isl_bool_true});
        isl_constraint_free(c);
        return isl_stat_ok;
      },
      &result);
  return result;
}

isl::set of_parameters(isl_set* all) {
  return isl::manage(isl_set_is_params(all) == isl_bool_true ? all : isl_set_params(all));
}

isl::set at_least_zero(const isl::aff& f) {
  return of_parameters(isl_pw_aff_nonneg_set(isl_pw_aff_from_aff(f.copy())));
}

isl::set zero(const isl::aff& f) {
  return of_parameters(isl_pw_aff_zero_set(isl_pw_aff_from_aff(f.copy())));
}

isl::aff plus(const isl::aff& f, int constant) {
  return isl::manage(isl_aff_add_constant_si(f.copy(), constant));
}

isl::set all_at_least_zero(const isl::set& like) {
  isl_set* result = isl_set_universe(isl_set_get_space(like.get()));
  for (unsigned p = 0; p < static_cast<unsigned>(isl_set_dim(like.get(), isl_dim_param)); ++p)
    result = isl_set_lower_bound_si(result, isl_dim_param, p, 0);
  // The least distances: for S = 1; for S = 3, as pairs have a row, a place and a chain.
  for (const auto& [name, least] :
       {std::pair(distance_parameter, 4), {pair_distance_parameter, 3}}) {
    const int distance = isl_set_find_dim_by_name(result, isl_dim_param, name);
    if (distance >= 0)
      result =
          isl_set_lower_bound_si(result, isl_dim_param, static_cast<unsigned>(distance), least);
  }
  return isl::manage(result);
}

// Whether the polynomial is 0 wherever f = 0.
bool vanishes(const Expr& polynomial, const isl::aff& f) {
  const Expr expanded = polynomial.expand();
  if (expanded.is_zero()) return true;
  const Expr side = program::formula_of(f);
  for (int p = 0; p < static_cast<int>(isl_aff_dim(f.get(), isl_dim_param)); ++p) {
    const Expr name =
        symbolic::symbol(isl_aff_get_dim_name(f.get(), isl_dim_param, static_cast<unsigned>(p)));
    const Expr by = side.coeff(name, 1);
    if (by.is_zero()) continue;
    return expanded.subs(name == name - side / by).expand().is_zero();
  }
  return false;
}

// Widens the chamber of a count's piece step by step over each of its sides, as long as the
// polynomial is the count there, too: N (N - 1) / 2, counted where N >= 2, holds where N >= 0.
class Widening {
 public:
  Widening(const Count& count, const Expr& polynomial) : count_(count), polynomial_(polynomial) {}

  isl::set widened(const isl::set& chamber) const {
    const std::vector<isl::basic_set> parts = convex_parts(chamber);
    if (parts.size() != 1 || isl_basic_set_dim(parts.front().get(), isl_dim_div) != 0)
      return chamber;
    std::vector<Side> all = sides_of(parts.front());
    const isl::set inside = all_at_least_zero(chamber);
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (all[s].equality) continue;
      const isl::set others = without(all, s, inside);
      constexpr int most_steps = 4;
      for (int step = 0; step < most_steps; ++step) {
        const isl::aff beyond = plus(all[s].f, 1);
        if (!is_count_on(others.intersect(zero(beyond)), beyond)) break;
        all[s].f = beyond;
      }
    }
    return without(all, all.size(), inside).gist(inside);
  }

 private:
  static isl::set without(const std::vector<Side>& all, std::size_t left_out,
                          const isl::set& inside) {
    isl::set result = inside;
    for (std::size_t s = 0; s < all.size(); ++s) {
      if (s == left_out) continue;
      result = result.intersect(all[s].equality ? zero(all[s].f) : at_least_zero(all[s].f));
    }
    return result;
  }

  // Whether the polynomial is the count on `slab`, where f = 0.
  bool is_count_on(const isl::set& slab, const isl::aff& f) const {
    isl::set rest = slab;
    for (const CountPiece& piece : count_.pieces) {
      if (slab.is_disjoint(piece.where)) continue;
      if (!vanishes(polynomial_ - piece.count, f)) return false;
      rest = rest.subtract(piece.where);
    }
    return rest.is_empty() || vanishes(polynomial_, f);
  }

  const Count& count_;
  const Expr& polynomial_;
};

// The piece of a count, and the convex set of parameters around these sizes it holds for.
std::pair<Expr, isl::set> around(const Count& count, const Valuation& sizes) {
  if (const CountPiece* piece = count.piece_at(sizes)) {
    return {piece->count, Widening(count, piece->count).widened(part_at(piece->where, sizes))};
  }
  if (count.pieces.empty()) return {0, isl::set(program::context(), "{ : }")};
  isl::set none = all_at_least_zero(count.pieces.front().where);
  for (const CountPiece& piece : count.pieces) none = none.subtract(piece.where);
  return {0, Widening(count, 0).widened(part_at(none, sizes))};
}

struct CountSymbols : GiNaC::visitor, GiNaC::symbol::visitor {
  std::vector<Expr> found;
  void visit(const GiNaC::symbol& s) override { found.emplace_back(s); }
};

constexpr char mark = '#';  // begins the names of counts, no parameter's

}  // namespace

Expr Counts::symbol_of(const Count& count) {
  counts_.push_back(count);
  return symbolic::symbol(mark + std::to_string(counts_.size() - 1));
}

Expr Counts::at(const Expr& formula, const Valuation& sizes) const {
  CountSymbols symbols;
  formula.traverse(symbols);
  GiNaC::exmap polynomials;
  for (const Expr& e : symbols.found) {
    const std::string name = GiNaC::ex_to<symbolic::Symbol>(e).get_name();
    if (name.front() != mark) continue;
    const CountPiece* piece = counts_.at(std::stoul(name.substr(1))).piece_at(sizes);
    polynomials[e] = piece == nullptr ? Expr(0) : piece->count;
  }
  return formula.subs(polynomials);
}

Chamber Counts::chamber(const std::vector<Expr>& formulas, const Wanted& wanted) const {
  CountSymbols symbols;
  for (const Expr& formula : formulas) formula.traverse(symbols);
  Chamber result{{}, isl::set(program::context(), "{ : }")};
  for (const Expr& e : symbols.found) {
    const std::string name = GiNaC::ex_to<symbolic::Symbol>(e).get_name();
    if (name.front() != mark || result.polynomials.count(e) != 0) continue;
    const Count& count = counts_.at(std::stoul(name.substr(1)));
    auto [polynomial, where] = around(count, wanted.large);
    if (wanted.given && !program::contains(where, *wanted.given))
      std::tie(polynomial, where) = around(count, *wanted.given);
    result.polynomials[e] = polynomial;
    result.where = result.where.intersect(where);
  }
  result.where = part_at(result.where, wanted.given ? *wanted.given : wanted.large);
  return result;
}

namespace {

// The formula's summands with a positive number in front of them, less those with a negative one.
std::pair<Expr, Expr> by_sign(const Expr& formula) {
  const Expr expanded = formula.expand();
  Expr positive = 0, negative = 0;
  const auto add = [&](const Expr& term) {
    bool is_negative = false;
    const Expr leading = GiNaC::is_a<GiNaC::mul>(term) ? term.op(term.nops() - 1) : term;
    if (GiNaC::is_a<symbolic::Rational>(leading))
      is_negative = GiNaC::ex_to<symbolic::Rational>(leading).is_negative();
    (is_negative ? negative : positive) += is_negative ? -term : term;
  };
  if (GiNaC::is_a<GiNaC::add>(expanded)) {
    for (const Expr& term : expanded) add(term);
  } else {
    add(expanded);
  }
  return {positive, negative};
}

bool is_number(const Formula& formula) {
  return formula.names().empty();
}

SizeCondition condition(const Expr& difference, const char* relation) {
  const auto [left, right] = by_sign(difference);
  return {symbolic::formula(left), relation, symbolic::formula(right)};
}

}  // namespace

SizeCondition printed(const AtLeast& condition) {
  return {symbolic::formula(condition.left), ">=", symbolic::formula(condition.right)};
}

std::vector<SizeCondition> conditions_of(const isl::set& where, const GiNaC::exmap& named) {
  std::vector<SizeCondition> result;
  const isl::set inside = all_at_least_zero(where);
  const isl::set around = where.intersect(inside).gist(inside);
  for (const isl::basic_set& part : convex_parts(around)) {
    for (const Side& side : sides_of(part)) {
      const Expr difference = program::formula_of(side.f).subs(named);
      const bool strictly = !side.equality &&
                            isl::manage(isl_aff_get_constant_val(side.f.get())).is_negone() &&
                            by_sign(difference + 1).first.is_zero() == false &&
                            by_sign(difference + 1).second.is_zero() == false;
      result.push_back(side.equality ? condition(difference, "=")
                       : strictly    ? condition(difference + 1, ">")
                                     : condition(difference, ">="));
    }
  }
  std::sort(result.begin(), result.end(), [](const SizeCondition& a, const SizeCondition& b) {
    const bool small_a = is_number(a.right), small_b = is_number(b.right);
    return std::tuple(small_a, b.right.text(), b.relation, a.left.text()) <
           std::tuple(small_b, a.right.text(), a.relation, b.left.text());
  });
  return result;
}

std::string text_of(const std::vector<SizeCondition>& conditions) {
  std::vector<std::pair<std::string, std::string>> groups;  // left sides, the rest
  for (const SizeCondition& c : conditions) {
    const std::string rest = " " + c.relation + " " + c.right.text();
    if (!groups.empty() && groups.back().second == rest) {
      groups.back().first += ", " + c.left.text();
    } else {
      groups.emplace_back(c.left.text(), rest);
    }
  }
  std::string text;
  for (const auto& [left, rest] : groups) text += (text.empty() ? "" : "; ") + left + rest;
  return text;
}

}  // namespace redblue::bounds
