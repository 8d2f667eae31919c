// SPDX-License-Identifier: BSD-3-Clause
// B = alpha op(T) B or alpha B op(T), T triangular. As each rank's share of C = T B
// (linalg/triangular/shares.hpp) says, in rounds over its depth K:
//
//   T(rows, K_r), its triangle, and B(K_r, columns)   from their owners
//   C'(rows, columns) += alpha T(rows, K_r) B(K_r, columns)   gemm, below T's diagonal
//   B = the sum of all ranks' C'                      reduce-scatter to B's owners
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "comm/transfer.hpp"
#include "linalg/triangular/shares.hpp"
#include "redblue/trmm.hpp"

namespace redblue::linalg {

struct TriangularProductSetup {
  triangular::Matrices matrices;  // of C = T B; B op(T) as its transposed
  bool conjugate_t = false;
  bool unit = false;
};

TriangularProductSetup setup_of(const TrmmLayouts& layouts, int ranks);

template <class T>
class TriangularProduct {
 public:
  // With a limit, in as many rounds as it takes for every rank's workspace to be within, or in
  // those that need least. Local without a limit, else collective.
  TriangularProduct(comm::Communicator& communicator, const TriangularProductSetup& setup,
                    std::optional<Words> limit = std::nullopt);

  const std::string& name() const { return sharing_.name; }
  std::int64_t workspace() const { return buffers_offset_ + buffers_; }
  Words words() const;  // this rank receives
  // Some rank receives at least, where none multiplies more than the busiest here.
  double bound() const;

  // Adds to `traffic`.
  void execute(const comm::Communicator& communicator, T alpha, const T* t, T* b, T* workspace,
               GemmTraffic& traffic);

 private:
  struct Round {
    layout::IndexSet rows, depth;  // of T, in this round
    comm::Transfer<T> t, b;
  };

  void plan_rounds(const comm::Communicator& communicator, std::int64_t rounds);
  void plan_round(const comm::Communicator& communicator, std::int64_t number, std::int64_t rounds);
  std::int64_t rounds_of(std::int64_t ranks) const;
  void complete_diagonal(const Round& round, T* t) const;
  void multiply(const Round& round, T alpha, const T* t, const T* b, T* c) const;

  TriangularProductSetup setup_;
  triangular::Sharing sharing_;
  triangular::Share mine_;
  std::size_t me_;
  std::vector<Round> rounds_;
  std::vector<comm::Transfer<T>> out_;  // one
  std::int64_t t_offset_ = 0;           // behind C'
  std::int64_t b_offset_ = 0;
  std::int64_t buffers_offset_ = 0;
  std::int64_t buffers_ = 0;
};

}  // namespace redblue::linalg
