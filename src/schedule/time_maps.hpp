// SPDX-License-Identifier: BSD-3-Clause
// Times of different lengths. isl compares times of one length only: others are never "not after".
#pragma once

#include <isl/cpp.h>

#include <optional>

namespace redblue::schedule {

// The second times inside the first.
isl::union_map product(const isl::union_map& first, const isl::union_map& second);

// The number that a dimension of the map's range always has; nothing where it varies.
std::optional<long> fixed_value(const isl::map& map, int dimension);

// The first `count` dimensions of all times.
isl::union_map leading(const isl::union_map& times, int count);

// The most dimensions that a time has.
int longest(const isl::union_map& times);

// All times with that many dimensions, zeros at the end.
isl::union_map padded(const isl::union_map& times, int length);

}  // namespace redblue::schedule
