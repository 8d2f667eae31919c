// Executing a decomposition on matrices in any arrangement (shared/design/parallel.md 1, step 4):
// bring the parts of A and B to the ranks that multiply them, multiply, add the contributions to C
// up where it lies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/blas.hpp"
#include "redblue/linalg.hpp"

namespace redblue::linalg {

// The multiplications C(i, j) += A(i, k) B(k, j) of one rank, for all i, j, k of three sets; idle
// when one is empty.
struct Domain {
  layout::IndexSet i, j, k;
  // k in the pieces the rank works through, one after another. All ranks have as many.
  std::vector<layout::IndexSet> steps;

  bool empty() const { return i.empty() || j.empty() || k.empty(); }
};

// Steps that cut each rank's k evenly.
void cut_evenly(std::vector<Domain>& domains, std::int64_t steps);

// What a rank needs of an operand for some of its k, as a block without gaps.
layout::Patch footprint(const Domain& domain, Operand operand, const layout::IndexSet& k);

// How C = alpha A B + beta C is done.
struct MultiplicationSetup {
  layout::Arrangement a, b, c;  // m x k, k x n, m x n
  bool conjugate_a = false;     // multiply with the conjugates of A's elements
  bool conjugate_b = false;
  std::vector<Domain> domains;  // one per rank, disjoint, covering everything
  std::size_t ahead = 0;        // steps whose parts are on their way while one is multiplied
  bool lean = false;            // as comm::TransferOptions
  bool one_sided = false;       // as comm::TransferOptions
};

template <class T>
class Multiplication {
 public:
  Multiplication(const comm::Communicator& communicator, const MultiplicationSetup& setup);

  // Words of the buffer execute() needs.
  std::int64_t workspace() const { return workspace_; }

  // Allocates nothing; adds to `traffic`.
  void execute(const comm::Communicator& communicator, T alpha, const T* a, const T* b, T beta,
               T* c, T* workspace, GemmTraffic& traffic);

 private:
  // A's or B's parts of one step.
  struct Step {
    comm::Transfer<T> transfer;
    layout::Patch slab;
    std::optional<layout::Block> in_place;  // the slab stands in the rank's own array
  };
  struct Input {
    bool conjugate = false;
    std::vector<Step> steps;
    struct Place {  // in the workspace
      std::int64_t slab, send, receive;
    };
    std::vector<Place> slots;
    std::int64_t slab_words = 0;
    std::int64_t send_words = 0;
    std::int64_t receive_words = 0;
    std::int64_t extent = 0;  // of the rank's array
  };

  static Input input(const comm::Communicator& communicator, const layout::Arrangement& held,
                     bool conjugate, Operand operand, const MultiplicationSetup& setup);
  void lay_out_workspace();
  void expose(const comm::Communicator& communicator, const T* source, Input& input,
              std::optional<comm::Exposure>& exposure) const;
  void start(const comm::Communicator& communicator, Input& input, std::size_t step,
             const T* source, T* workspace, GemmTraffic& traffic);
  void finish(const comm::Communicator& communicator, Input& input, std::size_t step,
              GemmTraffic& traffic);
  blas::Factor<T> factor(const Input& input, std::size_t step, const T* source,
                         const T* workspace) const;
  void multiply(const comm::Communicator& communicator, std::int64_t k, T alpha,
                const blas::Factor<T>& a, const blas::Factor<T>& b, T beta, T* c,
                std::int64_t leading, bool watch) const;

  std::int64_t m_ = 0;  // of this rank's domain
  std::int64_t n_ = 0;
  std::size_t slots_ = 1;  // steps held at a time
  Input a_, b_;
  bool exposes_ = false;  // matrices and faces, for other ranks to read
  std::optional<layout::Block> face_in_place_;
  std::optional<comm::Transfer<T>> reduction_;
  std::int64_t face_ = 0;  // where it stands in the workspace
  std::int64_t staging_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
