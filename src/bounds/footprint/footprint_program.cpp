// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/footprint/footprint_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include "bounds/footprint/linear_program.hpp"

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

namespace {

bool contains(const Term& term, int loop) {
  return std::binary_search(term.loops.begin(), term.loops.end(), loop);
}

double as_real(const Rational& r) {
  return r.to_double();
}

// The box that maximises sum_t y_t - lambda sum_j c_j exp(sum_{t in j} y_t) over 0 <= y_t <= cap_t,
// found one loop at a time (the objective is concave).
struct Box {
  std::vector<double> logs;   // y_t
  std::vector<double> sizes;  // c_j exp(..), one per term
  double total = 0;           // sum of sizes
};

Box best_box(const std::vector<Term>& terms, const std::vector<double>& caps, double lambda,
             std::vector<double> y) {
  Box box;
  std::vector<double> log_coefficients;
  for (const Term& term : terms) log_coefficients.push_back(std::log(as_real(term.coefficient)));
  for (int round = 0; round < 200; ++round) {
    double change = 0;
    for (std::size_t t = 0; t < y.size(); ++t) {
      double weight = 0;  // of terms with t, without t's own factor
      for (std::size_t j = 0; j < terms.size(); ++j) {
        if (!contains(terms[j], static_cast<int>(t))) continue;
        double log_size = log_coefficients[j];
        for (const int u : terms[j].loops) log_size += y[static_cast<std::size_t>(u)];
        weight += std::exp(log_size - y[t]);
      }
      const double next =
          weight == 0 ? caps[t] : std::clamp(-std::log(lambda * weight), 0.0, caps[t]);
      change = std::max(change, std::abs(next - y[t]));
      y[t] = next;
    }
    if (change < 1e-10) break;
  }
  for (std::size_t j = 0; j < terms.size(); ++j) {
    double log_size = log_coefficients[j];
    for (const int u : terms[j].loops) log_size += y[static_cast<std::size_t>(u)];
    box.sizes.push_back(std::exp(log_size));
    box.total += box.sizes.back();
  }
  box.logs = std::move(y);
  return box;
}

// log of prod_t extent_t^u_t * max { prod_j f_j^s_j : sum_j c_j f_j <= X }: an upper bound on
// log chi for every s >= 0, u_t = max(0, 1 - sum_{j contains t} s_j).
double dual_value(const std::vector<Term>& terms, const std::vector<double>& log_extents,
                  const std::vector<double>& s, double x) {
  double sigma = 0;
  for (const double v : s) sigma += v;
  double result = 0;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    if (s[j] > 0) result += s[j] * std::log(s[j] * x / (sigma * as_real(terms[j].coefficient)));
  }
  for (std::size_t t = 0; t < log_extents.size(); ++t) {
    double covered = 0;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      if (contains(terms[j], static_cast<int>(t))) covered += s[j];
    }
    result += std::max(0.0, 1 - covered) * log_extents[t];
  }
  return result;
}

// p/q with q <= 60 close to v.
Rational nearby_rational(double v) {
  for (long q = 1; q <= 60; ++q) {
    const double p = std::round(v * static_cast<double>(q));
    if (std::abs(v - p / static_cast<double>(q)) < 1e-4) return Rational(static_cast<long>(p)) / q;
  }
  return -1;
}

bool is_optimal_cover(const std::vector<Term>& terms, int loops, const std::vector<Rational>& s,
                      const Rational& alpha) {
  Rational total = 0;
  for (const Rational& v : s) {
    if (v.is_negative()) return false;
    total += v;
  }
  if (total != alpha) return false;
  for (int t = 0; t < loops; ++t) {
    Rational covered = 0;
    for (std::size_t j = 0; j < terms.size(); ++j) {
      if (contains(terms[j], t)) covered += s[j];
    }
    if (covered < 1) return false;
  }
  return true;
}

