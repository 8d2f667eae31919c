// SPDX-License-Identifier: BSD-3-Clause
// A served call that only moves a matrix.
#pragma once

#include <string>

#include "comm/communicator.hpp"
#include "redblue/layout.hpp"
#include "redblue/op.hpp"
#include "redblue/traffic.hpp"

namespace redblue::scalapack {

// B = alpha op(A) + beta B. Collective.
template <class T>
Traffic move(const comm::Communicator& communicator, Op op, T alpha, const BlockCyclic& at_a,
             const T* a, T beta, const BlockCyclic& at_b, T* b);

// A matrix argument of a call, and what to say of it.
struct MovedArray {
  const void* array;
  const BlockCyclic& placed;
  int context;
  std::string routine;
  int position;
};

// Reports the argument where the array is null and this rank holds some of the submatrix.
void require_array(const comm::Communicator& communicator, const MovedArray& x);

}  // namespace redblue::scalapack
