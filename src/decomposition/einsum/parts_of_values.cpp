// SPDX-License-Identifier: BSD-3-Clause
// Values that some ranks share: each is bisected into a part per rank and a rest, which further
// ranks have.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "decomposition/cut_search.hpp"
#include "decomposition/einsum/footprint.hpp"
#include "decomposition/einsum/shared_values.hpp"

namespace redblue::einsum {

namespace {

// How a value is cut: into `parts` of `even` products each, but for the last, which has the
// fraction `last` of a part. Whether the last is a rest that further ranks share, cut `times` times
// on average.
struct Weights {
  int parts = 1;
  double even = 0, last = 1;
  bool is_rest = false;
  double times = 0;
};

struct Part {
  std::vector<std::int64_t> sides;
  bool has_last = false;
  bool operator<(const Part& other) const {
    return has_last != other.has_last ? has_last : sides < other.sides;
  }
};

Sides real(const std::vector<std::int64_t>& sides) {
  return {sides.begin(), sides.end()};
}

// The index along which a cut of the box shares least, and how much.
std::pair<double, std::size_t> cheapest_cut(const Projections& p, const Sides& sides) {
  std::pair<double, std::size_t> best = {INFINITY, 0};
  for (std::size_t t = 0; t < sides.size(); ++t) {
    if (sides[t] < 2) continue;
    best = std::min(best, {2 * footprint(p, halved(sides, t)) - footprint(p, sides), t});
  }
  return best;
}

// See cut_search.hpp.
class Space {
 public:
  using Box = Part;
  struct Cut {
    int axis = -1;
    int first = 0;
    std::int64_t length = 0;
  };
  using Key = std::pair<int, Part>;

  Space(Projections p, const Weights& weights, double most)
      : p_(std::move(p)), weights_(weights), most_(most * (1 + 1e-12)) {
    const double all = volume(p_.extents);
    const auto of = [&](double v) { return exponents(p_, best_box(p_, std::clamp(v, 1.0, all))); };
    of_part_ = of(weights.even);
    of_last_ = of(weights.even * weights.last);
  }

  static bool is_whole(int ranks, const Part&) { return ranks == 1; }
  double words(const Part& part) const {
    const Sides sides = real(part.sides);
    const bool is_rest = part.has_last && weights_.is_rest;
    if (!part.has_last && volume(sides) > most_) return INFINITY;
    const double again = is_rest && weights_.times > 0 ? cheapest_cut(p_, sides).first : 0;
    return footprint(p_, sides) + (is_rest ? weights_.times * again : 0);
  }

  double least(int ranks, const Part& part, Measure) const {
    const Sides sides = real(part.sides);
    const double one = volume(sides) / weight(ranks, part.has_last);
    const auto of = [&](const Exponents& e, double products) {
      return e.least_footprint(p_, std::max(1.0, products), sides);
    };
    const int alike = part.has_last ? ranks - 1 : ranks;
    return alike * of(of_part_, one) + (part.has_last ? of(of_last_, one * weights_.last) : 0);
  }

  static Key key(int ranks, const Part& part) { return {ranks, part}; }

  // The lower part never has the last one.
  std::vector<Cut> cuts(int ranks, const Part& part) const {
    const std::vector<int> order = sides_to_halve(p_, real(part.sides));
    const int fewest = fewest_on_a_part(ranks);
    std::vector<int> firsts;
    const int most = part.has_last ? ranks - fewest : ranks / 2;
    for (int first = fewest; first <= most; ++first) firsts.push_back(first);
    std::stable_sort(firsts.begin(), firsts.end(), [ranks](int a, int b) {
      return std::abs(2 * a - ranks) < std::abs(2 * b - ranks);
    });
    std::vector<Cut> result;
    const double all = weight(ranks, part.has_last);
    for (const int first : firsts) {
      for (const int axis : order) {
        const std::int64_t side = part.sides[static_cast<std::size_t>(axis)];
        const double at = static_cast<double>(side) * first / all;
        const auto length = std::clamp<std::int64_t>(
            part.has_last ? static_cast<std::int64_t>(at + 1e-9) : std::llround(at), 1, side - 1);
        result.push_back({axis, first, length});
      }
    }
    return result;
  }

  static std::pair<Part, Part> parts(int, const Part& part, const Cut& cut) {
    Part low = part;
    Part high = part;
    const auto axis = static_cast<std::size_t>(cut.axis);
    low.has_last = false;
    low.sides[axis] = cut.length;
    high.sides[axis] -= cut.length;
    return {low, high};
  }

