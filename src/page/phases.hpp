// SPDX-License-Identifier: BSD-3-Clause
// Where the time of an execution went, as a table.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace redblue::page {

// Seconds of phases, by name, each with its share of all: at most five.
std::string phases_html(const std::string& caption,
                        const std::vector<std::pair<std::string, double>>& phases);

}  // namespace redblue::page
