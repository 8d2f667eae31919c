// SPDX-License-Identifier: BSD-3-Clause
// Who receives what in each step of an inversion: what executions (linalg/inverse) and costs share.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/cyclic_classes.hpp"
#include "redblue/inverse_model.hpp"

namespace redblue {

// A lower triangular matrix, or the transposed of an upper one, on a grid. Step k is for block row
// and block column k.
struct InverseSteps {
  CyclicClasses down, across;

  std::int64_t count() const { return down.blocks(); }
  // Of a class of block columns (rows), those in blocks before k, and up to k.
  std::int64_t columns_before(int c, std::int64_t k) const { return across.before(c, k); }
  std::int64_t columns_until(int c, std::int64_t k) const { return across.before(c, k + 1); }
  std::int64_t columns_after(int c, std::int64_t k) const { return across.after(c, k); }
  std::int64_t rows_before(int r, std::int64_t k) const { return down.before(r, k); }
  std::int64_t rows_until(int r, std::int64_t k) const { return down.before(r, k + 1); }
  std::int64_t rows_after(int r, std::int64_t k) const { return down.after(r, k); }
  // Whether a rank updates anything in step k of the inversion of a triangle, of its square, of
  // X L = U^-1, of a two-sided solve's triangle behind k, of a two-sided product's before k.
  bool updates_inverse(int r, int c, std::int64_t k) const {
    return rows_after(r, k) > 0 && columns_until(c, k) > 0;
  }
  bool updates_square(int r, int c, std::int64_t k) const {
    return rows_until(r, k) > 0 && columns_until(c, k) > 0;
  }
  bool updates_solution(int r, int c, std::int64_t k) const {
    return down.size(r) > 0 && columns_before(c, k) > 0;
  }
  bool updates_behind(int r, int c, std::int64_t k) const {
    return rows_after(r, k) > 0 && columns_after(c, k) > 0;
  }
  bool updates_before(int r, int c, std::int64_t k) const {
    return rows_before(r, k) > 0 && columns_before(c, k) > 0;
  }
  // Numbers first .. end - 1 of blocks that are of row class r and of column class c.
  std::vector<std::int64_t> common_blocks(int r, int c, std::int64_t first, std::int64_t end) const;
};

InverseSteps steps_of(const InverseDecomposition& decomposition);

}  // namespace redblue
