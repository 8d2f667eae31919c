// SPDX-License-Identifier: BSD-3-Clause
// Parallel matrix multiplication on MPI that moves what its lower bound allows, and says so.
//
// Every call here is collective over the communicator unless marked local, and throws Error on all
// ranks together or on none. T is float, double, std::complex<float> or std::complex<double>; a
// word is one element. MPI must be initialised.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "redblue/gemm_model.hpp"
#include "redblue/layout.hpp"
#include "redblue/op.hpp"
#include "redblue/traffic.hpp"
#include "redblue/units.hpp"

namespace redblue {

// The phases of a multiplication. Matrices in the caller's layouts are not redistributed first:
// each rank receives just the parts that it multiplies and does not own.
struct GemmTraffic {
  Traffic exchange;  // parts of A and B
  Traffic reduce;    // contributions to C
  Traffic total() const { return exchange + reduce; }
};

// A part of a matrix a rank owns in a plan's native layout: elements begin .. end-1 of the block in
// column-major order, stored at local[offset], local[offset + 1], ...
struct OwnedPart {
  Range rows, columns;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t offset = 0;
};

// Calls f(row, column, offset) for every element of the parts, in storage order.
template <class F>
void for_each_element(const std::vector<OwnedPart>& parts, F f) {
  for (const OwnedPart& part : parts) {
    std::int64_t column = part.columns.begin + part.begin / part.rows.size();
    std::int64_t row = part.rows.begin + part.begin % part.rows.size();
    for (std::int64_t e = part.begin; e < part.end; ++e) {
      f(row, column, part.offset + e - part.begin);
      if (++row == part.rows.end) {
        row = part.rows.begin;
        ++column;
      }
    }
  }
}

// How parts of matrices travel: sent, or read by the ranks that need them (MPI's one-sided
// communication). One-sided reads are from the matrices themselves in the native layout and with a
// memory limit, else from windows into which their owners copy them.
enum class Backend { two_sided, one_sided };

struct GemmOptions {
  std::optional<Words> memory;  // per rank: matrices and buffers; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
  // Where a memory limit makes a rank work in rounds: fetch the next round's parts of A and B while
  // multiplying, in twice the buffers, if the limit leaves room for these.
  bool overlap = false;
  Backend backend = Backend::two_sided;
  // In the native layout, as in GemmPlanRequest. By doubling everything is sent, and nothing ahead:
  // throws Error with `overlap` or one-sided.
  std::optional<Exchange> exchange = std::nullopt;
  // Per rank: buffers alone, beside the caller's matrices; in callers' layouts only.
  std::optional<Words> workspace = std::nullopt;
};

// The layouts of the matrices of C = alpha op(A) op(B) + beta C: A and B as stored, before op.
struct GemmLayouts {
  Op op_a = Op::none;
  Layout a;
  Op op_b = Op::none;
  Layout b;
  Layout c;
};

// C = alpha op(A) op(B) + beta C for one shape and layout, decomposed once, executed any number of
// times. Any m, n, k >= 0 and any number of ranks.
template <class T>
class GemmPlan {
 public:
  // In the native layout: each rank owns the parts listed by parts(), every element has one owner,
  // and A and B are stored as they are multiplied (m x k, k x n). Data is passed as one contiguous
  // array per matrix of owned(operand) words. Builds message lists and buffers. Throws Error like
  // choose_gemm, when ranks disagree on the shape, or when a rank cannot allocate its buffers.
  // O(cells) time; moves a few words.
  GemmPlan(MPI_Comm communicator, const GemmShape& shape, const GemmOptions& options = {});

  // In the caller's layouts: by choose_gemm's decomposition, or leaving A, B or C in place, or most
  // of it, in groups of ranks that take each other's parts. Of the ways that move within a few
  // percent of the fewest words, or of all where options.objective is seconds, the one that is
  // predicted to be fastest. Throws Error also where layouts do not fit together or differ between
  // ranks. O(ranks^2 + blocks of a rank) time.
  GemmPlan(MPI_Comm communicator, const GemmLayouts& layouts, const GemmOptions& options = {});

  ~GemmPlan();
  GemmPlan(GemmPlan&&) noexcept;
  GemmPlan& operator=(GemmPlan&&) noexcept;

  const GemmShape& shape() const;      // local
  const std::string& name() const;     // local: "grid 2 x 2 x 1", "C in place"
  Words memory() const;                // local: words this rank holds, matrices and buffers
  Words owned(Operand operand) const;  // local: of the array this rank passes

  // Of native layouts only.
  const Decomposition& decomposition() const;                      // local
  const std::vector<OwnedPart>& parts(Operand operand) const;      // local
  std::vector<OwnedPart> parts(Operand operand, Rank rank) const;  // of any rank; local, O(cells)

  // Allocates nothing. `c` is not read when beta is 0. Arrays may be null where owned() is 0;
  // throws Error on all ranks where one is null elsewhere.
  void execute(T alpha, const T* a, const T* b, T beta, T* c);

  // What the last execute() moved on this rank. Local.
  const GemmTraffic& traffic() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
