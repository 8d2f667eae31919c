// SPDX-License-Identifier: BSD-3-Clause
// Names of moves, as written in pebbling files and messages.
#pragma once

#include <map>
#include <string>

#include "redblue/pebble.hpp"

namespace redblue::cdag {

const std::map<std::string, Rule>& rule_names();

// "load A(0,1)", with "@level.unit" behind it where there are several units.
std::string text_of(const Graph& graph, const Move& move, bool many_units);

}  // namespace redblue::cdag
