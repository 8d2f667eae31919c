// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/isoperimetry/lattice_growth.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <utility>

namespace redblue::bounds {

using dataflow::echelon;
using dataflow::Vector;

namespace {

constexpr int most_dimensions = 5;
constexpr int most_summands = 12;
constexpr std::size_t most_sums = 400'000;  // additions for one more summand
constexpr std::size_t most_edges = 40;      // vectors tried as edges of a cell
constexpr double rounding = 1e-9;

// What combination of the rows, in echelon form, a vector of their lattice is.
Vector coordinates(const std::vector<Vector>& rows, Vector v) {
  Vector result;
  for (const Vector& row : rows) {
    const auto pivot = static_cast<std::size_t>(
        std::find_if(row.begin(), row.end(), [](long x) { return x != 0; }) - row.begin());
    const long factor = v[pivot] / row[pivot];
    for (std::size_t c = pivot; c < v.size(); ++c) v[c] -= factor * row[c];
    result.push_back(factor);
  }
  return result;
}

long determinant(const std::vector<Vector>& rows) {
  const std::vector<Vector> triangular = echelon(rows);
  if (triangular.size() < rows.size()) return 0;
  long product = 1;
  for (std::size_t r = 0; r < triangular.size(); ++r) product *= triangular[r][r];
  return product;
}

std::vector<Vector> differences(const std::vector<Vector>& points) {
  std::set<Vector> result;
  for (const Vector& a : points) {
    for (const Vector& b : points) result.insert(dataflow::sum(a, b, -1));
  }
  return {result.begin(), result.end()};
}

// A point as one number such that numbers add as points do, for coordinates within +-2047.
using Key = std::int64_t;
constexpr int key_bits = 12;

Key key_of(const Vector& point) {
  Key key = 0;
  for (const long x : point) key = key * (Key{1} << key_bits) + x;
  return key;
}

using Points = std::vector<Key>;  // sorted

Points keys_of(const std::vector<Vector>& points) {
  Points keys;
  for (const Vector& p : points) keys.push_back(key_of(p));
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Whether sums of these have keys.
bool has_keys(const std::vector<Vector>& points) {
  return std::all_of(points.begin(), points.end(), [](const Vector& v) {
    return std::all_of(v.begin(), v.end(),
                       [](long x) { return std::abs(x) * most_summands < 1 << (key_bits - 1); });
  });
}

// kK, or a start and kK, grown by one summand at a time. As 0 is in K only points new to the last
// sum lead to new ones.
class Sums {
 public:
  explicit Sums(Points step) : step_(std::move(step)), all_(step_), fresh_(step_) {}
  Sums(Points step, Points start) : step_(std::move(step)), all_(std::move(start)), fresh_(all_) {}

  const Points& points() const { return all_; }

  bool grow() {
    if (fresh_.size() * step_.size() > most_sums) return false;
    Points reached;
    reached.reserve(fresh_.size() * step_.size());
    for (const Key p : fresh_) {
      for (const Key s : step_) reached.push_back(p + s);
    }
    std::sort(reached.begin(), reached.end());
    reached.erase(std::unique(reached.begin(), reached.end()), reached.end());
    fresh_.clear();
    std::set_difference(reached.begin(), reached.end(), all_.begin(), all_.end(),
                        std::back_inserter(fresh_));
    Points both;
    std::merge(all_.begin(), all_.end(), fresh_.begin(), fresh_.end(), std::back_inserter(both));
    all_ = std::move(both);
    return true;
  }

 private:
  Points step_, all_, fresh_;
};

// Points b with b + {0,1}^n in the set, the cell's edges being the unit vectors.
long cells_in(Points points, int dimensions) {
  Key edge = 1;
  for (int t = 0; t < dimensions; ++t, edge <<= key_bits) {
    Points moved, both;
    for (const Key p : points) moved.push_back(p - edge);
    std::set_intersection(points.begin(), points.end(), moved.begin(), moved.end(),
                          std::back_inserter(both));
    points = std::move(both);
  }
  return static_cast<long>(points.size());
}

// How many summands of K the longest ways across a cell take, all added up: cells that are small
// in this measure waste least of kK's boundary.
int breadth(const std::vector<Vector>& edges, const std::vector<Points>& sums) {
  const std::size_t n = edges.size();
  int total = 0;
  for (unsigned signs = 0; signs < 1U << (n - 1); ++signs) {
    Vector diagonal = edges.back();
    for (std::size_t e = 0; e + 1 < n; ++e) {
      for (std::size_t t = 0; t < n; ++t)
        diagonal[t] += ((signs >> e) & 1U) != 0 ? edges[e][t] : -edges[e][t];
    }
    std::size_t k = 0;
    while (k < sums.size() && !std::binary_search(sums[k].begin(), sums[k].end(), key_of(diagonal)))
      ++k;
    total += static_cast<int>(k) + 1;
  }
  return total;
}

// The edges of the best cell: n vectors of K that span the whole lattice; unit vectors where no
// such n are found.
std::vector<Vector> cell_edges(const std::vector<Vector>& k) {
  const std::size_t n = k.front().size();
  std::vector<Vector> candidates;
  for (const Vector& v : k) {
    if (v > Vector(n, 0)) candidates.push_back(v);
  }
  const auto length = [](const Vector& v) {
    return std::inner_product(v.begin(), v.end(), v.begin(), 0L);
  };
  std::stable_sort(candidates.begin(), candidates.end(),
                   [&](const Vector& a, const Vector& b) { return length(a) < length(b); });
  if (candidates.size() > most_edges) candidates.resize(most_edges);
  std::vector<Points> sums;
  Sums growing(keys_of(k));
  do sums.push_back(growing.points());
  while (sums.size() < n && growing.grow());

  std::vector<Vector> best;
  for (std::size_t t = 0; t < n; ++t) {
    best.emplace_back(n, 0);
    best.back()[t] = 1;
  }
  int least = breadth(best, sums);
  std::vector<bool> chosen(candidates.size(), false);
  if (candidates.size() < n) return best;
  std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(n), true);
  do {
    std::vector<Vector> edges;
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      if (chosen[c]) edges.push_back(candidates[c]);
    }
    if (std::abs(determinant(edges)) != 1) continue;
    const int across = breadth(edges, sums);
    if (across < least) {
      least = across;
      best = edges;
    }
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return best;
}

// The points in the coordinates of a basis of the whole lattice.
std::vector<Vector> in_basis(const std::vector<Vector>& points, const std::vector<Vector>& basis) {
  // Eliminate on the basis and, beside it, the combinations its rows become.
  const std::size_t n = basis.size();
  std::vector<Vector> extended = basis;
  for (std::size_t r = 0; r < n; ++r) {
    for (std::size_t c = 0; c < n; ++c) extended[r].push_back(r == c ? 1 : 0);
  }
  const std::vector<Vector> triangular = echelon(extended);
  std::vector<Vector> result;
  for (const Vector& p : points) {
    Vector v = p;
    Vector combination(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
      const long factor = v[r] / triangular[r][r];
      for (std::size_t c = 0; c < n; ++c) {
        v[c] -= factor * triangular[r][c];
        combination[c] += factor * triangular[r][n + c];
      }
    }
    result.push_back(combination);
  }
  return result;
}

std::vector<LatticeGrowth::Sum> sums_of(const std::vector<Vector>& points, int dimensions) {
  std::vector<LatticeGrowth::Sum> result;
  Sums sums(keys_of(points));
  int summands = 1;
  do {
    const long cells = cells_in(sums.points(), dimensions);
    if (cells > 0) result.push_back({summands, cells, dimensions});
  } while (++summands <= most_summands && sums.grow());
  return result;
}

// w of i summands of one set and j of another, by i and j, as far as the sums are of moderate size.
using Sides = std::vector<std::vector<double>>;

Sides sides_of_two(const Points& one, const Points& other, int dimensions) {
  Sides result;
  Sums sums(one, {0});
  do {
    result.emplace_back();
    Sums longer(other, sums.points());
    do {
      const auto cells = static_cast<double>(cells_in(longer.points(), dimensions));
      result.back().push_back(std::pow(cells, 1.0 / dimensions));
    } while (result.back().size() + result.size() < most_summands + 2 && longer.grow());
  } while (result.size() <= most_summands && sums.grow());
  return result;
}

// Of k summands, each of the one set or of the other, w on the average over all ways to take them:
// `share` of each are of the one.
std::vector<LatticeGrowth::Sum> sums_of_two(const Sides& sides, double share, int dimensions,
                                            int kinds) {
  std::vector<LatticeGrowth::Sum> result;
  std::vector<double> ways = {1};  // by summands of the one
  for (int all = 1; all <= most_summands; ++all) {
    ways.push_back(0);
    for (std::size_t i = ways.size() - 1; i > 0; --i)
      ways[i] = share * ways[i - 1] + (1 - share) * ways[i];
    ways[0] *= 1 - share;
    double sum = 0;
    for (std::size_t i = 0; i < std::min(ways.size(), sides.size()); ++i) {
      const std::size_t j = ways.size() - 1 - i;
      if (j < sides[i].size()) sum += ways[i] * sides[i][j];
    }
    const double mean = sum * (1 - rounding);
    const auto cells = static_cast<long>(std::pow(mean, dimensions) * (1 - rounding));
    if (cells > 0) result.push_back({all, cells, dimensions, kinds});
  }
  return result;
}

// At least |E + B| - |E|, or that and |E + I| - |E|, for a set of so many points; increases with
// them.
double gain(const LatticeGrowth::Sum& sum, double points) {
  const double across = sum.across() / std::pow(points, 1.0 / sum.dimensions);
  return sum.kinds * points * std::expm1(std::log1p(across) * sum.dimensions / sum.summands);
}

// Where an increasing function passes `limit`, from above.
template <typename F>
double most_points(const F& increasing, double limit) {
  double low = 0;
  double high = 1;
  while (increasing(high) <= limit && high < 1e30) high *= 2;
  for (int step = 0; step < 100 && high - low > 1e-6 * high; ++step) {
    const double middle = (low + high) / 2;
    (increasing(middle) <= limit ? low : high) = middle;
  }
  return high;
}

}  // namespace

double LatticeGrowth::Sum::across() const {
  return std::pow(static_cast<double>(cells), 1.0 / dimensions) * (1 - rounding);
}

double LatticeGrowth::Sum::side() const {
  return kinds * across() / summands;
}

double LatticeGrowth::largest(double m) const {
  // At both ends of each line along one of n steps there is a point of the boundary
  // (Loomis-Whitney).
  const double on_lines =
      both_ends ? std::pow(m / 2, dimensions / (dimensions - 1.0)) * (1 + rounding) : HUGE_VAL;
  if (both_ways.empty()) return on_lines;
  double inner = HUGE_VAL;  // of E, as E + K lies in H - D0
  for (const Sum& sum : both_ways) {
    inner = std::min(inner, most_points([&](double e) { return gain(sum, e); }, m));
  }
  double all = inner + m;
  for (const Sum& sum : one_way) {  // |H - D0| <= |E| + m
    all = std::min(all, most_points([&](double h) { return h + gain(sum, h); }, inner + m));
  }
  return std::min(on_lines, all * (1 + rounding));
}

double LatticeGrowth::largest_with_own_values(double m) const {
  const double half = m / 2;
  double whole = std::pow(half, dimensions / (dimensions - 1.0));
  for (const Sum& sum : one_way)
    whole = std::min(whole, most_points([&](double h) { return gain(sum, h); }, half));
  return (half + whole) * (1 + rounding);
}

std::optional<LatticeGrowth> lattice_growth(const std::vector<Vector>& steps,
                                            const std::optional<Segment>& segment) {
  if (steps.empty() || steps.front().empty()) return std::nullopt;
  const std::vector<Vector> lattice = echelon(steps);
  const std::size_t n = lattice.size();  // of each coset, where that is less than all dimensions
  if (n < 2) return std::nullopt;
  const int dimensions = static_cast<int>(n);
  const LatticeGrowth on_lines{dimensions, {}, {}};
  if (n > most_dimensions) return on_lines;
  std::vector<Vector> one_way = {Vector(n, 0)};
  for (const Vector& v : steps) one_way.push_back(coordinates(lattice, v));
  const std::vector<Vector> edges = cell_edges(differences(one_way));
  one_way = in_basis(one_way, edges);
  const std::vector<Vector> both_ways = differences(one_way);
  std::vector<Vector> points = {Vector(n, 0)};  // of the segment
  if (segment) {
    const Vector step = in_basis({coordinates(lattice, segment->v)}, edges).front();
    for (long i = 1; i <= segment->length; ++i)
      points.push_back(dataflow::sum(points.front(), step, i));
  }
  if (!has_keys(both_ways) || !has_keys(points)) return on_lines;
  return LatticeGrowth{
      dimensions,
      segment ? sums_of_two(sides_of_two(keys_of(both_ways), keys_of(points), dimensions), 0.5,
                            dimensions, 2)
              : sums_of(both_ways, dimensions),
      sums_of(one_way, dimensions)};
}

std::vector<MixedGrowth> growth_by_moves(const std::vector<Vector>& steps,
                                         const std::vector<Vector>& one_way,
                                         const std::vector<Vector>& all,
                                         const std::vector<Vector>& some) {
  const std::vector<Vector> lattice = echelon(steps);
  const std::size_t n = lattice.size();
  if (n < 2 || n > most_dimensions) return {};
  const int dimensions = static_cast<int>(n);
  const auto in_lattice = [&](const std::vector<Vector>& points) {
    std::vector<Vector> result;
    for (const Vector& v : points) result.push_back(coordinates(lattice, v));
    return result;
  };
  const std::vector<Vector> edges = cell_edges(in_lattice(all));
  const auto moves = in_basis(in_lattice(all), edges);
  if (!has_keys(moves)) return {};
  const Sides sides =
      sides_of_two(keys_of(moves), keys_of(in_basis(in_lattice(some), edges)), dimensions);
  const auto ahead = sums_of(in_basis(in_lattice(one_way), edges), dimensions);
  std::vector<MixedGrowth> result;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    const auto sums = sums_of_two(sides, share, dimensions, 1);
    if (!sums.empty()) result.push_back({share, {dimensions, sums, ahead, false}});
  }
  return result;
}

}  // namespace redblue::bounds
