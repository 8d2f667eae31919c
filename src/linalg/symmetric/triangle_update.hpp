// SPDX-License-Identifier: BSD-3-Clause
// C = alpha A A' + beta C, or C = alpha (A B' + B A') + beta C, on triangle blocks or with C in
// place, for matrices in any arrangement ([aldaas2023, Algorithms 1 to 3], for any number of
// ranks).
//
// The rows of A are cut into row blocks, k into a chunk K_l for each replica l, and K_l into
// rounds. A rank (l, member) has some row blocks and some pairs (I, J), I >= J, of them:
//
//   for each round K of K_l:
//     A(I, K) (and B(I, K)) for its row blocks I      allgather among the ranks with I
//     C_l(I, J) += alpha A(I, K) A(J, K)'             syrk or herk if I = J, else gemm
//   C(I, J) = beta C(I, J) + sum over l of C_l(I, J)  reduce-scatter to C's owners
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/blas/blas.hpp"
#include "linalg/symmetric/symmetric_in_place.hpp"
#include "redblue/gemm.hpp"
#include "redblue/symmetric.hpp"

namespace redblue::linalg {

// The arrangements of the matrices; ' is the transpose or conjugate transpose.
struct TriangleSetup {
  TriangleDecomposition decomposition;
  bool in_place = false;  // C stays where it is; of the decomposition only k and rounds count
  std::vector<layout::Arrangement> factors;  // A, or A and B: n x k
  // The same with columns numbered by their owners (linalg/symmetric/column_order), if there are
  // such numbers.
  std::optional<std::vector<layout::Arrangement>> by_owner = {};
  bool conjugate_factors = false;  // use the conjugates of their elements
  layout::Arrangement c;           // n x n, of which the lower triangle counts
  bool conjugate_c = false;        // the arrangement stores conjugates of C's elements
  bool hermitian = false;
  bool zero_copy = false;  // as comm::TransferOptions

  // Whether ranks share k, so that each takes columns that it has.
  bool takes_by_owner() const { return by_owner && !in_place && decomposition.replicas > 1; }
  const std::vector<layout::Arrangement>& placed_factors() const {
    return takes_by_owner() ? *by_owner : factors;
  }
};

// The arrangements of the matrices; the rest of the setup keeps its defaults.
TriangleSetup setup_of(const SyrkLayouts& layouts, int ranks);

// Chooses triangle blocks or, where that moves less with about as even work, leaves C in place.
void choose_blocks_or_place(TriangleSetup& setup, const SyrkPlanRequest& request);
// The same, or, where that moves still less, k cut among all ranks: every rank multiplies columns
// that it has, and these sums are added up. Returns whether it is that.
bool decompose(TriangleSetup& setup, const SyrkPlanRequest& request);

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
  // This rank's panel in one round.
  struct RoundPanel {
    std::int64_t leading = 1;
    std::int64_t words = 0;
    std::int64_t columns = 0;
    std::optional<layout::StoredBlock> in_place;
  };
  // The panels of a factor, A or B, round by round.
  struct FactorPanels {
    std::vector<comm::Transfer<T>> transfers;
    std::vector<RoundPanel> panels;
    std::int64_t offset = 0;  // in the workspace
    std::int64_t gathered = 0;
    std::int64_t send = 0;
    std::int64_t receive = 0;
  };

  void make_panels(const comm::Communicator& communicator, const TriangleSetup& setup);
  void make_blocks(const comm::Communicator& communicator, const TriangleSetup& setup);
  void use_blocks_in_place(const std::vector<layout::Patch>& local);
  void lay_out_workspace();
  blas::Factor<T> factor(const FactorPanels& panel, std::size_t round, const T* source,
                         const T* workspace) const;
  blas::Factor<T> gather(const blas::Factor<T>& x, std::int64_t k, T* to) const;
  std::int64_t gathered_rows() const;
  // A(:, K) as blocks' I and J count its rows.
  struct Panels {
    blas::Factor<T> of_rows{}, of_columns{};
  };
  void form(const SymmetricBlock& block, std::int64_t k, T alpha, const Panels& a, const Panels* b,
            T beta, T* blocks) const;
  void clear_imaginary_diagonal(T* c) const;

  bool hermitian_ = false;
  std::vector<FactorPanels> factors_;
  std::vector<SymmetricBlock> blocks_;
  std::vector<Range> gathered_;  // the panels' rows that blocks' J count, where not all
  bool c_in_place_ = false;
  std::vector<layout::Patch> target_;
  std::optional<comm::Transfer<T>> reduction_;
  std::int64_t block_words_ = 0;
  std::int64_t staging_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
