// SPDX-License-Identifier: BSD-3-Clause
// Bisections that cut an index into several slabs at once, and each slab along further indices.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/footprint.hpp"
#include "decomposition/ownership.hpp"

namespace redblue::einsum {

namespace {

using Box = std::vector<std::int64_t>;  // whole sides

// Into `count` slabs, of as many ranks each as can be, or `first` on the first and the others on
// the second. No slabs: one rank works on the box.
struct Cut {
  std::size_t axis = 0;
  int count = 0;
  int first = 0;  // 0: no more than on the others
};

struct Slab {
  int ranks = 1;
  Range range;
};

// Lengths are in proportion to the ranks.
std::vector<Slab> slabs(int ranks, std::int64_t side, const Cut& cut) {
  std::vector<Slab> result;
  int done = 0;
  std::int64_t begin = 0;
  for (int k = 1; k <= cut.count; ++k) {
    const auto even = static_cast<int>(fraction_of(ranks, k, cut.count));
    const int next = cut.first > 0 && k == 1 ? cut.first : even;
    const std::int64_t end = std::llround(static_cast<double>(side) * next / ranks);
    result.push_back({next - done, {begin, end}});
    done = next;
    begin = end;
  }
  return result;
}

// For each index the first one that it may be exchanged for without a change of the summation but
// for extents.
std::vector<std::size_t> classes(const EinsumShape& shape) {
  const auto exchanged = [&shape](int s, int t) {
    std::vector<std::vector<int>> tensors;
    for (const EinsumTensor& tensor : shape.tensors) {
      tensors.push_back(tensor.indices);
      for (int& i : tensors.back()) i = i == s ? t : i == t ? s : i;
      std::sort(tensors.back().begin(), tensors.back().end());
    }
    std::sort(tensors.begin(), tensors.end() - 1);  // the result stays the last
    return tensors;
  };
  std::vector<std::size_t> result;
  const auto unchanged = exchanged(0, 0);
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    std::size_t like = 0;
    while (like < t && exchanged(static_cast<int>(like), static_cast<int>(t)) != unchanged) ++like;
    result.push_back(like);
  }
  return result;
}

// What a search tries, and in which order, which decides between ways that are equally good.
struct Effort {
  bool slabs_differ = false;  // whether slabs of different numbers of ranks, too
  int steps = 0;
  std::vector<std::size_t> axes;  // in this order
};

// Branch and bound, within a fixed number of steps. What is made small is what all ranks need.
// Boxes that differ by an exchange of indices of one class are one: their sides stand in order.
class Layers {
 public:
  // `again`: how much more an element of the result counts.
  Layers(const EinsumShape& shape, double most_work, double again, Effort effort)
      : p_(projections(shape)),
        most_work_(most_work * (1 + 1e-12)),
        of_result_(shape.result().indices),
        classes_(classes(shape)),
        again_(again),
        effort_(std::move(effort)) {}

  // The least that was found below `limit`; no less than that: there is none, or it was not found.
  double least(int ranks, const Box& box, double limit) {
    has_limit_ = std::isfinite(limit);
    return best(state_of(ranks, box), limit);
  }

  // Of a box like the first or a part that its cuts leave.
  Cut cut(int ranks, const Box& box) {
    Cut cut = state_of(ranks, box).cut;
    if (cut.count == 0) return cut;
    const std::size_t like = cut.axis;
    const std::int64_t side = in_order(box)[like];
    cut.axis = *std::find_if(effort_.axes.begin(), effort_.axes.end(), [&](std::size_t t) {
      return classes_[t] == classes_[like] && box[t] == side;
    });
    return cut;
  }

 private:
  struct State;
  // A way to cut a box, and the parts that it leaves, each so many times.
  struct Option {
    Cut cut;
    std::vector<std::pair<State*, int>> parts;

    double least() const {
      double all = 0;
      for (const auto& [part, times] : parts) all += part->least * times;
      return all;
    }
  };

  struct State {
    int ranks = 1;
    Box box;
    double least = 0;         // no way has less, about
    double found = INFINITY;  // the best way so far
    Cut cut;                  // of that
    std::optional<std::vector<Option>> options;

    bool is_solved() const { return found <= least; }
  };

