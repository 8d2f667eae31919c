// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/combination.hpp"

#include <algorithm>

#include "counting/algebra/simplex.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

constexpr std::size_t most_remembered = 50000;

cln::cl_RA rational(const Rational& r) {
  return cln::the<cln::cl_RA>(r.to_cl_N());
}

void add_term(Monomials& sum, const Expr& term) {
  Rational coefficient = 1;
  Expr monomial = term;
  if (GiNaC::is_a<Rational>(term)) {
    coefficient = GiNaC::ex_to<Rational>(term);
    monomial = 1;
  } else if (GiNaC::is_a<GiNaC::mul>(term) && GiNaC::is_a<Rational>(term.op(term.nops() - 1))) {
    coefficient = GiNaC::ex_to<Rational>(term.op(term.nops() - 1));
    monomial = term / coefficient;
  }
  if (!coefficient.is_rational()) {
    monomial *= coefficient;
    coefficient = 1;
  }
  Rational& place = sum[monomial];
  place = place + coefficient;
}

// Proofs meet the same formulas again and again.
std::shared_ptr<const Monomials> remembered(const Expr& e) {
  thread_local std::map<Expr, std::shared_ptr<const Monomials>, GiNaC::ex_is_less> memory;
  if (memory.size() > most_remembered) memory.clear();
  const auto found = memory.find(e);
  if (found != memory.end()) return found->second;
  return memory.emplace(e, std::make_shared<const Monomials>(monomials(e))).first->second;
}

// The columns that can take part in a solution of a x = b, x >= 0: a row with b = 0 and entries of
// one sign only allows none of them. Empty, too, where a row has no solution.
std::vector<std::size_t> presolve(const std::vector<std::vector<cln::cl_RA>>& a,
                                  const std::vector<cln::cl_RA>& b) {
  const std::size_t columns = a.empty() ? 0 : a.front().size();
  std::vector<bool> open(columns, true);
  bool more = true;
  while (more) {
    more = false;
    for (std::size_t r = 0; r < a.size(); ++r) {
      bool plus = false;
      bool minus = false;
      for (std::size_t k = 0; k < columns; ++k) {
        if (!open[k]) continue;
        plus = plus || cln::plusp(a[r][k]);
        minus = minus || cln::minusp(a[r][k]);
      }
      if ((cln::plusp(b[r]) && !plus) || (cln::minusp(b[r]) && !minus)) return {};
      if (!cln::zerop(b[r]) || plus == minus) continue;
      for (std::size_t k = 0; k < columns; ++k) {
        if (open[k] && !cln::zerop(a[r][k])) {
          open[k] = false;
          more = true;
        }
      }
    }
  }
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < columns; ++k) {
    if (open[k]) kept.push_back(k);
  }
  return kept;
}

// The least c x over the kept columns, and rows that have entries in them.
LinearMinimum minimise_columns(const std::vector<std::vector<cln::cl_RA>>& a,
                               const std::vector<cln::cl_RA>& b, const std::vector<cln::cl_RA>& c,
                               const std::vector<std::size_t>& kept) {
  std::vector<std::vector<cln::cl_RA>> rows;
  std::vector<cln::cl_RA> right;
  std::vector<cln::cl_RA> cost;
  for (const std::size_t k : kept) cost.push_back(c[k]);
  for (std::size_t r = 0; r < a.size(); ++r) {
    std::vector<cln::cl_RA> row;
    bool any = false;
    for (const std::size_t k : kept) {
      row.push_back(a[r][k]);
      any = any || !cln::zerop(a[r][k]);
    }
    if (!any) continue;
    rows.push_back(std::move(row));
    right.push_back(b[r]);
  }
  LinearMinimum best = minimise(std::move(rows), std::move(right), cost);
  std::vector<bool> used(c.size(), false);
  for (std::size_t k = 0; k < best.used.size(); ++k) used[kept[k]] = best.used[k];
  best.used = std::move(used);
  return best;
}

}  // namespace

Rational common_denominator(const Expr& e) {
  Rational all = 1;
  for (const auto& [monomial, number] : monomials(e)) {
    if (!symbolic::is_integer_valued(monomial)) return 0;
    all = GiNaC::lcm(all, number.denom());
  }
  return all;
}

bool has_products(const Expr& e) {
  for (const auto& [monomial, number] : *remembered(e)) {
    if (GiNaC::is_a<GiNaC::mul>(monomial)) return true;
    if (GiNaC::is_a<GiNaC::power>(monomial) && monomial.op(1).info(GiNaC::info_flags::posint)) {
      return true;
    }
  }
  return false;
}

bool combines(const Expr& e, bool strictly, const std::vector<Fact>& facts,
              std::vector<std::string>& assumed) {
  const std::shared_ptr<const Monomials> target = remembered(e);
  std::vector<std::shared_ptr<const Monomials>> columns;
  std::map<Expr, std::size_t, GiNaC::ex_is_less> row_of;
  const auto rows_for = [&row_of](const Monomials& m) {
    for (const auto& [monomial, number] : m) {
      if (!monomial.is_equal(1)) row_of.try_emplace(monomial, row_of.size());
    }
  };
  rows_for(*target);
  for (const Fact& fact : facts) {
    columns.push_back(remembered(fact.at_least_zero));
    rows_for(*columns.back());
  }
  std::vector<std::vector<cln::cl_RA>> a(row_of.size(), std::vector<cln::cl_RA>(columns.size(), 0));
  std::vector<cln::cl_RA> b(row_of.size(), 0);
  std::vector<cln::cl_RA> c(columns.size(), 0);
  cln::cl_RA constant = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (const auto& [monomial, number] : *columns[k]) {
      (monomial.is_equal(1) ? c[k] : a[row_of[monomial]][k]) = rational(number);
    }
  }
  for (const auto& [monomial, number] : *target) {
    (monomial.is_equal(1) ? constant : b[row_of[monomial]]) = rational(number);
  }
  const std::vector<std::size_t> kept = presolve(a, b);
  if (kept.empty() &&
      std::any_of(b.begin(), b.end(), [](const auto& x) { return !cln::zerop(x); })) {
    return false;
  }
  const LinearMinimum best = minimise_columns(a, b, c, kept);
  if (best.state == LinearMinimum::State::infeasible) return false;
  if (best.state == LinearMinimum::State::optimal) {
    const cln::cl_RA least = constant - best.value;
    if (strictly ? !cln::plusp(least) : cln::minusp(least)) {
      // An integer above -1 is at least 0.
      const Rational d = common_denominator(e);
      if (strictly || d.is_zero() || !(least * rational(d) > -1)) return false;
    }
    for (std::size_t k = 0; k < facts.size(); ++k) {
      if (best.used[k] && !facts[k].assumed.empty()) assumed.push_back(facts[k].assumed);
    }
    return true;
  }
  for (const Fact& fact : facts) {  // the facts exclude each other: nothing comes here
    if (!fact.assumed.empty()) assumed.push_back(fact.assumed);
  }
  return true;
}

Monomials monomials(const Expr& e) {
  Monomials sum;
  const Expr plain = expanded(e);
  if (GiNaC::is_a<GiNaC::add>(plain)) {
    for (const Expr& term : plain) add_term(sum, term);
  } else {
    add_term(sum, plain);
  }
  return sum;
}

}  // namespace redblue::counting
