// Right-looking Cholesky factorization on triangle blocks.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/transfer.hpp"
#include "decomposition/cholesky.hpp"
#include "layout/arrangement.hpp"
#include "redblue/factor.hpp"

namespace redblue::linalg {

// Of each pair (i, j) of points a rank stores the rows of i times the columns of j, whole: where
// the row comes before the column, the conjugate of the element across the diagonal. So every
// update is one multiplication per pair. With layers an element lies in one of them, its home, and
// the others have room for what their updates take from it.
layout::Arrangement pair_storage(const CholeskyDecomposition& decomposition, int ranks);

template <class T>
class Cholesky {
 public:
  Cholesky(const CholeskyDecomposition& decomposition, Rank me);

  // Words of the rank's part and of the buffer factor() needs.
  std::int64_t storage() const { return storage_; }
  std::int64_t workspace() const { return workspace_; }

  // `a` in pair_storage. Returns 0 or, on the rank that finds it, the order of a leading minor that
  // is not positive.
  std::int64_t factor(const comm::Communicator& communicator, T* a, T* workspace, Traffic& traffic);

 private:
  struct Pair {
    int i, j;
    std::int64_t offset, leading;
  };
  // A step's columns of a point's rows that are left, where this rank stores them: `columns` of
  // `height` elements, or, of the diagonal block, what is on and below the diagonal.
  struct Strip {
    std::int64_t offset, leading, height, columns;
    bool diagonal;
  };

  bool idle() const { return layer_ >= steps_.layers(); }
  const Pair* find(int a, int b) const;
  Strip strip(int point, std::int64_t step) const;
  void add_up_copies(const comm::Communicator& communicator, std::int64_t step, T* a, T* sent,
                     T* received, Traffic& traffic);
  std::int64_t factor_diagonal(const comm::Communicator& communicator, std::int64_t step, T* a,
                               T* diagonal, Traffic& traffic);
  void solve_panel(const comm::Communicator& communicator, std::int64_t step, T* a,
                   const T* diagonal, T* slab, Traffic& traffic);
  void update(std::int64_t step, T* a, const T* slab) const;

  int me_;
  CholeskySteps steps_;
  int layer_, member_;
  int points_;
  std::vector<Pair> pairs_;
  std::vector<std::int64_t> slab_of_point_;
  std::int64_t storage_ = 0;
  CholeskyBuffers buffers_;
  std::int64_t workspace_ = 0;
  std::vector<MPI_Request> receives_, sends_;
};

// The factorization of a matrix in the caller's layout, one of its triangles.
template <class T>
class PlacedCholesky {
 public:
  // Local. `lies`: where the matrix, square, does.
  PlacedCholesky(const comm::Communicator& communicator, Triangle triangle,
                 layout::Arrangement lies, const FactorOptions& options);

  const CholeskyDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return cholesky_.storage() + buffers_; }

  // Returns LAPACK's info on all ranks.
  std::int64_t execute(comm::Communicator& communicator, T* a, T* workspace,
                       FactorTraffic& traffic);

 private:
  CholeskyDecomposition decomposition_;
  Cholesky<T> cholesky_;
  std::vector<comm::Transfer<T>> moves_;  // in and out
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