  // As least().
  double best(State& state, double limit) {
    if (state.least >= limit || state.is_solved()) return state.least;
    double bar = std::min(limit, state.found);
    bool complete = true;
    if (!state.options) state.options = options(state);
    for (const auto& [least, option] : below(*state.options, bar)) {
      if (least >= bar) break;
      if (steps_ > effort_.steps && (has_limit_ || std::isfinite(state.found))) {
        complete = false;
        break;
      }
      ++steps_;
      const double words = words_of(*option, bar);
      if (words >= bar) continue;
      bar = state.found = words;
      state.cut = option->cut;
    }
    if (complete) state.least = std::max(state.least, bar);
    return bar;
  }

  // What may be below `bar`, the least first.
  static std::vector<std::pair<double, const Option*>> below(const std::vector<Option>& options,
                                                             double bar) {
    std::vector<std::pair<double, const Option*>> order;
    for (const Option& option : options) {
      const double least = option.least();
      if (least < bar) order.push_back({least, &option});
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    return order;
  }

  // INFINITY where the parts are not below `limit`.
  double words_of(const Option& option, double limit) {
    double words = 0;
    double least = option.least();  // which a search of another option may have raised
    for (const auto& [part, times] : option.parts) {
      if (least >= limit) return INFINITY;
      const double floor = part->least;
      const double room = floor + (limit - least) / times;
      const double one = best(*part, room);
      if (one >= room) return INFINITY;
      words += one * times;
      least += (one - floor) * times;
    }
    return words;
  }

  // Sides of indices of one class ascend.
  Box in_order(const Box& box) const {
    Box result = box;
    for (std::size_t t = 0; t < box.size(); ++t) {
      for (std::size_t k = t + 1; k < box.size(); ++k) {
        if (classes_[k] == classes_[t] && result[k] < result[t]) std::swap(result[k], result[t]);
      }
    }
    return result;
  }

  State& state_of(int ranks, const Box& box) {
    Box key = in_order(box);
    key.push_back(ranks);
    const auto [place, is_new] = table_.try_emplace(std::move(key));
    State& state = place->second;
    if (!is_new) return state;
    state.ranks = ranks;
    state.box.assign(place->first.begin(), place->first.end() - 1);
    const double all = volume(state.box);
    const bool is_whole = ranks == 1 || all < 2;
    if (all > most_work_ * (is_whole ? 1 : ranks) || all < 1) {
      state.least = INFINITY;
    } else if (is_whole) {
      state.found = state.least = words(Sides(state.box.begin(), state.box.end()));
    } else {
      state.least = words(best_share(state, of_result_.empty() ? 1 : 1 + again_)) *
                    std::min<double>(ranks, all);
    }
    return state;
  }

  // What a rank with this box needs, and what it receives again.
  double words(const Sides& box) const {
    double again = again_;
    for (const int t : of_result_) again *= box[static_cast<std::size_t>(t)];
    return footprint(p_, box) + again;
  }

  // The best box of an even share; `last`: what an element of the result counts.
  Sides best_share(const State& state, double last) const {
    Projections part = p_;
    part.extents.assign(state.box.begin(), state.box.end());
    return best_box(part, std::max(1.0, volume(state.box) / state.ranks), last);
  }

  // Into slabs as long as the side of the best box, a little longer or shorter, or into two or
  // three; or, where slabs may differ, into one such slab and a rest that is cut in its own way.
  std::vector<Option> options(const State& state) {
    std::vector<Option> result;
    const Sides sides = best_share(state, 1);
    for (const std::size_t t : effort_.axes) {
      if (is_like_another(state.box, t)) continue;
      const double wanted = static_cast<double>(state.box[t]) / sides[t];
      const auto most = static_cast<double>(std::min<std::int64_t>(state.ranks, state.box[t]));
      std::set<int> counts;
      std::set<int> firsts;
      for (const double count : {2.0, 3.0, std::floor(wanted), std::ceil(wanted), wanted}) {
        if (count >= 2 && count <= most) counts.insert(static_cast<int>(count));
        if (count >= 1.5) firsts.insert(static_cast<int>(std::lround(state.ranks / count)));
      }
      for (const int count : counts) add_option(state, {t, count}, result);
      for (const int first : firsts) {
        const bool is_new = first >= 1 && 2 * first < state.ranks && state.box[t] >= 2;
        if (effort_.slabs_differ && is_new) add_option(state, {t, 2, first}, result);
      }
    }
    return result;
  }

  // Whether an axis before this one may be exchanged for it and has as long a side.
  bool is_like_another(const Box& box, std::size_t axis) const {
    for (std::size_t t = 0; t < axis; ++t) {
      if (classes_[t] == classes_[axis] && box[t] == box[axis]) return true;
    }
    return false;
  }

  void add_option(const State& state, const Cut& cut, std::vector<Option>& options) {
    std::map<std::pair<int, std::int64_t>, int> times;  // of ranks and length
    for (const Slab& slab : slabs(state.ranks, state.box[cut.axis], cut))
      ++times[{slab.ranks, slab.range.size()}];
    Option option{cut, {}};
    for (const auto& [slab, count] : times) {
      Box part = state.box;
      part[cut.axis] = slab.second;
      option.parts.push_back({&state_of(slab.first, part), count});
    }
    if (std::isfinite(option.least())) options.push_back(std::move(option));
  }

  struct Hash {
    std::size_t operator()(const Box& key) const {
      std::size_t all = 0;
      for (const std::int64_t k : key)
        all = (all ^ static_cast<std::size_t>(k)) * std::size_t{0x9E3779B97F4A7C15} ^ (all >> 29);
      return all;
    }
  };

  Projections p_;
  double most_work_;
  std::vector<int> of_result_;
  std::vector<std::size_t> classes_;
  double again_;
  Effort effort_;
  bool has_limit_ = false;
  int steps_ = 0;
  std::unordered_map<Box, State, Hash> table_;
};

// Follows the cuts that were found.
void build(Layers& layers, const std::vector<Range>& box, int ranks, std::size_t rank,
           std::vector<EinsumBox>& boxes) {
  Box sides;
  for (const Range& r : box) sides.push_back(r.size());
  const Cut cut = layers.cut(ranks, sides);
  if (cut.count == 0) {
    boxes[rank] = {true, box};  // the other ranks are idle
    return;
  }
  for (const Slab& slab : slabs(ranks, sides[cut.axis], cut)) {
    std::vector<Range> part = box;
    const std::int64_t begin = box[cut.axis].begin;
    part[cut.axis] = {begin + slab.range.begin, begin + slab.range.end};
    build(layers, part, slab.ranks, rank, boxes);
    rank += static_cast<std::size_t>(slab.ranks);
  }
}

// Indices of the result first, so that which letters stand for what makes no difference.
std::vector<std::size_t> axes_of(const EinsumShape& shape) {
  std::vector<std::size_t> axes(shape.indices.size());
  std::iota(axes.begin(), axes.end(), std::size_t{0});
  std::stable_partition(axes.begin(), axes.end(), [&shape](std::size_t t) {
    return shape.result().has(static_cast<int>(t));
  });
  return axes;
}

}  // namespace

std::vector<EinsumDecomposition> layered_bisections(const EinsumShape& shape, int ranks,
                                                    double most_work) {
  std::vector<Range> whole;
  Box sides;
  for (const EinsumIndex& i : shape.indices) {
    whole.push_back({0, i.extent});
    sides.push_back(i.extent);
  }
  // an element of the result is owned whole, and its owner receives it from all others: where there
  // are few for a rank, the one that owns most receives more than its part
  const double each = static_cast<double>(shape.elements(shape.result())) / ranks;
  const double again = std::ceil(each) / each - 1;
  const std::vector<std::size_t> axes = axes_of(shape);
  const std::vector<std::size_t> backwards(axes.rbegin(), axes.rend());
  constexpr int many = 20000, few = 5000;
  constexpr double equal = 1 + 1e-9;
  std::vector<EinsumDecomposition> result;
  double limit = INFINITY;
  for (const Effort& effort :
       {Effort{false, many, axes}, Effort{false, many, backwards}, Effort{true, few, axes}}) {
    Layers layers(shape, most_work, again, effort);
    // a way that is as good overall may be evener, which is not worth the wider search
    const double bar = effort.slabs_differ ? limit : limit * equal;
    const double words = layers.least(ranks, sides, bar);
    if (!(words < bar)) continue;
    limit = std::min(limit, words);
    result.emplace_back();
    result.back().kind = EinsumDecomposition::Kind::bisection;
    result.back().boxes.resize(static_cast<std::size_t>(ranks));
    build(layers, whole, ranks, 0, result.back().boxes);
  }
  return result;
}

}  // namespace redblue::einsum
