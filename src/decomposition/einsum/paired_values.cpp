// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "decomposition/einsum/cells.hpp"
#include "decomposition/einsum/footprint.hpp"
#include "decomposition/einsum/shared_values.hpp"
#include "decomposition/ownership.hpp"

namespace redblue::einsum {

namespace {

// A part of a slab, cut evenly into columns and every column into rows.
struct Columns {
  Range along;
  int columns = 0, rows = 1;

  int pieces() const { return columns * rows; }
};

// One rank has `length` of a value along `first`; the slab that is left is cut into columns along
// `across`, and these into rows along `down`. The pieces go to a rank each of as many pairs. Wide
// columns of few pieces, each as much as a pair may form, leave narrow ones for the others: all
// pieces together then need less than pieces alike.
struct Hub {
  std::size_t first = 0;
  std::int64_t length = 0;
  std::size_t across = 0, down = 0;
  std::array<Columns, 2> columns;  // wide ones, perhaps none, then the others

  int helpers() const { return columns[0].pieces() + columns[1].pieces(); }
};

std::vector<Range> slab_of(std::vector<Range> whole, const Hub& hub) {
  whole[hub.first].begin = hub.length;
  return whole;
}

std::vector<std::vector<Range>> pieces(const std::vector<Range>& whole, const Hub& hub) {
  const auto part = [](const Range& all, int k, int count) {
    return Range{all.begin + fraction_of(all.size(), k, count),
                 all.begin + fraction_of(all.size(), k + 1, count)};
  };
  std::vector<Range> piece = slab_of(whole, hub);
  const Range down = piece[hub.down];
  std::vector<std::vector<Range>> result;
  for (const Columns& all : hub.columns) {
    for (int c = 0; c < all.columns; ++c) {
      piece[hub.across] = part(all.along, c, all.columns);
      for (int r = 0; r < all.rows; ++r) {
        piece[hub.down] = part(down, r, all.rows);
        result.push_back(piece);
      }
    }
  }
  return result;
}

double volume(const std::vector<Range>& box) {
  return EinsumBox{true, box}.products();
}

// How much of the index along which two ranks share a value the first of them has, if it forms the
// fraction `more` of another value.
std::int64_t shorter_half(std::int64_t extent, double more) {
  return std::llround(0.5 * static_cast<double>(extent) * (1 - more));
}

// Two ranks share a value along `halved`; the first, which forms `more` of another, takes less.
void add_pair(const std::vector<Range>& whole, std::size_t halved, double more, Boxes& of_rank) {
  std::vector<Range> low = whole;
  std::vector<Range> high = whole;
  low[halved].end = high[halved].begin = shorter_half(whole[halved].size(), more / volume(whole));
  of_rank.push_back({{true, low}});
  of_rank.push_back({{true, high}});
}

Boxes boxes_of(const EinsumShape& shape, const SharedValues& shared, const Hub& hub,
               std::size_t halved) {
  const std::int64_t hubs = 2 * shared.values - shared.ranks;
  std::vector<Range> whole = whole_box(shape);
  Boxes of_rank;
  std::int64_t value = 0;
  const auto next = [&] {
    whole[shared.index] = {value, value + 1};
    ++value;
  };
  for (std::int64_t h = 0; h < hubs; ++h) {
    next();
    const auto left = pieces(whole, hub);
    std::vector<Range> most = whole;
    most[hub.first].end = hub.length;
    of_rank.push_back({{true, most}});
    for (const std::vector<Range>& piece : left) {
      next();
      add_pair(whole, halved, volume(piece), of_rank);
      of_rank[of_rank.size() - 2].push_back({true, piece});
    }
  }
  while (value < shared.values) {
    next();
    add_pair(whole, halved, 0, of_rank);
  }
  return of_rank;
}

// What the ranks of a hub receive, in words.
class HubWords {
 public:
  HubWords(const EinsumShape& shape, const SharedValues& shared, std::size_t halved)
      : shape_(shape), projections_(projections(shape)), value_(projections_.extents), of_pair_(0) {
    value_[shared.index] = 1;
    for (const EinsumTensor& a : shape.tensors)
      of_pair_ += a.has(static_cast<int>(halved)) ? 0 : size(a, value_);
  }

