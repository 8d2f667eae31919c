// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/whole_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "decomposition/einsum/bisection.hpp"
#include "decomposition/einsum/grid.hpp"
#include "decomposition/einsum/partition.hpp"

namespace redblue::einsum {

namespace {

using Boxes = std::vector<std::vector<EinsumBox>>;  // of every rank, in every round

// Values of an index that some ranks share, a whole number of values by fewer than twice as many
// ranks or any more, none a multiple of the other.
struct Group {
  std::size_t index = 0;
  std::int64_t values = 0;
  int ranks = 0;
};

std::vector<Range> whole_box(const EinsumShape& shape) {
  std::vector<Range> box;
  for (const EinsumIndex& i : shape.indices) box.push_back({0, i.extent});
  return box;
}

Range part(const Range& range, double from, double to) {
  const auto at = [&range](double x) {
    return range.begin + std::llround(static_cast<double>(range.size()) * std::clamp(x, 0.0, 1.0));
  };
  return {at(from), at(to)};
}

// What is left of each value when the ranks that have most of it took their part: a range along two
// indices.
struct Remainder {
  std::size_t first = 0, second = 0;
  Range along_first, along_second;
};

// The remainders, one after another, go to the ranks that are left; where one is divided, along
// `second`.
void share_out(const EinsumShape& shape, const Group& group, const Remainder& left,
               std::size_t rank, Boxes& of_rank) {
  constexpr double near = 1e-9;
  std::vector<Range> box = whole_box(shape);
  box[left.first] = left.along_first;
  const int others = group.ranks - static_cast<int>(rank);
  for (int r = 0; r < others; ++r, ++rank) {
    const double begin = static_cast<double>(group.values) * r / others;  // in remainders
    const double end = static_cast<double>(group.values) * (r + 1) / others;
    auto v = static_cast<std::int64_t>(begin + near);
    while (static_cast<double>(v) < end - near) {
      const double start = std::max(0.0, begin - static_cast<double>(v));
      std::int64_t next = v + 1;
      if (start < near) next = std::max(next, static_cast<std::int64_t>(end + near));
      box[group.index] = {v, next};
      box[left.second] = next > v + 1
                             ? left.along_second
                             : part(left.along_second, start, end - static_cast<double>(v));
      if (box[left.second].size() > 0) of_rank[rank].push_back({true, box});
      v = next;
    }
  }
}

// Every value is cut along `first` into `parts` parts of a rank each and a slab that is left.
Boxes in_slabs(const EinsumShape& shape, const Group& group, int parts, std::size_t first,
               std::size_t second) {
  const double share = static_cast<double>(group.values) / group.ranks;
  Boxes of_rank(static_cast<std::size_t>(group.ranks));
  std::vector<Range> box = whole_box(shape);
  const Range all = box[first];
  const Range across = box[second];
  std::size_t rank = 0;
  for (std::int64_t v = 0; v < group.values; ++v) {
    box[group.index] = {v, v + 1};
    for (int k = 0; k < parts; ++k) {
      box[first] = part(all, k * share, (k + 1) * share);
      of_rank[rank++].push_back({true, box});
    }
  }
  share_out(shape, group, {first, second, part(all, parts * share, 1), across}, rank, of_rank);
  return of_rank;
}

// Elements of the tensors without an index.
double elements_without(const EinsumShape& shape, std::size_t index) {
  double all = 0;
  for (const EinsumTensor& a : shape.tensors) {
    double size = 1;
    for (const int t : a.indices)
      size *= static_cast<double>(shape.indices[static_cast<std::size_t>(t)].extent);
    if (!a.has(static_cast<int>(index))) all += size;
  }
  return all;
}

// Each value is one rank's but for a corner along two indices: that rank has two boxes, the second
// of which needs nothing new of tensors without `first`.
Boxes with_corners(const EinsumShape& shape, const Group& group, std::size_t first,
                   std::size_t second) {
  const double corner = 1 - static_cast<double>(group.values) / group.ranks;
  const std::vector<Range> whole = whole_box(shape);
  const Range along = whole[first];
  const Range across = whole[second];
  const double ratio = elements_without(shape, first) / elements_without(shape, second);
  const double wanted = std::clamp(std::sqrt(corner * ratio), corner, 1.0);
  const std::int64_t cut = part(along, 0, 1 - wanted).end;
  const double depth = static_cast<double>(along.end - cut) / static_cast<double>(along.size());
  Boxes of_rank(static_cast<std::size_t>(group.ranks));
  if (cut == along.end || depth <= corner) return of_rank;  // nothing but a slab
  const std::int64_t cut_across = part(across, 0, 1 - corner / depth).end;
  std::size_t rank = 0;
  for (std::int64_t v = 0; v < group.values; ++v, ++rank) {
    std::vector<Range> box = whole;
    box[group.index] = {v, v + 1};
    box[first] = {0, cut};
    if (cut > 0) of_rank[rank].push_back({true, box});
    box[first] = {cut, along.end};
    box[second] = {0, cut_across};
    if (cut_across > 0) of_rank[rank].push_back({true, box});
  }
  share_out(shape, group, {first, second, {cut, along.end}, {cut_across, across.end}}, rank,
            of_rank);
  return of_rank;
}

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

// Groups of ranks alike, each with values of its own.
Boxes repeated(const Boxes& one, const Group& group, int times) {
  Boxes result;
  for (int g = 0; g < times; ++g) {
    for (std::vector<EinsumBox> boxes : one) {
      for (EinsumBox& box : boxes) {
        box.ranges[group.index].begin += g * group.values;
        box.ranges[group.index].end += g * group.values;
      }
      result.push_back(std::move(boxes));
    }
  }
  return result;
}

std::vector<Boxes> all_in_slabs(const EinsumPlanRequest& left, std::size_t index,
                                std::int64_t shared, const EinsumTensor& sum) {
  std::vector<Boxes> result;
  const auto times = static_cast<int>(std::gcd<std::int64_t>(shared, left.ranks));
  const Group group{index, shared / times, left.ranks / times};
  const auto most = static_cast<int>(group.ranks / group.values);
  for (int parts = std::max(1, most - 1); parts <= most; ++parts) {
    for (std::size_t first = 0; first < left.shape.indices.size(); ++first) {
      for (std::size_t second = 0; second < left.shape.indices.size(); ++second) {
        if (first == index || second == index) continue;
        result.push_back(repeated(in_slabs(left.shape, group, parts, first, second), group, times));
        // the two boxes add to different elements of the result
        const bool apart = !sum.has(static_cast<int>(index)) || sum.has(static_cast<int>(first));
        if (parts != 1 || first == second || !apart) continue;
        result.push_back(repeated(with_corners(left.shape, group, first, second), group, times));
      }
    }
  }
  return result;
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
  for (Boxes& boxes : all_in_slabs(left, index, shared, request.shape.result()))
    ways.push_back(std::move(boxes));
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
