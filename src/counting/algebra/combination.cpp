// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/combination.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>

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

// A formula by its monomials, which have numbers: what proofs compare all the time.
struct Linear {
  std::size_t id = 0;  // no two have the same
  std::vector<std::pair<std::size_t, cln::cl_RA>> entries;
  cln::cl_RA constant = 0;
};

std::size_t number_of(const Expr& monomial) {
  thread_local std::map<Expr, std::size_t, GiNaC::ex_is_less> numbers;
  return numbers.try_emplace(monomial, numbers.size()).first->second;
}

// Proofs meet the same formulas again and again.
std::shared_ptr<const Linear> remembered(const Expr& e) {
  thread_local std::map<Expr, std::shared_ptr<const Linear>, GiNaC::ex_is_less> memory;
  if (memory.size() > most_remembered) memory.clear();
  std::shared_ptr<const Linear>& place = memory[e];
  if (place) return place;
  thread_local std::size_t many = 0;
  Linear linear;
  linear.id = ++many;
  for (const auto& [monomial, number] : monomials(e)) {
    if (monomial.is_equal(1)) {
      linear.constant = rational(number);
    } else if (!number.is_zero()) {
      linear.entries.emplace_back(number_of(monomial), rational(number));
    }
  }
  place = std::make_shared<const Linear>(std::move(linear));
  return place;
}

// sum of x_k column_k = right over the monomials, x_k >= 0.
struct Row {
  std::vector<std::pair<std::size_t, cln::cl_RA>> entries;  // by column
  cln::cl_RA right = 0;
  int plus = 0, minus = 0;  // entries of open columns
};

std::vector<Row> rows_of(const Linear& target,
                         const std::vector<std::shared_ptr<const Linear>>& columns) {
  std::vector<Row> rows;
  std::unordered_map<std::size_t, std::size_t> places;  // by monomial
  const auto row = [&](std::size_t monomial) -> Row& {
    const auto [place, is_new] = places.try_emplace(monomial, rows.size());
    if (is_new) rows.emplace_back();
    return rows[place->second];
  };
  for (const auto& [monomial, number] : target.entries) row(monomial).right = number;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (const auto& [monomial, number] : columns[k]->entries) {
      Row& at = row(monomial);
      at.entries.emplace_back(k, number);
      ++(cln::plusp(number) ? at.plus : at.minus);
    }
  }
  return rows;
}

// The columns that can take part in a solution: a row with 0 on its right and entries of one sign
// only allows none of them. nullopt where a row has no solution.
std::optional<std::vector<std::size_t>> presolve(std::vector<Row>& rows, std::size_t columns) {
  std::vector<std::vector<std::pair<Row*, int>>> of_column(columns);
  for (Row& row : rows) {
    for (const auto& [k, number] : row.entries) {
      of_column[k].emplace_back(&row, cln::plusp(number) ? 1 : -1);
    }
  }
  std::vector<bool> open(columns, true);
  for (bool more = true; more;) {
    more = false;
    for (Row& row : rows) {
      if ((cln::plusp(row.right) && row.plus == 0) || (cln::minusp(row.right) && row.minus == 0)) {
        return std::nullopt;
      }
      if (!cln::zerop(row.right) || (row.plus == 0) == (row.minus == 0)) continue;
      for (const auto& [k, number] : row.entries) {
        if (!open[k]) continue;
        open[k] = false;
        more = true;
        for (const auto& [other, sign] : of_column[k]) --(sign > 0 ? other->plus : other->minus);
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
LinearMinimum minimise_columns(const std::vector<Row>& rows,
                               const std::vector<std::shared_ptr<const Linear>>& columns,
                               const std::vector<std::size_t>& kept) {
  std::vector<std::optional<std::size_t>> place(columns.size());
  std::vector<cln::cl_RA> cost;
  for (const std::size_t k : kept) {
    place[k] = cost.size();
    cost.push_back(columns[k]->constant);
  }
  std::vector<std::vector<cln::cl_RA>> a;
  std::vector<cln::cl_RA> right;
  for (const Row& row : rows) {
    if (row.plus + row.minus == 0) continue;
    a.emplace_back(kept.size(), 0);
    for (const auto& [k, number] : row.entries) {
      if (place[k]) a.back()[*place[k]] = number;
    }
    right.push_back(row.right);
  }
  LinearMinimum best = minimise(std::move(a), std::move(right), cost);
  std::vector<bool> used(columns.size(), false);
  for (std::size_t k = 0; k < best.used.size(); ++k) used[kept[k]] = best.used[k];
  best.used = std::move(used);
  return best;
}

// Which columns make up the target; nullopt: they do not.
std::optional<std::vector<std::size_t>> facts_needed(
    const Expr& e, bool strictly, const Linear& target,
    const std::vector<std::shared_ptr<const Linear>>& columns) {
  std::vector<Row> rows = rows_of(target, columns);
  const auto kept = presolve(rows, columns.size());
  if (!kept) return std::nullopt;
  const LinearMinimum best = minimise_columns(rows, columns, *kept);
  if (best.state == LinearMinimum::State::infeasible) return std::nullopt;
  std::vector<std::size_t> needed;
  if (best.state == LinearMinimum::State::optimal) {
    const cln::cl_RA least = target.constant - best.value;
    if (strictly ? !cln::plusp(least) : cln::minusp(least)) {
      // An integer above -1 is at least 0.
      const Rational d = common_denominator(e);
      if (strictly || d.is_zero() || !(least * rational(d) > -1)) return std::nullopt;
    }
    for (std::size_t k = 0; k < columns.size(); ++k) {
      if (best.used[k]) needed.push_back(k);
    }
    return needed;
  }
  // The facts exclude each other: nothing comes here.
  for (std::size_t k = 0; k < columns.size(); ++k) needed.push_back(k);
  return needed;
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
  thread_local std::map<Expr, bool, GiNaC::ex_is_less> memory;
  if (memory.size() > most_remembered) memory.clear();
  const auto [place, is_new] = memory.try_emplace(e, false);
  if (!is_new) return place->second;
  for (const auto& [monomial, number] : monomials(e)) {
    const bool is_power =
        GiNaC::is_a<GiNaC::power>(monomial) && monomial.op(1).info(GiNaC::info_flags::posint);
    if (is_power || GiNaC::is_a<GiNaC::mul>(monomial)) place->second = true;
  }
  return place->second;
}

bool combines(const Expr& e, bool strictly, const std::vector<Fact>& facts,
              std::vector<std::string>& assumed) {
  const std::shared_ptr<const Linear> target = remembered(e);
  std::vector<std::shared_ptr<const Linear>> columns;
  std::vector<std::size_t> question{target->id, strictly ? 1U : 0U};
  for (const Fact& fact : facts) {
    columns.push_back(remembered(fact.at_least_zero));
    question.push_back(columns.back()->id);
  }
  thread_local std::map<std::vector<std::size_t>, std::optional<std::vector<std::size_t>>> answers;
  if (answers.size() > most_remembered) answers.clear();
  auto answer = answers.find(question);
  if (answer == answers.end()) {
    answer = answers.emplace(question, facts_needed(e, strictly, *target, columns)).first;
  }
  if (!answer->second) return false;
  for (const std::size_t k : *answer->second) {
    if (!facts[k].assumed.empty()) assumed.push_back(facts[k].assumed);
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
