// SPDX-License-Identifier: BSD-3-Clause
// C = alpha A B + beta C for a symmetric or Hermitian n x n matrix A, B and C n x k, on triangle
// blocks or with A in place. As in linalg/symmetric/triangle_update.hpp, with A's blocks read
// instead of C's written: rank (l, member) has some row blocks, some pairs (I, J), I >= J, of them,
// and columns K_l of B and C.
//
//   A(I, J) for its pairs                           from its owners
//   B(I, K_l) for its row blocks I                  allgather among the ranks with I
//   C'(I, K_l) += alpha A(I, J) B(J, K_l)           gemm
//   C'(J, K_l) += alpha A(I, J)' B(I, K_l), I != J  gemm
//   C = beta C + the sum of all ranks' C'           reduce-scatter to C's owners
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/symmetric/symmetric_in_place.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::linalg {

// The arrangements of the matrices; n and k are those of the decomposition's shape.
struct TriangleProductSetup {
  TriangleDecomposition decomposition;
  bool in_place = false;  // A stays where it is; of the decomposition only the shape counts
  layout::Arrangement a;  // n x n, of which the lower triangle counts
  bool conjugate_a = false;
  bool hermitian = false;
  layout::Arrangement b, c;
};

// The rest of the setup keeps its defaults.
TriangleProductSetup setup_of(const SymmLayouts& layouts, int ranks);

// Chooses triangle blocks, or leaves A in place where that moves less.
void decompose(TriangleProductSetup& setup, const SyrkPlanRequest& request);

std::string name_of(const TriangleProductSetup& setup);

template <class T>
class TriangleProduct {
 public:
  TriangleProduct(const comm::Communicator& communicator, const TriangleProductSetup& setup);

  std::int64_t workspace() const { return workspace_; }

  // Allocates nothing; adds to `traffic`.
  void execute(const comm::Communicator& communicator, T alpha, const T* a, const T* b, T beta,
               T* c, T* workspace, GemmTraffic& traffic);

 private:
  void lay_out_workspace();
  void complete(const SymmetricBlock& block, const T* blocks, T* square) const;
  void multiply(const SymmetricBlock& block, T alpha, const T* blocks, const T* b, T* c,
                T* square) const;

  bool hermitian_ = false;
  bool in_place_ = false;
  bool conjugated_ = false;             // in place: what is stored are the elements' conjugates
  std::vector<SymmetricBlock> blocks_;  // of A, in its rank's array or a buffer
  std::int64_t panel_rows_ = 0;         // rows of the panels
  std::int64_t panel_columns_ = 0;      // their columns
  std::optional<comm::Transfer<T>> a_transfer_;  // A's, unless in place
  std::optional<comm::Transfer<T>> b_transfer_;  // B's
  std::optional<comm::Transfer<T>> c_transfer_;
  std::int64_t square_ = 0;
  std::int64_t b_panel_ = 0;
  std::int64_t c_panel_ = 0;
  std::int64_t buffers_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
