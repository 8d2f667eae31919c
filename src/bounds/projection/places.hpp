// SPDX-License-Identifier: BSD-3-Clause
// Where along a line of values the instances of a chain read, one place after the other.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <vector>

namespace redblue::bounds {

// The map without `count` of its range's coordinates, from `first` on.
isl::map without_outputs(const isl::map& map, unsigned first, unsigned count);

// One coordinate of the map's range.
isl::map coordinate(const isl::map& map, unsigned which);

// The one coordinate of the values that moves as `axis` does, step for step; nothing where others
// move, too, or it moves otherwise.
std::optional<unsigned> moved_by(const isl::map& values, int axis);

// The set without those of the parts that are of its statement or array.
isl::set without(const isl::set& all, const std::vector<isl::set>& parts);

// Whether no two instances have both values in common.
bool determines_instances(const isl::map& one, const isl::map& other);

// Whether the counted instances follow one another along `axis`, among all that differ in it only.
bool is_contiguous(const isl::set& counted, const isl::set& all, int axis);

}  // namespace redblue::bounds
