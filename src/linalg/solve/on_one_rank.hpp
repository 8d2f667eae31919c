// SPDX-License-Identifier: BSD-3-Clause
// Solves whose matrices a single rank has: in its own arrays, by BLAS's triangular solves.
#pragma once

#include <optional>

#include "linalg/solve/solve.hpp"

namespace redblue::linalg {

// How the arrays of a communicator's only rank hold T and X; nothing where BLAS cannot take them as
// they are, and where there are more ranks.
std::optional<OnOneRank> on_one_rank(const SolveSetup& setup, int ranks);

// B = X, the passes of the setup applied to alpha B.
template <class T>
void solve_on_one_rank(const SolveSetup& setup, const OnOneRank& at, T alpha, const T* triangles,
                       T* b, const typename PlacedSolve<T>::RowOrder& order);

}  // namespace redblue::linalg
