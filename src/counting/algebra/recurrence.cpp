// SPDX-License-Identifier: BSD-3-Clause
// x(i) = A^i x0 + sum_{j<i} A^j b, one strongly connected part of A after the other: numbers on the
// diagonal by sums, larger parts by Putzer's formula A^i = sum_k r_k(i) P_k (E. J. Putzer, Avoiding
// the Jordan canonical form, Amer. Math. Monthly 73, 1966; here for powers).
#include "counting/algebra/recurrence.hpp"

#include <algorithm>
#include <functional>
#include <optional>

#include "counting/algebra/sum.hpp"
#include "counting/algebra/terms.hpp"

namespace redblue::counting {

namespace {

constexpr std::size_t largest_part = 6;

// sum over j < i of f(j), exactly.
std::optional<Expr> exact_sum(const Expr& f, const Symbol& j, const Expr& i, const Facts& facts) {
  const auto range = sum(f, j, 0, i, facts);
  if (!range || !range->exact()) return std::nullopt;
  return range->lower;
}

const Symbol& step() {
  return symbolic::symbol("_j");
}

// x(i) with x(0) = x0 and x(i + 1) = a x(i) + b(i). a is no 0.
std::optional<Expr> scalar(const Expr& x0, const Expr& a, const Expr& b, const Symbol& i,
                           const Facts& facts) {
  const Expr b_at_step = b.subs(i == step());
  const Facts counting = facts.with(i);
  if (a.is_equal(1)) {
    const auto total = exact_sum(b_at_step, step(), i, counting);
    if (!total) return std::nullopt;
    return expanded(x0 + *total);
  }
  if (!GiNaC::is_a<Rational>(a)) {
    if (!b.is_zero()) return std::nullopt;
    return x0 * GiNaC::pow(a, i);
  }
  // sum over j of a^(i - 1 - j) b(j)
  const auto total = exact_sum(expanded(power(a, -step() - 1) * b_at_step), step(), i, counting);
  if (!total) return std::nullopt;
  return expanded(power(a, i) * (x0 + *total));
}

// x <- floor((x + c) / d): c = 0 gives floor(x0 / d^i), c = d - 1 gives ceil(x0 / d^i).
std::optional<Expr> repeated_division(const Update& u, const Symbol& i) {
  const bool down = symbolic::is_floor(u.next);
  if (!down && !symbolic::is_ceil(u.next)) return std::nullopt;
  const Expr inner = expanded(u.next.op(0));
  if (!inner.is_polynomial(u.symbol) || inner.degree(u.symbol) != 1) return std::nullopt;
  const Expr slope = inner.coeff(u.symbol, 1);
  const Expr shift = inner.coeff(u.symbol, 0);
  if (!GiNaC::is_a<Rational>(slope)) return std::nullopt;
  const Rational d = GiNaC::ex_to<Rational>(slope).inverse();
  if (!d.is_pos_integer() || d == 1) return std::nullopt;
  const Expr quotient = expanded(u.start * power(d, -Expr(i)));
  const Expr to_whole = expanded(1 - slope);
  if (shift.is_zero()) return down ? symbolic::floor(quotient) : symbolic::ceil(quotient);
  if (down && shift.is_equal(to_whole)) return symbolic::ceil(quotient);
  if (!down && shift.is_equal(-to_whole)) return symbolic::floor(quotient);
  return std::nullopt;
}

// The linear part of an update in the given symbols; false where it is not affine in them.
bool linear_part(const Expr& next, const std::vector<Symbol>& symbols, std::vector<Expr>& row,
                 Expr& rest) {
  rest = expanded(next);
  row.clear();
  for (const Symbol& s : symbols) {
    if (!rest.is_polynomial(s) || rest.degree(s) > 1) return false;
    row.push_back(rest.coeff(s, 1));
    rest = expanded(rest.coeff(s, 0));
  }
  return std::all_of(row.begin(), row.end(), [&symbols](const Expr& entry) {
    return std::none_of(symbols.begin(), symbols.end(),
                        [&entry](const Symbol& s) { return entry.has(s); });
  });
}

// Roots of a polynomial in `x` over the rationals that are rational or in quadratic fields, with
// their multiplicities; empty where others are left.
std::vector<Expr> eigenvalues(const Expr& characteristic, const Symbol& x) {
  std::vector<Expr> roots;
  Expr p = expanded(characteristic);
  const auto divide = [&](const Expr& root) {
    if (!expanded(p.subs(x == root)).is_zero()) return false;
    p = GiNaC::quo(p, x - root, x);
    roots.push_back(root);
    return true;
  };
  bool found = true;
  while (found && p.degree(x) > 2) {
    found = false;
    const Expr primitive = p.primpart(x);
    const Rational last = GiNaC::abs(GiNaC::ex_to<Rational>(primitive.tcoeff(x)));
    const Rational first = GiNaC::abs(GiNaC::ex_to<Rational>(primitive.lcoeff(x)));
    if (primitive.ldegree(x) > 0) {
      found = divide(0);
      continue;
    }
    if (last > 10000 || first > 100) return {};
    for (Rational n = 1; n <= last && !found; n = n + 1) {
      for (Rational d = 1; d <= first && !found; d = d + 1) {
        found = divide(n / d) || divide(-n / d);
      }
    }
  }
  if (p.degree(x) == 1) roots.push_back(-p.coeff(x, 0) / p.coeff(x, 1));
  if (p.degree(x) == 2) {
    const Expr a = p.coeff(x, 2);
    const Expr b = p.coeff(x, 1);
    const Expr discriminant = b * b - 4 * a * p.coeff(x, 0);
    if (!GiNaC::ex_to<Rational>(discriminant).is_real() ||
        GiNaC::ex_to<Rational>(discriminant).is_negative()) {
      return {};
    }
    roots.push_back(expanded((-b + GiNaC::sqrt(discriminant)) / (2 * a)));
    roots.push_back(expanded((-b - GiNaC::sqrt(discriminant)) / (2 * a)));
  }
  if (p.degree(x) > 2) return {};
  return roots;
}

struct Part {
  std::vector<Symbol> symbols;
  std::vector<Expr> start;
  GiNaC::matrix a;
  std::vector<Expr> b;  // formulas in i
};

std::optional<std::vector<Expr>> by_putzer(const Part& part, const Symbol& i, const Facts& facts) {
  const unsigned m = static_cast<unsigned>(part.symbols.size());
  const Symbol& x = symbolic::symbol("_x");
  const std::vector<Expr> roots = eigenvalues(part.a.charpoly(x), x);
  if (roots.size() != m) return std::nullopt;
  // 0^i is no term; irrational powers would leave sums of other than rational numbers.
  for (const Expr& root : roots) {
    if (!GiNaC::is_a<Rational>(root) || root.is_zero()) return std::nullopt;
  }
  GiNaC::matrix product(m, m);
  for (unsigned k = 0; k < m; ++k) product(k, k) = 1;
  std::vector<Expr> result(m, 0);
  Expr r = 0;
  for (unsigned k = 0; k < m; ++k) {
    const auto next = scalar(k == 0 ? 1 : 0, roots[k], k == 0 ? Expr(0) : r, i, facts);
    if (!next) return std::nullopt;
    r = *next;
    for (unsigned row = 0; row < m; ++row) {
      for (unsigned column = 0; column < m; ++column) {
        const Expr p = product(row, column);
        if (p.is_zero()) continue;
        result[row] += p * r * part.start[column];
        if (part.b[column].is_zero()) continue;
        const Expr forced = (r.subs(i == Expr(i) - 1 - step()) * part.b[column].subs(i == step()));
        const auto total = exact_sum(expanded(forced), step(), i, facts.with(i));
        if (!total) return std::nullopt;
        result[row] += p * *total;
      }
    }
    GiNaC::matrix shifted = part.a;
    for (unsigned d = 0; d < m; ++d) shifted(d, d) = shifted(d, d) - roots[k];
    product = product.mul(shifted);
  }
  for (Expr& e : result) e = expanded(e);
  return result;
}

// Variables in groups that depend on each other, each after all it depends on.
std::vector<std::vector<std::size_t>> parts(const std::vector<Update>& updates) {
  const std::size_t n = updates.size();
  std::vector<std::vector<bool>> reaches(n, std::vector<bool>(n, false));
  for (std::size_t k = 0; k < n; ++k) {
    for (std::size_t l = 0; l < n; ++l) reaches[k][l] = updates[k].next.has(updates[l].symbol);
  }
  for (std::size_t via = 0; via < n; ++via) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t l = 0; l < n; ++l) {
        if (reaches[k][via] && reaches[via][l]) reaches[k][l] = true;
      }
    }
  }
  std::vector<std::vector<std::size_t>> result;
  std::vector<bool> placed(n, false);
  std::function<void(std::size_t)> place = [&](std::size_t k) {
    if (placed[k]) return;
    std::vector<std::size_t> group;
    for (std::size_t l = 0; l < n; ++l) {
      if (l == k || (reaches[k][l] && reaches[l][k])) group.push_back(l);
    }
    for (const std::size_t member : group) placed[member] = true;
    for (std::size_t l = 0; l < n; ++l) {
      if (reaches[k][l] && !reaches[l][k]) place(l);
    }
    result.push_back(group);
  };
  for (std::size_t k = 0; k < n; ++k) place(k);
  return result;
}

std::optional<Expr> single(const Update& u, const Expr& next, const Symbol& i, const Facts& facts) {
  if (const auto divided = repeated_division({u.symbol, u.start, next}, i)) return divided;
  std::vector<Expr> row;
  Expr b;
  if (!linear_part(next, {u.symbol}, row, b)) return std::nullopt;
  if (row[0].has(i)) return std::nullopt;
  if (row[0].is_zero()) {  // the value before: b(i - 1), which has to be x0 for i = 0
    const Expr before = b.subs(i == Expr(i) - 1);
    if (!expanded(before.subs(i == 0) - u.start).is_zero()) return std::nullopt;
    return expanded(before);
  }
  return scalar(u.start, row[0], b, i, facts);
}

}  // namespace

Values closed_forms(const std::vector<Update>& updates, const Symbol& i, const Facts& facts) {
  Values known;
  for (const std::vector<std::size_t>& group : parts(updates)) {
    const auto solved_next = [&](std::size_t k) -> std::optional<Expr> {
      for (const Update& other : updates) {
        const bool own = std::any_of(group.begin(), group.end(), [&](std::size_t member) {
          return updates[member].symbol.is_equal(other.symbol);
        });
        if (!own && updates[k].next.has(other.symbol) && known.count(other.symbol) == 0) {
          return std::nullopt;
        }
      }
      return updates[k].next.subs(GiNaC::exmap(known.begin(), known.end()));
    };
    if (group.size() == 1) {
      const auto next = solved_next(group[0]);
      if (!next) continue;
      const auto value = single(updates[group[0]], *next, i, facts);
      if (value) known[updates[group[0]].symbol] = *value;
      continue;
    }
    if (group.size() > largest_part) continue;
    Part part;
    const unsigned m = static_cast<unsigned>(group.size());
    part.a = GiNaC::matrix(m, m);
    for (const std::size_t k : group) {
      part.symbols.push_back(updates[k].symbol);
      part.start.push_back(updates[k].start);
    }
    bool affine = true;
    for (unsigned row = 0; row < m && affine; ++row) {
      const auto next = solved_next(group[row]);
      std::vector<Expr> entries;
      Expr rest;
      affine = next && linear_part(*next, part.symbols, entries, rest);
      for (unsigned column = 0; column < m && affine; ++column) {
        affine = GiNaC::is_a<Rational>(entries[column]);
        part.a(row, column) = entries[column];
      }
      part.b.push_back(rest);
    }
    if (!affine) continue;
    const auto values = by_putzer(part, i, facts);
    if (!values) continue;
    for (unsigned row = 0; row < m; ++row) known[part.symbols[row]] = (*values)[row];
  }
  return known;
}

}  // namespace redblue::counting
