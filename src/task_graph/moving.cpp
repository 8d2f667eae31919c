// SPDX-License-Identifier: BSD-3-Clause
// Bringing matrices to where plans have them.
#include <algorithm>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/solve/trsm.hpp"
#include "task_graph/plans.hpp"

namespace redblue::task_graph {

namespace {

double seconds_of_words(double words, const Machine& machine) {
  constexpr double word_bytes = 8;
  return machine.latency_seconds + words * word_bytes / machine.bytes_per_second;
}

double product(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace

double moving_seconds(const CholeskyDecomposition& d, const Machine& machine) {
  if (d.ranks == 1) return 0;
  const CyclicClasses rows{d.n, d.block, d.row_blocks};
  double most = 0;  // of all replicas of a member: of pairs (I, I) a triangle
  for (const auto& pairs : d.pairs) {
    double words = 0;
    for (const auto& [i, j] : pairs)
      words += product(rows.size(i), rows.size(j)) / (i == j ? 2 : 1);
    most = std::max(most, words);
  }
  return 2 * seconds_of_words(most / d.replicas, machine);
}

double moving_seconds(const LuDecomposition& d, const Machine& machine) {
  if (d.ranks == 1) return 0;
  const CyclicClasses rows{d.m, d.block, d.grid_rows * d.replicas};
  const CyclicClasses columns{d.n, d.block, d.grid_columns};
  return 2 * seconds_of_words(product(rows.size(0), columns.size(0)), machine);
}

double moving_seconds(const TrsmDecomposition& d, const Machine& machine, Triangles triangles) {
  if (d.ranks == 1) return 0;
  const TrsmSteps steps(d, d.replicas - 1);
  const double sides = product(steps.down().size(0), steps.chunk(0).size());
  const double triangle = triangles == Triangles::in_place
                              ? 0
                              : seconds_of_words(static_cast<double>(triangle_share(d)), machine);
  return triangle + 2 * seconds_of_words(sides, machine);
}

}  // namespace redblue::task_graph
