// SPDX-License-Identifier: BSD-3-Clause
// docs/algorithms/qr.md has the proofs of the lemmas.
#include <algorithm>

#include "decomposition/qr/steps.hpp"

namespace redblue {

namespace {

// Lemma 1: a rank's part of V, rows behind the first n, tells as much of R as it has elements, up
// to a column of R for a column of V.
double by_vectors(const QrDecomposition& d, int row, int column) {
  const std::int64_t top = std::min(d.m, d.n);
  const std::int64_t rows = d.down.count(d.m, row) - d.down.count(top, row);
  if (d.m - top - rows < d.n) return 0;  // others have too few rows for any R
  double words = 0;
  for (std::int64_t j = 0; j < d.n; ++j) {
    if (d.across.owner(j) == column) words += static_cast<double>(std::min(j + 1, rows));
  }
  // of complex elements, R's diagonal is real
  return words - static_cast<double>(d.n) / 2;
}

// Lemma 3: each such row of V is a product with columns of A that the rank has not.
double by_rows(const QrDecomposition& d, int row, int column) {
  const std::int64_t top = std::min(d.m, d.n);
  const std::int64_t rows = d.down.count(d.m, row) - d.down.count(top, row);
  if (d.m - top - rows < d.n) return 0;
  std::int64_t others = 0;
  std::int64_t pairs = 0;  // a column of the rank with one before it of others
  for (std::int64_t j = 0; j < d.n; ++j) {
    if (d.across.owner(j) != column) {
      ++others;
    } else if (others > pairs) {
      ++pairs;
    }
  }
  return static_cast<double>(rows) * static_cast<double>(pairs);
}

// Lemma 2: a rank's elements of R right of the diagonal.
double by_triangle(const QrDecomposition& d, int row, int column) {
  const std::int64_t top = std::min(d.m, d.n);
  const std::int64_t rows = d.down.count(d.m, row);
  if (d.m - rows < d.down.count(top, row)) return 0;  // others have fewer rows than it of R
  double words = 0;
  for (std::int64_t j = 0; j < d.n; ++j) {
    if (d.across.owner(j) != column) continue;
    words += static_cast<double>(d.down.count(std::min(j, top), row));
  }
  return words;
}

}  // namespace

double lower_bound(const QrDecomposition& d) {
  double most = 0;
  for (int row = 0; row < d.grid_rows(); ++row) {
    for (int column = 0; column < d.grid_columns(); ++column) {
      most = std::max(
          {most, by_vectors(d, row, column), by_triangle(d, row, column), by_rows(d, row, column)});
    }
  }
  return most;
}

double qr_lower_bound(const BlockCyclic& layout) {
  return lower_bound(qr_in_place(layout, static_cast<int>(layout.ranks.size())));
}

}  // namespace redblue
