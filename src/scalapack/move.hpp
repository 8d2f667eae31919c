// A served call that only moves a matrix.
#pragma once

#include "comm/communicator.hpp"
#include "redblue/linalg.hpp"

namespace redblue::scalapack {

// B = alpha op(A) + beta B. Collective.
template <class T>
Traffic move(const comm::Communicator& communicator, Op op, T alpha, const BlockCyclic& at_a,
             const T* a, T beta, const BlockCyclic& at_b, T* b);

// Whether the rank holds some of the submatrix.
bool holds_part(const comm::Communicator& communicator, const BlockCyclic& lies);

}  // namespace redblue::scalapack
