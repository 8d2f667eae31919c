// SPDX-License-Identifier: BSD-3-Clause
// Choosing how matrices in the caller's layouts are multiplied: the placement that is predicted to
// be fastest among those that fit the memory.
#pragma once

#include <string>

#include "linalg/gemm/multiplication.hpp"
#include "redblue/gemm.hpp"

namespace redblue::linalg {

template <class T>
struct ChosenMultiplication {
  std::string name;
  Multiplication<T> multiplication;
};

// The arrangements of op(A), op(B) and C; the rest of the setup keeps its defaults.
MultiplicationSetup setup_of(const GemmLayouts& layouts, int ranks);

// `setup` has the arrangements; domains, steps and the kind of transfers are filled in. Throws
// Error naming the least memory that would do where options.memory does not. Collective with
// options.memory, local without.
template <class T>
ChosenMultiplication<T> choose_multiplication(comm::Communicator& communicator,
                                              const GemmShape& shape, MultiplicationSetup setup,
                                              const GemmOptions& options);

}  // namespace redblue::linalg
