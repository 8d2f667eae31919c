// SPDX-License-Identifier: BSD-3-Clause
// Right-looking Cholesky factorization on triangle blocks, with replicas [solomonik2011].
//
// A = L L' of order n, in blocks of b rows and columns. Block row i belongs to row block I = i mod
// p of p; block (i, j), i >= j, is stored by the rank that has the pair of row blocks (I, J). With
// c replicas, A = the sum over l of A_l. Step k:
//   K      block column k;  K_l, replica l's chunk of its columns, a c-th
//   I > k  the rows of row block I after block row k
//
//   for k = 0, 1, ..:
//     A(I > k, K) = sum over l of A_l(I > k, K)   reduce_panel      reduce over replicas to a home
//     L(K, K) = chol(A(K, K))                     factor_diagonal   potrf, broadcast to the panel
//     L(I > k, K) = A(I > k, K) L(K, K)'^-1       solve_panel       trsm, multicast: columns K_l to
//                                                                   replica l's ranks that have I
//     A_l(I, J) -= L(I, K_l) L(J, K_l)'           update            gemm, herk on the diagonal, for
//       (rows I > k, columns J > k)                                 every pair (I, J) of the rank
//
// Look-ahead: what block column k + 1 needs of a step's update is done first, then the first three
// lines of the next step, then the rest of the update, while messages are under way.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/transfer.hpp"
#include "decomposition/cholesky/cholesky.hpp"
#include "layout/arrangement.hpp"
#include "linalg/cholesky/in_place.hpp"
#include "redblue/factor.hpp"

namespace redblue::linalg {

// Of each of its pairs (I, J) of row blocks a rank stores the whole rectangle, rows of I times
// columns of J: above the matrix's diagonal, the conjugates of the elements across it. So the
// update of a pair is one multiplication. With several replicas an element is in one of them, its
// home, and the others have room for their part of its updates.
layout::Arrangement pair_storage(const CholeskyDecomposition& decomposition, int ranks);

template <class T>
class Cholesky {
 public:
  Cholesky(const CholeskyDecomposition& decomposition, Rank me);

  // Words of the rank's part of the matrix and of the buffer that factor() needs.
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
  // A(I > k, K) as this rank stores it: `columns` columns of `height` elements; of the diagonal
  // block only the lower triangle.
  struct PanelBlock {
    std::int64_t offset, leading, height, columns;
    bool diagonal;
  };

  bool idle() const { return replica_ >= steps_.replicas(); }
  const Pair* find(int a, int b) const;
  PanelBlock panel_block(int row_block, std::int64_t step) const;
  void reduce_panel(const comm::Communicator& communicator, std::int64_t step, T* a, T* sent,
                    T* received, Traffic& traffic);
  std::int64_t factor_diagonal(const comm::Communicator& communicator, std::int64_t step, T* a,
                               T* diagonal, Traffic& traffic);
  void solve_panel(const comm::Communicator& communicator, std::int64_t step, T* a,
                   const T* diagonal, T* panel, Traffic& traffic);
  std::int64_t prepare(const comm::Communicator& communicator, std::int64_t step, T* a,
                       T* workspace, Traffic& traffic);
  void update(std::int64_t step, bool ahead, T* a, const T* workspace) const;
  // Of a step: its panel, its diagonal block, and copies that are sent; those of the step before
  // are still in use.
  std::int64_t buffers_at(std::int64_t step) const {
    return step % 2 * (buffers_.panel + buffers_.diagonal + buffers_.sent);
  }

  int me_;
  CholeskySteps steps_;
  int replica_, member_;
  int row_blocks_;
  std::vector<Pair> pairs_;
  std::vector<std::int64_t> panel_of_row_block_;
  std::int64_t storage_ = 0;
  CholeskyBuffers buffers_;
  std::int64_t workspace_ = 0;
  std::array<std::vector<MPI_Request>, 2> receives_, sends_;  // by step mod 2
};

// The factorization of a matrix in the caller's layout, one of its triangles.
template <class T>
class PlacedCholesky {
 public:
  // Local. The matrix is square and in the caller's layout.
  PlacedCholesky(const comm::Communicator& communicator, Triangle triangle, const Layout& layout,
                 const FactorOptions& options);

  const CholeskyDecomposition& decomposition() const { return decomposition_; }
  std::int64_t workspace() const { return storage() + buffers_; }

  // Returns LAPACK's info on all ranks.
  std::int64_t execute(comm::Communicator& communicator, T* a, T* workspace,
                       FactorTraffic& traffic);

 private:
  void bring(const comm::Communicator& communicator, layout::Arrangement placed);
  std::int64_t storage() const { return cholesky_ ? cholesky_->storage() : 0; }
  std::int64_t factor(const comm::Communicator& communicator, T* a, T* workspace,
                      FactorTraffic& traffic);

  CholeskyDecomposition decomposition_;
  Triangle triangle_;
  // One of three: the matrix in a single rank's array, as LAPACK takes it; ..
  std::optional<layout::StoredBlock> alone_;
  // .. in the caller's arrays, this rank's part of it there; ..
  std::optional<CholeskyInPlace<T>> in_place_;
  layout::StoredBlock part_;
  // .. or brought to the ranks of the decomposition and back.
  std::optional<Cholesky<T>> cholesky_;
  std::vector<comm::Transfer<T>> moves_;  // in and out
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
