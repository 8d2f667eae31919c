// SPDX-License-Identifier: BSD-3-Clause
// The words of a stencil: how much sets of mesh points grow in a step
// [docs/methods/stencil_words.md].
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "redblue/error.hpp"
#include "redblue/stencil_bound.hpp"

namespace redblue {

namespace {

constexpr std::size_t longest_ring = 8;
constexpr std::size_t most_rings = 100;

// What a level of a ring reads of the level before: m_k on both sides in dimension k.
struct Level {
  MeshIndex radius = {0, 0, 0};
  bool box = false;
  bool operator==(const Level&) const = default;
};

// Sweeps each of which reads what the one before sets (the first, what the last set some steps
// ago), in the points X that all of them set.
struct Ring {
  std::vector<Level> levels;
  MeshBox points;
  std::int64_t steps = 1;  // time steps from one round of the ring to the next
  bool operator==(const Ring&) const = default;
};

MeshBox intersection(MeshBox a, const MeshBox& b) {
  for (std::size_t k = 0; k < 3; ++k) {
    a.begin[k] = std::max(a.begin[k], b.begin[k]);
    a.end[k] = std::min(a.end[k], b.end[k]);
  }
  return a;
}

// The smallest x in [low, high] with holds(x), for a condition that stays true; rounded down.
double first(double low, double high, const std::function<bool(double)>& holds) {
  if (holds(low)) return low;
  for (int halvings = 0; halvings < 100; ++halvings) {
    const double middle = (low + high) / 2;
    (holds(middle) ? high : low) = middle;
  }
  return low;
}

// sum over e < r of min(m, e), and straight lines between whole numbers.
double crossings(double m, double r) {
  const double whole = std::floor(r);
  const auto up_to = [m](double n) {
    return n <= m + 1 ? n * (n - 1) / 2 : m * (m + 1) / 2 + (n - 1 - m) * m;
  };
  return up_to(whole) + (r - whole) * std::min(m, whole);
}

// Growth per point, gamma(B), of a level: the least, over all rho_k in [1, most_k] whose product is
// at least |X| / B, of a sum (box) or the largest (star) of the terms of the dimensions.
class Growth {
 public:
  Growth(const Level& level, const MeshBox& points, int dimensions, int ranks, bool recomputation)
      : box_(level.box), ranks_(ranks), recomputation_(recomputation) {
    for (int k = 0; k < dimensions; ++k) {
      const auto extent = static_cast<double>(points.size(k));
      extents_.push_back(extent);
      radii_.push_back(
          std::min(extent, static_cast<double>(level.radius[static_cast<std::size_t>(k)])));
    }
  }

  // O(dimensions * 100^2).
  double at(double larger) const {
    double best = of_star(larger);
    if (box_) best = std::max(best, of_box(larger));
    return best;
  }

 private:
  // Lemma 2: max over k of (m_k / n_k)(rho_k - 1); Lemma 3: without recomputation twice the
  // crossings, where these are more.
  double term(std::size_t k, double rho) const {
    const double one_sided = radii_[k] / extents_[k] * (rho - 1);
    if (recomputation_) return one_sided;
    return std::max(one_sided, 2 * crossings(radii_[k], rho) / extents_[k]);
  }

  double most(std::size_t k) const {
    return recomputation_ ? extents_[k] : std::min(extents_[k], static_cast<double>(ranks_));
  }

  double of_star(double larger) const {
    double limit = 0;
    for (std::size_t k = 0; k < extents_.size(); ++k) limit = std::max(limit, term(k, most(k)));
    return first(0, limit, [&](double t) {
      double product = 1;
      for (std::size_t k = 0; k < extents_.size(); ++k) {
        product *= first(1, most(k), [&](double rho) { return term(k, rho) > t; });
      }
      return product * (1 + 1e-9) >= larger;
    });
  }

  // Lemma 2: sum over k of w_k (rho_k - 1), w_k = mu_k prod over l > k of (1 - mu_l).
  double of_box(double larger) const {
    std::vector<double> weights(extents_.size());
    double behind = 1;
    for (std::size_t k = extents_.size(); k-- > 0;) {
      weights[k] = radii_[k] / extents_[k] * behind;
      behind *= 1 - radii_[k] / extents_[k];
    }
    const auto rho = [&](std::size_t k, double level) {
      return weights[k] == 0 ? extents_[k] : std::clamp(level / weights[k], 1.0, extents_[k]);
    };
    double limit = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) {
      limit = std::max(limit, weights[k] * extents_[k]);
    }
    const double level = first(0, limit, [&](double t) {
      double product = 1;
      for (std::size_t k = 0; k < weights.size(); ++k) product *= rho(k, t);
      return product * (1 + 1e-9) >= larger;
    });
    double sum = 0;
    for (std::size_t k = 0; k < weights.size(); ++k) sum += weights[k] * (rho(k, level) - 1);
    return sum;
  }

