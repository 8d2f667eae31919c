// Multiplying by a symmetric or Hermitian matrix on triangle blocks: the pairs of the update, read
// instead of written. A rank multiplies its pairs of A, and what lies across the diagonal from
// them, by the rows of B it touches, and adds up the same rows of C.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/symmetric_in_place.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::linalg {

// Where the matrices of C = alpha A B + beta C lie; C and B n x k of the decomposition's shape.
struct TriangleProductSetup {
  TriangleDecomposition decomposition;
  bool in_place = false;  // every rank multiplies by what it holds of A; only the shape counts
  layout::Arrangement a;  // n x n, of which the lower triangle counts
  bool conjugate_a = false;
  bool hermitian = false;
  layout::Arrangement b, c;
};

// The rest of the setup is as it starts.
TriangleProductSetup setup_of(const SymmLayouts& layouts, int ranks);

// Sets triangle blocks, or leaves A in place where that moves less.
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
  void complete(const Face& face, const T* faces, T* square) const;
  void multiply(const Face& face, T alpha, const T* faces, const T* b, T* c, T* square) const;

  bool hermitian_ = false;
  bool in_place_ = false;
  bool conjugated_ = false;   // in place: what is stored are the elements' conjugates
  std::vector<Face> faces_;   // of A, in its rank's array or a buffer
  std::int64_t touched_ = 0;  // rows of the slabs
  std::int64_t across_ = 0;   // their columns
  std::optional<comm::Transfer<T>> blocks_;  // A's, unless in place
  std::optional<comm::Transfer<T>> rows_;    // B's
  std::optional<comm::Transfer<T>> reduction_;
  std::int64_t square_ = 0;
  std::int64_t b_slab_ = 0;
  std::int64_t c_slab_ = 0;
  std::int64_t buffers_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
