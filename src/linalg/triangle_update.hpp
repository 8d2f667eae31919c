// Executing triangle blocks on matrices in any arrangement (Al Daas et al. 2023, Algorithms 1 to
// 3): bring the touched rows to each rank, form its pairs, add them up where C lies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/blas.hpp"
#include "redblue/linalg.hpp"
#include "redblue/symmetric.hpp"

namespace redblue {

// Where the matrices of C = alpha A B' + alpha B A' + beta C (or alpha A A' + beta C) lie; ' is the
// transpose or conjugate transpose.
struct TriangleSetup {
  TriangleDecomposition decomposition;
  std::vector<layout::Arrangement> factors;  // A, or A and B: n x k
  bool conjugate_factors = false;            // use the conjugates of their elements
  layout::Arrangement c;                     // n x n, of which the lower triangle counts
  bool conjugate_c = false;                  // it holds the conjugates of C's elements
  bool hermitian = false;
  bool lean = false;  // as comm::TransferOptions
};

// Where the matrices lie; the rest of the setup is as it starts.
TriangleSetup setup_of(const SyrkLayouts& layouts, int ranks);

template <class T>
class TriangleUpdate {
 public:
  TriangleUpdate(const comm::Communicator& communicator, const TriangleSetup& setup);

  // Words of the buffer execute() needs.
  std::int64_t workspace() const { return workspace_; }

  // Allocates nothing; adds to `traffic`. `b` only where there are two factors. With `hermitian`
  // the second term has the conjugate of alpha, and C's diagonal becomes real.
  void execute(const comm::Communicator& communicator, T alpha, const T* a, const T* b, T beta,
               T* c, T* workspace, GemmTraffic& traffic);

 private:
  // A factor's touched rows, round by round.
  struct Slab {
    std::vector<comm::Transfer<T>> rounds;
    std::vector<layout::Patch> patches;
    std::vector<std::optional<layout::Block>> in_place;
    std::int64_t place = 0;  // in the workspace
    std::int64_t send = 0;
    std::int64_t receive = 0;
  };
  // A pair of points: rows i and j of the slab, `rows` x `columns`, to be added up at `face`.
  struct Pair {
    std::int64_t i, j, rows, columns;
    layout::Block face;
  };

  void make_slabs(const comm::Communicator& communicator, const TriangleSetup& setup);
  void make_faces(const comm::Communicator& communicator, const TriangleSetup& setup);
  void lay_out_workspace();
  blas::Factor<T> factor(const Slab& slab, std::size_t round, const T* source,
                         const T* workspace) const;
  void form(const Pair& pair, std::int64_t k, T alpha, const blas::Factor<T>& a,
            const blas::Factor<T>* b, T beta, T* face) const;
  void clear_imaginary_diagonal(T* c) const;

  bool hermitian_ = false;
  std::vector<Slab> slabs_;
  std::vector<Pair> pairs_;
  bool faces_in_place_ = false;
  std::vector<layout::Patch> target_;
  std::optional<comm::Transfer<T>> reduction_;
  std::int64_t face_words_ = 0;
  std::int64_t staging_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue
