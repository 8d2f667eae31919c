// SPDX-License-Identifier: BSD-3-Clause
#include "tradeoff/products.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "redblue/error.hpp"
#include "symbolic/formula.hpp"
#include "tradeoff/lattice.hpp"

namespace redblue::tradeoff {

using symbolic::Expr;

namespace {

constexpr auto proved = Condition::Status::proved;
constexpr auto assumed = Condition::Status::assumed;
constexpr std::int64_t longest = 10'000'000;  // chains beyond that: their first part

Expr synchronisations() {
  return symbolic::symbol("S");
}

// Operations or words times a power of S or S + 1.
Formula left_side(const std::string& what, const Expr& base, int exponent) {
  return symbolic::formula(symbolic::symbol(what) * GiNaC::pow(base, exponent));
}

std::string power(const std::string& base, int exponent) {
  return exponent == 0   ? ""
         : exponent == 1 ? " " + base
                         : " " + base + "^" + std::to_string(exponent);
}

std::string name_of(const std::string& what, int power_of_s) {
  return what + power("S", power_of_s);
}

std::optional<std::int64_t> whole(const Expr& formula, const symbolic::Valuation& sizes) {
  double value = 0;
  if (!symbolic::evaluate(formula, sizes, value)) return std::nullopt;
  return static_cast<std::int64_t>(std::llround(value));
}

// The formula with all parameters 1: of a monomial, its coefficient.
Expr exact_coefficient(const Expr& monomial) {
  GiNaC::exmap ones;
  for (auto i = monomial.preorder_begin(); i != monomial.preorder_end(); ++i) {
    if (GiNaC::is_a<GiNaC::symbol>(*i)) ones[*i] = 1;
  }
  return monomial.subs(ones);
}

double coefficient(const Expr& monomial) {
  double value = 0;
  symbolic::evaluate(exact_coefficient(monomial), {}, value);
  return value;
}

// Whether no coefficient of the expanded polynomial is negative.
bool nowhere_negative(const Expr& polynomial) {
  const Expr expanded = polynomial.expand();
  if (!GiNaC::is_a<GiNaC::add>(expanded)) return coefficient(expanded) >= 0;
  return std::all_of(expanded.begin(), expanded.end(),
                     [](const Expr& term) { return coefficient(term) >= 0; });
}

// The interval as a polynomial that is at most 1 for b = 1.
Expr from_one(const Chain& chain) {
  const symbolic::Symbol& b = symbolic::symbol(window_length);
  const Expr surplus = (chain.interval.subs(b == 1) - 1).expand();
  return nowhere_negative(surplus) ? (chain.interval - surplus).expand() : chain.interval;
}

// second derivative >= 0 for b >= 1.
bool is_convex(const Expr& interval, int order) {
  const symbolic::Symbol& b = symbolic::symbol(window_length);
  const symbolic::Symbol& behind = symbolic::symbol("behind");
  const Expr second = interval.diff(b, 2).subs(b == behind + 1);
  return order >= 2 && nowhere_negative(second);
}

std::vector<std::int64_t> curve_points(std::int64_t n) {
  std::vector<std::int64_t> result;
  for (double c = 1; c <= static_cast<double>(n); c *= std::sqrt(2.0)) {
    const auto windows = static_cast<std::int64_t>(c);
    if (result.empty() || windows > result.back()) result.push_back(windows);
  }
  return result;
}

void add_schedule_ledger(TradeoffProduct& product, bool any_order) {
  product.ledger.push_back(
      {"one path has both factors; values may be computed again, by any number of processors, and "
       "inputs may lie anywhere",
       proved});
  if (any_order) {
    product.ledger.push_back({"the terms of a sum may be added in any order", proved});
  } else {
    product.ledger.push_back({"the terms of a sum are added in the program's order", assumed});
  }
}

// `of`: the vertices that are to be shared out.
void add_words_ledger(TradeoffProduct& product, double balance, const std::string& of) {
  product.ledger.push_back({"each value is computed once", assumed});
  char text[64];
  std::snprintf(text, sizeof text, "no processor computes more than 1/%g of ", balance);
  product.ledger.push_back({text + of, assumed});
}

// Six digits, rounded down: what is printed is a bound, too.
struct Rounded {
  symbolic::Rational number;
  std::string text;
};

Rounded rounded_down(double x) {
  const int digits = static_cast<int>(std::floor(std::log10(x))) - 5;
  const double unit = std::pow(10, digits), units = std::floor(x / unit);
  char text[40];
  std::snprintf(text, sizeof text, "%.6g", units * unit);
  const symbolic::Rational whole(static_cast<long>(units)), power(digits);
  return {whole * symbolic::Rational(10).power(power), text};
}

}  // namespace

void evaluate_operations(TradeoffProduct& product, std::int64_t n, int order,
                         const std::function<double(std::int64_t)>& interval) {
  // Convex: windows of lengths that differ by one at most have the fewest vertices.
  const auto least = [&](std::int64_t windows) {
    const std::int64_t length = n / windows, longer = n % windows;
    return static_cast<double>(windows - longer) * interval(length) +
           (longer == 0 ? 0 : static_cast<double>(longer) * interval(length + 1));
  };
  double best = std::numeric_limits<double>::infinity();
  for (std::int64_t windows = 1; windows <= n; ++windows)
    best = std::min(best, least(windows) * std::pow(static_cast<double>(windows), order - 1));
  product.value = best;
  for (const std::int64_t windows : curve_points(n))
    product.curve.emplace_back(windows - 1, least(windows));
}

TradeoffProduct operations(const Chain& chain, const symbolic::Valuation& sizes) {
  const symbolic::Symbol& b = symbolic::symbol(window_length);
  const Expr interval = from_one(chain);
  const int w = chain.order;
  TradeoffProduct product;
  product.name = name_of("F", w - 1);
  const std::string left = "F" + power("(S + 1)", w - 1);
  product.left = left_side("F", synchronisations() + 1, w - 1);
  const Expr n = chain.length, c = synchronisations() + 1;
  const Expr leading = (interval.coeff(b, w) * GiNaC::pow(n, w)).expand();
  add_schedule_ledger(product, chain.any_order);
  product.ledger.push_back({"the interval between two vertices of the chain has " +
                                symbolic::to_string(interval) + " vertices",
                            proved});
  product.ledger.push_back({"all sizes are at least " + std::to_string(least_size), assumed});
  if (!is_convex(interval, w)) {
    product.right = symbolic::formula(symbolic::leading_term(leading));
    product.claim = TradeoffProduct::Claim::order;
    product.formula = left + " = Omega(" + product.right.text() + ")";
    return product;
  }
  Expr right = 0;
  for (int i = nowhere_negative(interval) ? w : 0; i <= w; ++i)
    right += interval.coeff(b, i) * GiNaC::pow(n, i) * GiNaC::pow(c, w - i);
  product.right = symbolic::formula(right);
  product.formula = left + " >= " + product.right.text();
  product.constant = coefficient(symbolic::leading_term(leading));
  const auto vertices = whole(n, sizes);
  if (!vertices || *vertices < 1) return product;
  std::vector<double> coefficients;
  for (int i = 0; i <= w; ++i) {
    double value = 0;
    symbolic::evaluate(interval.coeff(b, i), sizes, value);
    coefficients.push_back(value);
  }
  evaluate_operations(product, std::min(*vertices, longest), w, [&](std::int64_t length) {
    double value = 0;
    for (int i = w; i >= 0; --i)
      value = value * static_cast<double>(length) + coefficients[static_cast<std::size_t>(i)];
    return value;
  });
  return product;
}

TradeoffProduct operations(const Cone& cone, const symbolic::Valuation& sizes) {
  const int w = cone.dimensions + 1;
  TradeoffProduct product;
  product.name = name_of("F", cone.dimensions);
  product.left = left_side("F", synchronisations() + 1, cone.dimensions);
  product.right = symbolic::formula(cone.leading() * GiNaC::pow(cone.length, w));
  product.claim = TradeoffProduct::Claim::leading;
  product.formula =
      "F" + power("(S + 1)", cone.dimensions) + " >= " + product.right.text() + " (1 - o(1))";
  product.constant = coefficient(
      symbolic::leading_term((Expr(cone.leading()) * GiNaC::pow(cone.length, w)).expand()));
  add_schedule_ledger(product, true);
  product.ledger.push_back(
      {"formula only: the sweeps are many, and the mesh holds the cone of half of them", assumed});
  const auto sweeps = whole(cone.length, sizes);
  std::int64_t half = longest;
  for (const Expr& width : cone.widths) {
    const auto points = whole(width, sizes);
    if (!points || *points < 1) return product;
    half = std::min(half, (*points - 1) / 2);
  }
  if (!sweeps || *sweeps < 1) return product;
  const std::int64_t n = std::min<std::int64_t>(*sweeps, 1'000'000);
  const std::vector<double> interval = cone.intervals(n + 1, half);
  evaluate_operations(product, n, w, [&](std::int64_t length) {
    return interval[static_cast<std::size_t>(length)];
  });
  return product;
}

double shared_part(double balance, double majority, int order) {
  return std::max(0.5, 1 - std::pow(1 / (majority * balance), 1.0 / order));
}

TradeoffProduct words(const Chain& chain, const LatticeStatement& lattice, double balance,
                      const symbolic::Valuation& sizes) {
  const bool plane = lattice.dimensions == 2;
  const bool halves = !plane && balance >= 2;  // theorem B as it stands; else with a quarter
  // Lemmas 5 and 6 of docs/methods/tradeoffs.md.
  const double majority = plane ? 5.0 / 9 : 3.0 / 4;
  const double missing = lattice.missing == 0 ? 1 : lattice.missing == 1 ? 4.0 / 5 : 3.0 / 5;
  const double cut = plane ? 2.0 / 3 * (lattice.missing == 0 ? 1 : 1.0 / (1 + lattice.missing))
                           : missing * missing / 8;
  const double part = shared_part(balance, majority, lattice.dimensions);
  const int w = lattice.dimensions;
  TradeoffProduct product;
  product.name = name_of("W", w - 2);
  product.left = left_side("W", synchronisations(), w - 2);
  product.constant = halves ? triples_words(balance, lattice.missing) : cut * std::pow(part, w - 1);
  const Rounded constant = rounded_down(*product.constant);
  const Expr points = halves ? chain.length - 2 - lattice.missing : chain.length;
  const Expr growing = GiNaC::pow(points.expand(), w - 1);
  product.right = symbolic::formula(constant.number * growing);
  product.formula = product.name + " >= " + constant.text + " " + symbolic::to_string(growing);
  add_words_ledger(product, balance,
                   "the instances of " + lattice.statement->name + " with " + lattice.order);
  product.ledger.push_back({lattice.statement->name + " inside an interval is a (" +
                                std::to_string(w) + ", " + std::to_string(w - 1) +
                                ")-lattice hypergraph: a processor with a part of it, and not all, "
                                "receives or sends a value for every hyperedge that is cut",
                            proved});
  if (chain.any_order)
    product.ledger.push_back({"the terms of a sum may be added in any order", proved});
  const auto n = whole(chain.length, sizes);
  if (!n || *n < 6) return product;
  // Of the chain: a half, or all but what one processor may have most of (and two vertices).
  const double length = static_cast<double>(*n);
  const double shared = std::max(length / 2, length * part - 2 - lattice.missing);
  product.value = halves ? *product.constant * std::pow(length - 2 - lattice.missing, 2)
                         : cut * std::pow(shared, w - 1);
  for (const std::int64_t s : curve_points(*n))
    product.curve.emplace_back(s, *product.value / std::pow(static_cast<double>(s), w - 2));
  return product;
}

TradeoffProduct words(const Cone& cone, double balance, const symbolic::Valuation& sizes) {
  const int d = cone.dimensions;
  const double part = shared_part(balance, 3.0 / 4, d + 1);
  const double blocks = cone.block() == 1 ? 1 : std::pow(cone.block() / 2.0, d);
  const double cut = std::pow(2.0, -d) / cone.longest_step() * blocks;
  TradeoffProduct product;
  product.name = name_of("W", d - 1);
  product.left = left_side("W", synchronisations(), d - 1);
  const double steps = 1.0 / cone.sweeps_per_step();
  const double of_sweeps = cut * std::pow(part * steps, d);
  const Expr growing = symbolic::leading_term(GiNaC::pow(cone.length, d).expand());
  product.constant = of_sweeps * coefficient(growing);
  const Rounded constant = rounded_down(*product.constant);
  const Expr monomial = growing / exact_coefficient(growing);
  product.right = symbolic::formula(constant.number * monomial);
  product.claim = TradeoffProduct::Claim::leading;
  product.formula =
      product.name + " >= " + constant.text + " " + symbolic::to_string(monomial) + " (1 - o(1))";
  add_words_ledger(product, balance, "the cube of all sweeps");
  product.ledger.push_back({"inside an interval, cubes of lines along " + std::to_string(d + 1) +
                                " dependences: at least one part in " + std::to_string(1 << d) +
                                " of the lines in some direction is cut [bollobas1991]",
                            proved});
  product.ledger.push_back(
      {"formula only: the sweeps are many, and the mesh holds the cube of all", assumed});
  const auto sweeps = whole(cone.length, sizes);
  if (!sweeps) return product;
  std::int64_t n = *sweeps / cone.sweeps_per_step();
  for (const Expr& width : cone.widths) {
    const auto points = whole(width, sizes);
    if (!points) return product;
    n = std::min(n, (*points / cone.block() - 1) / 2);
  }
  if (n < 2) return product;
  const double shared = static_cast<double>(n) * part;
  product.value = cut * std::pow(std::max(static_cast<double>(n) / 2, shared - 1), d);
  for (const std::int64_t s : curve_points(n))
    product.curve.emplace_back(s, *product.value / std::pow(static_cast<double>(s), d - 1));
  return product;
}

}  // namespace redblue::tradeoff
