// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/footprint/segments.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

// docs/methods/segments.md, Lemma 6.
Expr segments_formula(const Expr& moved, const Rational& alpha, const Expr& units) {
  const Rational multiple = Rational(1) / (alpha - 1);  // of S
  const Expr words = multiple * symbolic::fast_memory();
  if (multiple.is_integer()) return moved - units * words;
  const Rational up = 1 - Rational(1) / multiple.denom();  // to the next whole number, at most
  const Expr loss = GiNaC::pow(up / words, 2) / 2;
  return (moved * (1 - loss)).expand() - units * (words + up);
}

double segments_bound(const std::function<double(double)>& chi, double vertices, double s,
                      double units) {
  const auto at = [&](double wanted) {
    const double x = std::max(s + 1, std::floor(wanted));  // transfers are whole
    const double segments = vertices / chi(x);
    return (x - s) * (units > 1 ? segments - units : std::ceil(segments) - 1);
  };
  double best = 0;
  double best_x = s + 1;
  const double top = std::log(s + 1 + 4 * vertices);
  constexpr int samples = 160;
  for (int i = 0; i <= samples; ++i) {
    const double x = std::exp(std::log(s + 1) + (top - std::log(s + 1)) * i / samples);
    const double value = at(x);
    if (value > best) {
      best = value;
      best_x = x;
    }
  }
  double width = std::exp((top - std::log(s + 1)) / samples);
  for (int round = 0; round < 4; ++round) {
    const double centre = best_x;
    for (int i = -8; i <= 8; ++i) {
      const double x = centre * std::pow(width, i / 8.0);
      if (x <= s) continue;
      const double value = at(x);
      if (value > best) {
        best = value;
        best_x = x;
      }
    }
    width = std::pow(width, 0.25);
  }
  return best;
}

}  // namespace redblue::bounds
