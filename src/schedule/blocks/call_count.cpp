// SPDX-License-Identifier: BSD-3-Clause
#include <isl/aff.h>
#include <isl/point.h>
#include <isl/set.h>
#include <isl/val.h>

#include <array>

#include "program/checked.hpp"
#include "schedule/blocks/calls.hpp"

namespace redblue::schedule::codegen {

namespace {

struct Counting {
  const Call& call;
  double sum = 0;
};

double value(const Call& call, int bound, isl_point* tile) {
  // isl compares no names of parameters here.
  isl_pw_aff* formula = isl_pw_aff_align_params(
      isl_pw_multi_aff_get_pw_aff(call.bounds.get(), bound), isl_point_get_space(tile));
  isl_val* at = isl_pw_aff_eval(formula, isl_point_copy(tile));
  const double result = isl_val_get_d(at);
  isl_val_free(at);
  return result;
}

// Of one tile.
double instances(const Call& call, isl_point* tile) {
  std::array<double, 3> sizes{};
  for (int d = 0; d < 3; ++d)
    sizes[static_cast<std::size_t>(d)] =
        value(call, 2 * d + 1, tile) - value(call, 2 * d, tile) + 1;
  const auto [rows, columns, sums] = sizes;
  switch (call.kind.operation) {
    case Operation::gemm:
      return rows * columns * sums;
    case Operation::syrk:
      return rows * (rows + 1) / 2 * sums;
    default:
      return sums * (sums + 1) / 2 * (call.kind.left ? columns : rows);
  }
}

}  // namespace

double instances_in_calls(const Called& called, const program::Sizes& sizes) {
  double result = 0;
  for (const Call& call : called.calls) {
    Counting counting{call};
    const isl::set tiles = call.tiles.intersect_params(program::at_sizes(sizes));
    isl_set_foreach_point(
        tiles.get(),
        [](isl_point* tile, void* user) {
          auto& all = *static_cast<Counting*>(user);
          all.sum += instances(all.call, tile);
          isl_point_free(tile);
          return isl_stat_ok;
        },
        &counting);
    result += counting.sum;
  }
  return result;
}

}  // namespace redblue::schedule::codegen
