// Dependences at a fixed distance.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <vector>

namespace redblue::bounds {

using Vector = std::vector<long>;

// d where `map` is x -> x - d for one d, iterators compared by position.
std::optional<Vector> translation(const isl::map& map);

// The one loop a step runs along; -1 where it is oblique.
int axis_of(const Vector& step);

}  // namespace redblue::bounds