 private:
  double weight(int ranks, bool has_last) const {
    return has_last ? ranks - 1 + weights_.last : ranks;
  }
  Projections p_;
  Weights weights_;
  double most_;
  Exponents of_part_, of_last_;
};

// The parts of a value, the last one at the end; false where no cuts do.
bool build(CutSearch<Space>& search, const std::vector<Range>& box, int ranks, bool has_last,
           std::vector<std::vector<Range>>& parts) {
  if (ranks == 1) {
    parts.push_back(box);
    return true;
  }
  Part part{{}, has_last};
  for (const Range& r : box) part.sides.push_back(r.size());
  const Space::Cut cut = search.best(ranks, part, INFINITY).cut;
  if (cut.axis < 0) return false;
  const auto axis = static_cast<std::size_t>(cut.axis);
  std::vector<Range> low = box;
  std::vector<Range> high = box;
  low[axis].end = high[axis].begin = box[axis].begin + cut.length;
  return build(search, low, cut.first, false, parts) &&
         build(search, high, ranks - cut.first, has_last, parts);
}

// A part without a corner of about `rest` products at its end, as boxes each of which needs what no
// earlier one does or something within it; `order`: of the indices. Then the corner.
std::vector<std::vector<Range>> without_corner(const Projections& p, const std::vector<Range>& part,
                                               std::size_t value, double rest,
                                               const std::vector<std::size_t>& order) {
  Projections within = p;
  double all = 1;
  for (std::size_t t = 0; t < part.size(); ++t) {
    within.extents[t] = t == value ? 1 : static_cast<double>(part[t].size());
    all *= within.extents[t];
  }
  if (rest < 1 || rest >= all) return {};
  const Sides ideal = best_box(within, rest);
  std::vector<Range> corner = part;
  double left = rest;
  for (std::size_t k = 0; k < order.size(); ++k) {
    Range& range = corner[order[k]];
    const bool is_last = k + 1 == order.size();
    const double wanted = is_last ? left : ideal[order[k]];
    const auto side = std::clamp<std::int64_t>(
        is_last ? static_cast<std::int64_t>(std::ceil(wanted - 1e-9)) : std::llround(wanted), 1,
        range.size());
    left /= static_cast<double>(side);
    range.begin = range.end - side;
  }
  std::vector<std::vector<Range>> boxes;
  std::vector<Range> box = part;
  for (const std::size_t t : order) {
    box[t] = {part[t].begin, corner[t].begin};
    if (box[t].size() > 0) boxes.push_back(box);
    box[t] = corner[t];
  }
  boxes.push_back(corner);
  return boxes;
}

struct Way {
  double words = 0;  // that the ranks of a group need
  Boxes boxes;
};

// Orders of three indices of which the result has the first two: then the boxes beside a corner add
// to different elements of it.
std::vector<std::vector<std::size_t>> corner_orders(const EinsumShape& shape, std::size_t value,
                                                    const EinsumTensor& sum) {
  std::vector<std::vector<std::size_t>> result;
  std::vector<std::size_t> order;
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    if (t != value && sum.has(static_cast<int>(t))) order.push_back(t);
  }
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    if (t != value && !sum.has(static_cast<int>(t))) order.push_back(t);
  }
  constexpr std::size_t along = 3;
  if (order.size() != along || !sum.has(static_cast<int>(value))) return {};
  const bool first_two = sum.has(static_cast<int>(order[1]));
  if (!first_two) return {};
  result.push_back(order);
  std::swap(order[0], order[1]);
  result.push_back(order);
  return result;
}

class Ways {
 public:
  Ways(const EinsumShape& shape, const SharedValues& group, const EinsumTensor& sum)
      : shape_(shape), group_(group), sum_(sum), p_(projections(shape)) {
    p_.extents[group.index] = 1;
    one_ = volume(p_.extents);
  }

  // `each`: the fraction of a value that a rank has.
  void add(int parts, double each) {
    const double rest = 1 - parts * each;
    const int others = group_.ranks - parts * static_cast<int>(group_.values);
    if (each <= 0 || others < 1 || rest <= 1e-6) return;
    if (rest * static_cast<double>(group_.values) > others * group_.most * (1 + 1e-9)) return;
    const double times =
        std::max(0.0, static_cast<double>(others - 1)) / static_cast<double>(group_.values);
    if (auto cut = bisected({parts + 1, each * one_, rest / each, true, times})) {
      offer(std::move(*cut), parts, {});
    }
    const auto orders = corner_orders(shape_, group_.index, sum_);
    if (orders.empty()) return;
    if (const auto cut = bisected({parts, each * one_, 1 + rest / each, false, 0})) {
      for (const auto& order : orders) offer(*cut, parts, order, each);
    }
  }

