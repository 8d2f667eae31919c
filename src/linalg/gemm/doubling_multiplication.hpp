// SPDX-License-Identifier: BSD-3-Clause
// C = alpha A B + beta C on a grid in the native layout, its lines exchanging their parts by
// doubling: few messages, one after the other.
#pragma once

#include <cstdint>
#include <vector>

#include "decomposition/ownership.hpp"
#include "linalg/gemm/line_exchange.hpp"
#include "redblue/gemm.hpp"

namespace redblue::linalg {

template <class T>
class DoublingMultiplication {
 public:
  // Local.
  DoublingMultiplication(const Decomposition& decomposition, const std::vector<Cuboid>& cuboids,
                         const Ownership& ownership, Rank rank);

  // Words of the buffer execute() needs.
  std::int64_t workspace() const { return workspace_; }

  // Allocates nothing; adds to `traffic`.
  void execute(const comm::Communicator& communicator, T alpha, const T* a, const T* b, T beta,
               T* c, T* workspace, GemmTraffic& traffic);

 private:
  // A round's block of A or B, or a reduction's of C.
  struct Part {
    LineExchange<T> line;
    std::int64_t piece;              // which round or reduction
    std::int64_t rows, columns;      // of the block
    std::int64_t own, begin, words;  // this rank's share: in its array, in the block
    bool shared;                     // with other ranks
  };
  struct Factor {
    const T* data = nullptr;
    std::int64_t leading = 1;
  };

  std::vector<Part> parts(const std::vector<Cell>& cells, Operand operand, std::int64_t pieces,
                          Rank rank) const;
  void gather(const comm::Communicator& communicator, std::int64_t round, const T* a, const T* b,
              T* workspace, Traffic& count);
  Factor factor(const std::vector<Part>& of, std::int64_t round, const T* array,
                const T* panel) const;
  void add_up(const comm::Communicator& communicator, Part& part, T* block, T beta, T* c,
              T* staging, Traffic& count);

  Cuboid mine_;
  std::int64_t rounds_ = 1, panels_ = 1, reductions_ = 1;
  std::vector<Part> a_, b_, c_;
  bool adds_up_ = false;  // C is shared
  // in the workspace: C's contributions from 0 on, unless C is this rank's alone
  std::int64_t a_panel_ = 0, b_panel_ = 0, staging_ = 0;
  std::int64_t workspace_ = 0;
};

}  // namespace redblue::linalg
