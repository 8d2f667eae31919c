// SPDX-License-Identifier: BSD-3-Clause
// Which bound is the strongest for which size of the fast memory.
#include <algorithm>
#include <cmath>
#include <utility>

#include "redblue/analysis.hpp"
#include "redblue/error.hpp"

namespace redblue {

namespace {

class Search {
 public:
  Search(const BoundedProgram& program, std::map<std::string, std::int64_t> sizes,
         std::int64_t units, const ProgressCallback& progress)
      : program_(program), sizes_(std::move(sizes)), units_(units), progress_(progress) {}

  std::vector<MemoryRange> run() {
    const std::int64_t least = std::max<std::int64_t>(8, program_.at(sizes_, units_).least_s);
    append(look(least));
    for (std::int64_t s = 4 * least; s < most && depends_on_memory(found_.back().bound); s *= 4) {
      const Point last = look(s);
      divide_at_crossing({*found_.back().to, found_.back().bound}, last);
      append(last);
    }
    if (!depends_on_memory(found_.back().bound)) found_.back().to.reset();
    return std::move(found_);
  }

 private:
  static constexpr std::int64_t most = std::int64_t{1} << 40;

  struct Point {
    std::int64_t s;
    LowerBound bound;
  };

  Point look(std::int64_t s) {
    // Where a look between two powers of four stands between them, too.
    if (progress_)
      progress_({std::log(static_cast<double>(s)), std::log(static_cast<double>(most))});
    sizes_["S"] = s;
    const BoundReport report = program_.at(sizes_, units_);
    return {s, report.bounds[report.best]};
  }

  static bool same(const LowerBound& a, const LowerBound& b) {
    return a.method == b.method && a.statement == b.statement && a.expression == b.expression;
  }

  static bool depends_on_memory(const LowerBound& bound) {
    const std::vector<std::string> names = bound.expression.names();
    return std::find(names.begin(), names.end(), "S") != names.end();
  }

  double formula(const LowerBound& bound, std::int64_t s) const {
    std::map<std::string, double> values;
    for (const auto& [name, size] : sizes_) values[name] = static_cast<double>(size);
    values["S"] = static_cast<double>(s);
    return bound.expression.at(values);
  }

  // Where the formulas of two bounds cross: close to where their values do.
  std::int64_t crossing(const Point& low, const Point& high) const {
    std::int64_t first = low.s, last = high.s;
    while (last - first > 1) {
      const std::int64_t s = first + (last - first) / 2;
      (formula(low.bound, s) >= formula(high.bound, s) ? first : last) = s;
    }
    return first;
  }

  // Where the next look is: half way, or close to one end, `step` from it.
  struct Look {
    enum class Near { neither, low, high } near = Near::neither;
    std::int64_t step = 1;
  };

  // Appends what lies between two memories with different bounds.
  void divide(const Point& low, const Point& high, const Look& next) {
    if (same(low.bound, high.bound) || high.s - low.s <= 1) return;
    std::int64_t s = low.s + (high.s - low.s) / 2;
    if (next.near == Look::Near::low) s = std::min(s, low.s + next.step);
    if (next.near == Look::Near::high) s = std::max(s, high.s - next.step);
    const Point middle = look(s);
    const Look further = {next.near, 4 * next.step};
    divide(low, middle, next.near == Look::Near::high ? further : Look{});
    append(middle);
    divide(middle, high, next.near == Look::Near::low ? further : Look{});
  }

  // Likewise, from where the formulas cross.
  void divide_at_crossing(const Point& low, const Point& high) {
    if (same(low.bound, high.bound)) return;
    const Point middle = look(std::clamp(crossing(low, high), low.s + 1, high.s - 1));
    divide(low, middle, {Look::Near::high});
    append(middle);
    divide(middle, high, {Look::Near::low});
  }

  // Larger memories come later; where bounds change, both neighbours are appended.
  void append(const Point& point) {
    const double value = point.bound.value.value_or(0);
    if (found_.empty() || !same(found_.back().bound, point.bound)) {
      found_.push_back({point.s, point.s, point.bound, value});
    } else {
      found_.back().to = point.s;
      found_.back().value_to = value;
    }
  }

  const BoundedProgram& program_;
  std::map<std::string, std::int64_t> sizes_;
  std::int64_t units_;
  const ProgressCallback& progress_;
  std::vector<MemoryRange> found_;
};

}  // namespace

std::vector<MemoryRange> bounds_by_memory(const BoundedProgram& program,
                                          std::map<std::string, std::int64_t> sizes,
                                          std::int64_t units, const ProgressCallback& progress) {
  sizes.erase("S");
  for (const std::string& p : program.parameters()) {
    if (sizes.count(p) == 0)
      throw Error("bounds by fast memory", p + " has no value", "give all sizes but S");
  }
  return Search(program, std::move(sizes), units, progress).run();
}

}  // namespace redblue
