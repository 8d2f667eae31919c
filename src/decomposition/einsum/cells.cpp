// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/cells.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace redblue::einsum {

namespace {

struct Need {
  std::vector<Range> ranges;
  int rank;
  std::int64_t round;
};

bool meet(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (std::size_t t = 0; t < a.size(); ++t) {
    if (a[t].begin >= b[t].end || b[t].begin >= a[t].end) return false;
  }
  return true;
}

// Where most borders of needs cut through the box, the most central of them.
struct Border {
  std::size_t axis = 0;
  std::int64_t place = 0;
};

std::vector<std::pair<std::int64_t, Border>> borders(const std::vector<Range>& box,
                                                     const std::vector<Need>& needs) {
  std::vector<std::map<std::int64_t, std::int64_t>> times(box.size());
  for (const Need& need : needs) {
    for (std::size_t t = 0; t < box.size(); ++t) {
      for (const std::int64_t place : {need.ranges[t].begin, need.ranges[t].end}) {
        if (box[t].begin < place && place < box[t].end) ++times[t][place];
      }
    }
  }
  std::vector<std::pair<std::int64_t, Border>> result;
  for (std::size_t t = 0; t < box.size(); ++t) {
    for (const auto& [place, count] : times[t]) result.push_back({count, {t, place}});
  }
  return result;
}

Border best_border(const std::vector<Range>& box,
                   const std::vector<std::pair<std::int64_t, Border>>& all) {
  const auto eccentricity = [&box](const Border& b) {
    const Range& r = box[b.axis];
    const double middle = 0.5 * static_cast<double>(r.begin + r.end);
    const double distance = static_cast<double>(b.place) - middle;
    return (distance < 0 ? -distance : distance) / static_cast<double>(r.size());
  };
  return std::min_element(all.begin(), all.end(),
                          [&](const auto& x, const auto& y) {
                            if (x.first != y.first) return x.first > y.first;
                            return eccentricity(x.second) < eccentricity(y.second);
                          })
      ->second;
}

// Halves the box along borders of needs until every need that meets a part covers it.
void split(const std::vector<Range>& box, const std::vector<Need>& needs,
           std::vector<TensorCell>& result) {
  if (needs.empty() || size_of(box) == 0) return;
  const auto all = borders(box, needs);
  if (all.empty()) {
    TensorCell cell;
    cell.ranges = box;
    std::vector<int> who;
    for (const Need& need : needs) {
      who.push_back(need.rank);
      cell.rounds.push_back(need.round);
    }
    cell.shares = even_cell({{0, size_of(box)}, {0, 1}}, who);
    result.push_back(std::move(cell));
    return;
  }
  const Border border = best_border(box, all);
  std::vector<Range> low = box;
  std::vector<Range> high = box;
  low[border.axis].end = high[border.axis].begin = border.place;
  for (const std::vector<Range>& part : {low, high}) {
    std::vector<Need> here;
    for (const Need& need : needs) {
      if (meet(part, need.ranges)) here.push_back(need);
    }
    split(part, here, result);
  }
}

std::vector<TensorCell> cells_of(const EinsumShape& shape, const EinsumTensor& tensor,
                                 const EinsumDecomposition& decomposition) {
  std::vector<Need> needs;
  const std::int64_t rounds = rounds_of(tensor, decomposition);
  for (std::size_t r = 0; r < decomposition.boxes.size(); ++r) {
    for (std::int64_t round = 0; round < rounds; ++round) {
      const EinsumBox box = rounds == 1 ? decomposition.boxes[r] : decomposition.box(r, round);
      if (!box.works || held_since(tensor, decomposition, r, round) != round) continue;
      needs.push_back({projection(tensor, box), static_cast<int>(r), round});
      if (size_of(needs.back().ranges) == 0) needs.pop_back();
    }
  }
  std::vector<Range> whole;
  for (const int t : tensor.indices)
    whole.push_back({0, shape.indices[static_cast<std::size_t>(t)].extent});
  std::vector<TensorCell> result;
  split(whole, needs, result);
  std::int64_t next = 0;
  for (TensorCell& cell : result) {
    const std::int64_t size = size_of(cell.ranges);
    cell.shares.block.rows = {next, next + size};
    next += size;
  }
  return result;
}

// Moves shares so that the words received become even.
void balance(std::vector<std::vector<TensorCell>>& cells, std::size_t ranks) {
  Ownership all;
  const auto list = [&](std::size_t tensor) -> std::vector<Cell>& {
    return tensor + 1 == cells.size() ? all.c : all.a;
  };
  for (std::size_t t = 0; t < cells.size(); ++t) {
    for (TensorCell& cell : cells[t]) list(t).push_back(std::move(cell.shares));
  }
  even_out(all, ranks);
  std::size_t next = 0;
  for (std::size_t t = 0; t < cells.size(); ++t) {
    if (t + 1 == cells.size()) next = 0;
    for (TensorCell& cell : cells[t]) cell.shares = std::move(list(t)[next++]);
  }
}

}  // namespace

