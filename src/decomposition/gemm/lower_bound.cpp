#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "redblue/gemm_model.hpp"

namespace redblue {

namespace {

// min x + y + z subject to xyz >= volume^2, each at least its floor.
double least_footprint(double volume, std::array<double, 3> floors) {
  std::sort(floors.begin(), floors.end(), std::greater<>());
  const double cube = std::cbrt(volume * volume);
  if (cube >= floors[0]) return 3 * cube;
  const double square = volume / std::sqrt(floors[0]);
  if (square >= floors[1]) return floors[0] + 2 * square;
  return floors[0] + floors[1] + std::max(floors[2], volume * volume / (floors[0] * floors[1]));
}

// max over X > s of (X - s) (volume / (X/3)^(3/2) - 1); unimodal in log X.
double segment_bound(double volume, double s) {
  const auto at = [&](double x) { return (x - s) * (volume / std::pow(x / 3, 1.5) - 1); };
  double low = std::log(s);
  double high = std::log(s + 3 * std::cbrt(volume * volume) + 1);
  for (int i = 0; i < 200; ++i) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    if (at(std::exp(a)) < at(std::exp(b))) {
      low = a;
    } else {
      high = b;
    }
  }
  return at(std::exp(low));
}

}  // namespace

double gemm_lower_bound(const GemmShape& shape, int ranks, std::optional<Words> memory) {
  const double m = static_cast<double>(shape.m);
  const double n = static_cast<double>(shape.n);
  const double k = static_cast<double>(shape.k);
  const double work = m * n * k;
  if (work == 0) return 0;
  const double p = std::min(static_cast<double>(ranks), work);
  const double owned = (m * n + m * k + n * k) / p;
  double bound = least_footprint(work / p, {m * n / p, m * k / p, n * k / p}) - owned;
  if (memory) bound = std::max(bound, segment_bound(work / p, static_cast<double>(memory->value)));
  const double rounding = 1e-12 * (bound + owned);
  return bound > rounding ? bound : 0;
}

}  // namespace redblue
