// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/busiest/even_shares.hpp"

#include <algorithm>
#include <cmath>

namespace redblue::bounds {

using symbolic::Expr;
using symbolic::Rational;

double reached_at(const std::function<double(double)>& f, double value, double high) {
  constexpr double most = 1e18;
  double low = 0;
  while (f(high) < value && high < most) high *= 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (f(middle) < value ? low : high) = middle;
  }
  return low;
}

double even_share(double vertices, const Sizes& sizes) {
  return std::ceil(vertices / sizes.units);
}

std::string provided_even(const std::string& instances, bool inputs_once) {
  return std::string("each value is computed once, ") +
         (inputs_once ? "each input begins in one memory, " : "") +
         "and no processor computes more than its share, 1/p, of " + instances;
}

double busiest_far_out(const Expr& words, const Sizes& sizes) {
  symbolic::Valuation far = sizes.far;
  far["p"] = Rational(std::max(2L, static_cast<long>(sizes.units)));
  double value = 0;
  try {
    if (!symbolic::evaluate(sizes.counts->at(words, sizes.wanted.large), far, value)) return 0;
  } catch (const GiNaC::pole_error&) {
    return 0;
  }
  return std::isfinite(value) ? value : 0;
}

namespace {

// The share from which on constant X^alpha is at least X: where both are equal.
std::string least_share(const SharedWork& work) {
  double constant = 0;
  symbolic::evaluate(work.constant, {}, constant);
  const double share = std::pow(constant, -1 / (work.alpha.to_double() - 1));
  return std::to_string(static_cast<long>(std::ceil(share - 1e-9)));
}

}  // namespace

Busiest even_shares(const SharedWork& work, const Sizes& sizes) {
  Busiest result;
  result.provided =
      provided_even("the instances of " + work.instances + " that the bound counts", true);
  if (work.looked_through) result.provided += ", " + least_share(work) + " or more";
  const LeastFootprint received = received_by_share(work.vertices, work.constant, work.alpha,
                                                    work.least, work.at_home.formula, sizes);
  result.words.formula = received.words;
  result.conditions = received.conditions;
  if (!sizes.complete || work.vertices.value < 1) return result;
  const double share = even_share(work.vertices.value, sizes);
  // All of them need V / share times what a full share needs, at least.
  const double needed = work.vertices.value / share * reached_at(work.chi, share);
  result.words.value = std::max(0.0, (needed - work.at_home.value) / sizes.units);
  return result;
}

void note_share(const Sizes& sizes, const std::optional<Busiest>& found) {
  if (found) sizes.even_shares->push_back(*found);
}

void add_strongest_share(std::vector<Bound>& bounds, const std::vector<std::string>& parameters,
                         const Sizes& sizes) {
  if (std::count(parameters.begin(), parameters.end(), "p") != 0) return;
  const auto words = [&sizes](const Busiest& b) {
    return sizes.complete ? b.words.value : busiest_far_out(b.words.formula, sizes);
  };
  double most = 0;
  for (const Bound& bound : bounds) {
    if (bound.busiest && busiest_far_out(bound.busiest->words.formula, sizes) > 0)
      most = std::max(most, words(*bound.busiest) * (1 + 1e-6));
  }
  for (const Busiest& share : *sizes.even_shares) {
    if (words(share) <= most) continue;
    most = words(share);
    bounds.front().busiest = share;
  }
}

}  // namespace redblue::bounds
