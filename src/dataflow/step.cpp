// SPDX-License-Identifier: BSD-3-Clause
#include "dataflow/step.hpp"

#include <isl/map.h>
#include <isl/set.h>
#include <isl/val.h>

#include <cmath>
#include <utility>

namespace redblue::dataflow {

std::optional<Vector> translation(const isl::map& map) {
  if (isl_map_dim(map.get(), isl_dim_in) != isl_map_dim(map.get(), isl_dim_out))
    return std::nullopt;
  isl_map* step = isl_map_set_tuple_name(map.copy(), isl_dim_in, "x");
  step = isl_map_set_tuple_name(step, isl_dim_out, "x");
  isl_set* deltas = isl_map_deltas(isl_map_reverse(step));
  deltas = isl_set_project_out(deltas, isl_dim_param, 0,
                               static_cast<unsigned>(isl_set_dim(deltas, isl_dim_param)));
  const isl::set hull = isl::manage(isl_set_from_basic_set(isl_set_affine_hull(deltas)));
  Vector d;
  for (unsigned i = 0; i < static_cast<unsigned>(isl_set_dim(hull.get(), isl_dim_set)); ++i) {
    const isl::val v = isl::manage(isl_set_plain_get_val_if_fixed(hull.get(), isl_dim_set, i));
    if (!v.is_int()) return std::nullopt;
    d.push_back(isl_val_get_num_si(v.get()));
  }
  return d;
}

Vector sum(Vector a, const Vector& b, long factor) {
  for (std::size_t t = 0; t < a.size(); ++t) a[t] += factor * b[t];
  return a;
}

std::vector<Vector> echelon(std::vector<Vector> rows) {
  const std::size_t n = rows.front().size();
  std::size_t used = 0;
  for (std::size_t column = 0; column < n; ++column) {
    while (true) {
      std::size_t smallest = rows.size();
      int nonzero = 0;
      for (std::size_t r = used; r < rows.size(); ++r) {
        if (rows[r][column] == 0) continue;
        ++nonzero;
        if (smallest == rows.size() || std::abs(rows[r][column]) < std::abs(rows[smallest][column]))
          smallest = r;
      }
      if (nonzero == 0) break;
      std::swap(rows[used], rows[smallest]);
      for (std::size_t r = used + 1; r < rows.size(); ++r) {
        const long factor = rows[r][column] / rows[used][column];
        for (std::size_t c = 0; c < n; ++c) rows[r][c] -= factor * rows[used][c];
      }
      if (nonzero > 1) continue;
      ++used;
      break;
    }
  }
  rows.resize(used);
  return rows;
}

std::string text_of(const Vector& step) {
  std::string text;
  for (const long x : step) text += (text.empty() ? "" : ", ") + std::to_string(x);
  return "(" + text + ")";
}

int axis_of(const Vector& step) {
  int axis = -1;
  for (std::size_t t = 0; t < step.size(); ++t) {
    if (step[t] == 0) continue;
    if (axis >= 0) return -1;
    axis = static_cast<int>(t);
  }
  return axis;
}

bool independent(std::vector<Vector> basis, const Vector& next) {
  basis.push_back(next);
  return echelon(basis).size() == basis.size();
}

}  // namespace redblue::dataflow
