// SPDX-License-Identifier: BSD-3-Clause
// Reads of one statement that find the same elements.
#pragma once

#include <vector>

#include "program/program.hpp"

namespace redblue::program {

// Drops reads that repeat another one; an unconditional read makes a conditional twin
// unconditional.
std::vector<Access> without_repeats(const std::vector<Access>& reads);

}  // namespace redblue::program