  bool box_;
  int ranks_;
  bool recomputation_;
  std::vector<double> extents_, radii_;  // n_k, m_k
};

// All rings, from each of which a bound follows.
class Rings {
 public:
  explicit Rings(const StencilProgram& program) : program_(program) {
    for (std::size_t s = 0; s < program.sweeps.size(); ++s) {
      path_ = {s};
      reads_.clear();
      extend();
    }
  }

  const std::vector<Ring>& all() const { return found_; }

 private:
  // Follows reads backwards: path_[i] reads by reads_[i] what path_[i + 1] sets. A ring begins
  // with its first sweep in the program.
  void extend() {
    const StencilSweep& reader = program_.sweeps[path_.back()];
    for (const StencilRead& read : reader.reads) {
      for (std::size_t w = path_.front(); w < program_.sweeps.size(); ++w) {
        if (program_.sweeps[w].field != read.field || found_.size() >= most_rings) continue;
        reads_.push_back(&read);
        if (w == path_.front()) {
          close();
        } else if (path_.size() < longest_ring &&
                   std::find(path_.begin(), path_.end(), w) == path_.end()) {
          path_.push_back(w);
          extend();
          path_.pop_back();
        }
        reads_.pop_back();
      }
    }
  }

  void close() {
    Ring ring;
    ring.points = program_.sweeps[path_.front()].interior;
    ring.steps = 0;
    for (const std::size_t s : path_)
      ring.points = intersection(ring.points, program_.sweeps[s].interior);
    if (ring.points.empty()) return;
    for (std::size_t i = 0; i < path_.size(); ++i) {
      const std::size_t reader = path_[i], writer = path_[(i + 1) % path_.size()];
      if (!is_last(writer, reader, ring.points)) return;
      if (writer >= reader) ++ring.steps;
      Level level;
      for (std::size_t k = 0; k < 3; ++k) {
        level.radius[k] = std::min(reads_[i]->below[k], reads_[i]->above[k]);
        if (level.radius[k] < 0) return;  // the point itself is not read
      }
      level.box = !reads_[i]->star;
      ring.levels.push_back(level);
    }
    if (std::find(found_.begin(), found_.end(), ring) == found_.end()) found_.push_back(ring);
  }

  // Whether no sweep between the writer and the reader sets the field at these points.
  bool is_last(std::size_t writer, std::size_t reader, const MeshBox& points) const {
    const std::size_t count = program_.sweeps.size();
    for (std::size_t s = (writer + 1) % count; s != reader; s = (s + 1) % count) {
      if (s == writer) break;
      const StencilSweep& other = program_.sweeps[s];
      if (other.field == program_.sweeps[writer].field &&
          !intersection(other.interior, points).empty())
        return false;
    }
    return true;
  }

  const StencilProgram& program_;
  std::vector<std::size_t> path_;
  std::vector<const StencilRead*> reads_;
  std::vector<Ring> found_;
};

// Theorem 4: the smallest W with p W >= |X| sum over levels of gamma(owned + W).
double words(const Ring& ring, const StencilBoundRequest& request, double owned) {
  const auto points = static_cast<double>(ring.points.points());
  const auto rounds = static_cast<double>(request.steps / ring.steps);
  std::vector<Growth> levels;
  for (const Level& level : ring.levels) {
    levels.emplace_back(level, ring.points, request.program.dimensions, request.ranks,
                        request.recomputation);
  }
  return first(0, points, [&](double w) {
    double growth = 0;
    for (const Growth& level : levels) growth += level.at(points / (owned + w));
    return request.ranks * w >= points * rounds * growth;
  });
}

}  // namespace

double stencil_lower_bound(const StencilBoundRequest& request) {
  check_stencil(request.program);
  if (request.ranks < 1) {
    throw Error(std::to_string(request.ranks) + " ranks", "nobody can work", "use at least 1");
  }
  if (request.steps < 0) {
    throw Error(std::to_string(request.steps) + " steps", "a negative number", "give 0 or more");
  }
  std::int64_t mesh = 1;
  for (const std::int64_t extent : request.program.extents) mesh *= extent;
  const double owned =
      static_cast<double>(request.owned.value_or((mesh + request.ranks - 1) / request.ranks));
  double best = 0;
  const Rings rings(request.program);
  for (const Ring& ring : rings.all()) best = std::max(best, words(ring, request, owned));
  return best;
}

double stencil_lower_bound(const StencilProgram& needed, const StencilDecomposition& decomposition,
                           std::int64_t steps) {
  std::int64_t owned = 0;
  for (int r = 0; r < decomposition.used(); ++r) {
    std::int64_t words = 0;
    for (const StencilBlock& block : blocks_of(needed, decomposition, Rank{r}))
      words += block.box.points();
    owned = std::max(owned, words);
  }
  const bool twice = decomposition.scheme == StencilScheme::pa1 ||
                     (decomposition.scheme == StencilScheme::pa0 && needed.sweeps.size() > 1);
  return stencil_lower_bound({needed, steps, decomposition.ranks, owned, twice});
}

}  // namespace redblue
