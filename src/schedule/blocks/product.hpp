// SPDX-License-Identifier: BSD-3-Clause
// Statements that add products of two matrices' elements to a third's, as BLAS has them.
#pragma once

#include <isl/cpp.h>

#include <optional>
#include <string>
#include <vector>

#include "schedule/blocks/contraction.hpp"

namespace redblue::schedule::codegen {

// An array of whose elements two loops make a matrix: one steps through the last subscript, by
// one, the other through `leading`.
struct MatrixAccess {
  std::size_t read = 0;  // of the statement; of the written element nothing
  bool transposed = false;
  int leading = 0;  // the subscript whose steps are a row of memory apart
};

// X[r][v] += scale * P[r][k] * Q[k][v] in the loops r (rows), v (columns) and k (sum); all others
// of the statement run outside. The two are transposed where memory has P[k][r], Q[v][k].
struct Product {
  std::size_t statement = 0;
  int rows = -1, columns = -1, sum = -1;
  std::vector<int> outer;
  std::string element;  // "double" or "float"
  MatrixAccess written, left, right;
  bool minus = false;
  std::vector<program::Span> scale;  // the factors besides, in the statement's source
};

// Nothing where the statement is none, or an array's rows lie where its declaration does not say.
std::optional<Product> product_of(const program::Program& program, std::size_t statement);

// Instance -> element by the access's formulas, for all values of the iterators; nothing where
// there are several.
std::optional<isl::map> formulas(const program::Access& access);

}  // namespace redblue::schedule::codegen