  // About the least that its busiest rank can receive, whoever owns what: two of a pair receive
  // what they share and what the one does of its piece.
  double busiest(const Hub& hub) const {
    double all = -footprint(projections_, value_);  // received for the value that the hub shares
    Sides sides = value_;
    sides[hub.first] = static_cast<double>(hub.length);
    all += footprint(projections_, sides);
    const double of_hub = most_of_hub(hub, sides);
    std::array<double, 2> of_piece = {0, 0};
    for (std::size_t k = 0; k < hub.columns.size(); ++k) {
      const Columns& c = hub.columns[k];
      if (c.pieces() == 0) continue;
      sides = value_;
      sides[hub.first] -= static_cast<double>(hub.length);
      sides[hub.across] = static_cast<double>(c.along.size()) / c.columns;
      sides[hub.down] /= c.rows;
      all += c.pieces() * footprint(projections_, sides);
      of_piece[k] = most_of_piece(hub, sides, c.rows);
    }
    double low = (all + hub.helpers() * of_pair_) / (1 + 2 * hub.helpers());
    double high = std::max(all, of_pair_);
    constexpr int steps = 30;
    for (int step = 0; step <= steps; ++step) {
      const double most = step == 0 ? low : 0.5 * (low + high);
      double room = std::min(most, of_hub);
      for (std::size_t k = 0; k < of_piece.size(); ++k)
        room += hub.columns[k].pieces() * std::min({of_piece[k], 2 * most - of_pair_, most});
      if (room >= all && step == 0) return low;
      (room >= all ? high : low) = most;
    }
    return high;
  }

 private:
  double size(const EinsumTensor& a, const Sides& sides) const {
    double all = 1;
    for (const int t : a.indices) all *= sides[static_cast<std::size_t>(t)];
    return all;
  }

  // What the hub can receive of a value, if the others own what they need as well.
  double most_of_hub(const Hub& hub, const Sides& sides) const {
    double all = 0;
    for (const EinsumTensor& a : shape_.tensors)
      all += a.has(static_cast<int>(hub.first)) ? 0 : size(a, sides);
    return all;
  }

  // What the rank of a piece can: what the hub needs as well, and of what pieces alone need all but
  // its share.
  double most_of_piece(const Hub& hub, const Sides& sides, int rows) const {
    double all = 0;
    for (const EinsumTensor& a : shape_.tensors) {
      const auto lacks = [&a](std::size_t t) { return !a.has(static_cast<int>(t)); };
      const int along = lacks(hub.across) ? hub.columns[0].columns + hub.columns[1].columns : 1;
      const int sharers = along * (lacks(hub.down) ? rows : 1);
      all += size(a, sides) * (lacks(hub.first) ? 1 : 1 - 1.0 / sharers);
    }
    return all;
  }

  const EinsumShape& shape_;
  Projections projections_;
  Sides value_;  // of a value
  double of_pair_;
};

// Ways to cut the slabs of hubs along `first`.
class Hubs {
 public:
  Hubs(const EinsumShape& shape, const SharedValues& shared, std::size_t halved, int most_helpers)
      : shared_(shared),
        whole_(whole_box(shape)),
        halved_(whole_[halved].size()),
        most_helpers_(most_helpers) {
    whole_[shared.index] = {0, 1};
  }

  template <class Offer>
  void along(std::size_t first, const Offer& offer) const {
    const auto extent = static_cast<double>(whole_[first].size());
    Hub hub{first, static_cast<std::int64_t>(shared_.most * extent + 1e-9), 0, 0, {}};
    for (hub.across = 0; hub.across < whole_.size(); ++hub.across) {
      for (hub.down = 0; hub.down < whole_.size(); ++hub.down) {
        if (hub.across == hub.down || hub.across == shared_.index || hub.down == shared_.index)
          continue;
        alike(hub, offer);
        of_two_kinds(hub, offer);
      }
    }
  }

 private:
  template <class Offer>
  void alike(Hub hub, const Offer& offer) const {
    hub.columns[1].along = slab_of(whole_, hub)[hub.across];
    for (int columns = 1; columns <= most_helpers_; ++columns) {
      for (int rows = 1; columns * rows <= most_helpers_; ++rows) {
        hub.columns[1].columns = columns;
        hub.columns[1].rows = rows;
        if (fits(hub)) offer(hub);
      }
    }
  }

