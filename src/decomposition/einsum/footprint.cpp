// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/footprint.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace redblue::einsum {

namespace {

// Elements of each tensor of the box with these logarithms of its sides.
void put_sizes(const Projections& p, const Sides& logs, std::vector<double>& x) {
  x.clear();
  for (const std::vector<int>& tensor : p.tensors) {
    double sum = 0;
    for (const int t : tensor) sum += logs[static_cast<std::size_t>(t)];
    x.push_back(std::exp(sum));
  }
}

double total(const std::vector<double>& x) {
  double sum = 0;
  for (const double v : x) sum += v;
  return sum;
}

// How much the footprint grows with the logarithm of each side.
void put_slopes(const Projections& p, const std::vector<double>& x, Sides& g) {
  g.assign(p.extents.size(), 0.0);
  for (std::size_t a = 0; a < x.size(); ++a) {
    for (const int t : p.tensors[a]) g[static_cast<std::size_t>(t)] += x[a];
  }
}

constexpr double near = 1e-12;  // an end

// Newton's method on the logarithms z of the sides: the footprint is convex in them, their sum is
// the volume's logarithm, and 0 <= z <= log extents. Searches call this for every box that they
// meet: its vectors are made once.
class Newton {
 public:
  Newton(const Projections& p, double volume, double last)
      : p_(p), last_(last), most_(p.extents), z_(p.extents) {
    for (double& m : most_) m = std::log(m);
    const double all = total(most_);
    const double share = all > 0 ? std::clamp(std::log(volume) / all, 0.0, 1.0) : 0;
    for (std::size_t t = 0; t < z_.size(); ++t) z_[t] = share * most_[t];
    put_weights(z_);
    constexpr int steps = 100;
    for (int step = 0; step < steps; ++step) {
      if (!moves()) break;
    }
  }

  const Sides& logs() const { return z_; }

 private:
  void put_weights(const Sides& logs) {
    put_sizes(p_, logs, x_);
    if (!x_.empty()) x_.back() *= last_;
  }

  // Whether it went on.
  bool moves() {
    put_slopes(p_, x_, g_);
    put_free_sides();
    if (!put_inward_step()) return false;
    double length = 1;
    double largest = 0;
    for (std::size_t i = 0; i < free_.size(); ++i) {
      const double d = move_[i];
      largest = std::max(largest, std::abs(d));
      if (d < 0) length = std::min(length, -z_[free_[i]] / d);
      if (d > 0) length = std::min(length, (most_[free_[i]] - z_[free_[i]]) / d);
    }
    if (largest < 1e-12) return false;
    length = std::min(length, 2 / largest);
    const double before = total(x_);
    next_ = z_;
    for (int halvings = 0; halvings < 40; ++halvings, length /= 2) {
      for (std::size_t i = 0; i < free_.size(); ++i)
        next_[free_[i]] = std::clamp(z_[free_[i]] + length * move_[i], 0.0, most_[free_[i]]);
      put_weights(next_);
      if (total(x_) <= before) break;
    }
    z_.swap(next_);
    return true;
  }

  // Which sides may move: those between their ends, and those at an end that lead inwards, given
  // the slope that the free ones have.
  void put_free_sides() {
    double between = 0;
    double count = 0;
    for (std::size_t t = 0; t < z_.size(); ++t) {
      if (z_[t] <= near || z_[t] >= most_[t] - near) continue;
      between += g_[t];
      ++count;
    }
    free_.clear();
    const double level = count > 0 ? between / count
                                   : 0.5 * (*std::max_element(g_.begin(), g_.end()) +
                                            *std::min_element(g_.begin(), g_.end()));
    for (std::size_t t = 0; t < z_.size(); ++t) {
      if (most_[t] <= near) continue;
      if (z_[t] <= near && g_[t] >= level) continue;
      if (z_[t] >= most_[t] - near && g_[t] <= level) continue;
      free_.push_back(t);
    }
  }

