// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/bound/rounded_shares.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "decomposition/einsum/partition.hpp"

namespace redblue::einsum {

namespace {

constexpr double largest_count = 6;     // shares in a batch that are looked at
constexpr std::size_t most_sums = 400;  // of ends of pieces

// Half of what a part of the fraction x shares with the rest of its batch, over y: Lemma einsum.7.
double half_shared(double x) {
  if (x <= 0 || x >= 1) return 0;
  return 0.5 * std::max({by_variance(x), by_entropy(x), by_entropy_of_others(x)});
}

// Where the first of the three becomes the largest, and where it no longer is.
std::array<double, 2> crossings() {
  double low = 0.4;  // the second is larger
  double high = 0.5;
  for (int step = 0; step < 60; ++step) {
    const double x = 0.5 * (low + high);
    (by_variance(x) > by_entropy(x) ? high : low) = x;
  }
  return {low, 1 - low};
}

// The function of Lemma einsum.11 whose sum over the parts of a batch is at most 0, for a real
// number of shares in a batch.
struct Charge {
  double count;

  double gain(double x) const {
    if (x <= 0 || x >= 1) return 0;
    const double whole = std::floor(count);
    const double fraction = count - whole;
    const double t = count * x;
    const double below = std::floor(t);
    return (below + std::max(0.0, (t - below - fraction) / (1 - fraction))) / whole - x;
  }
  // between which it is linear, and half_shared concave
  std::vector<double> ends() const {
    std::vector<double> result = {crossings()[0], crossings()[1]};
    const double fraction = count - std::floor(count);
    for (double k = 0; k <= count; ++k) {
      if (k > 0 && k < count) result.push_back(k / count);
      if (k + fraction < count - 1e-12) result.push_back((k + fraction) / count);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::remove_if(result.begin(), result.end(),
                                [](double e) { return e < 1e-9 || e > 1 - 1e-9; }),
                 result.end());
    return result;
  }
};

// Several parts that are ends of pieces: which they are does not depend on `more`.
struct Sum {
  double size = 0;
  double shared = 0, gain = 0;  // the charge is shared + more * gain
};

// All of at most `most`; nothing where there are too many.
std::vector<Sum> sums(const Charge& charge, double most) {
  std::vector<Sum> result = {Sum{}};
  std::vector<double> ends = charge.ends();
  ends.push_back(1);  // whole batches
  for (const double end : ends) {
    const double shared = half_shared(end);
    const double gain = charge.gain(end);
    for (std::size_t k = 0; k < result.size(); ++k) {  // grows
      const Sum next{result[k].size + end, result[k].shared + shared, result[k].gain + gain};
      if (next.size > most + 1e-12) continue;
      result.push_back(next);
      if (result.size() > most_sums) return {};
    }
  }
  return result;
}

// A way to have so many batches: ends, and one part more. Its charge is shared + more * gain.
struct Way {
  double shared, gain;
};

// All ways at the places between which W of Lemma einsum.6 is concave: sums of ends, the least and
// the most that a rank forms. Of ways with as much gain the one that shares least.
struct Place {
  double batches;
  std::vector<Way> ways;

  double least_charge(double more) const {
    double least = std::numeric_limits<double>::infinity();
    for (const Way& way : ways) least = std::min(least, way.shared + more * way.gain);
    return least;
  }
};

std::vector<Place> places(const Charge& charge, double least, double most) {
  const std::vector<Sum> ends = sums(charge, most);
  if (ends.empty()) return {};
  std::vector<double> at = {least, most};
  for (const Sum& sum : ends) {
    if (sum.size > least && sum.size < most) at.push_back(sum.size);
  }
  std::vector<Place> result;
  for (const double v : at) {
    std::vector<Way> ways;
    for (const Sum& sum : ends) {
      const double part = v - sum.size;
      if (part < -1e-12) continue;
      ways.push_back({sum.shared + half_shared(part), sum.gain + charge.gain(part)});
    }
    std::sort(ways.begin(), ways.end(), [](const Way& a, const Way& b) {
      return a.shared < b.shared || (a.shared == b.shared && a.gain < b.gain);
    });
    Place place{v, {}};
    for (const Way& way : ways) {
      if (place.ways.empty() || way.gain < place.ways.back().gain) place.ways.push_back(way);
    }
    result.push_back(std::move(place));
  }
  return result;
}

// The lower convex hull of W at `even`.
double hull(const std::vector<Place>& places, double more, double even) {
  std::vector<double> values;
  for (const Place& place : places) values.push_back(place.least_charge(more));
  double result = std::numeric_limits<double>::infinity();
  for (std::size_t low = 0; low < places.size(); ++low) {
    if (places[low].batches > even) continue;
    for (std::size_t high = 0; high < places.size(); ++high) {
      if (places[high].batches < even) continue;
      const double width = places[high].batches - places[low].batches;
      const double share = width > 0 ? (even - places[low].batches) / width : 0;
      result = std::min(result, values[low] + share * (values[high] - values[low]));
    }
  }
  return result;
}

// The largest of a concave function on [0, high].
double highest(const std::function<double(double)>& f, double high) {
  constexpr int steps = 24;
  double low = 0;
  double best = f(0);
  for (int step = 0; step < steps; ++step) {
    const double a = low + (high - low) / 3;
    const double b = high - (high - low) / 3;
    const double at_a = f(a);
    const double at_b = f(b);
    best = std::max({best, at_a, at_b});
    (at_a < at_b ? low : high) = at_a < at_b ? a : b;
  }
  return best;
}

}  // namespace

double rounded_shares_bound(double least, double most, double even) {
  constexpr double most_more = 8;
  if (!(even > 0)) return 0;
  double best = 0;
  // counts for which a share of a rank is about one of a batch's
  constexpr int tries = 6;
  for (int k = 0; k <= tries; ++k) {
    const double share = even + (most - even) * k / tries;
    const double part = share - std::floor(share);  // of a batch, beside whole ones
    if (part * largest_count < 1 || part > 1 - 1e-9) continue;
    const double count = 1 / part;
    const std::vector<Place> all = places({count}, least, most);
    if (!all.empty())
      best = std::max(best, highest([&](double more) { return hull(all, more, even); }, most_more));
    if (most - even <= 1e-12) break;
  }
  return best;
}

double rounded_shares_bound(const EinsumShape& shape, int ranks, double busiest) {
  const auto batch = batch_index(shape);
  const double batches = batch ? static_cast<double>(shape.indices[*batch].extent) : 1;
  const double most = busiest / (shape.products() / batches);
  const double least = std::max(0.0, batches - (ranks - 1) * most);
  constexpr double rounding = 1e-9;
  return (1 - rounding) * rounded_shares_bound(least, most, batches / ranks) *
         least_weight(shape, batch);
}

}  // namespace redblue::einsum
