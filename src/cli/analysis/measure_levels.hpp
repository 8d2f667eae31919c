// SPDX-License-Identifier: BSD-3-Clause
// What `redblue measure` says of every cache.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/output.hpp"
#include "redblue/measure.hpp"

namespace redblue::cli {

Json levels_json(const std::vector<LevelTraffic>& levels);
void print_levels(const std::vector<LevelTraffic>& levels);

// A level where something counted or predicted is less than the bound, which must not be.
std::optional<std::string> below_bound(const std::vector<LevelTraffic>& levels);

}  // namespace redblue::cli
