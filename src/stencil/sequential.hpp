// SPDX-License-Identifier: BSD-3-Clause
// A stencil program on one processor, sweep after sweep over the whole mesh: what parallel runs
// are compared with.
#pragma once

#include <vector>

#include "redblue/stencil.hpp"

namespace redblue::stencil {

// In place: fields[f] is the whole mesh, row-major. One call of an update per sweep. Throws
// std::bad_alloc.
template <class T>
void run_sequentially(const StencilProgram& program, const std::vector<StencilUpdate<T>>& updates,
                      std::vector<std::vector<T>>& fields, std::int64_t steps,
                      std::int64_t first_step = 0);

}  // namespace redblue::stencil
