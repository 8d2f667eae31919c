// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/bisection.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "decomposition/einsum/footprint.hpp"

namespace redblue::einsum {

namespace {

// `first` ranks take the lower part of side `axis`, up to `length`. -1: one rank works on the box.
struct Cut {
  int axis = -1;
  int first = 0;
  std::int64_t length = 0;
};

using Box = std::vector<std::int64_t>;  // whole sides

Sides real(const Box& box) {
  return {box.begin(), box.end()};
}

double volume(const Box& box) {
  double all = 1;
  for (const std::int64_t s : box) all *= static_cast<double>(s);
  return all;
}

std::pair<Box, Box> parts(const Box& box, const Cut& cut) {
  Box low = box;
  Box high = box;
  const auto axis = static_cast<std::size_t>(cut.axis);
  low[axis] = cut.length;
  high[axis] -= cut.length;
  return {low, high};
}

// Minimises the largest or the total footprint of the parts by branch and bound over the cuts.
class Search {
 public:
  Search(const EinsumShape& shape, int ranks, double most_work, Measure measure)
      : p_(projections(shape)), most_work_(most_work), measure_(measure) {
    const double each = std::max(1.0, shape.products() / ranks);
    exponents_ = exponents(p_, best_box(p_, each));
  }

  struct Result {
    double words;
    Cut cut;
  };

  // The best below `limit`, or a value >= limit when there is none.
  Result best(int ranks, const Box& box, double limit) {
    const double all = volume(box);
    if (ranks == 1 || all < 2)
      return {all <= most_work_ * (1 + 1e-12) ? footprint(p_, real(box)) : INFINITY, {}};
    const double floor = least(ranks, box, all);
    if (floor >= limit) return {floor, {}};
    const Key key{ranks, box};
    const auto known = table_.find(key);
    if (known != table_.end() && (known->second.exact || known->second.result.words >= limit))
      return known->second.result;
    Result found{limit, {}};  // nothing found yet: no cut
    bool complete = true;
    for (const Cut& cut : candidates(ranks, box)) {
      if (steps_ > budget && found.cut.axis >= 0) {
        complete = false;
        break;
      }
      ++steps_;
      const auto [low, high] = parts(box, cut);
      const double first = best(cut.first, low, found.words).words;
      if (first >= found.words) continue;
      const bool adds = measure_ == Measure::total;
      const double room = adds ? found.words - first : found.words;
      const double second = best(ranks - cut.first, high, room).words;
      const double both = adds ? first + second : std::max(first, second);
      if (both < found.words) found = {both, cut};
      if (found.words <= floor * (1 + 1e-12)) break;
    }
    table_[key] = {found, complete && found.cut.axis >= 0};
    return found;
  }

 private:
  static constexpr int budget = 20000;
  using Key = std::pair<int, Box>;
  struct Entry {
    Result result;
    bool exact;  // else: nothing below result.words was found
  };

  // No way to cut this box for so many ranks has less.
  double least(int ranks, const Box& box, double all) const {
    const double each = exponents_.least_footprint(p_, std::max(1.0, all / ranks), real(box));
    return measure_ == Measure::total ? each * std::min<double>(ranks, all) : each;
  }

  // Even splits first, and of the sides those whose cut leaves the least. Only where both parts
  // have no more work than their ranks may do.
  std::vector<Cut> candidates(int ranks, const Box& box) const {
    std::vector<std::pair<double, int>> order;
    for (std::size_t t = 0; t < box.size(); ++t) {
      if (box[t] < 2) continue;
      Sides half = real(box);
      half[t] /= 2;
      order.emplace_back(footprint(p_, half), static_cast<int>(t));
    }
    std::sort(order.begin(), order.end());
    std::vector<Cut> cuts;
    const double all = volume(box);
    const int fewest = ranks <= 32 ? 1 : std::max(1, ranks / 2 - 4);
    for (int first = ranks / 2; first >= fewest; --first) {
      for (const auto& [words, axis] : order) {
        const std::int64_t side = box[static_cast<std::size_t>(axis)];
        const auto length = std::clamp<std::int64_t>(
            std::llround(static_cast<double>(side) * first / ranks), 1, side - 1);
        const double low = all / static_cast<double>(side) * static_cast<double>(length);
        const double most = most_work_ * (1 + 1e-12);
        if (low > most * first || all - low > most * (ranks - first)) continue;
        cuts.push_back({axis, first, length});
      }
    }
    return cuts;
  }

  Projections p_;
  double most_work_;
  Measure measure_;
  Exponents exponents_;
  int steps_ = 0;
  std::map<Key, Entry> table_;
};

// Follows the cuts of a search; whether it found a way.
class Builder {
 public:
  Builder(Search& search, std::vector<EinsumBox>& boxes) : search_(search), boxes_(boxes) {}

  bool build(const std::vector<Range>& box, int ranks, std::size_t rank) {
    Box sides;
    for (const Range& r : box) sides.push_back(r.size());
    if (ranks == 1 || volume(sides) < 2) {
      boxes_[rank] = {true, box};  // the other ranks are idle
      return true;
    }
    const Cut cut = search_.best(ranks, sides, INFINITY).cut;
    if (cut.axis < 0) return false;
    const auto axis = static_cast<std::size_t>(cut.axis);
    std::vector<Range> low = box;
    std::vector<Range> high = box;
    low[axis].end = high[axis].begin = box[axis].begin + cut.length;
    return build(low, cut.first, rank) &&
           build(high, ranks - cut.first, rank + static_cast<std::size_t>(cut.first));
  }

 private:
  Search& search_;
  std::vector<EinsumBox>& boxes_;
};

}  // namespace

std::optional<EinsumDecomposition> searched_bisection(const EinsumShape& shape, int ranks,
                                                      double most_work, Measure measure) {
  EinsumDecomposition d;
  d.kind = EinsumDecomposition::Kind::bisection;
  d.boxes.resize(static_cast<std::size_t>(ranks));
  Search search(shape, ranks, most_work, measure);
  std::vector<Range> whole;
  for (const EinsumIndex& i : shape.indices) whole.push_back({0, i.extent});
  if (!Builder(search, d.boxes).build(whole, ranks, 0)) return std::nullopt;
  return d;
}

}  // namespace redblue::einsum
