// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/extrapolated.hpp"

#include <algorithm>
#include <cmath>

#include "program/instances.hpp"
#include "schedule/traffic/placement.hpp"

namespace redblue::schedule {

using program::InstanceCount;
using program::Sizes;

namespace {

constexpr double most_accesses = 2e8;  // of all walks together
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
Lengths lengths(const SizedOrder& order, std::int64_t period, const Sizes& sizes) {
  constexpr std::int64_t least = 12;
  const std::int64_t whole = period * ((least + period - 1) / period);
  Lengths result;
  Sizes small;
  for (const auto& [name, size] : sizes) small[name] = std::min(size, first_tiles * whole);
  const auto loops = tile_loops(order.at(small));
  for (const auto& [name, size] : sizes) {
    Sizes other = small;
    other[name] += whole;
    result[name] = loops.empty() || tile_loops(order.at(other)) == loops ? least : whole;
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

double accesses_at(const InstanceCount& accesses, const Sizes& sizes) {
  return accesses.at(sizes, static_cast<std::int64_t>(most_accesses)).to_double();
}

double cost(const InstanceCount& accesses, const Ray& along, std::int64_t points) {
  double sum = 0;
  for (std::int64_t k = 0; k < points; ++k) sum += accesses_at(accesses, along.at(k));
  return sum;
}

// As many walks as a polynomial and two checks of it need.
std::int64_t points_for(const program::Program& program) {
  std::size_t dimensions = 1;
  for (const program::Statement& s : program.statements)
    dimensions = std::max(dimensions, s.iterators.size());
  return static_cast<std::int64_t>(dimensions) + 2;
}

std::int64_t most_touches(const program::Program& program) {
  std::size_t most = 0;
  for (const program::Statement& s : program.statements) most = std::max(most, s.reads.size() + 1);
  return static_cast<std::int64_t>(most);
}

// A reuse distance grows at most as the data does: one that is beyond s at the sizes asked for is
// beyond this at the last walk.
std::int64_t suspect_from(std::int64_t s, std::int64_t data_walked, std::int64_t data_asked) {
  return static_cast<std::int64_t>(static_cast<double>(s) * static_cast<double>(data_walked) /
                                   static_cast<double>(std::max(data_asked, data_walked)));
}

// The cheapest ray whose last walk has so much of the data that memories too small for one instance
// are not looked at.
std::optional<Ray> cheapest(const SizedOrder& order, const InstanceCount& accesses,
                            std::int64_t points, const Lengths& by, const Sizes& sizes,
                            std::int64_t s) {
  const std::int64_t asked = elements(order.program, sizes);
  const auto settles = [&](const Ray& along) {
    const std::int64_t walked = elements(order.program, along.at(points - 1));
    return suspect_from(s, walked, asked) >= most_touches(order.program);
  };
  std::int64_t most = 0;
  for (const auto& [name, size] : sizes) most = std::max(most, size / by.at(name) - first_tiles);
  std::optional<Ray> best;
  double least = most_accesses;
  for (std::int64_t steps = points; steps <= most; steps += std::max<std::int64_t>(1, steps / 16)) {
    const std::optional<Ray> along = ray(sizes, by, points, steps);
    if (!along) continue;
    const double here = cost(accesses, *along, points);
    if (here >= least || !settles(*along)) continue;
    least = here;
    best = along;
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
  result.from = PredictedTraffic::From::smaller_sizes;
  result.traffic = {std::llround(l.value), std::llround(s.value)};
  result.residual = std::max((l.difference + s.difference) / std::max(1.0, all),
                             (l.spread + s.spread) / std::max(1.0, l.value + s.value));
  return result;
}

}  // namespace

std::optional<PredictedTraffic> predicted_lru(const SizedOrder& order, std::int64_t period,
                                              const Sizes& sizes, std::int64_t s, DeadValues dead) {
  const InstanceCount accesses(order.program, program::Counted::accesses);
  constexpr double few = 2.5e7;
  if (accesses_at(accesses, sizes) <= few) {
    return PredictedTraffic{streamed_lru(order.at(sizes), {s}, dead).front(), 0,
                            PredictedTraffic::From::count};
  }
  const std::int64_t points = points_for(order.program);
  const std::optional<Ray> along =
      cheapest(order, accesses, points, lengths(order, period, sizes), sizes, s);
  if (!along) return std::nullopt;
  const std::int64_t asked = elements(order.program, sizes);
  const LoopProgram last = order.at(along->at(points - 1));
  const auto through = streamed_lru(last, {s, suspect_from(s, last.elements, asked)}, dead);
  if (through.front() != through.back()) return std::nullopt;
  std::vector<MemoryTraffic> moved;
  for (std::int64_t k = 0; k + 1 < points; ++k)
    moved.push_back(streamed_lru(order.at(along->at(k)), {s}, dead).front());
  moved.push_back(through.front());
  const PredictedTraffic result = extrapolated(moved, along->steps);
  if (result.residual > most_residual) return std::nullopt;
  return result;
}

}  // namespace redblue::schedule
