// Executing triangle blocks on matrices in any arrangement (Al Daas et al. 2023, Algorithms 1 to
// 3): bring the touched rows to each rank, form its pairs, add them up where C lies.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/blas.hpp"
#include "linalg/symmetric_in_place.hpp"
#include "redblue/linalg.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::linalg {

// Where the matrices of C = alpha A B' + alpha B A' + beta C (or alpha A A' + beta C) lie; ' is the
// transpose or conjugate transpose.
struct TriangleSetup {
  TriangleDecomposition decomposition;
  bool in_place = false;  // every rank forms what it holds of C; of the decomposition only its k
                          // and its rounds count
  std::vector<layout::Arrangement> factors;  // A, or A and B: n x k
  bool conjugate_factors = false;            // use the conjugates of their elements
  layout::Arrangement c;                     // n x n, of which the lower triangle counts
  bool conjugate_c = false;                  // it holds the conjugates of C's elements
  bool hermitian = false;
  bool lean = false;  // as comm::TransferOptions
};

// Where the matrices lie; the rest of the setup is as it starts.
TriangleSetup setup_of(const SyrkLayouts& layouts, int ranks);

// Sets triangle blocks for such a request or, where that moves less and the work is shared as well,
// leaves C in place.
void decompose(TriangleSetup& setup, const SyrkPlanRequest& request);

std::string name_of(const TriangleSetup& setup);

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
  // What a rank has of it in a round.
  struct Held {
    std::int64_t leading = 1;
    std::int64_t words = 0;
    std::int64_t columns = 0;
    std::optional<layout::Block> in_place;
  };
  // A factor's touched rows, round by round.
  struct Slab {
    std::vector<comm::Transfer<T>> rounds;
    std::vector<Held> held;
    std::int64_t place = 0;  // in the workspace
    std::int64_t send = 0;
    std::int64_t receive = 0;
  };

  void make_slabs(const comm::Communicator& communicator, const TriangleSetup& setup);
  void make_faces(const comm::Communicator& communicator, const TriangleSetup& setup);
  void make_faces_in_place(const std::vector<layout::Patch>& held);
  void lay_out_workspace();
  blas::Factor<T> factor(const Slab& slab, std::size_t round, const T* source,
                         const T* workspace) const;
  void form(const Face& face, std::int64_t k, T alpha, const blas::Factor<T>& a,
            const blas::Factor<T>* b, T beta, T* faces) const;
  void clear_imaginary_diagonal(T* c) const;

  bool hermitian_ = false;
  std::vector<Slab> slabs_;
  std::vector<Face> faces_;
  bool faces_in_place_ = false;
  std::vector<layout::Patch> target_;
  std::optional<comm::Transfer<T>> reduction_;
  std::int64_t face_words_ = 0;
  std::int64_t staging_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
