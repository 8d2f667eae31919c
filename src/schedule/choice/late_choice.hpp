// SPDX-License-Identifier: BSD-3-Clause
// Tiles that wait as one of the orders to choose among.
#pragma once

#include <vector>

#include "schedule/choice/choice.hpp"
#include "schedule/late/step_copies.hpp"

namespace redblue::schedule::codegen {

// A side of tiles that stay in the processor's first cache, beside the copies that they meet.
std::int64_t late_side(const WithCopies& copied, const Processor& processor);

// Nothing where no order in such tiles is legal. `instances`: of the statements of `program`, at
// `sizes`.
std::optional<Chosen> late_choice(const program::Program& program, const WithCopies& copied,
                                  std::int64_t side, const program::Sizes& sizes,
                                  const Processor& processor, const std::vector<double>& instances);

}  // namespace redblue::schedule::codegen