  std::vector<Way> best() && { return std::move(best_); }

 private:
  struct Cuts {
    double words = 0;
    std::vector<std::vector<Range>> parts;
  };

  std::optional<Cuts> bisected(const Weights& weights) const {
    CutSearch<Space> search({p_, weights, group_.most * one_}, Measure::total);
    std::vector<Range> whole = whole_box(shape_);
    whole[group_.index] = {0, 1};
    Cuts cuts;
    if (!build(search, whole, weights.parts, true, cuts.parts)) return std::nullopt;
    Part all{{}, true};
    for (const Range& r : whole) all.sides.push_back(r.size());
    cuts.words = search.best(weights.parts, all, INFINITY).words;
    return cuts;
  }

  // `order`: of the corner that the last part leaves; empty: the last part is the rest.
  void offer(Cuts cuts, int parts, const std::vector<std::size_t>& order, double each = 0) {
    std::vector<Range> left = std::move(cuts.parts.back());
    cuts.parts.pop_back();
    std::vector<std::vector<Range>> of_last;
    if (!order.empty()) {
      const double rest = EinsumBox{true, left}.products() - each * one_;
      of_last = without_corner(p_, left, group_.index, rest, order);
      if (of_last.empty()) return;
      left = std::move(of_last.back());
      of_last.pop_back();
    }
    Sides sides;
    for (const Range& r : left) sides.push_back(static_cast<double>(r.size()));
    const auto [again, along] = cheapest_cut(p_, sides);
    const int others = group_.ranks - parts * static_cast<int>(group_.values);
    double words = cuts.words;
    if (!order.empty())
      words += footprint(p_, sides) + (std::isfinite(again) ? again : 0) * (others - 1) /
                                          static_cast<double>(group_.values);
    constexpr std::size_t enough = 6;
    const auto place = std::find_if(best_.begin(), best_.end(),
                                    [words = words](const Way& w) { return words < w.words; });
    if (place == best_.end() && best_.size() >= enough) return;
    best_.insert(place, {words, boxes_of(cuts.parts, of_last, {left, along})});
    if (best_.size() > enough) best_.pop_back();
  }

  Boxes boxes_of(const std::vector<std::vector<Range>>& alone,
                 const std::vector<std::vector<Range>>& together, const Remainder& left) const {
    Boxes of_rank(static_cast<std::size_t>(group_.ranks));
    std::size_t rank = 0;
    const auto put = [&](std::vector<Range> box, std::int64_t value) {
      box[group_.index] = {value, value + 1};
      of_rank[rank].push_back({true, std::move(box)});
    };
    for (std::int64_t v = 0; v < group_.values; ++v) {
      for (const auto& part : alone) {
        put(part, v);
        ++rank;
      }
      for (const auto& part : together) put(part, v);
      rank += together.empty() ? 0 : 1;
    }
    share_out(group_, left, rank, of_rank);
    return of_rank;
  }

  const EinsumShape& shape_;
  const SharedValues& group_;
  const EinsumTensor& sum_;
  Projections p_;
  double one_ = 1;  // products of a value
  std::vector<Way> best_;
};

}  // namespace

std::vector<Boxes> in_parts_and_rests(const EinsumShape& shape, const SharedValues& shared,
                                      const EinsumTensor& sum) {
  const auto times = static_cast<int>(std::gcd<std::int64_t>(shared.values, shared.ranks));
  const SharedValues group{shared.index, shared.values / times, shared.ranks / times, shared.most};
  const auto most = static_cast<int>(group.ranks / group.values);
  const double even = static_cast<double>(group.values) / group.ranks;
  if (group.values < 2) return {};  // bisected as well without a rest
  Ways ways(shape, group, sum);
  for (int parts = std::max(1, most - 1); parts <= most; ++parts) {
    for (const double each : {even, 0.5 * (even + group.most), group.most})
      ways.add(parts, std::min(each, group.most));
  }
  std::vector<Boxes> result;
  for (const Way& way : std::move(ways).best()) result.push_back(repeated(way.boxes, group, times));
  return result;
}

}  // namespace redblue::einsum
