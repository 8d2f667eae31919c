// Multiplying by a symmetric or Hermitian matrix on triangle blocks: the pairs of the update, read
// instead of written. A rank multiplies its pairs of A, and what lies across the diagonal from
// them, by the rows of B it touches, and adds up the same rows of C.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/transfer.hpp"
#include "redblue/symmetric.hpp"

namespace redblue {

// Where the matrices of C = alpha A B + beta C lie; C and B n x k of the decomposition's shape.
struct TriangleProductSetup {
  TriangleDecomposition decomposition;
  layout::Arrangement a;  // n x n, of which the lower triangle counts
  bool conjugate_a = false;
  bool hermitian = false;
  layout::Arrangement b, c;
};

// The rest of the setup is as it starts.
TriangleProductSetup setup_of(const SymmLayouts& layouts, int ranks);

template <class T>
class TriangleProduct {
 public:
  TriangleProduct(const comm::Communicator& communicator, const TriangleProductSetup& setup);

  std::int64_t workspace() const { return workspace_; }

  // Allocates nothing; adds to `traffic`.
  void execute(const comm::Communicator& communicator, T alpha, const T* a, const T* b, T beta,
               T* c, T* workspace, GemmTraffic& traffic);

 private:
  // Rows i and j of the slabs, `rows` x `columns` of A at `face`.
  struct Pair {
    std::int64_t i, j, rows, columns, face;
  };

  void complete(const Pair& pair, T* faces) const;

  bool hermitian_ = false;
  std::vector<Pair> pairs_;
  std::int64_t touched_ = 0;               // rows of the slabs
  std::int64_t across_ = 0;                // their columns
  std::vector<comm::Transfer<T>> inputs_;  // A's pairs, B's rows
  std::optional<comm::Transfer<T>> reduction_;
  std::int64_t b_slab_ = 0;
  std::int64_t c_slab_ = 0;
  std::int64_t buffers_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue
