// Parallel matrix multiplication on MPI that moves what its lower bound allows, and says so.
//
// Every call here is collective over the communicator unless marked local, and throws Error on all
// ranks together or on none. Matrices are double precision. MPI must be initialised.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "redblue/model.hpp"
#include "redblue/units.hpp"

namespace redblue {

// What one rank moved, exactly: payload words of point-to-point messages.
struct Traffic {
  Words words_received;
  Words words_sent;
  Messages messages_received;
  Messages messages_sent;
};

// The phases of a multiplication.
struct GemmTraffic {
  Traffic exchange;  // parts of A and B
  Traffic reduce;    // contributions to C
  Traffic total() const;
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

struct GemmOptions {
  std::optional<Words> memory;  // per rank: owned parts and buffers; none: unlimited
  Objective objective = Objective::words;
  Machine machine;
};

// C = alpha A B + beta C for one shape, decomposed once, executed any number of times.
//
// Native layout: each rank owns the parts listed by parts(); every element has one owner. Data is
// passed as one contiguous array per matrix of owned(operand) words. Any m, n, k >= 0 and any
// number of ranks; ranks without work own nothing.
class GemmPlan {
 public:
  // Builds message lists and buffers. Throws Error like choose_gemm, when ranks disagree on the
  // shape, or when a rank cannot allocate its buffers. O(cells) time; moves a few words.
  GemmPlan(MPI_Comm communicator, const GemmShape& shape, const GemmOptions& options = {});
  ~GemmPlan();
  GemmPlan(GemmPlan&&) noexcept;
  GemmPlan& operator=(GemmPlan&&) noexcept;

  const Decomposition& decomposition() const;                      // local
  Words owned(Operand operand) const;                              // local
  const std::vector<OwnedPart>& parts(Operand operand) const;      // local
  std::vector<OwnedPart> parts(Operand operand, Rank rank) const;  // of any rank; local, O(cells)

  // Allocates nothing. `c` is not read when beta is 0. Arrays may be null where owned() is 0.
  void execute(double alpha, const double* a, const double* b, double beta, double* c);

  // What the last execute() moved on this rank. Local.
  const GemmTraffic& traffic() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
