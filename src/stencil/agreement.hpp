// SPDX-License-Identifier: BSD-3-Clause
// Whether all ranks ask for the same stencil.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/stencil.hpp"

namespace redblue::stencil {

// All that a plan depends on, as numbers that are the same only where it is.
std::vector<std::int64_t> as_numbers(const StencilProgram& p, const StencilOptions& o);

// Whether the numbers are the same on all ranks; lists may differ in length. Collective.
bool same_lists(comm::Communicator& communicator, const std::vector<std::int64_t>& list);

}  // namespace redblue::stencil
