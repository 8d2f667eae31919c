// SPDX-License-Identifier: BSD-3-Clause
#include "stencil/average.hpp"

#include <algorithm>
#include <array>

#include "stencil/model/box.hpp"

namespace redblue::stencil {

namespace {

std::vector<MeshIndex> neighbours(const StencilRead& read) {
  std::vector<MeshIndex> all;
  for (std::int64_t x = -read.below[0]; x <= read.above[0]; ++x) {
    for (std::int64_t y = -read.below[1]; y <= read.above[1]; ++y) {
      for (std::int64_t z = -read.below[2]; z <= read.above[2]; ++z) {
        const bool arm = (x != 0) + (y != 0) + (z != 0) <= 1;
        if (arm || !read.star) all.push_back({x, y, z});
      }
    }
  }
  return all;
}

using Offsets = std::vector<std::int64_t>;

// As many neighbours as the compiler is told: all of them stay in registers.
template <class T, std::size_t count>
[[gnu::always_inline]] inline void average_row(const T* old, const Offsets& offsets, T* target,
                                               std::int64_t length, T weight) {
  std::array<const T*, count> from;
  for (std::size_t k = 0; k < count; ++k) from[k] = old + offsets[k];
#pragma GCC ivdep
  for (std::int64_t x = 0; x < length; ++x) {
    T sum = from[0][x];
#pragma GCC unroll 32
    for (std::size_t k = 1; k < count; ++k) sum += from[k][x];
    target[x] = weight * sum;
  }
}

// Any number of neighbours, some points at a time.
template <class T>
[[gnu::always_inline]] inline void average_row_of_many(const T* old, const Offsets& offsets,
                                                       T* target, std::int64_t length, T weight) {
  constexpr std::int64_t at_a_time = 128;
  std::array<T, at_a_time> sums;
  for (std::int64_t x = 0; x < length; x += at_a_time) {
    const std::int64_t points = std::min(at_a_time, length - x);
    std::copy_n(old + offsets[0] + x, points, sums.begin());
    for (std::size_t k = 1; k < offsets.size(); ++k) {
      const T* const from = old + offsets[k] + x;
      for (std::int64_t y = 0; y < points; ++y) sums[static_cast<std::size_t>(y)] += from[y];
    }
    for (std::int64_t y = 0; y < points; ++y) {
      target[x + y] = weight * sums[static_cast<std::size_t>(y)];
    }
  }
}

template <class T>
[[gnu::always_inline]] inline void average_any_row(const T* old, const Offsets& offsets, T* target,
                                                   std::int64_t length, T weight) {
  switch (offsets.size()) {
    case 3:
      return average_row<T, 3>(old, offsets, target, length, weight);
    case 5:
      return average_row<T, 5>(old, offsets, target, length, weight);
    case 7:
      return average_row<T, 7>(old, offsets, target, length, weight);
    case 9:
      return average_row<T, 9>(old, offsets, target, length, weight);
    case 27:
      return average_row<T, 27>(old, offsets, target, length, weight);
    default:
      return average_row_of_many<T>(old, offsets, target, length, weight);
  }
}

template <class T>
using AverageRow = void (*)(const T*, const Offsets&, T*, std::int64_t, T);

template <class T>
void average_any_row_anywhere(const T* old, const Offsets& offsets, T* target, std::int64_t length,
                              T weight) {
  average_any_row<T>(old, offsets, target, length, weight);
}

#ifdef __x86_64__
// Compiled again for wider registers. The sums are added in the same order and only then
// multiplied, so that nothing can be contracted: the bits are the same.
template <class T>
[[gnu::target("avx2")]] void average_any_row_avx2(const T* old, const Offsets& offsets, T* target,
                                                  std::int64_t length, T weight) {
  average_any_row<T>(old, offsets, target, length, weight);
}

template <class T>
[[gnu::target("avx512f")]] void average_any_row_avx512(const T* old, const Offsets& offsets,
                                                       T* target, std::int64_t length, T weight) {
  average_any_row<T>(old, offsets, target, length, weight);
}
#endif

// For the widest registers of this processor.
template <class T>
AverageRow<T> widest_row() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f")) return average_any_row_avx512<T>;
  if (__builtin_cpu_supports("avx2")) return average_any_row_avx2<T>;
#endif
  return average_any_row_anywhere<T>;
}

}  // namespace

template <class T>
StencilUpdate<T> average(const StencilProgram& program) {
  const std::vector<MeshIndex> around = neighbours(program.sweeps.front().reads.front());
  const auto along = static_cast<std::size_t>(program.dimensions - 1);
  const AverageRow<T> row = widest_row<T>();
  return [around, along, row](const StencilCall<T>& call) {
    const FieldView<T>& old = call.fields[0];
    Offsets offsets;
    for (const MeshIndex& x : around) {
      offsets.push_back(x[0] * old.stride[0] + x[1] * old.stride[1] + x[2] * old.stride[2]);
    }
    const T weight = T(1) / static_cast<T>(around.size());
    const std::int64_t length = call.box.end[along] - call.box.begin[along];
    for_each_row(call.box, along, [&](const MeshIndex& i) {
      row(old.at(i), offsets, call.target.at(i), length, weight);
    });
  };
}

template StencilUpdate<float> average<float>(const StencilProgram&);
template StencilUpdate<double> average<double>(const StencilProgram&);

}  // namespace redblue::stencil
