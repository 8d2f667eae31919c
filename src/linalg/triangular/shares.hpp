// SPDX-License-Identifier: BSD-3-Clause
// How ranks share C = T B, T triangular of order n, B and C n x m: each rank adds up, over its
// `depth`, what its columns and rows of C get.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/arrangement.hpp"

namespace redblue::linalg::triangular {

// C(rows, columns) += T(rows, depth) B(depth, columns); sets without gaps in their positions.
struct Share {
  layout::IndexSet rows, depth, columns;

  bool empty() const { return rows.empty() || depth.empty() || columns.empty(); }
};

// T and B as they are stored; C is stored as B is.
struct Matrices {
  bool lower = true;
  layout::Arrangement t, b;

  layout::Part part() const { return lower ? layout::Part::lower : layout::Part::upper; }
};

struct Sharing {
  std::vector<Share> of_rank;
  std::string name;
};

// The one in which the busiest rank receives least, among those that leave B or T in place and
// grids of rows x depth x columns, with about even work. Local; the same on all ranks.
Sharing choose_sharing(const Matrices& matrices);

// What a rank receives, exactly: of T and B, and contributions to its part of C. O(ranks * blocks).
std::int64_t words_received(const Matrices& matrices, const Sharing& sharing, std::size_t rank);

// Multiplications of the busiest rank, exactly. O(ranks * blocks * rows).
double busiest_work(const Matrices& matrices, const Sharing& sharing);

// How many of the indices are below `index`.
std::int64_t count_below(const layout::IndexSet& set, std::int64_t index);

}  // namespace redblue::linalg::triangular
