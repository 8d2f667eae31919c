// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace redblue::einsum {

namespace {

// Elements of each tensor of the box with these logarithms of its sides.
std::vector<double> sizes(const Projections& p, const Sides& logs) {
  std::vector<double> x;
  for (const std::vector<int>& tensor : p.tensors) {
    double sum = 0;
    for (const int t : tensor) sum += logs[static_cast<std::size_t>(t)];
    x.push_back(std::exp(sum));
  }
  return x;
}

double total(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum;
}

// How much the footprint grows with the logarithm of each side.
Sides slopes(const Projections& p, const std::vector<double>& x) {
  Sides g(p.extents.size(), 0.0);
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (const int t : p.tensors[a]) g[static_cast<std::size_t>(t)] += x[a];
  }
  return g;
}

// m y = r by Gauss's elimination with pivots; m square, n rows of n + 1 (r last). Nothing where it
// is singular.
std::optional<std::vector<double>> solved(std::vector<std::vector<double>> m) {
  const std::size_t n = m.size();
  for (std::size_t c = 0; c < n; ++c) {
    std::size_t pivot = c;
    for (std::size_t r = c; r < n; ++r) {
      if (std::abs(m[r][c]) > std::abs(m[pivot][c])) pivot = r;
    }
    if (!(std::abs(m[pivot][c]) > 0)) return std::nullopt;
    std::swap(m[c], m[pivot]);
    for (std::size_t r = 0; r < n; ++r) {
      if (r == c) continue;
      const double f = m[r][c] / m[c][c];
      for (std::size_t k = c; k <= n; ++k) m[r][k] -= f * m[c][k];
    }
  }
  std::vector<double> y(n);
  for (std::size_t c = 0; c < n; ++c) y[c] = m[c][n] / m[c][c];
  return y;
}

// Newton's step of the footprint in the logarithms of the free sides, their sum kept.
std::optional<Sides> newton_step(const Projections& p, const std::vector<double>& x, const Sides& g,
                                 const std::vector<std::size_t>& free) {
  const std::size_t n = free.size();
  std::vector<std::vector<double>> m(n + 1, std::vector<double>(n + 2, 0.0));
  std::vector<std::size_t> place(g.size(), n);
  for (std::size_t i = 0; i < n; ++i) place[free[i]] = i;
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (const int s : p.tensors[a]) {
      for (const int t : p.tensors[a]) {
        const std::size_t i = place[static_cast<std::size_t>(s)];
        const std::size_t j = place[static_cast<std::size_t>(t)];
        if (i < n && j < n) m[i][j] += x[a];
      }
    }
  }
  constexpr double damping = 1e-9;  // indices that always stand together leave the matrix singular
  for (std::size_t i = 0; i < n; ++i) {
    m[i][i] += damping * total(x);
    m[i][n] = m[n][i] = 1;
    m[i][n + 1] = -g[free[i]];
  }
  auto y = solved(std::move(m));
  if (!y) return y;
  y->resize(n);
  const double mean = total(*y) / static_cast<double>(n);
  for (double& d : *y) d -= mean;
  return y;
}

// Which sides may move: those between their ends, and those at an end that lead inwards, given the
// slope that the free ones have.
std::vector<std::size_t> free_sides(const Sides& z, const Sides& most, const Sides& g) {
  constexpr double near = 1e-12;
  double between = 0;
  double count = 0;
  for (std::size_t t = 0; t < z.size(); ++t) {
    if (z[t] <= near || z[t] >= most[t] - near) continue;
    between += g[t];
    ++count;
  }
  std::vector<std::size_t> free;
  const double level =
      count > 0
          ? between / count
          : 0.5 * (*std::max_element(g.begin(), g.end()) + *std::min_element(g.begin(), g.end()));
  for (std::size_t t = 0; t < z.size(); ++t) {
    if (most[t] <= near) continue;
    if (z[t] <= near && g[t] >= level) continue;
    if (z[t] >= most[t] - near && g[t] <= level) continue;
    free.push_back(t);
  }
  return free;
}

// Newton's step without the sides that it would push out of their ends, which leave `free`.
std::optional<Sides> inward_step(const Projections& p, const std::vector<double>& x, const Sides& g,
                                 const Sides& z, const Sides& most,
                                 std::vector<std::size_t>& free) {
  constexpr double near = 1e-12;
  while (free.size() >= 2) {
    auto move = newton_step(p, x, g, free);
    if (!move) return std::nullopt;
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::size_t t = free[i];
      const bool out =
          ((*move)[i] < 0 && z[t] <= near) || ((*move)[i] > 0 && z[t] >= most[t] - near);
      if (!out) kept.push_back(t);
    }
    if (kept.size() == free.size()) return move;
    free = std::move(kept);
  }
  return std::nullopt;
}

}  // namespace

