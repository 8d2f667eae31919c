// SPDX-License-Identifier: BSD-3-Clause
#include "measure/levels.hpp"

#include <algorithm>
#include <numeric>

#include "program/instances.hpp"
#include "redblue/analysis.hpp"
#include "redblue/error.hpp"
#include "schedule/order.hpp"
#include "schedule/prediction/prediction.hpp"
#include "schedule/traffic/placement.hpp"
#include "schedule/traffic/streamed.hpp"
#include "sweeps/text.hpp"

namespace redblue::measure_detail {

using program::InstanceCount;
using program::Program;
using program::Sizes;
using schedule::SizedOrder;

namespace {

// Of an element of the widest type.
std::int64_t word_bytes(const Program& program) {
  std::int64_t widest = 1;
  for (const program::Variable& v : program.region.variables) {
    if (program.arrays.count(v.name) == 0) continue;
    const bool four = v.type == "float" || v.type == "int" || v.type == "unsigned int";
    widest = std::max<std::int64_t>(widest, four                                       ? 4
                                            : v.type.find("char") != std::string::npos ? 1
                                                                                       : 8);
  }
  return widest;
}

// Where tiles repeat: the least common multiple of the steps of loops over them, or the largest.
std::int64_t period(const SizedOrder& order, Sizes sizes) {
  constexpr std::int64_t some_tiles = 2000;
  for (auto& [name, size] : sizes) size = std::min(size, some_tiles);
  std::int64_t all = 1, largest = 1;
  for (const schedule::LoopNode& n : order.at(sizes).nodes) {
    if (n.kind != schedule::LoopNode::Kind::loop || n.step <= 1) continue;
    largest = std::max(largest, n.step);
    if (all < 4 * largest) all = std::lcm(all, n.step);
  }
  return all <= 4 * largest ? all : largest;
}

std::string shown(double number) {
  constexpr double exact = 1e7;
  if (number < exact) return std::to_string(static_cast<std::int64_t>(number));
  return std::to_string(static_cast<std::int64_t>(number / 1e6 + 0.5)) + " million";
}

// Why the orders are not walked through; empty: they are.
std::string too_large(const MeasureRequest& request, const Program& program, const Sizes& sizes,
                      double accesses) {
  if (accesses > request.most_accesses) {
    return shown(accesses) + " accesses, more than " + shown(request.most_accesses);
  }
  if (schedule::elements(program, sizes) > schedule::most_elements) {
    return "more than " + shown(static_cast<double>(schedule::most_elements)) + " elements";
  }
  return "";
}

constexpr std::int64_t counted_one_by_one = 1'000'000'000'000;

}  // namespace

double operations(const Program& program, const Sizes& sizes) {
  double sum = 0;
  for (const program::Statement& s : program.statements) {
    sum += static_cast<double>(sweeps::flops_of(s.source)) *
           InstanceCount(s.domain).at(sizes, counted_one_by_one).to_double();
  }
  return sum;
}

std::vector<LevelTraffic> level_traffic(const MeasureRequest& request, const Program& program,
                                        const Sizes& sizes,
                                        const std::optional<SizedOrder>& schedule,
                                        const ProgressCallback& progress) {
  constexpr std::size_t most_levels = 8;
  if (request.levels.size() > most_levels) {
    throw Error(std::to_string(request.levels.size()) + " caches", "8 are walked through at once",
                "name fewer");
  }
  std::vector<LevelTraffic> result;
  std::vector<std::int64_t> capacities;
  const BoundedProgram bounded(request.code.program);
  for (const CacheLevel& level : request.levels) {
    const std::int64_t capacity = level.words > 0 ? level.words : level.bytes / word_bytes(program);
    LevelTraffic at{level.name, capacity, 0, {}, {}, {}, {}};
    Sizes with_s = sizes;
    with_s["S"] = at.capacity;
    const BoundReport report = bounded.at(with_s);
    if (!report.bounds.empty()) at.bound = report.bounds[report.best].value.value_or(0);
    capacities.push_back(at.capacity);
    result.push_back(at);
  }
  if (result.empty()) return result;
  const SizedOrder own{program, schedule::times(program)};
  const SizedOrder& fast = schedule ? *schedule : own;
  const double accesses =
      InstanceCount(program, program::Counted::accesses).at(sizes, counted_one_by_one).to_double();
  const std::string why_not = too_large(request, program, sizes, accesses);
  for (LevelTraffic& at : result) at.not_counted = why_not;
  const double instances = InstanceCount(program).at(sizes, counted_one_by_one).to_double();
  if (why_not.empty()) {
    const auto count = [&](const SizedOrder& order) {
      return streamed_lru(order.at(sizes), capacities, schedule::DeadValues::stay, progress,
                          instances);
    };
    const std::vector<MemoryTraffic> original = count(own);
    const std::vector<MemoryTraffic> scheduled = schedule ? count(fast) : original;
    for (std::size_t l = 0; l < result.size(); ++l) {
      result[l].original = original[l];
      result[l].schedule = scheduled[l];
    }
  }
  constexpr double few = 2.5e7;  // predictions count so few, too
  if (why_not.empty() && accesses <= few) {
    for (LevelTraffic& at : result) at.predicted = PredictedTraffic{*at.schedule, 0};
    return result;
  }
  const std::int64_t repeats = period(fast, sizes);
  for (LevelTraffic& at : result) {
    at.predicted =
        schedule::prediction(fast, repeats, sizes, at.capacity, schedule::DeadValues::stay);
    // No order moves less than the bound: a prediction that says so is off.
    if (at.predicted && static_cast<double>(at.predicted->traffic.moved()) < at.bound)
      at.predicted.reset();
  }
  return result;
}

}  // namespace redblue::measure_detail
