// Solving op(T) X = B by blocks, T staying where it is: sums of what is known move along its rows,
// solutions along its columns.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "decomposition/trsm.hpp"
#include "layout/arrangement.hpp"

namespace redblue::linalg {

// The ranks that hold op(T), of (layer, row class, column class) at
// [(layer * grid_rows + row) * grid_columns + column].
using GridRanks = std::vector<int>;

// Where B and X lie: chunk by chunk with the ranks that solve for them.
layout::Arrangement right_sides(const TrsmDecomposition& decomposition, const GridRanks& grid,
                                int ranks);

// This rank's part of the triangle: block (s, t) of op(T) starts at the positions of s and t in
// their classes, rows down the columns of `data` or, where op is not 'N', the other way round.
template <class T>
struct HeldTriangle {
  const T* data;
  std::int64_t leading;
  char op;    // 'N', 'T' or 'C'
  bool unit;  // ones on the diagonal, not read
};

template <class T>
class Substitution {
 public:
  Substitution(const TrsmDecomposition& decomposition, GridRanks grid, Rank me);

  // Words of this rank's part of X and of the buffer execute() needs.
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }

  // Replaces B by X, as right_sides() lays them out.
  void execute(const comm::Communicator& communicator, const HeldTriangle<T>& t, T* x, T* workspace,
               Traffic& traffic);

 private:
  // A block of rows of this rank's part of X.
  struct Place {
    std::int64_t offset = 0;
    std::int64_t leading = 1;
  };
  // Buffers of one step; those that are sent from stay untouched in the next.
  struct Buffers {
    T* sums;      // of this rank, for the step's rows: width x columns
    T* diagonal;  // the diagonal block's triangle, packed
    T* solved;    // a chunk of X
    T* others;    // sums of other ranks for it
    T* panel;     // all of X's columns in the step's rows
    T* square;    // the diagonal block
  };

  Rank rank_at(int row, int column) const;
  Buffers buffers(std::int64_t step, T* workspace) const;
  const T* element(const HeldTriangle<T>& t, std::int64_t row, std::int64_t column) const;
  void send_sums(const comm::Communicator& communicator, std::int64_t block, const T* sums,
                 const Buffers& at, Traffic& traffic);
  void send_diagonal(const comm::Communicator& communicator, std::int64_t block,
                     const HeldTriangle<T>& t, const Buffers& at, Traffic& traffic);
  void solve(const comm::Communicator& communicator, std::int64_t block, int chunk,
             const HeldTriangle<T>& t, T* x, const Buffers& at, Traffic& traffic);
  void update(const comm::Communicator& communicator, std::int64_t block, const HeldTriangle<T>& t,
              bool first, T* sums, const Buffers& at, Traffic& traffic);

  TrsmSteps steps_;
  GridRanks ranks_;  // of this rank's layer
  bool takes_part_ = false;
  int row_ = 0;
  int column_ = 0;
  std::vector<Place> places_;  // of this rank's row class, by position
  std::int64_t storage_ = 0;
  std::int64_t sums_words_ = 0;
  std::int64_t chunk_words_ = 0;
  std::int64_t workspace_ = 0;
  std::vector<MPI_Request> receives_, sends_;
};

}  // namespace redblue::linalg
