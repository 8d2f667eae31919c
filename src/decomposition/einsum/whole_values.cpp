// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/whole_values.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/grid.hpp"
#include "decomposition/einsum/partition.hpp"
#include "decomposition/einsum/shared_values.hpp"

namespace redblue::einsum {

namespace {

// The shape of the shared values, without the tensors of which every rank has all.
EinsumPlanRequest left_over(const EinsumPlanRequest& request, std::size_t index,
                            std::int64_t shared) {
  EinsumPlanRequest left = request;
  left.shape.indices[index].extent = shared;
  std::erase_if(left.shape.tensors,
                [index](const EinsumTensor& a) { return !a.has(static_cast<int>(index)); });
  return left;
}

Boxes boxes_of(const EinsumDecomposition& d) {
  Boxes result;
  for (const EinsumBox& box : d.boxes) {
    result.emplace_back();
    if (box.works) result.back().push_back(box);
  }
  return result;
}

// The ranks' whole values, then what they share of the others.
EinsumDecomposition joined(const EinsumPlanRequest& request, std::size_t index, const Boxes& shared,
                           std::int64_t first_shared) {
  EinsumDecomposition d;
  d.kind = EinsumDecomposition::Kind::bisection;
  d.round_index = static_cast<int>(index);
  const std::int64_t each = first_shared / request.ranks;
  std::size_t most = 1;
  for (std::size_t r = 0; r < shared.size(); ++r) {
    EinsumBox box{each > 0, whole_box(request.shape)};
    const auto first = static_cast<std::int64_t>(r) * each;
    box.ranges[index] = {first, first + each};
    d.boxes.push_back(std::move(box));
    most = std::max(most, shared[r].size());
  }
  d.rest.resize(most);
  for (auto& boxes : d.rest) boxes.resize(shared.size());
  for (std::size_t r = 0; r < shared.size(); ++r) {
    for (std::size_t k = 0; k < shared[r].size(); ++k) {
      EinsumBox& box = d.rest[k][r];
      box = shared[r][k];
      box.ranges[index].begin += first_shared;
      box.ranges[index].end += first_shared;
    }
  }
  d.rounds = 1 + static_cast<std::int64_t>(most);
  return d;
}

}  // namespace

std::vector<std::size_t> indices_with_whole_values(const EinsumPlanRequest& request) {
  const auto batch = batch_index(request.shape);
  std::vector<std::size_t> result;
  for (std::size_t t = 0; t < request.shape.indices.size(); ++t) {
    const std::int64_t extent = request.shape.indices[t].extent;
    if (extent % request.ranks == 0 || extent < 2) continue;
    if (extent > request.ranks || t == batch) result.push_back(t);
  }
  return result;
}

double words_of_whole_values(const EinsumPlanRequest& request, std::size_t index) {
  double all = 0;
  for (const EinsumTensor& a : request.shape.tensors) {
    if (!a.has(static_cast<int>(index)))
      all += static_cast<double>(request.shape.elements(a)) * (1 - 1.0 / request.ranks);
  }
  return all;
}

std::vector<EinsumDecomposition> whole_values(const EinsumPlanRequest& request, std::size_t index,
                                              double most_work) {
  constexpr int most_ranks = 256;
  std::vector<EinsumDecomposition> result;
  if (request.ranks > most_ranks) return result;
  const std::int64_t extent = request.shape.indices[index].extent;
  const std::int64_t shared = extent % request.ranks;
  const EinsumPlanRequest left = left_over(request, index, shared);
  const double one = request.shape.products() / static_cast<double>(extent);
  const double room = most_work - one * static_cast<double>(extent / request.ranks);
  std::vector<Boxes> ways;
  for (const EinsumDecomposition& d : bisections(left, room)) ways.push_back(boxes_of(d));
  if (const auto grid = best_grid(left, room))
    ways.push_back(boxes_of(grid_decomposition(left.shape, request.ranks, grid->grid)));
  const SharedValues values{index, shared, request.ranks, room / one};
  for (Boxes& boxes : in_slabs_and_corners(left.shape, values, request.shape.result()))
    ways.push_back(std::move(boxes));
  for (Boxes& boxes : in_parts_and_rests(left.shape, values, request.shape.result()))
    ways.push_back(std::move(boxes));
  for (Boxes& boxes : in_pairs(left.shape, values)) ways.push_back(std::move(boxes));
  for (const Boxes& boxes : ways) {
    EinsumDecomposition d = joined(request, index, boxes, extent - shared);
    double products = 0;
    for (std::size_t r = 0; r < d.boxes.size(); ++r) {
      for (std::int64_t k = 0; k < d.rounds; ++k) products += d.box(r, k).products();
    }
    if (std::abs(products - request.shape.products()) > 1e-9 * products) continue;  // not all
    if (d.busiest_products() <= most_work * (1 + 1e-12)) result.push_back(std::move(d));
  }
  return result;
}

}  // namespace redblue::einsum
