// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/footprint/segments.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

// docs/methods/segments.md, Lemma 6.
Expr segments_formula(const Expr& moved, const Rational& alpha) {
  const Rational multiple = Rational(1) / (alpha - 1);  // of S
  if (multiple.is_integer()) return moved;
  const Expr words = multiple * symbolic::fast_memory();
  const Rational up = 1 - Rational(1) / multiple.denom();  // to the next whole number, at most
  const Expr loss = GiNaC::pow(up / words, 2) / 2;
  return (moved * (1 - loss)).expand();
}

namespace {

using Function = std::function<double(double)>;

struct Best {
  double at = 1, value = 0;
};

// Where f is largest among whole numbers from 1 to `top`, by samples.
Best largest(const Function& f, double top) {
  Best best;
  double last = 0;
  const auto look = [&](double wanted) {
    const double r = std::max(1.0, std::floor(wanted));
    if (r == last) return;  // small ones come several times in a row
    last = r;
    const double value = f(r);
    if (value > best.value) best = {r, value};
  };
  constexpr int samples = 160;
  const double log_top = std::log(std::max(2.0, top));
  for (int i = 0; i <= samples; ++i) look(std::exp(log_top * i / samples));
  double width = std::exp(log_top / samples);
  for (int round = 0; round < 4; ++round) {
    const double centre = best.at;
    for (int i = -8; i <= 8; ++i) look(centre * std::pow(width, i / 8.0));
    width = std::pow(width, 0.25);
  }
  return best;
}

// The largest whole r in [0, top] with f(r) < limit; -1 where there is none. f grows.
double last_below(const Function& f, double limit, double top) {
  if (f(0) >= limit) return -1;
  double low = 0, high = std::floor(top) + 1;
  while (high - low > 1) {
    const double middle = std::floor((low + high) / 2);
    if (middle <= low || middle >= high) break;  // no doubles in between, beyond 2^53
    (f(middle) < limit ? low : high) = middle;
  }
  return low;
}

// Where `gain` is largest among `from` and the first so many eighths of r.
double best_eighth(const Function& gain, double from, double r, int eighths) {
  double best = from;
  for (int i = 0; i <= eighths; ++i) {
    const double other = std::floor(r * i / 8);
    if (gain(other) > gain(best)) best = other;
  }
  return best;
}

// More transfers than `fixed` + m r, for any m and r with m of `segment`(r) below what is left of
// the vertices: more are needed than those compute. Tries the m around r = `about`.
double with_equal_segments(const Function& segment, double left, double fixed, double about) {
  double best = 0;
  const double near = std::floor(left / segment(about));
  for (const double off : {-1.0, 0.0, 1.0, 2.0}) {
    const double m = std::max(1.0, near + off);
    const double r = last_below(segment, left / m, 2 * about + 1);
    if (r >= 0) best = std::max(best, fixed + m * r + 1);
  }
  return best;
}

}  // namespace

double segments_bound(const Function& chi, double vertices, double s, double units) {
  if (vertices <= 0) return 0;
  const double top = 1 + 4 * vertices;
  // One memory may take all in one segment, below; several take a segment near to all (Lemma 7).
  const double longest = units > 1 ? std::max(top, 1e6 * s) : top;
  const Best best = largest([&](double r) { return r * vertices / chi(s + r); }, longest);
  if (units > 1) return best.value;
  // All in one segment.
  double result = std::max(std::ceil(best.value * (1 - 1e-12)), last_below(chi, vertices, top) + 1);
  const double r = best.at, whole = chi(s + r);
  const auto gain = [&](double first) { return first - r * chi(first) / whole; };
  const double first = best_eighth(gain, r, r, 24);
  const double left = vertices - chi(first);
  if (left <= 0) return result;
  return std::max(result,
                  with_equal_segments([&](double x) { return chi(s + x); }, left, first, r));
}

double transfers_bound(const Function& chi, double vertices, double s, double units) {
  if (vertices <= 0) return 0;
  const double top = 1 + 4 * vertices;
  const Best best =
      largest([&](double r) { return r * std::max(0.0, vertices / chi(2 * s + r) - units); }, top);
  if (units > 1) return best.value;
  double result = std::max(best.value, last_below(chi, vertices, top) + 1);  // all in one segment
  const double r = std::max(best.at, std::floor(s)), whole = chi(2 * s + r);
  const auto gain = [&](double end) { return end - r * chi(s + end) / whole; };
  const double end = best_eighth(gain, 0, r, 16);
  const double left = vertices - 2 * chi(s + end);
  if (left <= 0) return result;
  const auto middle = [&](double x) { return chi(2 * s + x); };
  return std::max(result, with_equal_segments(middle, left, 2 * end, r));
}

}  // namespace redblue::bounds
