// SPDX-License-Identifier: BSD-3-Clause
// Dependences at a fixed distance.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <string>
#include <vector>

namespace redblue::dataflow {

using Vector = std::vector<long>;

// d where `map` is x -> x - d for one d, iterators compared by position.
std::optional<Vector> translation(const isl::map& map);

// a + factor b
Vector sum(Vector a, const Vector& b, long factor = 1);

// Rows that span the lattice of the given ones, in echelon form: as many as the rank. At least one
// row is given.
std::vector<Vector> echelon(std::vector<Vector> rows);

// Whether `next` is no combination of the rows of `basis`, which are independent.
bool independent(std::vector<Vector> basis, const Vector& next);

// "(1, 0, -1)"
std::string text_of(const Vector& step);

// The one loop a step runs along; -1 where it is oblique.
int axis_of(const Vector& step);

}  // namespace redblue::dataflow
