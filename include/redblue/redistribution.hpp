// SPDX-License-Identifier: BSD-3-Clause
// A matrix moved from one layout to another on MPI.
//
// Every call here is collective over the communicator unless marked local, and throws Error on all
// ranks together or on none. T is float, double, std::complex<float> or std::complex<double>; a
// word is one element. MPI must be initialised.
#pragma once

#include <mpi.h>

#include <memory>

#include "redblue/layout.hpp"
#include "redblue/op.hpp"
#include "redblue/traffic.hpp"

namespace redblue {

// B = alpha op(A) + beta B between two layouts, each element sent at most once; planned once,
// executed any number of times.
template <class T>
class Redistribution {
 public:
  // Throws Error where op(A) and B have different sizes or layouts are invalid or differ between
  // ranks. O(ranks + blocks of a rank) time.
  Redistribution(MPI_Comm communicator, Op op, const Layout& a, const Layout& b);
  ~Redistribution();
  Redistribution(Redistribution&&) noexcept;
  Redistribution& operator=(Redistribution&&) noexcept;

  // Allocates nothing. `b` is not read when beta is 0; it must not overlap `a`. Throws Error on all
  // ranks where an array is null on a rank that holds some of its matrix.
  void execute(T alpha, const T* a, T beta, T* b);

  const Traffic& traffic() const;  // of the last execute(). Local.

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace redblue
