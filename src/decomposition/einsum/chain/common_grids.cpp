// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/chain/common_grids.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "decomposition/cost.hpp"
#include "decomposition/einsum/grid.hpp"

namespace redblue::einsum {

namespace {

constexpr double evenness = 1.1;  // most work of a rank / an even share, where a tensor stays

}  // namespace

std::size_t number_in(const EinsumShape& whole, const EinsumIndex& index) {
  std::size_t t = 0;
  while (whole.indices[t].letters[0] != index.letters[0]) ++t;
  return t;
}

std::optional<std::size_t> index_in(const EinsumShape& step, const EinsumIndex& of_whole) {
  for (std::size_t t = 0; t < step.indices.size(); ++t) {
    if (step.indices[t].letters[0] == of_whole.letters[0]) return t;
  }
  return std::nullopt;
}

std::vector<std::size_t> in_order_of_use(const EinsumShape& whole,
                                         const std::vector<EinsumStep>& steps,
                                         const EinsumShape& step,
                                         std::vector<std::size_t> indices) {
  std::vector<std::pair<std::ptrdiff_t, std::size_t>> place(step.indices.size());
  for (const std::size_t t : indices) {
    const std::size_t number = number_in(whole, step.indices[t]);
    const auto uses = std::count_if(steps.begin(), steps.end(), [&](const EinsumStep& s) {
      return index_in(s.shape, whole.indices[number]).has_value();
    });
    place[t] = {-uses, number};
  }
  std::sort(indices.begin(), indices.end(),
            [&place](std::size_t a, std::size_t b) { return place[a] < place[b]; });
  return indices;
}

void for_each_grid(const std::vector<std::int64_t>& extents, int ranks,
                   const std::function<void(const std::vector<int>&)>& f) {
  std::vector<int> grid(extents.size(), 1);
  const std::function<void(std::size_t, int, double)> visit = [&](std::size_t t, int left,
                                                                  double uneven) {
    if (t == extents.size()) {
      if (left == 1) f(grid);
      return;
    }
    for (int parts = 1; parts <= std::min<std::int64_t>(left, extents[t]); ++parts) {
      const double more = static_cast<double>(ceil_div(extents[t], parts) * parts) /
                          static_cast<double>(extents[t]);
      if (left % parts != 0 || uneven * more > evenness) continue;
      grid[t] = parts;
      visit(t + 1, left / parts, uneven * more);
    }
    grid[t] = 1;
  };
  visit(0, ranks, 1);
}

std::vector<std::size_t> common_indices(const EinsumShape& whole,
                                        const std::vector<EinsumStep>& steps, std::size_t first,
                                        std::size_t last) {
  std::vector<std::size_t> common(whole.indices.size());
  std::iota(common.begin(), common.end(), std::size_t{0});
  for (std::size_t s = first; s < last; ++s) {
    const std::vector<std::size_t>& read = steps[s + 1].operands;
    if (std::find(read.begin(), read.end(), whole.operands() + s) == read.end()) return {};
    const EinsumShape& before = steps[s].shape;
    std::erase_if(common, [&](std::size_t t) {
      const auto there = index_in(before, whole.indices[t]);
      return !there || !before.result().has(static_cast<int>(*there)) ||
             !index_in(steps[s + 1].shape, whole.indices[t]);
    });
  }
  return common;
}

std::vector<std::vector<std::vector<int>>> common_grids(const EinsumPlanRequest& request,
                                                        const std::vector<EinsumStep>& steps,
                                                        std::size_t first, std::size_t last,
                                                        std::size_t count) {
  const EinsumShape& whole = request.shape;
  const std::vector<std::size_t> common = common_indices(whole, steps, first, last);
  if (common.empty()) return {};
  std::vector<std::int64_t> extents;
  for (const std::size_t t : common) extents.push_back(whole.indices[t].extent);
  std::vector<std::pair<double, std::vector<std::vector<int>>>> all;
  for_each_grid(extents, request.ranks, [&](const std::vector<int>& grid) {
    double words = 0;
    std::vector<std::vector<int>> of_steps;
    for (std::size_t s = first; s <= last; ++s) {
      of_steps.emplace_back(steps[s].shape.indices.size(), 1);
      for (std::size_t t = 0; t < common.size(); ++t)
        of_steps.back()[*index_in(steps[s].shape, whole.indices[common[t]])] = grid[t];
      words += static_cast<double>(grid_cost(steps[s].shape, of_steps.back(), {}, {}).words.value);
    }
    all.emplace_back(words, std::move(of_steps));
  });
  std::sort(all.begin(), all.end());
  if (all.size() > count) all.resize(count);
  std::vector<std::vector<std::vector<int>>> result;
  for (auto& [words, grids] : all) result.push_back(std::move(grids));
  return result;
}

}  // namespace redblue::einsum