  // Newton's step without the sides that it would push out of their ends, which leave free_.
  bool put_inward_step() {
    while (free_.size() >= 2) {
      if (!put_step()) return false;
      std::size_t kept = 0;
      for (std::size_t i = 0; i < free_.size(); ++i) {
        const std::size_t t = free_[i];
        const bool out =
            (move_[i] < 0 && z_[t] <= near) || (move_[i] > 0 && z_[t] >= most_[t] - near);
        if (!out) free_[kept++] = t;
      }
      if (kept == free_.size()) return true;
      free_.resize(kept);
    }
    return false;
  }

  // Newton's step of the footprint in the logarithms of the free sides, their sum kept.
  bool put_step() {
    const std::size_t n = free_.size();
    const std::size_t columns = n + 2;
    m_.assign((n + 1) * columns, 0.0);
    place_.assign(g_.size(), n);
    for (std::size_t i = 0; i < n; ++i) place_[free_[i]] = i;
    for (std::size_t a = 0; a < x_.size(); ++a) {
      for (const int s : p_.tensors[a]) {
        const std::size_t i = place_[static_cast<std::size_t>(s)];
        if (i == n) continue;
        for (const int t : p_.tensors[a]) {
          const std::size_t j = place_[static_cast<std::size_t>(t)];
          if (j < n) m_[i * columns + j] += x_[a];
        }
      }
    }
    constexpr double damping = 1e-9;  // indices that always stand together leave it singular
    for (std::size_t i = 0; i < n; ++i) {
      m_[i * columns + i] += damping * total(x_);
      m_[i * columns + n] = m_[n * columns + i] = 1;
      m_[i * columns + n + 1] = -g_[free_[i]];
    }
    if (!solves(n + 1)) return false;
    move_.resize(n);
    const double mean = total(move_) / static_cast<double>(n);
    for (double& d : move_) d -= mean;
    return true;
  }

  // m_ move_ = r by Gauss's elimination with pivots; n rows of n + 1, r last. Not where m_ is
  // singular.
  bool solves(std::size_t n) {
    const auto row = [&](std::size_t r) {
      return m_.begin() + static_cast<std::ptrdiff_t>(r * (n + 1));
    };
    const auto at = [&](std::size_t r, std::size_t c) -> double& { return m_[r * (n + 1) + c]; };
    for (std::size_t c = 0; c < n; ++c) {
      std::size_t pivot = c;
      for (std::size_t r = c; r < n; ++r) {
        if (std::abs(at(r, c)) > std::abs(at(pivot, c))) pivot = r;
      }
      if (!(std::abs(at(pivot, c)) > 0)) return false;
      if (pivot != c) std::swap_ranges(row(c), row(c + 1), row(pivot));
      for (std::size_t r = 0; r < n; ++r) {
        if (r == c) continue;
        const double f = at(r, c) / at(c, c);
        for (std::size_t k = c; k <= n; ++k) at(r, k) -= f * at(c, k);
      }
    }
    move_.resize(n);
    for (std::size_t c = 0; c < n; ++c) move_[c] = at(c, n) / at(c, c);
    return true;
  }

  const Projections& p_;
  double last_;
  Sides most_, z_;         // logarithms of the extents, and of the sides
  std::vector<double> x_;  // sizes at z_
  Sides g_, next_, move_;
  std::vector<std::size_t> free_, place_;
  std::vector<double> m_;
};

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

Sides best_box(const Projections& p, double volume, double last) {
  if (p.extents.empty()) return {};
  Sides box = Newton(p, volume, last).logs();
  for (double& v : box) v = std::exp(v);
  return box;
}

Exponents exponents(const Projections& p, const Sides& box) {
  Sides logs;
  for (const double b : box) logs.push_back(std::log(b));
  std::vector<double> x;
  Sides g;
  put_sizes(p, logs, x);
  put_slopes(p, x, g);
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
