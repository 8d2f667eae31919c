// Who does and needs what in each step of a Cholesky factorization on triangle blocks.
#pragma once

#include <vector>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/factor_model.hpp"

namespace redblue {

// The layer in which the step's columns of a point's rows lie before and after, and copies of them
// come together. Steps of a point take as many turns as there are layers.
inline int home_layer(int point, std::int64_t step, int points, int layers) {
  return static_cast<int>((point + step % points + step / points) % layers);
}

// All layers have the same members, which hold the same pairs.
class CholeskySteps {
 public:
  explicit CholeskySteps(const CholeskyDecomposition& decomposition);

  const CyclicClasses& rows() const { return rows_; }
  std::int64_t count() const { return rows_.blocks(); }
  int layers() const { return layers_; }
  int members() const { return static_cast<int>(touched_.size()); }
  int rank_at(int layer, int member) const { return layer * members() + member; }
  // The member that holds the pair of points.
  int owner(int a, int b) const {
    const std::size_t row = static_cast<std::size_t>(std::max(a, b));
    return owner_[row * static_cast<std::size_t>(points_) +
                  static_cast<std::size_t>(std::min(a, b))];
  }
  int home(int point, std::int64_t step) const { return home_layer(point, step, points_, layers_); }
  // The rank that solves for the panel's rows of a point.
  int solver(int point, std::int64_t step) const {
    return rank_at(home(point, step), owner(point, rows_.of_block(step)));
  }
  // The step's columns of which a layer's updates take what they subtract.
  Range chunk(std::int64_t step, int layer) const {
    return round_of({0, rows_.block_size(step)}, layer, layers_);
  }
  // Of the step's columns and a point's rows, what counts: the diagonal block's lower triangle
  // among it where the point is the step's. 0 where none are left.
  std::int64_t panel_words(int point, std::int64_t step) const;
  // Ranks that solve for parts of the step's panel, other than the one that factors its diagonal
  // block: they need that block.
  std::vector<int> panel_ranks(std::int64_t step) const;
  // Members whose updates in the step need the panel's rows of a point, its owner possibly among
  // them.
  std::vector<int> needers(int point, std::int64_t step) const;
  // The member needs the panel's rows of the point in steps 0 .. steps_needed() - 1.
  std::int64_t steps_needed(std::size_t member, int point) const;
  // Points whose panel rows the member needs in the step.
  std::vector<int> needed(int member, std::int64_t step) const;

 private:
  // A point a member pairs with others, and in how many steps it needs that.
  struct Touched {
    int point;
    std::int64_t steps;
  };

  int points_, layers_;
  CyclicClasses rows_;
  std::vector<int> owner_;
  std::vector<std::vector<int>> touching_;     // members, of each point
  std::vector<std::vector<Touched>> touched_;  // of each member, by points
};

// Words of the buffers of a rank: its points' rows in a panel, a diagonal block, and copies it
// sends and receives in one step at most.
struct CholeskyBuffers {
  std::int64_t panel = 0;
  std::int64_t diagonal = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;

  // What is sent of one step may still be under way in the next.
  std::int64_t total() const { return 2 * (panel + diagonal + sent) + received; }
};

CholeskyBuffers buffers_of(const CholeskyDecomposition& decomposition, const CholeskySteps& steps,
                           Rank rank);

}  // namespace redblue
