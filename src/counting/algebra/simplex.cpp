// SPDX-License-Identifier: BSD-3-Clause
#include "counting/algebra/simplex.hpp"

#include <cln/cln.h>

namespace redblue::counting {

namespace {

using Number = cln::cl_RA;

// Rows a | b with one basic variable each, and the reduced costs. Artificial variables have numbers
// from a's columns on and no column: once they have left the basis they never enter it again.
struct Tableau {
  std::vector<std::vector<Number>> rows;  // the last column is b
  std::vector<std::size_t> basis;
  std::vector<Number> cost;  // the last entry: minus the value

  void pivot(std::size_t row, std::size_t column) {
    const Number divisor = rows[row][column];
    for (Number& x : rows[row]) x = x / divisor;
    const auto eliminate = [&](std::vector<Number>& other) {
      const Number factor = other[column];
      if (cln::zerop(factor)) return;
      for (std::size_t k = 0; k < other.size(); ++k) {
        if (!cln::zerop(rows[row][k])) other[k] = other[k] - factor * rows[row][k];
      }
    };
    for (std::size_t r = 0; r < rows.size(); ++r) {
      if (r != row) eliminate(rows[r]);
    }
    eliminate(cost);
    basis[row] = column;
  }

  // False when the value is unbounded.
  bool descend() {
    const std::size_t columns = cost.size() - 1;
    while (true) {
      std::size_t entering = 0;
      while (entering < columns && !cln::minusp(cost[entering])) ++entering;
      if (entering == columns) return true;
      std::size_t leaving = rows.size();
      Number least = 0;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        if (!cln::plusp(rows[r][entering])) continue;
        const Number ratio = rows[r].back() / rows[r][entering];
        if (leaving == rows.size() || ratio < least ||
            (ratio == least && basis[r] < basis[leaving])) {
          leaving = r;
          least = ratio;
        }
      }
      if (leaving == rows.size()) return false;
      pivot(leaving, entering);
    }
  }
};

}  // namespace

LinearMinimum minimise(std::vector<std::vector<Number>> a, std::vector<Number> b,
                       const std::vector<Number>& c) {
  const std::size_t m = a.size();
  const std::size_t n = c.size();
  Tableau t;
  t.cost.assign(n + 1, 0);
  for (std::size_t r = 0; r < m; ++r) {
    std::vector<Number> row(n + 1, 0);
    const bool negative = cln::minusp(b[r]);
    for (std::size_t k = 0; k < n; ++k) row[k] = negative ? -a[r][k] : a[r][k];
    row.back() = negative ? -b[r] : b[r];
    for (std::size_t k = 0; k < n; ++k) t.cost[k] = t.cost[k] - row[k];
    t.cost.back() = t.cost.back() - row.back();
    t.rows.push_back(std::move(row));
    t.basis.push_back(n + r);
  }
  LinearMinimum result;
  t.descend();
  if (!cln::zerop(t.cost.back())) return result;
  for (std::size_t r = 0; r < m; ++r) {  // artificial variables at 0 leave where they can
    for (std::size_t k = 0; k < n && t.basis[r] >= n; ++k) {
      if (!cln::zerop(t.rows[r][k])) t.pivot(r, k);
    }
  }
  t.cost.assign(n + 1, 0);
  for (std::size_t k = 0; k < n; ++k) t.cost[k] = c[k];
  for (std::size_t r = 0; r < m; ++r) {
    if (t.basis[r] >= n) continue;
    const Number factor = c[t.basis[r]];
    if (cln::zerop(factor)) continue;
    for (std::size_t k = 0; k < t.cost.size(); ++k) {
      t.cost[k] = t.cost[k] - factor * t.rows[r][k];
    }
  }
  if (!t.descend()) {
    result.state = LinearMinimum::State::unbounded;
    return result;
  }
  result.state = LinearMinimum::State::optimal;
  result.value = -t.cost.back();
  result.used.assign(n, false);
  for (std::size_t r = 0; r < m; ++r) {
    if (t.basis[r] < n && !cln::zerop(t.rows[r].back())) result.used[t.basis[r]] = true;
  }
  return result;
}

}  // namespace redblue::counting
