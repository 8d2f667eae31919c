// SPDX-License-Identifier: BSD-3-Clause
#include "analysis/wanted.hpp"

#include <isl/aff.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "bounds/far_sizes.hpp"
#include "program/enumerate.hpp"
#include "redblue/error.hpp"

namespace redblue::analysis {

using bounds::distance_parameter;
using bounds::pair_distance_parameter;
using bounds::Sizes;
using program::Program;
using symbolic::Expr;
using symbolic::Rational;
using symbolic::Valuation;

namespace {

// The value of distance_parameter to use with a fast memory of so many words.
Rational distance_for(double memory) {
  return static_cast<long>(std::floor(2 * std::sqrt(2 * memory))) + 2;
}

isl::set all_sizes(const Program& program) {
  isl_space* space = isl_space_params_alloc(program::context().get(), 0);
  unsigned at = 0;
  for (const std::string& p : program.parameters) {
    space = isl_space_add_dims(space, isl_dim_param, 1);
    space = isl_space_set_dim_name(space, isl_dim_param, at++, p.c_str());
  }
  return isl::manage(isl_set_universe(space));
}

isl::set at_least(const isl::set& all, int least) {
  isl_set* result = all.copy();
  for (unsigned p = 0; p < static_cast<unsigned>(isl_set_dim(result, isl_dim_param)); ++p)
    result = isl_set_lower_bound_si(result, isl_dim_param, p, least);
  return isl::manage(result);
}

struct Relation {
  std::size_t at, length;
  std::string sign;
};

Relation relation_in(const std::string& condition) {
  for (const std::string sign : {">=", "<=", "==", ">", "<", "="}) {
    const std::size_t at = condition.find(sign);
    if (at != std::string::npos) return {at, sign.size(), sign};
  }
  throw Error("the assumption '" + condition + "'", "no >=, <=, >, < or =", "write M >= 2*N");
}

isl::aff affine(const std::string& condition, const Expr& difference, const Program& program,
                const isl::set& all) {
  const Expr expanded = difference.expand();
  isl_aff* result = isl_aff_zero_on_domain(
      isl_local_space_from_space(isl_space_set_from_params(isl_set_get_space(all.get()))));
  Expr rest = expanded;
  Rational denominator = 1;
  std::vector<Rational> coefficients;
  for (const std::string& p : program.parameters) {
    const Expr c = expanded.coeff(symbolic::symbol(p), 1);
    const bool is_number = GiNaC::is_a<Rational>(c) && GiNaC::ex_to<Rational>(c).is_rational();
    coefficients.push_back(is_number ? GiNaC::ex_to<Rational>(c) : Rational(0));
    rest -= coefficients.back() * symbolic::symbol(p);
    denominator = GiNaC::lcm(denominator, coefficients.back().denom());
  }
  rest = rest.expand();
  const bool is_affine = GiNaC::is_a<Rational>(rest) && GiNaC::ex_to<Rational>(rest).is_rational();
  if (is_affine) denominator = GiNaC::lcm(denominator, GiNaC::ex_to<Rational>(rest).denom());
  const auto whole = [&](const Rational& c) {
    const Rational scaled = c * denominator;
    if (GiNaC::abs(scaled) > 1'000'000'000)
      throw Error("the assumption '" + condition + "'", "numbers above 10^9", "use smaller ones");
    return static_cast<int>(scaled.to_long());
  };
  if (!is_affine) {
    isl_aff_free(result);
    throw Error("the assumption '" + condition + "'", "not of sums of parameters times numbers",
                "write M >= 2*N");
  }
  for (unsigned p = 0; p < coefficients.size(); ++p)
    result = isl_aff_set_coefficient_si(result, isl_dim_param, static_cast<int>(p),
                                        whole(coefficients[p]));
  return isl::manage(isl_aff_set_constant_si(result, whole(GiNaC::ex_to<Rational>(rest))));
}

// The sizes that satisfy the condition.
isl::set meeting(const std::string& condition, const Program& program, const isl::set& all) {
  const Relation relation = relation_in(condition);
  const Expr left = symbolic::parse(condition.substr(0, relation.at), program.parameters);
  const Expr right =
      symbolic::parse(condition.substr(relation.at + relation.length), program.parameters);
  const bool less = relation.sign.front() == '<';
  const bool strict = relation.sign == "<" || relation.sign == ">";
  const Expr difference = less ? right - left : left - right;
  isl_aff* f = affine(condition, difference, program, all).release();
  if (strict) f = isl_aff_add_constant_si(f, -1);  // f is an integer: f > 0 is f - 1 >= 0
  const bool equal = relation.sign.find_first_of("<>") == std::string::npos;
  isl_pw_aff* whole = isl_pw_aff_from_aff(f);
  isl_set* met = equal ? isl_pw_aff_zero_set(whole) : isl_pw_aff_nonneg_set(whole);
  return isl::manage(isl_set_params(met));
}

// How many of the parameters the statements' numbers of instances depend on.
std::size_t parameters_in(const std::vector<program::Count>& counts, const Valuation& sizes,
                          const Program& program) {
  std::set<std::string> found;
  for (const program::Count& count : counts) {
    const program::CountPiece* piece = count.piece_at(sizes);
    for (const std::string& p : program.parameters) {
      if (piece != nullptr && piece->count.has(symbolic::symbol(p))) found.insert(p);
    }
  }
  return found.size();
}

// Some sizes of the set, large if it has such.
Valuation sample(const isl::set& assumed, const Program& program) {
  for (const int least : {1 << 20, 5040, 64, 0}) {
    const isl::set large = at_least(assumed, least);
    if (large.is_empty()) continue;
    const isl::point point = isl::manage(isl_set_sample_point(large.copy()));
    Valuation sizes;
    for (unsigned p = 0; p < program.parameters.size(); ++p) {
      const isl::val v = isl::manage(
          isl_point_get_coordinate_val(point.get(), isl_dim_param, static_cast<int>(p)));
      sizes[program.parameters[p]] = Rational(static_cast<long>(isl_val_get_num_si(v.get())));
    }
    return sizes;
  }
  return {};
}

Valuation large_sizes(const Program& program, const std::vector<program::Count>& counts,
                      const Valuation& given, const std::vector<std::string>& small,
                      const isl::set& assumed) {
  std::optional<Valuation> best;
  std::size_t most = 0;
  isl::set fitting = assumed;
  for (const auto& [name, size] : given) {
    const int p = isl_set_find_dim_by_name(fitting.get(), isl_dim_param, name.c_str());
    if (p >= 0)
      fitting =
          isl::manage(isl_set_fix_val(fitting.release(), isl_dim_param, static_cast<unsigned>(p),
                                      isl::val(program::context(), size.to_long()).release()));
  }
  for (Valuation sizes : bounds::sizes_far_apart(program.parameters, small)) {
    for (const auto& [name, size] : given) sizes[name] = size;
    sizes.erase("S");
    if (!program::contains(assumed, sizes)) continue;
    const std::size_t found = parameters_in(counts, sizes, program);
    if (best && found <= most) continue;
    best = sizes;
    most = found;
  }
  return best ? *best : sample(fitting, program);
}

// Where leading terms are compared: all large sizes alike, where the formulas' counts are as at
// `large`.
Valuation far_sizes(const Program& program, const std::vector<program::Count>& counts,
                    const Valuation& large, const std::vector<std::string>& small,
                    const isl::set& assumed) {
  Valuation far;
  for (const std::string& p : program.parameters) far[p] = Rational(1L << 40);
  for (const std::string& p : small) far[p] = Rational(4);
  const bool alike = program::contains(assumed, far) &&
                     std::all_of(counts.begin(), counts.end(), [&](const program::Count& count) {
                       return count.piece_at(far) == count.piece_at(large);
                     });
  if (!alike) far = large;
  far["S"] = Rational(1L << 10);
  return far;
}

void check(const Program& program, const std::map<std::string, std::int64_t>& given) {
  std::string known;
  for (const std::string& p : program.parameters) known += p + ", ";
  known += "S";
  for (const auto& [name, value] : given) {
    const auto& names = program.parameters;
    if (name != "S" && std::find(names.begin(), names.end(), name) == names.end()) {
      throw Error("size " + name, "the program has no such parameter", "it has " + known);
    }
    if (value < (name == "S" ? 1 : 0)) {
      throw Error("size " + name + "=" + std::to_string(value), "too small",
                  name == "S" ? "S is at least 1 word" : "sizes are at least 0");
    }
  }
  program::check_valid(program, given);
}

}  // namespace

isl::set assumed_sizes(const Program& program, const std::vector<std::string>& conditions) {
  const isl::set all = all_sizes(program);
  isl::set result = at_least(all, 0);
  std::string text;
  for (const std::string& condition : conditions) {
    result = result.intersect(meeting(condition, program, all));
    text += (text.empty() ? "" : " and ") + condition;
  }
  if (program.valid) result = result.intersect(*program.valid);
  if (result.is_empty())
    throw Error("the assumption " + text, "no sizes of at least 0 meet it", "assume less");
  return result;
}

Sizes sizes_for(const Program& program, const std::vector<program::Count>& counts,
                const std::map<std::string, std::int64_t>& given,
                const std::vector<std::string>& small, const isl::set& assumed) {
  check(program, given);
  Sizes sizes;
  for (const auto& [name, value] : given) sizes.values[name] = Rational(static_cast<long>(value));
  if (!program::contains(assumed, sizes.values))
    throw Error("the sizes given", "they do not meet what is assumed", "give other sizes");
  sizes.complete = given.size() == program.parameters.size() + 1;
  sizes.wanted.large = large_sizes(program, counts, sizes.values, small, assumed);
  sizes.far = far_sizes(program, counts, sizes.wanted.large, small, assumed);
  constexpr long far_from_all = 12;  // of the distances
  sizes.wanted.large[distance_parameter] = far_from_all;
  sizes.wanted.large[pair_distance_parameter] = far_from_all;
  const std::size_t parameters = given.size() - given.count("S");
  if (parameters == program.parameters.size()) {
    constexpr double some_memory = 1024;
    sizes.wanted.given = sizes.values;
    sizes.wanted.given->erase("S");
    const double memory = given.count("S") != 0 ? sizes.memory() : some_memory;
    (*sizes.wanted.given)[distance_parameter] = distance_for(memory);
    (*sizes.wanted.given)[pair_distance_parameter] = static_cast<long>(memory);
  }
  return sizes;
}

}  // namespace redblue::analysis
