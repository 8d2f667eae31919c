// SPDX-License-Identifier: BSD-3-Clause
// What a stencil program on P ranks moves at least, whatever the schedule. Arithmetic only.
#pragma once

#include <cstdint>
#include <optional>

#include "redblue/stencil_model.hpp"

namespace redblue {

struct StencilBoundRequest {
  // All points that its reads name are read: a box, or for a star those along the axes.
  StencilProgram program;
  std::int64_t steps = 1;
  int ranks = 1;
  // The most points of the mesh whose values one rank has at the start; none: an even share.
  std::optional<std::int64_t> owned;
  // Whether ranks may compute what another computes, too. Without, the bound is larger.
  bool recomputation = true;
};

// Words some rank receives at least, however large the memories are, where every initial value is
// on one rank at the start and no rank has more than `owned` of them. No assumption on how the work
// is shared. 0 where no sweeps read one another on both sides in all dimensions (a rank could take
// whole lines, or be upstream of all others). Proof: docs/methods/stencil_words.md, Theorem 4.
// O(rings of sweeps * levels); throws Error like check_stencil, and for ranks < 1 or steps < 0.
double stencil_lower_bound(const StencilBoundRequest& request);

// The bound for executions that share the mesh as `decomposition` does: `owned` is what its busiest
// owner has; without recomputation where its scheme computes nothing twice (pa1 does, and pa0 where
// a step has several sweeps). `needed` has the mesh of the program that is executed.
double stencil_lower_bound(const StencilProgram& needed, const StencilDecomposition& decomposition,
                           std::int64_t steps);

}  // namespace redblue