std::int64_t size_of(const std::vector<Range>& ranges) {
  std::int64_t all = 1;
  for (const Range& r : ranges) all *= std::max<std::int64_t>(0, r.size());
  return all;
}

std::int64_t local_workspace(std::size_t operands, std::int64_t footprint) {
  constexpr std::int64_t enough = 131072;  // for gemm at its best, within a cache of 1 MiB
  if (operands < 3) return 0;
  return std::max(static_cast<std::int64_t>(operands), std::min(enough, footprint / 4));
}

bool works(const EinsumDecomposition& decomposition, std::size_t rank) {
  return decomposition.boxes[rank].works ||
         std::any_of(decomposition.rest.begin(), decomposition.rest.end(),
                     [rank](const std::vector<EinsumBox>& boxes) { return boxes[rank].works; });
}

std::int64_t rounds_of(const EinsumTensor& tensor, const EinsumDecomposition& decomposition) {
  const bool in_rounds = decomposition.round_index >= 0 && tensor.has(decomposition.round_index);
  return in_rounds ? decomposition.rounds : 1;
}

std::int64_t held_since(const EinsumTensor& tensor, const EinsumDecomposition& decomposition,
                        std::size_t rank, std::int64_t round) {
  if (decomposition.rest.empty() || rounds_of(tensor, decomposition) == 1) return round;
  const auto within = [](const std::vector<Range>& part, const std::vector<Range>& all) {
    for (std::size_t t = 0; t < part.size(); ++t) {
      if (part[t].begin < all[t].begin || part[t].end > all[t].end) return false;
    }
    return true;
  };
  std::int64_t since = -1;
  std::vector<Range> held;
  for (std::int64_t k = 0; k <= round; ++k) {
    const EinsumBox box = decomposition.box(rank, k);
    if (!box.works) continue;
    const std::vector<Range> needed = projection(tensor, box);
    if (since >= 0 && within(needed, held)) continue;
    since = k;
    held = needed;
  }
  return decomposition.box(rank, round).works ? since : round;
}

std::vector<Range> projection(const EinsumTensor& tensor, const EinsumBox& box) {
  std::vector<Range> result;
  for (const int t : tensor.indices) result.push_back(box.ranges[static_cast<std::size_t>(t)]);
  return result;
}

std::vector<std::vector<TensorCell>> cells(const EinsumShape& shape,
                                           const EinsumDecomposition& decomposition) {
  std::vector<std::vector<TensorCell>> result;
  for (const EinsumTensor& tensor : shape.tensors)
    result.push_back(cells_of(shape, tensor, decomposition));
  if (decomposition.kind == EinsumDecomposition::Kind::bisection)
    balance(result, decomposition.boxes.size());
  return result;
}

}  // namespace redblue::einsum
