// SPDX-License-Identifier: BSD-3-Clause
// Bisections that cut an index into several slabs at once, and each slab along further indices.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/footprint.hpp"
#include "decomposition/ownership.hpp"

namespace redblue::einsum {

namespace {

using Box = std::vector<std::int64_t>;  // whole sides

// Into `count` slabs; 0: one rank works on the box.
struct Cut {
  std::size_t axis = 0;
  int count = 0;
};

struct Slab {
  int ranks = 1;
  Range range;
};

// As many ranks to each as can be, lengths in proportion.
std::vector<Slab> slabs(int ranks, std::int64_t side, int count) {
  std::vector<Slab> result;
  int done = 0;
  std::int64_t begin = 0;
  for (int k = 1; k <= count; ++k) {
    const auto next = static_cast<int>(fraction_of(ranks, k, count));
    const std::int64_t end = std::llround(static_cast<double>(side) * next / ranks);
    result.push_back({next - done, {begin, end}});
    done = next;
    begin = end;
  }
  return result;
}

// Branch and bound, within a fixed number of steps. What is made small is what all ranks need.
class Layers {
 public:
  Layers(const EinsumShape& shape, int ranks, double most_work)
      : p_(projections(shape)),
        most_work_(most_work * (1 + 1e-12)),
        of_result_(shape.result().indices) {
    // an element of the result is owned whole, and its owner receives it from all others: where
    // there are few for a rank, the one that owns most receives more than its part
    const double each = static_cast<double>(shape.elements(shape.result())) / ranks;
    again_ = std::ceil(each) / each - 1;
  }

  struct Result {
    double words = INFINITY;
    Cut cut;
  };

  // The best below `limit`, or a value >= limit where there is none.
  Result best(int ranks, const Box& box, double limit) {
    State& state = state_of(ranks, box);
    if (state.least >= limit) return {state.least, {}};
    if (state.is_exact || state.found.words >= limit) return state.found;
    Result found{limit, {}};
    bool complete = true;
    for (const auto& [least, cut] : cuts(ranks, box, state.ideal)) {
      if (least >= found.words) break;
      if (steps_ > budget && found.cut.count > 0) {
        complete = false;
        break;
      }
      ++steps_;
      const double words = words_of(ranks, box, cut, least, found.words);
      if (words < found.words) found = {words, cut};
    }
    state.found = found;
    state.is_exact = complete && found.cut.count > 0;
    return found;
  }

 private:
  static constexpr int budget = 20000;
  using Parts = std::map<std::pair<int, std::int64_t>, int>;  // ranks and length: how many slabs

  struct State {
    double least = 0;  // no way has less, about
    Sides ideal;       // the best box of an even share
    Result found{0, {}};
    bool is_exact = false;
  };

  State& state_of(int ranks, const Box& box) {
    const auto [place, is_new] = table_.try_emplace(std::pair(ranks, box));
    State& state = place->second;
    if (!is_new) return state;
    const double all = volume(box);
    Projections part = p_;
    part.extents = Sides(box.begin(), box.end());
    const bool is_whole = ranks == 1 || all < 2;
    if (all > most_work_ * (is_whole ? 1 : ranks) || all < 1) {
      state.least = INFINITY;
    } else if (is_whole) {
      double again = again_;
      for (const int t : of_result_) again *= part.extents[static_cast<std::size_t>(t)];
      state.found.words = state.least = footprint(p_, part.extents) + again;
      state.is_exact = true;
    } else {
      state.ideal = best_box(part, std::max(1.0, all / ranks));
      state.least = footprint(part, state.ideal) * std::min<double>(ranks, all);
    }
    return state;
  }

  static Parts parts(int ranks, const Box& box, const Cut& cut) {
    Parts result;
    for (const Slab& slab : slabs(ranks, box[cut.axis], cut.count))
      ++result[{slab.ranks, slab.range.size()}];
    return result;
  }

  // `least`: of all slabs. INFINITY where they are not below `limit`.
  double words_of(int ranks, const Box& box, const Cut& cut, double least, double limit) {
    double words = 0;
    for (const auto& [slab, times] : parts(ranks, box, cut)) {
      Box part = box;
      part[cut.axis] = slab.second;
      const double floor = state_of(slab.first, part).least;
      const double room = floor + (limit - least) / times;
      const double one = best(slab.first, part, room).words;
      if (one >= room) return INFINITY;
      words += one * times;
      least += (one - floor) * times;
    }
    return words;
  }

  // Into slabs as long as the side of the best box, a little longer or shorter, or into two or
  // three; with what they need at least, ascending.
  std::vector<std::pair<double, Cut>> cuts(int ranks, const Box& box, const Sides& ideal) {
    std::vector<std::pair<double, Cut>> result;
    for (std::size_t t = 0; t < box.size(); ++t) {
      const double wanted = static_cast<double>(box[t]) / ideal[t];
      const auto most = static_cast<double>(std::min<std::int64_t>(ranks, box[t]));
      std::set<int> counts;
      for (const double count : {2.0, 3.0, std::floor(wanted), std::ceil(wanted)}) {
        if (count >= 2 && count <= most) counts.insert(static_cast<int>(count));
      }
      for (const int count : counts) {
        double least = 0;
        for (const auto& [slab, times] : parts(ranks, box, {t, count})) {
          Box part = box;
          part[t] = slab.second;
          least += state_of(slab.first, part).least * times;
        }
        if (std::isfinite(least)) result.push_back({least, {t, count}});
      }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return result;
  }

  Projections p_;
  double most_work_;
  std::vector<int> of_result_;
  double again_ = 0;
  int steps_ = 0;
  std::map<std::pair<int, Box>, State> table_;
};

// Follows the cuts; whether there are some.
bool build(Layers& layers, const std::vector<Range>& box, int ranks, std::size_t rank,
           std::vector<EinsumBox>& boxes) {
  Box sides;
  for (const Range& r : box) sides.push_back(r.size());
  const Layers::Result found = layers.best(ranks, sides, INFINITY);
  if (!std::isfinite(found.words)) return false;
  const auto [axis, count] = found.cut;
  if (count == 0) {
    boxes[rank] = {true, box};  // the other ranks are idle
    return true;
  }
  for (const Slab& slab : slabs(ranks, sides[axis], count)) {
    std::vector<Range> part = box;
    part[axis] = {box[axis].begin + slab.range.begin, box[axis].begin + slab.range.end};
    if (!build(layers, part, slab.ranks, rank, boxes)) return false;
    rank += static_cast<std::size_t>(slab.ranks);
  }
  return true;
}

}  // namespace

std::optional<EinsumDecomposition> layered_bisection(const EinsumShape& shape, int ranks,
                                                     double most_work) {
  EinsumDecomposition d;
  d.kind = EinsumDecomposition::Kind::bisection;
  d.boxes.resize(static_cast<std::size_t>(ranks));
  std::vector<Range> whole;
  for (const EinsumIndex& i : shape.indices) whole.push_back({0, i.extent});
  Layers layers(shape, ranks, most_work);
  if (!build(layers, whole, ranks, 0, d.boxes)) return std::nullopt;
  return d;
}

}  // namespace redblue::einsum