// Of all optimal covers, the one with the least constant, when it is rational; any is valid.
std::vector<Rational> best_cover(const std::vector<Term>& terms, int loops,
                                 const LinearProgramSolution& lp) {
  constexpr double large = 1e12;
  const std::vector<double> no_caps(static_cast<std::size_t>(loops), 1e3);
  std::vector<double> y(static_cast<std::size_t>(loops));
  for (std::size_t t = 0; t < y.size(); ++t) y[t] = as_real(lp.primal[t]) * std::log(large);
  const Box box = best_box(terms, no_caps, as_real(lp.value) / large, y);
  std::vector<Rational> s;
  for (const double size : box.sizes)
    s.push_back(nearby_rational(size / box.total * as_real(lp.value)));
  return is_optimal_cover(terms, loops, s, lp.value) ? s : lp.dual;
}

// prod base_i^exponent_i as integer * roots, by prime factors.
class PowerProduct {
 public:
  void multiply(const Rational& base, const Rational& exponent) {
    factor(base.numer(), exponent);
    factor(base.denom(), -exponent);
  }

  Expr value() const {
    Rational whole = 1;
    std::map<long, Rational> radicands;  // root degree -> radicand
    for (const auto& [prime, exponent] : exponents_) {
      const Expr down = symbolic::floor(exponent);
      const Rational integer = GiNaC::ex_to<Rational>(down);
      const Rational fraction = exponent - integer;
      whole = whole * GiNaC::ex_to<Rational>(GiNaC::pow(Expr(prime), integer));
      if (fraction.is_zero()) continue;
      Rational& radicand = radicands.try_emplace(fraction.denom().to_long(), 1).first->second;
      radicand = radicand * GiNaC::ex_to<Rational>(GiNaC::pow(Expr(prime), fraction.numer()));
    }
    Expr result = whole;
    for (const auto& [root, radicand] : radicands) {
      result *= GiNaC::pow(Expr(radicand), Rational(1) / root);
    }
    return result;
  }

 private:
  void factor(const Rational& number, const Rational& exponent) {
    long n = number.to_long();
    for (long p = 2; n > 1; ++p) {
      if (p * p > n) p = n;
      for (; n % p == 0; n /= p) {
        Rational& e = exponents_[p];
        e = e + exponent;
      }
    }
  }

  std::map<long, Rational> exponents_;
};

// The lengths kappa_t S^y_t of a box at X_0 that meet the inequality: every projection with s_j > 0
// has its share p_j X / c_j, so sum_{t in j} log x_t = log(p_j X / c_j); a loop whose exponents add
// up to more than 1 has length 1. Solved by exact elimination of `order`'s loops one by one; those
// left free get length 1.
class TileSystem {
 public:
  TileSystem(const std::vector<Term>& terms, int loops, const Intensity& solution)
      : terms_(terms), loops_(static_cast<std::size_t>(loops)), solution_(solution) {}

  std::vector<Expr> solved(const std::vector<std::size_t>& order) const {
    std::vector<Row> rows = equations();
    std::vector<Expr> tiles(loops_, 1);
    std::size_t used = 0;
    std::vector<std::pair<std::size_t, std::size_t>> pivots;  // loop, row
    for (const std::size_t t : order) {
      if (is_one(t) || !eliminate(rows, used, t)) continue;
      pivots.emplace_back(t, used++);
    }
    for (const auto& [t, row] : pivots) tiles[t] = length(rows[row]);
    return tiles;
  }

 private:
  struct Row {
    std::vector<Rational> coefficients;
    std::vector<Rational> combination;  // of the original terms
  };

