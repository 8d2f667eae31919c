// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/traffic/extrapolated.hpp"

#include <algorithm>
#include <cmath>

#include "schedule/traffic/streamed.hpp"

namespace redblue::schedule {

using program::Sizes;

namespace {

constexpr double most_accesses = 4e8;  // of all walks together
constexpr std::int64_t first_tiles = 2;
constexpr double most_residual = 0.001;

// Sizes that grow in equal steps: at 0 the smallest, at `steps` those asked for.
struct Ray {
  Sizes start, step;
  std::int64_t steps = 0;
  Sizes at(std::int64_t k) const {
    Sizes result = start;
    for (auto& [name, size] : result) size += k * step.at(name);
    return result;
  }
};

// What each size grows by.
using Lengths = std::map<std::string, std::int64_t>;

// Marks the counters that appear several times over: those of loops around tiles.
void mark_multiplied(const Formula& f, std::vector<bool>& marked) {
  for (const Formula::Term& term : f.terms) {
    if (std::abs(term.factor) > 1) marked[term.counter] = true;
  }
  for (const Formula& argument : f.arguments) mark_multiplied(argument, marked);
}

// Where loops over tiles begin and end.
std::vector<std::pair<Formula, Formula>> tile_loops(const LoopProgram& program) {
  std::vector<bool> marked(program.counters, false);
  for (const LoopNode& n : program.nodes) {
    if (n.kind != LoopNode::Kind::loop) continue;
    mark_multiplied(n.lower, marked);
    mark_multiplied(n.upper, marked);
  }
  std::vector<std::pair<Formula, Formula>> result;
  for (const LoopNode& n : program.nodes) {
    if (n.kind == LoopNode::Kind::loop && (marked[n.counter] || n.step > 1)) {
      result.emplace_back(n.lower, n.upper);
    }
  }
  return result;
}

// Whole periods where loops over tiles end elsewhere when a size is another, else some iterations.
Lengths lengths(const SizedOrder& order, const Sizes& sizes) {
  constexpr std::int64_t least = 12;
  const std::int64_t whole = order.period * ((least + order.period - 1) / order.period);
  Lengths result;
  Sizes small;
  for (const auto& [name, size] : sizes) small[name] = std::min(size, first_tiles * whole);
  const auto loops = tile_loops(order.loops(small));
  for (const auto& [name, size] : sizes) {
    Sizes other = small;
    other[name] += whole;
    result[name] = loops.empty() || tile_loops(order.loops(other)) == loops ? least : whole;
  }
  return result;
}

// Every size that has room for `points` of its lengths grows, from first_tiles of them on.
std::optional<Ray> ray(const Sizes& sizes, const Lengths& lengths, std::int64_t points,
                       std::int64_t steps) {
  Ray result;
  result.steps = steps;
  bool grows = false;
  for (const auto& [name, size] : sizes) {
    const std::int64_t length = lengths.at(name);
    const std::int64_t room = size / length - first_tiles;
    const std::int64_t step = room < points ? 0 : length * (room / steps);
    grows = grows || step > 0;
    result.step[name] = step;
    result.start[name] = size - steps * step;
  }
  if (!grows) return std::nullopt;
  return result;
}

struct Walks {
  Ray along;
  std::int64_t points = 0;
};

double accesses(const SizedOrder& order, const Sizes& sizes) {
  return order.accesses.at(sizes, static_cast<std::int64_t>(most_accesses)).to_double();
}

double cost(const SizedOrder& order, const Walks& walks) {
  double sum = 0;
  for (std::int64_t k = 0; k < walks.points; ++k) sum += accesses(order, walks.along.at(k));
  return sum;
}

// A reuse distance grows at most as the data does: one that is beyond s at the sizes asked for is
// beyond this at the last walk.
std::int64_t suspect_from(std::int64_t s, std::int64_t data_walked, std::int64_t data_asked) {
  return static_cast<std::int64_t>(static_cast<double>(s) * static_cast<double>(data_walked) /
                                   static_cast<double>(std::max(data_asked, data_walked)));
}

// The cheapest ray, with as many points as a polynomial and two checks of it need, whose last walk
// has so much of the data that memories too small for one instance are not looked at.
std::optional<Walks> walks(const SizedOrder& order, const Sizes& sizes, std::int64_t s) {
  const LoopProgram asked = order.loops(sizes);
  const auto settles = [&](const Ray& along, std::int64_t points) {
    const std::int64_t data = order.loops(along.at(points - 1)).elements;
    return suspect_from(s, data, asked.elements) >= static_cast<std::int64_t>(asked.most_touches);
  };
  const Lengths by = lengths(order, sizes);
  const std::int64_t points = order.dimensions + 2;
  std::int64_t most = 0;
  for (const auto& [name, size] : sizes) most = std::max(most, size / by.at(name) - first_tiles);
  std::optional<Walks> best;
  double least = most_accesses;
  for (std::int64_t steps = points; steps <= most; steps += std::max<std::int64_t>(1, steps / 16)) {
    const std::optional<Ray> along = ray(sizes, by, points, steps);
    if (!along) continue;
    const double here = cost(order, {*along, points});
    if (here >= least || !settles(*along, points)) continue;
    least = here;
    best = Walks{*along, points};
  }
  return best;
}

// At x, of the polynomial through values[from], ..., values[from + degree].
double polynomial(const std::vector<double>& values, std::size_t from, std::size_t degree,
                  double x) {
  long double sum = 0;
  for (std::size_t i = from; i <= from + degree; ++i) {
    long double weight = 1;
    for (std::size_t j = from; j <= from + degree; ++j) {
      if (j == i) continue;
      weight *= (static_cast<long double>(x) - static_cast<long double>(j)) /
                (static_cast<long double>(i) - static_cast<long double>(j));
    }
    sum += weight * static_cast<long double>(values[i]);
  }
  return static_cast<double>(sum);
}

struct Fit {
  double value = 0;       // at the sizes asked for
  double difference = 0;  // at the last point, between a polynomial through the first and what is
  double spread = 0;  // at the sizes asked for, between polynomials through first and last points
};

// Of the degree whose polynomials agree best.
Fit fit(const std::vector<double>& values, std::int64_t steps) {
  Fit best;
  double least = INFINITY;
  const double at = static_cast<double>(steps), last = static_cast<double>(values.size() - 1);
  for (std::size_t degree = 1; degree + 2 <= values.size(); ++degree) {
    Fit next;
    next.value = polynomial(values, values.size() - 1 - degree, degree, at);
    next.difference = std::fabs(polynomial(values, 0, degree, last) - values.back());
    next.spread = std::fabs(polynomial(values, 0, degree, at) - next.value);
    const double here = next.difference / std::max(1.0, values.back()) +
                        next.spread / std::max(1.0, std::fabs(next.value));
    if (here >= least) continue;
    least = here;
    best = next;
  }
  return best;
}

PredictedTraffic extrapolated(const std::vector<MemoryTraffic>& moved, std::int64_t steps) {
  std::vector<double> loads, stores;
  for (const auto& at : moved) {
    loads.push_back(static_cast<double>(at.loads));
    stores.push_back(static_cast<double>(at.stores));
  }
  const Fit l = fit(loads, steps), s = fit(stores, steps);
  const double all = loads.back() + stores.back();
  PredictedTraffic result;
  result.traffic = {std::llround(l.value), std::llround(s.value)};
  result.residual = std::max((l.difference + s.difference) / std::max(1.0, all),
                             (l.spread + s.spread) / std::max(1.0, l.value + s.value));
  return result;
}

}  // namespace

std::optional<PredictedTraffic> predicted_lru(const SizedOrder& order, const Sizes& sizes,
                                              std::int64_t s) {
  if (accesses(order, sizes) <= most_accesses / 16) {
    return PredictedTraffic{streamed_lru(order.loops(sizes), {s}).front(), 0};
  }
  const std::optional<Walks> chosen = walks(order, sizes, s);
  if (!chosen) return std::nullopt;
  std::vector<MemoryTraffic> moved;
  const std::int64_t asked = order.loops(sizes).elements;
  for (std::int64_t k = 0; k < chosen->points; ++k) {
    const LoopProgram loops = order.loops(chosen->along.at(k));
    const std::int64_t suspect = suspect_from(s, loops.elements, asked);
    const bool is_last = k + 1 == chosen->points;
    const auto walked =
        streamed_lru(loops, is_last ? std::vector<std::int64_t>{s, suspect} : std::vector{s});
    moved.push_back(walked.front());
    const MemoryTraffic &large = walked.front(), &small = walked.back();
    if (large.loads != small.loads || large.stores != small.stores) return std::nullopt;
  }
  const PredictedTraffic result = extrapolated(moved, chosen->along.steps);
  if (result.residual > most_residual) return std::nullopt;
  return result;
}

}  // namespace redblue::schedule
