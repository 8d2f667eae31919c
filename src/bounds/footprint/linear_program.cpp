// SPDX-License-Identifier: BSD-3-Clause
#include "bounds/footprint/linear_program.hpp"

namespace redblue::bounds {

using symbolic::Rational;

namespace {

// Rows: one per constraint, then the objective (negated costs). Columns: variables, slacks, rhs.
class Tableau {
 public:
  Tableau(const std::vector<std::vector<Rational>>& a, int variables)
      : rows_(a.size()), variables_(static_cast<std::size_t>(variables)), basis_(rows_) {
    const std::size_t columns = variables_ + rows_ + 1;
    cells_.assign(rows_ + 1, std::vector<Rational>(columns, 0));
    for (std::size_t r = 0; r < rows_; ++r) {
      for (std::size_t v = 0; v < variables_; ++v) cells_[r][v] = a[r][v];
      cells_[r][variables_ + r] = 1;
      cells_[r].back() = 1;
      basis_[r] = variables_ + r;
    }
    for (std::size_t v = 0; v < variables_; ++v) cells_[rows_][v] = -1;
  }

  // False when unbounded.
  bool optimise() {
    for (;;) {
      std::size_t enter = 0;
      while (enter < variables_ + rows_ && !cells_[rows_][enter].is_negative()) ++enter;
      if (enter == variables_ + rows_) return true;
      std::size_t leave = rows_;
      for (std::size_t r = 0; r < rows_; ++r) {
        if (!cells_[r][enter].is_positive()) continue;
        if (leave == rows_ || ratio(r, enter) < ratio(leave, enter) ||
            (ratio(r, enter) == ratio(leave, enter) && basis_[r] < basis_[leave])) {
          leave = r;
        }
      }
      if (leave == rows_) return false;
      pivot(leave, enter);
    }
  }

  LinearProgramSolution solution() const {
    LinearProgramSolution s;
    s.value = cells_[rows_].back();
    s.primal.assign(variables_, 0);
    for (std::size_t r = 0; r < rows_; ++r) {
      if (basis_[r] < variables_) s.primal[basis_[r]] = cells_[r].back();
      s.dual.push_back(cells_[rows_][variables_ + r]);
    }
    return s;
  }

 private:
  Rational ratio(std::size_t row, std::size_t column) const {
    return cells_[row].back() / cells_[row][column];
  }

  void pivot(std::size_t row, std::size_t column) {
    const Rational p = cells_[row][column];
    for (Rational& c : cells_[row]) c = c / p;
    for (std::size_t r = 0; r <= rows_; ++r) {
      if (r == row || cells_[r][column].is_zero()) continue;
      const Rational factor = cells_[r][column];
      for (std::size_t c = 0; c < cells_[r].size(); ++c) {
        cells_[r][c] = cells_[r][c] - factor * cells_[row][c];
      }
    }
    basis_[row] = column;
  }

  std::size_t rows_;
  std::size_t variables_;
  std::vector<std::size_t> basis_;
  std::vector<std::vector<Rational>> cells_;
};

}  // namespace

std::optional<LinearProgramSolution> maximise(const std::vector<std::vector<Rational>>& a,
                                              int variables) {
  Tableau tableau(a, variables);
  if (!tableau.optimise()) return std::nullopt;
  return tableau.solution();
}

}  // namespace redblue::bounds
