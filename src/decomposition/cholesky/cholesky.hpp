// SPDX-License-Identifier: BSD-3-Clause
// Who does and needs what in each step of a Cholesky factorization on triangle blocks.
#pragma once

#include <utility>
#include <vector>

#include "decomposition/cyclic_classes.hpp"
#include "decomposition/ownership.hpp"
#include "redblue/factor_model.hpp"

namespace redblue {

// The replica in which the step's columns of a row block's rows lie before and after, and copies of
// them come together. Steps of a row block take as many turns as there are replicas.
inline int home_replica(int row_block, std::int64_t step, int row_blocks, int replicas) {
  return static_cast<int>((row_block + step % row_blocks + step / row_blocks) % replicas);
}

// All replicas have the same members, which hold the same pairs.
class CholeskySteps {
 public:
  explicit CholeskySteps(const CholeskyDecomposition& decomposition);

  const CyclicClasses& rows() const { return rows_; }
  std::int64_t count() const { return rows_.blocks(); }
  int replicas() const { return replicas_; }
  int members() const { return static_cast<int>(needed_by_.size()); }
  int rank_at(int replica, int member) const { return replica * members() + member; }
  // The member that holds the pair of row blocks.
  int owner(int a, int b) const {
    const std::size_t row = static_cast<std::size_t>(std::max(a, b));
    return owner_[row * static_cast<std::size_t>(row_blocks_) +
                  static_cast<std::size_t>(std::min(a, b))];
  }
  int home(int row_block, std::int64_t step) const {
    return home_replica(row_block, step, row_blocks_, replicas_);
  }
  // The rank that solves for the panel's rows of a row block.
  int solver(int row_block, std::int64_t step) const {
    return rank_at(home(row_block, step), owner(row_block, rows_.of_block(step)));
  }
  // The step's columns with which a replica updates its copy.
  Range chunk(std::int64_t step, int replica) const {
    return round_of({0, rows_.block_size(step)}, replica, replicas_);
  }
  // Of the step's columns and a row block's rows, what counts: the diagonal block's lower triangle
  // among it where the row block is the step's. 0 where none are left.
  std::int64_t panel_words(int row_block, std::int64_t step) const;
  // Ranks that solve for parts of the step's panel, other than the one that factors its diagonal
  // block: they need that block.
  std::vector<int> panel_ranks(std::int64_t step) const;
  // Members whose updates in the step need the panel's rows of a row block, its owner possibly
  // among them.
  std::vector<int> needers(int row_block, std::int64_t step) const;
  // The member needs the panel's rows of the row block in steps 0 .. steps_needed() - 1.
  std::int64_t steps_needed(std::size_t member, int row_block) const;
  // Points whose panel rows the member needs in the step.
  std::vector<int> needed(int member, std::int64_t step) const;

  // A part of a step's update of a pair (I, J), in rows of I and columns of J that are left after
  // the step, counted from the first; of a triangle, only what is on and below the diagonal.
  struct Update {
    Range down, across;
    bool triangle;
  };
  // What the next step's panel needs (`ahead`), or all else. O(1).
  std::vector<Update> updates(const std::pair<int, int>& pair, std::int64_t step, bool ahead) const;

 private:
  // A row block a member pairs with others, and in how many steps it needs that.
  struct Needed {
    int row_block;
    std::int64_t steps;
  };

  int row_blocks_, replicas_;
  CyclicClasses rows_;
  std::vector<int> owner_;
  std::vector<std::vector<int>> members_with_;  // members, of each row block
  std::vector<std::vector<Needed>> needed_by_;  // of each member, by row blocks
};

// Words of the buffers of a rank: its row blocks' rows in a panel, a diagonal block, and copies it
// sends and receives in one step at most.
struct CholeskyBuffers {
  std::int64_t panel = 0;
  std::int64_t diagonal = 0;
  std::int64_t sent = 0;
  std::int64_t received = 0;

  // What is sent of one step may still be under way in the next.
  std::int64_t total() const { return 2 * (panel + diagonal + sent) + received; }
};

// Those of each of a member's ranks: all replicas need the same. O(pairs of the member).
CholeskyBuffers buffers_of(const CholeskyDecomposition& decomposition, const CholeskySteps& steps,
                           std::size_t member);

// Along the critical path where that does not take long to find (task_graph/choice.cpp), with the
// matrix's way there and back. In place: of the busiest rank, which in a step waits for the
// diagonal block's message and the panel's.
double seconds_of(const CholeskyDecomposition& decomposition, const Machine& machine);

}  // namespace redblue
