// SPDX-License-Identifier: BSD-3-Clause
// Pieces of maps, as isl reads them from text, and what is asked of a band's maps.
#pragma once

#include <isl/cpp.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "schedule/blocks/blocks.hpp"

namespace redblue::schedule::codegen {

// "8*floor((x)/8)": where the tile of that size begins which x lies in; "0" for size 0.
std::string tile(const std::string& x, std::int64_t size);

// "a, b, c".
std::string list(const std::vector<std::string>& parts);

// "x0", "x1", ..
std::vector<std::string> names(const std::string& prefix, std::size_t count);

isl::map map(const std::string& text);

// The members of the band that step through the iterators of the statement, by iterator; empty
// where some member is something else.
std::vector<int> members_of(const program::Statement& s, const LeafBand& band);

// Names of the loops around and in the blocks of a contraction, from the outside in, after so many
// places in a sequence.
std::vector<std::string> loop_names(const program::Statement& s, const Contraction& c, int places);

// The values of the map's range where each is one number; empty where the range has no dimension,
// nothing where one varies.
std::optional<std::vector<long>> fixed_values(const isl::map& map);

}  // namespace redblue::schedule::codegen
