// SPDX-License-Identifier: BSD-3-Clause
// C = alpha A B + beta C by a decomposition, on matrices in any arrangement: send the parts of A
// and B to the ranks that multiply them, multiply, and add the contributions to C up at its owners
// (the parallel schedule of [kwasniewski2019], for any decomposition).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/blas/blas.hpp"
#include "redblue/gemm.hpp"

namespace redblue::linalg {

// A rank's block of the iteration space: its multiplications C(i, j) += A(i, k) B(k, j), for all i,
// j, k of three sets; idle when one is empty.
struct Domain {
  layout::IndexSet i, j, k;
  // k, cut into the steps that the rank works through. All ranks have as many.
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
  std::size_t ahead = 0;        // steps whose panels are under way while one is multiplied
  bool zero_copy = false;       // as comm::TransferOptions
  bool one_sided = false;       // as comm::TransferOptions
  // Pieces of each rank's columns in which contributions are added up, one after another; more than
  // 1 only where no rank owns elements of C outside its block, nor in two pieces of others.
  std::int64_t reductions = 1;
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
  // The panel of A or B of one step: A(I, K_s) or B(K_s, J).
  struct Step {
    comm::Transfer<T> transfer;
    layout::Patch panel;
    std::optional<layout::StoredBlock> in_place;  // the panel is in the rank's own array
  };
  struct Input {
    bool conjugate = false;
    std::vector<Step> steps;
    struct Offsets {  // in the workspace
      std::int64_t panel, send, receive;
    };
    std::vector<Offsets> slots;
    std::int64_t panel_words = 0;
    std::int64_t send_words = 0;
    std::int64_t receive_words = 0;
    std::int64_t extent = 0;  // of the rank's array
  };

  static Input input(const comm::Communicator& communicator, const layout::Arrangement& local,
                     bool conjugate, Operand operand, const MultiplicationSetup& setup);
  void plan_reductions(const comm::Communicator& communicator, const MultiplicationSetup& setup,
                       const layout::Arrangement& blocks);
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
  std::size_t slots_ = 1;  // steps whose panels have room at a time
  Input a_, b_;
  bool exposes_ = false;  // matrices and blocks of C, for other ranks to read
  std::optional<layout::StoredBlock> c_in_place_;
  std::vector<comm::Transfer<T>> reductions_;
  std::int64_t c_offset_ = 0;  // of C's block in the workspace, unless in place
  std::int64_t staging_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
