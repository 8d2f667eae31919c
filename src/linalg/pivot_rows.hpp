// The pivots' rows of one step of an LU factorization, brought to the ranks whose updates need
// them, as rows of U.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/ownership.hpp"
#include "linalg/active_rows.hpp"

namespace redblue {

// One step as a rank sees it: the pivots and L and U of their square, the columns from `first` of
// the storage on, `across` of them.
template <class T>
struct PivotStep {
  const std::vector<std::int64_t>& pivots;
  const std::vector<T>& square;  // of order pivots.size(); below the diagonal only L counts
  std::int64_t first, across;
  int keeper;  // the class of rows with which the step's rows of U are stored
};

// Some rows of U: those from `begin` of the step on, `leading` words from column to column.
template <class T>
struct UpperRows {
  const T* rows;
  std::int64_t begin, leading;
};

// Among the ranks of a grid column. Sends of a step may still be under way in the next one.
template <class T>
class PivotRows {
 public:
  // `column`: its ranks, by the class of rows they own; this one's is `mine`. `layers`: classes
  // that share rows; each layer's updates need its part of the pivots.
  PivotRows(std::vector<int> column, int mine, int layers, std::int64_t block,
            std::int64_t columns);

  std::int64_t workspace() const { return workspace_; }

  // The pivots, in their order, of this rank's layer.
  static Range chunk(std::int64_t width, int layer, int layers) {
    return round_of({0, width}, layer, layers);
  }

  // Takes the rows out of `a` and closes their gaps; retire() has found them. `parity` alternates
  // from step to step. Gives at least this layer's rows of U, all where they are stored.
  UpperRows<T> gather(const comm::Communicator& communicator, const ActiveRows& active,
                      std::int64_t leading, const PivotStep<T>& step, T* a, int parity,
                      T* workspace, std::vector<MPI_Request>& sends, Traffic& traffic);

 private:
  // The numbers in the step of the pivots that each grid row stores.
  using Shares = std::vector<std::vector<std::int64_t>>;

  UpperRows<T> whole(const comm::Communicator& communicator, const Shares& shares,
                     const PivotStep<T>& step, const T* taken, T* received, T* upper,
                     std::vector<MPI_Request>& sends, Traffic& traffic);
  void sum_slice(const comm::Communicator& communicator, const Shares& shares,
                 const PivotStep<T>& step, const T* taken, T* received, T* solved,
                 std::vector<MPI_Request>& sends, Traffic& traffic);
  UpperRows<T> spread(const comm::Communicator& communicator, const PivotStep<T>& step,
                      const T* solved, T* parts, T* received, T* upper,
                      std::vector<MPI_Request>& sends, Traffic& traffic);
  int classes() const { return static_cast<int>(column_.size()); }
  int grid_rows() const { return classes() / layers_; }
  // Columns of the step a rank solves for.
  Range slice(std::int64_t across, int of) const { return round_of({0, across}, of, classes()); }

  std::vector<int> column_;
  int mine_, layers_;
  std::int64_t row_words_, slice_words_;
  std::int64_t workspace_ = 0;
  std::vector<MPI_Request> receives_;
};

}  // namespace redblue
