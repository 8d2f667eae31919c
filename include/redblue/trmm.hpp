// SPDX-License-Identifier: BSD-3-Clause
// Products with triangular matrices in parallel, moving little.
//
// As in redblue/gemm.hpp: calls are collective unless marked local and throw Error on all ranks
// together or on none; T is float, double or std::complex of them; a word is one element.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <string>

#include "redblue/op.hpp"
#include "redblue/solve.hpp"

namespace redblue {

// The layouts of the matrices of B = alpha op(T) B (left) or B = alpha B op(T) (right).
struct TrmmLayouts {
  Side side = Side::left;
  Triangle triangle = Triangle::lower;  // of T; the other is not read
  Op op = Op::none;
  bool unit = false;  // T's diagonal is all ones and not read
  Layout t, b;
};

// Such a product, planned once, executed any number of times: n^2 m / 2 multiplications for T of
// order n and m columns (rows) of B. B stays in place, or T, or all goes to a grid of rows, sums
// and columns, whatever moves least; T and B come in rounds, so that a rank holds about twice its
// part of the result beside the caller's arrays; with a limit on a rank's memory in more rounds,
// down to about once that part.
template <class T>
class TrmmPlan {
 public:
  // Throws Error where layouts are invalid, do not fit together or differ between ranks, and where
  // some rank needs more words than `memory`, naming how many would do.
  TrmmPlan(MPI_Comm communicator, const TrmmLayouts& layouts,
           std::optional<Words> memory = std::nullopt);
  ~TrmmPlan();
  TrmmPlan(TrmmPlan&&) noexcept;
  TrmmPlan& operator=(TrmmPlan&&) noexcept;

  std::string name() const;  // local: "B in place", "2 x 2 x 1 classes of 64"
  Words memory() const;      // local: beside the caller's arrays
  Words words() const;       // local: received by this rank in every execute(), exactly
  // Local: what some rank receives at least, where none multiplies more than the busiest here.
  double bound() const;

  // With alpha = 0 neither T nor B is read.
  void execute(T alpha, const T* t, T* b);

  // T's and B's parts are exchanged, contributions to the result reduced. Of the last execute().
  const GemmTraffic& traffic() const;  // local

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
