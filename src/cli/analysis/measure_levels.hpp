// SPDX-License-Identifier: BSD-3-Clause
// What `redblue measure` says of every cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "redblue/measure.hpp"

namespace redblue::cli {

Json to_json(const Measurement& measurement);
void print_levels(const std::vector<LevelTraffic>& levels);

// What must not be, so that redblue is wrong where it is: a level below its bound, other bits of an
// order that a search tried. Empty: nothing.
std::string fault_of(const Measurement& measurement);

// "the same, bit for bit", or where they differ.
std::string results(const Measurement& measurement);

}  // namespace redblue::cli
