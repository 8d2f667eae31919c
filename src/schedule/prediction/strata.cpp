// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/prediction/strata.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::schedule {

namespace {

// Of one nothing is known about how they differ: as the one differs from one of another kind at the
// same node [cochran1977, 5A.12], each as a part of what it moves, and a fifth at least; or as much
// as it moves.
double spread_of_one(const std::vector<Stratum>& all, const Stratum& one, double ratio) {
  constexpr double least = 0.2;
  const auto off = [ratio](const Found& f) {
    return f.moved() / std::max(1.0, ratio * f.instances);
  };
  const Stratum* like = nullptr;
  int most = -1;
  for (const Stratum& s : all) {
    if (&s == &one || s.found.empty() || s.kind.node != one.kind.node) continue;
    const int alike = 2 * static_cast<int>(s.kind.fresh == one.kind.fresh) +
                      static_cast<int>(s.kind.last == one.kind.last);
    if (alike <= most) continue;
    most = alike;
    like = &s;
  }
  const double moved = one.found.front().moved();
  if (like == nullptr || moved <= 0) return moved * moved;
  double other = 0;
  for (const Found& f : like->found) other += off(f) / static_cast<double>(like->found.size());
  const double differ = std::clamp(std::fabs(other / off(one.found.front()) - 1), least, 1.0);
  return differ * differ * moved * moved;
}

// By how much runs differ from what a ratio tells of them. Of a few that look alike not less than
// chance may hide.
double spread(const Stratum& stratum, double ratio) {
  constexpr double hidden = 0.1;
  const auto n = static_cast<double>(stratum.found.size());
  double mean = 0, squares = 0;
  for (const Found& f : stratum.found) {
    const double off = f.moved() - ratio * f.instances;
    mean += off / n;
    squares += off * off / n;
  }
  const double least = hidden / n * stratum.sum().moved() / n;
  return std::max(least * least, n * (squares - mean * mean) / (n - 1));
}

}  // namespace

Estimate estimate(const std::vector<Stratum>& all) {
  Found sum;
  for (const Stratum& s : all) {
    const std::optional<double> times = s.times();
    if (!times) continue;
    const Found found = s.sum();
    sum.instances += *times * found.instances;
    sum.loads += *times * found.loads;
    sum.stores += *times * found.stores;
  }
  const double seen = std::max(1.0, sum.instances);
  Estimate result{{1, sum.loads / seen, sum.stores / seen, true}, 0, {}};
  const double ratio = result.ratio.moved();
  double variance = 0;
  for (const Stratum& s : all) {
    const auto n = static_cast<double>(s.found.size());
    const double left = 1 - n / s.count;  // of the kind, not looked at
    double here = 0;
    if (const std::optional<double> times = s.times()) {
      const Found found = s.sum();
      const double own = s.instances ? found.moved() / found.instances : ratio;
      here = left * *times * *times * n * (n < 2 ? spread_of_one(all, s, ratio) : spread(s, own));
    } else {
      here = left * *s.instances * *s.instances * ratio * ratio;
    }
    result.uncertainty.push_back(s.all_found() ? 0 : here / n);
    variance += here;
  }
  result.error = sum.instances > 0 ? std::sqrt(variance) / std::max(1.0, sum.moved()) : 1;
  return result;
}

}  // namespace redblue::schedule