  bool is_one(std::size_t t) const {
    Rational covered = 0;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (contains(terms_[j], static_cast<int>(t))) covered += solution_.exponents[j];
    }
    return covered > 1;
  }

  std::vector<Row> equations() const {
    std::vector<Row> rows;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (solution_.exponents[j].is_zero()) continue;
      Row row{std::vector<Rational>(loops_, 0), std::vector<Rational>(terms_.size(), 0)};
      for (const int t : terms_[j].loops) {
        if (!is_one(static_cast<std::size_t>(t))) row.coefficients[static_cast<std::size_t>(t)] = 1;
      }
      row.combination[j] = 1;
      rows.push_back(row);
    }
    return rows;
  }

  static void add(std::vector<Rational>& v, const std::vector<Rational>& w, const Rational& f) {
    for (std::size_t i = 0; i < v.size(); ++i) v[i] = v[i] + f * w[i];
  }

  // Takes loop t out of all rows but row `used`; false where no row from that one on has it.
  static bool eliminate(std::vector<Row>& rows, std::size_t used, std::size_t t) {
    std::size_t r = used;
    while (r < rows.size() && rows[r].coefficients[t].is_zero()) ++r;
    if (r == rows.size()) return false;
    std::swap(rows[r], rows[used]);
    const Rational inverse = rows[used].coefficients[t].inverse();
    for (Rational& x : rows[used].coefficients) x = x * inverse;
    for (Rational& x : rows[used].combination) x = x * inverse;
    for (std::size_t other = 0; other < rows.size(); ++other) {
      if (other == used) continue;
      const Rational f = -rows[other].coefficients[t];
      add(rows[other].coefficients, rows[used].coefficients, f);
      add(rows[other].combination, rows[used].combination, f);
    }
    return true;
  }

  Expr length(const Row& row) const {
    PowerProduct kappa;
    Rational exponent = 0;
    for (std::size_t j = 0; j < terms_.size(); ++j) {
      if (row.combination[j].is_zero()) continue;
      // share p_j = s_j / alpha of X_0 = alpha / (alpha - 1) S
      kappa.multiply(solution_.exponents[j] / (solution_.alpha - 1) / terms_[j].coefficient,
                     row.combination[j]);
      exponent += row.combination[j];
    }
    return kappa.value() * GiNaC::pow(symbolic::fast_memory(), exponent);
  }

  const std::vector<Term>& terms_;
  const std::size_t loops_;
  const Intensity& solution_;
};

double at_memory(const Expr& e, long s) {
  double value = 0;
  symbolic::evaluate(e, {{"S", Rational(s)}}, value);
  return value;
}

// Whether a box of these lengths holds no less than one point along every loop, needs no more than
// X_0, and is as large as the inequality allows; the last two far out, where projections with s_j =
// 0 do not count.
bool is_box_that_reaches(const std::vector<Expr>& tiles, const std::vector<Term>& terms,
                         const Intensity& solution) {
  constexpr long some = 1024, large = 1L << 40;
  constexpr double slack = 1e-3;
  double volume = 1, needed = 0;
  for (const Expr& tile : tiles) {
    if (at_memory(tile, some) < 1 - slack || at_memory(tile, large) < 1 - slack) return false;
    volume *= at_memory(tile, large);
  }
  for (const Term& term : terms) {
    double size = as_real(term.coefficient);
    for (const int t : term.loops) size *= at_memory(tiles[static_cast<std::size_t>(t)], large);
    needed += size;
  }
  const double x = at_memory(solution.segment, large);
  const double rho = volume / (x - static_cast<double>(large));
  return needed <= x * (1 + slack) && rho >= at_memory(solution.rho, large) * (1 - slack);
}

// Where loops may be traded for each other, one way that gives a box; empty where none is found.
std::vector<Expr> tile_sizes(const std::vector<Term>& terms, int loops, const Intensity& solution) {
  const TileSystem system(terms, loops, solution);
  std::vector<std::size_t> order(static_cast<std::size_t>(loops));
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (int direction = 0; direction < 2; ++direction) {
    for (int turn = 0; turn < loops; ++turn) {
      const std::vector<Expr> tiles = system.solved(order);
      if (is_box_that_reaches(tiles, terms, solution)) return tiles;
      std::rotate(order.begin(), order.begin() + 1, order.end());
    }
    std::reverse(order.begin(), order.end());
  }
  return {};
}

}  // namespace

