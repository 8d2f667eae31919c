// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/busiest/crossings.hpp"

#include <isl/map.h>
#include <isl/set.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "bounds/busiest/even_shares.hpp"
#include "program/count.hpp"

namespace redblue::bounds {

using dataflow::Vector;
using symbolic::Expr;
using symbolic::Rational;

namespace {

using Basis = std::vector<const Direction*>;

void for_each_basis(const std::vector<Direction>& directions, std::size_t rank,
                    const std::function<void(const Basis&)>& visit) {
  Basis basis;
  std::vector<Vector> rows;
  const std::function<void(std::size_t)> extend = [&](std::size_t next) {
    if (basis.size() == rank) {
      visit(basis);
      return;
    }
    for (std::size_t i = next; i < directions.size(); ++i) {
      if (!rows.empty() && !dataflow::independent(rows, directions[i].by)) continue;
      basis.push_back(&directions[i]);
      rows.push_back(directions[i].by);
      extend(i + 1);
      basis.pop_back();
      rows.pop_back();
    }
  };
  extend(0);
}

// The product over the basis of (L + weight R) is at least (the counted ones)^n / share, R the
// words all processors receive.
double value(const SharedInstances& shared, const Basis& basis, const Sizes& sizes) {
  if (shared.all.value < 1 || shared.counted.value < 1) return 0;
  const double n = static_cast<double>(basis.size());
  const double least =
      n * std::log(shared.counted.value) - std::log(even_share(shared.all.value, sizes));
  const auto product = [&basis](double words) {
    double sum = 0;
    for (const Direction* d : basis)
      sum += std::log(d->runs.value + static_cast<double>(d->weight) * words);
    return sum;
  };
  return reached_at(product, least, shared.counted.value) / sizes.units;
}

// By the inequality of the means, with the factors divided by L: R is at least
// n ((p counted^n / (all prod L))^(1/n) - 1) / (sum of weight / L).
Expr formula(const SharedInstances& shared, const Basis& basis) {
  const Expr p = symbolic::symbol("p");
  const long n = static_cast<long>(basis.size());
  Expr product = shared.all.formula;
  Expr weights = 0;
  for (const Direction* d : basis) {
    product *= d->runs.formula;
    weights += d->weight / d->runs.formula;
  }
  const Expr root = shared.counted.formula * GiNaC::pow(p / product, Expr(Rational(1, n)));
  return n * (root - 1) / (p * weights);
}

}  // namespace

std::optional<Busiest> crossings(const SharedInstances& shared, const Sizes& sizes) {
  std::vector<Direction> directions = shared.directions;
  std::erase_if(directions, [&sizes](const Direction& d) {
    return busiest_far_out(d.runs.formula, sizes) <= 0 || (sizes.complete && d.runs.value < 1);
  });
  std::vector<Vector> rows;
  for (const Direction& d : directions) rows.push_back(d.by);
  const std::size_t rank = rows.empty() ? 0 : dataflow::echelon(rows).size();
  if (rank < 2 || rank < rows.front().size()) return std::nullopt;
  Busiest best;
  double most_far = 0;
  for_each_basis(directions, rank, [&](const Basis& basis) {
    const Expr words = formula(shared, basis);
    const double far = busiest_far_out(words, sizes);
    if (far > most_far) {
      most_far = far;
      best.words.formula = words;
    }
    if (sizes.complete) best.words.value = std::max(best.words.value, value(shared, basis, sizes));
  });
  if (most_far <= 0) return std::nullopt;
  best.provided = provided_even("the instances of " + shared.names, shared.inputs_once);
  return best;
}

std::optional<Busiest> crossings_of_reads(const Roles& roles, const Sizes& sizes) {
  constexpr std::size_t most_directions = 12;
  const Amount all = sizes.amount(roles.instances);
  SharedInstances shared{roles.statement->name, all, all, true, {}};
  for (const ValueRole& one : roles.values) {
    for (const ValueRole& other : roles.values) {
      if (&one == &other || shared.directions.size() == most_directions ||
          !same_space(one.range, other.range))
        continue;
      const isl::map next = one.values.apply_range(other.values.reverse());
      const auto back = next.is_empty() ? std::nullopt : dataflow::translation(next);
      if (!back || std::all_of(back->begin(), back->end(), [](long x) { return x == 0; })) continue;
      const isl::set firsts = roles.statement->domain.subtract(next.range()).coalesce();
      shared.directions.push_back({*back, 1, sizes.amount(program::count(firsts))});
    }
  }
  if (shared.directions.empty()) return std::nullopt;
  return crossings(shared, sizes);
}

}  // namespace redblue::bounds