  // Wide columns as wide as can be, or between that and columns of as large pieces as the others.
  template <class Offer>
  void of_two_kinds(Hub hub, const Offer& offer) const {
    constexpr int most_narrow = 8, steps = 8;
    const Range slab = slab_of(whole_, hub)[hub.across];
    auto& [wide, narrow] = hub.columns;
    for (wide.columns = 1; wide.columns <= most_helpers_; ++wide.columns) {
      for (wide.rows = 1; wide.pieces() < most_helpers_; ++wide.rows) {
        for (narrow.columns = 1; narrow.columns <= most_narrow; ++narrow.columns) {
          narrow.rows = (most_helpers_ - wide.pieces()) / narrow.columns;
          if (narrow.rows <= wide.rows) break;
          const auto length = static_cast<double>(slab.size());
          const double even = length * wide.pieces() / hub.helpers();
          const double most = wide.pieces() * (2 * shared_.most - 1) * length * volume(whole_) /
                              volume(slab_of(whole_, hub));
          for (int k = 1; k <= steps; ++k) {
            const double width = even + (std::min(most, length) - even) * k / steps;
            if (width <= even) break;
            const auto end = slab.begin + static_cast<std::int64_t>(width);
            wide.along = {slab.begin, end};
            narrow.along = {end, slab.end};
            if (fits(hub)) offer(hub);
          }
        }
      }
    }
  }

  // Whether no rank of a pair forms more than it may.
  bool fits(const Hub& hub) const {
    const std::vector<Range> slab = slab_of(whole_, hub);
    const double most = shared_.most * (1 + 1e-12);
    for (const Columns& c : hub.columns) {
      if (c.pieces() == 0) continue;
      std::vector<Range> piece = slab;
      piece[hub.across] = {0, ceil_div(c.along.size(), c.columns)};
      piece[hub.down] = {0, ceil_div(slab[hub.down].size(), c.rows)};
      if (c.along.size() < c.columns || slab[hub.down].size() < c.rows) return false;
      const double more = volume(piece) / volume(whole_);
      const auto half = shorter_half(halved_, more);
      const auto extent = static_cast<double>(halved_);
      if (half < 0 || more + static_cast<double>(half) / extent > most ||
          static_cast<double>(halved_ - half) / extent > most)
        return false;
    }
    return true;
  }

  SharedValues shared_;
  std::vector<Range> whole_;
  std::int64_t halved_;
  int most_helpers_;
};

// The index along which halving a value shares least.
std::optional<std::size_t> cheapest_halving(const EinsumShape& shape, std::size_t without) {
  std::optional<std::size_t> halved;
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    if (t == without || shape.indices[t].extent < 2) continue;
    if (!halved || elements_without(shape, t) < elements_without(shape, *halved)) halved = t;
  }
  return halved;
}

}  // namespace

std::vector<Boxes> in_pairs(const EinsumShape& shape, const SharedValues& shared) {
  constexpr std::size_t enough = 6;
  const std::int64_t hubs = 2 * shared.values - shared.ranks;
  const std::int64_t pairs = shared.ranks - shared.values;
  if (hubs < 1 || pairs < hubs || shared.most <= 0.5 || shared.most >= 1) return {};
  const auto halved = cheapest_halving(shape, shared.index);
  if (!halved) return {};
  const HubWords words(shape, shared, *halved);
  std::vector<std::pair<double, Hub>> best;
  const auto offer = [&](const Hub& hub) {
    const double received = words.busiest(hub);
    const auto place = std::find_if(
        best.begin(), best.end(), [received](const auto& other) { return received < other.first; });
    if (place == best.end() && best.size() >= enough) return;
    best.insert(place, {received, hub});
    if (best.size() > enough) best.pop_back();
  };
  const Hubs all(shape, shared, *halved, static_cast<int>(pairs / hubs));
  for (std::size_t first = 0; first < shape.indices.size(); ++first) {
    if (first != shared.index && shape.indices[first].extent >= 2) all.along(first, offer);
  }
  std::vector<Boxes> result;
  for (const auto& [received, hub] : best) result.push_back(boxes_of(shape, shared, hub, *halved));
  return result;
}

}  // namespace redblue::einsum
