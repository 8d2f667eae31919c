// SPDX-License-Identifier: BSD-3-Clause
#include "decomposition/einsum/shared_values.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace redblue::einsum {

namespace {

Range part(const Range& range, double from, double to) {
  const auto at = [&range](double x) {
    return range.begin + std::llround(static_cast<double>(range.size()) * std::clamp(x, 0.0, 1.0));
  };
  return {at(from), at(to)};
}

// How every value is cut: along `first` into `parts` parts of `length` each; of what is left, the
// ranks that share it cut along `second`.
struct Cut {
  int parts = 1;
  std::int64_t length = 0;
  std::size_t first = 0, second = 0;
};

// What is left is a slab.
Boxes in_slabs(const EinsumShape& shape, const SharedValues& group, const Cut& cut) {
  Boxes of_rank(static_cast<std::size_t>(group.ranks));
  std::vector<Range> box = whole_box(shape);
  const Range all = box[cut.first];
  std::size_t rank = 0;
  for (std::int64_t v = 0; v < group.values; ++v) {
    box[group.index] = {v, v + 1};
    for (int k = 0; k < cut.parts; ++k) {
      box[cut.first] = {k * cut.length, (k + 1) * cut.length};
      of_rank[rank++].push_back({true, box});
    }
  }
  const Range slab = {cut.parts * cut.length, all.end};
  if (slab.size() > 0) {
    box[cut.first] = slab;
    share_out(group, {box, cut.second}, rank, of_rank);
  }
  return of_rank;
}

// What is left is a corner of the last part, which goes to the end of the value: its rank has two
// boxes, the second of which needs nothing new of tensors without `first`. None: a slab is as good.
Boxes with_corners(const EinsumShape& shape, const SharedValues& group, const Cut& cut) {
  const std::vector<Range> whole = whole_box(shape);
  const Range along = whole[cut.first];
  const Range across = whole[cut.second];
  const std::int64_t before = (cut.parts - 1) * cut.length;  // of the last part
  const double corner =                                      // of a value
      1 - static_cast<double>(cut.parts * cut.length) / static_cast<double>(along.size());
  const double longest =
      static_cast<double>(along.end - before) / static_cast<double>(along.size());
  const double ratio = elements_without(shape, cut.first) / elements_without(shape, cut.second);
  const double wanted = std::clamp(std::sqrt(std::max(0.0, corner) * ratio), 0.0, longest);
  const auto depth = static_cast<std::int64_t>(wanted * static_cast<double>(along.size()));
  const std::int64_t left = along.end - before - cut.length;  // of the length, all across
  if (depth <= left || left <= 0) return {};
  const std::int64_t width = (left * across.size() + depth - 1) / depth;
  if (width >= across.size()) return {};
  Boxes of_rank(static_cast<std::size_t>(group.ranks));
  std::size_t rank = 0;
  for (std::int64_t v = 0; v < group.values; ++v) {
    std::vector<Range> box = whole;
    box[group.index] = {v, v + 1};
    for (int k = 0; k + 1 < cut.parts; ++k) {
      box[cut.first] = {k * cut.length, (k + 1) * cut.length};
      of_rank[rank++].push_back({true, box});
    }
    box[cut.first] = {before, along.end - depth};
    if (box[cut.first].size() > 0) of_rank[rank].push_back({true, box});
    box[cut.first] = {along.end - depth, along.end};
    box[cut.second] = {0, across.end - width};
    of_rank[rank++].push_back({true, box});
  }
  std::vector<Range> corner_box = whole;
  corner_box[cut.first] = {along.end - depth, along.end};
  corner_box[cut.second] = {across.end - width, across.end};
  share_out(group, {corner_box, cut.second}, rank, of_rank);
  return of_rank;
}

// An even share, what a rank may form at most, and between.
std::set<std::int64_t> lengths(const SharedValues& group, std::int64_t extent, int parts) {
  const double even = static_cast<double>(group.values) / group.ranks;
  const auto whole = static_cast<double>(extent);
  const auto most = static_cast<std::int64_t>(group.most * whole + 1e-9);
  std::set<std::int64_t> result;
  for (const std::int64_t length :
       {std::llround(even * whole), std::llround(0.5 * (even + group.most) * whole),
        static_cast<long long>(most)}) {
    if (length > 0 && length <= most && length * parts <= extent) result.insert(length);
  }
  return result;
}

}  // namespace

std::vector<Range> whole_box(const EinsumShape& shape) {
  std::vector<Range> box;
  for (const EinsumIndex& i : shape.indices) box.push_back({0, i.extent});
  return box;
}

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

void share_out(const SharedValues& group, const Remainder& left, std::size_t rank, Boxes& of_rank) {
  constexpr double near = 1e-9;
  std::vector<Range> box = left.box;
  const Range whole = left.box[left.along];
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
      box[left.along] = next > v + 1 ? whole : part(whole, start, end - static_cast<double>(v));
      if (box[left.along].size() > 0) of_rank[rank].push_back({true, box});
      v = next;
    }
  }
}

Boxes repeated(const Boxes& one, const SharedValues& group, int times) {
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

std::vector<Boxes> in_slabs_and_corners(const EinsumShape& shape, const SharedValues& shared,
                                        const EinsumTensor& sum) {
  std::vector<Boxes> result;
  const auto times = static_cast<int>(std::gcd<std::int64_t>(shared.values, shared.ranks));
  const SharedValues group{shared.index, shared.values / times, shared.ranks / times, shared.most};
  const auto most = static_cast<int>(group.ranks / group.values);
  const auto offer = [&](const Boxes& boxes) {
    if (!boxes.empty()) result.push_back(repeated(boxes, group, times));
  };
  for (int parts = std::max(1, most - 1); parts <= most; ++parts) {
    for (std::size_t first = 0; first < shape.indices.size(); ++first) {
      if (first == shared.index) continue;
      for (const std::int64_t length : lengths(group, shape.indices[first].extent, parts)) {
        for (std::size_t second = 0; second < shape.indices.size(); ++second) {
          if (second == shared.index) continue;
          const Cut cut{parts, length, first, second};
          offer(in_slabs(shape, group, cut));
          // the two boxes add to different elements of the result
          const bool apart =
              !sum.has(static_cast<int>(shared.index)) || sum.has(static_cast<int>(first));
          if (first != second && apart && parts == most) offer(with_corners(shape, group, cut));
        }
      }
    }
  }
  return result;
}

}  // namespace redblue::einsum