void add_term(std::vector<Term>& terms, const std::vector<int>& loops, const Rational& weight,
              const std::string& of) {
  for (Term& term : terms) {
    if (term.loops != loops) continue;
    term.coefficient += weight;
    term.of += ", " + of;
    return;
  }
  terms.push_back({loops, weight, of});
}

std::optional<Intensity> solve(const std::vector<Term>& terms, int loops) {
  std::vector<std::vector<Rational>> a;
  for (const Term& term : terms) {
    a.emplace_back(static_cast<std::size_t>(loops), 0);
    for (const int t : term.loops) a.back()[static_cast<std::size_t>(t)] = 1;
  }
  const auto lp = maximise(a, loops);
  if (!lp || lp->value < 1) return std::nullopt;
  Intensity result;
  result.alpha = lp->value;
  result.exponents = best_cover(terms, loops, *lp);
  PowerProduct constant;
  for (std::size_t j = 0; j < terms.size(); ++j) {
    const Rational& s = result.exponents[j];
    if (!s.is_zero()) constant.multiply(s / (result.alpha * terms[j].coefficient), s);
  }
  result.constant = constant.value();
  if (result.alpha == 1) {
    result.rho = result.constant;
    result.tiles.assign(static_cast<std::size_t>(loops), 1);
    return result;
  }
  const Rational excess = result.alpha - 1;
  result.segment = result.alpha / excess * symbolic::fast_memory();
  PowerProduct scale = constant;
  scale.multiply(result.alpha, result.alpha);
  scale.multiply(excess, -excess);
  result.rho = scale.value() * GiNaC::pow(symbolic::fast_memory(), excess);
  result.tiles = tile_sizes(terms, loops, result);
  return result;
}

namespace {

// The least of dual_value over the boxes met on the way; `rising`: of those with exponents that add
// up to 1 at least, so that chi(x) / x does not fall.
double least_chi(const std::vector<Term>& terms, const std::vector<double>& extents, double x,
                 bool rising) {
  std::vector<double> caps;
  for (const double e : extents) caps.push_back(std::log(std::max(1.0, e)));
  double low = std::log(1e-6 / x);  // log lambda; lambda = alpha / X without caps
  double high = std::log(100 / x);
  std::vector<double> y(caps.size(), 0.0);
  double best = rising ? std::numeric_limits<double>::infinity() : 0;
  for (const double c : caps) best += c;  // s = 0: the whole domain
  for (int step = 0; step < 40; ++step) {
    const double middle = (low + high) / 2;
    const Box box = best_box(terms, caps, std::exp(middle), y);
    y = box.logs;
    std::vector<double> s;
    const double sigma = box.total * std::exp(middle);
    const double scale = rising && sigma < 1 ? 1 / sigma : 1;
    for (const double size : box.sizes) s.push_back(size * std::exp(middle) * scale);
    best = std::min(best, dual_value(terms, caps, s, x));
    (box.total > x ? low : high) = middle;
  }
  return std::exp(best) * (1 + 1e-9);  // rounding must not make the bound stronger
}

}  // namespace

double chi_at(const std::vector<Term>& terms, const std::vector<double>& extents, double x) {
  return least_chi(terms, extents, x, false);
}

double rising_chi_at(const std::vector<Term>& terms, const std::vector<double>& extents, double x) {
  return x <= 0 ? 0 : least_chi(terms, extents, x, true);
}

double segments_bound(const std::vector<Term>& terms, const std::vector<double>& extents,
                      double vertices, double s, double units) {
  return segments_bound([&](double x) { return rising_chi_at(terms, extents, x); }, vertices, s,
                        units);
}

}  // namespace redblue::bounds
