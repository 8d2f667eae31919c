// Who does and needs what in each step of a Cholesky factorization on triangle blocks.
#pragma once

#include <vector>

#include "decomposition/cyclic_classes.hpp"
#include "redblue/factor_model.hpp"

namespace redblue {

class CholeskySteps {
 public:
  explicit CholeskySteps(const CholeskyDecomposition& decomposition);

  const CyclicClasses& rows() const { return rows_; }
  std::int64_t count() const { return rows_.blocks(); }
  // The rank that holds the pair of points.
  int owner(int a, int b) const {
    const std::size_t row = static_cast<std::size_t>(std::max(a, b));
    return owner_[row * static_cast<std::size_t>(points_) +
                  static_cast<std::size_t>(std::min(a, b))];
  }
  // Ranks that solve for parts of the step's panel, other than the one that factors its diagonal
  // block: they need that block.
  std::vector<int> panel_ranks(std::int64_t step) const;
  // Ranks whose updates in the step need the panel's rows of a point, its owner possibly among
  // them.
  std::vector<int> needers(int point, std::int64_t step) const;
  // The rank needs the panel's rows of the point in steps 0 .. steps_needed() - 1.
  std::int64_t steps_needed(std::size_t rank, int point) const;
  // Points whose panel rows the rank needs in the step.
  std::vector<int> needed(int rank, std::int64_t step) const;

 private:
  // A point a rank pairs with others, and in how many steps it needs that.
  struct Touched {
    int point;
    std::int64_t steps;
  };

  int points_;
  CyclicClasses rows_;
  std::vector<int> owner_;
  std::vector<std::vector<int>> touching_;     // ranks, of each point
  std::vector<std::vector<Touched>> touched_;  // of each rank, by points
};

}  // namespace redblue