Projections projections(const EinsumShape& shape) {
  Projections p;
  for (const EinsumIndex& i : shape.indices) p.extents.push_back(static_cast<double>(i.extent));
  for (const EinsumTensor& t : shape.tensors) {
    if (t.indices.empty()) {
      ++p.scalars;
    } else {
      p.tensors.push_back(t.indices);
    }
  }
  return p;
}

double footprint(const Projections& p, const Sides& box) {
  double sum = p.scalars;
  for (const std::vector<int>& tensor : p.tensors) {
    double size = 1;
    for (const int t : tensor) size *= box[static_cast<std::size_t>(t)];
    sum += size;
  }
  return sum;
}

// Newton's method on the logarithms z of the sides: the footprint is convex in them, their sum is
// the volume's logarithm, and 0 <= z <= log extents.
Sides best_box(const Projections& p, double volume) {
  if (p.extents.empty()) return {};
  Sides most;
  for (const double e : p.extents) most.push_back(std::log(e));
  const double all = total(most);
  const double share = all > 0 ? std::clamp(std::log(volume) / all, 0.0, 1.0) : 0;
  Sides z;
  for (const double m : most) z.push_back(share * m);
  constexpr int steps = 100;
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> x = sizes(p, z);
    const Sides g = slopes(p, x);
    std::vector<std::size_t> free = free_sides(z, most, g);
    const auto move = inward_step(p, x, g, z, most, free);
    if (!move) break;
    double length = 1;
    double largest = 0;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const double d = (*move)[i];
      largest = std::max(largest, std::abs(d));
      if (d < 0) length = std::min(length, -z[free[i]] / d);
      if (d > 0) length = std::min(length, (most[free[i]] - z[free[i]]) / d);
    }
    if (largest < 1e-12) break;
    length = std::min(length, 2 / largest);
    const double before = total(x);
    Sides next = z;
    for (int halvings = 0; halvings < 40; ++halvings, length /= 2) {
      for (std::size_t i = 0; i < free.size(); ++i)
        next[free[i]] = std::clamp(z[free[i]] + length * (*move)[i], 0.0, most[free[i]]);
      if (total(sizes(p, next)) <= before) break;
    }
    z = next;
  }
  Sides box;
  for (const double v : z) box.push_back(std::exp(v));
  return box;
}

Exponents exponents(const Projections& p, const Sides& box) {
  Sides logs;
  for (const double b : box) logs.push_back(std::log(b));
  const std::vector<double> x = sizes(p, logs);
  const Sides g = slopes(p, x);
  const double volume = std::exp(total(logs));
  // at the best box the sides that are free have one slope; which they are, rounding hides
  Exponents best;
  double most = -1;
  for (const double level : g) {
    if (!(level > 0)) continue;
    Exponents e;
    for (const double size : x) e.tensor.push_back(size / level);
    for (const double slope : g) e.index.push_back(std::max(0.0, 1 - slope / level));
    // larger exponents satisfy the conditions, too; below 1, F(v) / v would grow
    const double sum = total(e.tensor);
    if (sum < 1) {
      for (double& s : e.tensor) s /= sum;
    }
    const double least = e.least_footprint(p, volume, p.extents);
    if (least <= most) continue;
    most = least;
    best = std::move(e);
  }
  return best;
}

double Exponents::least_footprint(const Projections& p, double volume, const Sides& extents) const {
  double sum = 0;
  double log_needed = std::log(volume);
  for (std::size_t t = 0; t < index.size(); ++t) {
    if (index[t] > 0) log_needed -= index[t] * std::log(extents[t]);
  }
  for (const double s : tensor) {
    sum += s;
    if (s > 0) log_needed -= s * std::log(s);
  }
  return p.scalars + sum * std::exp(log_needed / sum);
}

Sides halved(Sides box, std::size_t side) {
  box[side] /= 2;
  return box;
}

std::vector<int> sides_to_halve(const Projections& p, const Sides& box) {
  std::vector<std::pair<double, int>> order;
  for (std::size_t t = 0; t < box.size(); ++t) {
    if (box[t] >= 2) order.emplace_back(footprint(p, halved(box, t)), static_cast<int>(t));
  }
  std::sort(order.begin(), order.end());
  std::vector<int> sides;
  for (const auto& [left, side] : order) sides.push_back(side);
  return sides;
}

}  // namespace redblue::einsum
