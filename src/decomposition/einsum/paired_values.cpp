// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <utility>

#include "decomposition/einsum/cells.hpp"
#include "decomposition/einsum/shared_values.hpp"
#include "decomposition/ownership.hpp"

namespace redblue::einsum {

namespace {

// One rank has `length` of a value along `first`; the slab that is left is cut into a grid, whose
// parts go to a rank each of as many pairs.
struct Hub {
  std::size_t first = 0;
  std::int64_t length = 0;
  std::size_t across = 0, down = 0;  // indices of the grid
  int columns = 1, rows = 1;

  int helpers() const { return columns * rows; }
};

// The parts of the slab.
std::vector<std::vector<Range>> pieces(const std::vector<Range>& whole, const Hub& hub) {
  std::vector<Range> slab = whole;
  slab[hub.first].begin = hub.length;
  std::vector<std::vector<Range>> result;
  for (int c = 0; c < hub.columns; ++c) {
    for (int r = 0; r < hub.rows; ++r) {
      std::vector<Range> piece = slab;
      const auto cut = [&](std::size_t t, int k, int count) {
        const Range all = slab[t];
        piece[t] = {all.begin + fraction_of(all.size(), k, count),
                    all.begin + fraction_of(all.size(), k + 1, count)};
      };
      cut(hub.across, c, hub.columns);
      cut(hub.down, r, hub.rows);
      result.push_back(std::move(piece));
    }
  }
  return result;
}

double volume(const std::vector<Range>& box) {
  return EinsumBox{true, box}.products();
}

// Two ranks share a value along `halved`; the first, which forms `more` of another, takes less.
void add_pair(const std::vector<Range>& whole, std::size_t halved, double more, Boxes& of_rank) {
  std::vector<Range> low = whole;
  std::vector<Range> high = whole;
  const auto length = static_cast<double>(whole[halved].size());
  low[halved].end = high[halved].begin = std::llround(0.5 * length * (1 - more / volume(whole)));
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

// What the ranks of a hub receive on average.
double mean_words(const EinsumShape& shape, const SharedValues& shared, const Hub& hub,
                  const Boxes& boxes) {
  const std::size_t ranks = 1 + 2 * static_cast<std::size_t>(hub.helpers());
  double words = 0;
  for (const EinsumTensor& a : shape.tensors) {
    double all = 1.0 + hub.helpers();
    for (const int t : a.indices) {
      if (t != static_cast<int>(shared.index))
        all *= static_cast<double>(shape.indices[static_cast<std::size_t>(t)].extent);
    }
    words -= all;
    for (std::size_t r = 0; r < ranks; ++r) {
      for (const EinsumBox& box : boxes[r])
        words += static_cast<double>(size_of(projection(a, box)));
    }
  }
  return words / static_cast<double>(ranks);
}

// Grids of the slab into at least `fewest` parts, as even as two indices cut it.
std::vector<Hub> hubs_along(const EinsumShape& shape, const SharedValues& shared, std::size_t first,
                            std::int64_t most_helpers) {
  std::vector<Hub> result;
  const std::int64_t extent = shape.indices[first].extent;
  const auto length = static_cast<std::int64_t>(shared.most * static_cast<double>(extent) + 1e-9);
  const double left = 1 - static_cast<double>(length) / static_cast<double>(extent);
  for (std::size_t across = 0; across < shape.indices.size(); ++across) {
    for (std::size_t down = across + 1; down < shape.indices.size(); ++down) {
      if (across == shared.index || down == shared.index) continue;
      for (int columns = 1; columns <= most_helpers; ++columns) {
        for (int rows = 1; columns * rows <= most_helpers; ++rows) {
          const Hub hub{first, length, across, down, columns, rows};
          if (left / hub.helpers() <= 2 * shared.most - 1) result.push_back(hub);
        }
      }
    }
  }
  return result;
}

}  // namespace

std::vector<Boxes> in_pairs(const EinsumShape& shape, const SharedValues& shared) {
  constexpr std::size_t enough = 6;
  const std::int64_t hubs = 2 * shared.values - shared.ranks;
  const std::int64_t pairs = shared.ranks - shared.values;
  if (hubs < 1 || pairs < hubs || shared.most <= 0.5 || shared.most >= 1) return {};
  std::size_t halved = shape.indices.size();
  for (std::size_t t = 0; t < shape.indices.size(); ++t) {
    if (t == shared.index || shape.indices[t].extent < 2) continue;
    if (halved == shape.indices.size() ||
        elements_without(shape, t) < elements_without(shape, halved))
      halved = t;
  }
  if (halved == shape.indices.size()) return {};
  std::vector<std::pair<double, Boxes>> best;
  for (std::size_t first = 0; first < shape.indices.size(); ++first) {
    if (first == shared.index || shape.indices[first].extent < 2) continue;
    for (const Hub& hub : hubs_along(shape, shared, first, pairs / hubs)) {
      Boxes boxes = boxes_of(shape, shared, hub, halved);
      const double words = mean_words(shape, shared, hub, boxes);
      const auto place = std::find_if(best.begin(), best.end(),
                                      [words](const auto& other) { return words < other.first; });
      best.insert(place, {words, std::move(boxes)});
      if (best.size() > enough) best.pop_back();
    }
  }
  std::vector<Boxes> result;
  for (auto& [words, boxes] : best) result.push_back(std::move(boxes));
  return result;
}

}  // namespace redblue::einsum
