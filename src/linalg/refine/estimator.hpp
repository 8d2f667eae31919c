// SPDX-License-Identifier: BSD-3-Clause
// Estimates of the 1-norms of matrices of which only products with vectors are known [higham1988],
// as LAPACK's lacn2 makes them; of several matrices at once.
#pragma once

#include <complex>
#include <cstdint>
#include <functional>
#include <vector>

#include "comm/communicator.hpp"

namespace redblue::linalg {

// A vector of length n for each matrix, of which this rank has rows begin .. end-1.
struct VectorShare {
  std::int64_t n = 0;
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t columns = 0;

  std::int64_t rows() const { return end - begin; }
  std::int64_t words() const { return rows() * columns; }
};

// Replaces each vector x by its matrix's product A x, or A' x where asked for the adjoint.
template <class T>
using ApplyMatrix = std::function<void(bool adjoint, T* x)>;

// The estimates, the same on all ranks: each is the 1-norm of some A x with |x| = 1, and so no more
// than A's; seldom less than a third of it. Four to eleven products with each matrix. Collective.
template <class T>
std::vector<double> estimated_norms(comm::Communicator& communicator, const VectorShare& share,
                                    const ApplyMatrix<T>& apply);

}  // namespace redblue::linalg
