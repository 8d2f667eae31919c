// What the ranks of a triangle decomposition hold of its matrices, as arrangements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "layout/arrangement.hpp"
#include "linalg/symmetric_in_place.hpp"
#include "redblue/triangle.hpp"

namespace redblue::linalg {

struct TrianglePlace {
  std::size_t member;
  int layer;
};

// Nothing for a rank that idles.
std::optional<TrianglePlace> triangle_place(const TriangleDecomposition& d, std::size_t rank);

// The rows of the points a member of a layer touches, one point after another.
layout::IndexSet touched_rows(const TriangleDecomposition& d, std::size_t member);

// The n x k slabs of all ranks in one round: touched rows, the layer's columns; each at the start
// of its rank's buffer.
layout::Arrangement touched_slabs(const TriangleDecomposition& d, int ranks, std::int64_t round);

// The pairs of all ranks, one after another in each rank's buffer.
layout::Arrangement pair_faces(const TriangleDecomposition& d, int ranks);

// Those of one rank, as products of its slab's rows.
std::vector<Face> faces_on_slab(const TriangleDecomposition& d, std::size_t rank,
                                const std::vector<layout::Patch>& pairs);

}  // namespace redblue::linalg
