// SPDX-License-Identifier: BSD-3-Clause
// A stencil program as anybody would write it: whole fields, sweep after sweep, point by point.
#pragma once

#include <cstdint>
#include <vector>

#include "redblue/stencil_model.hpp"

namespace redblue::stencil {

inline std::int64_t wrapped(std::int64_t i, std::int64_t n) {
  return (i % n + n) % n;
}

inline std::size_t place(const StencilProgram& p, const MeshIndex& i) {
  return static_cast<std::size_t>(
      (wrapped(i[0], p.extents[0]) * p.extents[1] + wrapped(i[1], p.extents[1])) * p.extents[2] +
      wrapped(i[2], p.extents[2]));
}

// value(sweep, step, i, at): the new value at i, where at(field, index) is an old one.
template <class T, class Value>
void run_point_by_point(const StencilProgram& p, std::vector<std::vector<T>>& fields,
                        std::int64_t steps, std::int64_t first_step, Value value) {
  for (std::int64_t step = first_step; step < first_step + steps; ++step) {
    for (std::size_t s = 0; s < p.sweeps.size(); ++s) {
      const std::vector<std::vector<T>> old = fields;
      const auto at = [&](int field, const MeshIndex& i) {
        return old[static_cast<std::size_t>(field)][place(p, i)];
      };
      const StencilSweep& sweep = p.sweeps[s];
      MeshIndex i;
      for (i[0] = sweep.interior.begin[0]; i[0] < sweep.interior.end[0]; ++i[0]) {
        for (i[1] = sweep.interior.begin[1]; i[1] < sweep.interior.end[1]; ++i[1]) {
          for (i[2] = sweep.interior.begin[2]; i[2] < sweep.interior.end[2]; ++i[2]) {
            fields[static_cast<std::size_t>(sweep.field)][place(p, i)] =
                value(static_cast<int>(s), step, i, at);
          }
        }
      }
    }
  }
}

}  // namespace redblue::stencil
