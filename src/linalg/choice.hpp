// The multiplication that is executed: the placement predicted to be fastest that fits the memory.
#pragma once

#include <string>

#include "linalg/multiplication.hpp"
#include "redblue/linalg.hpp"

namespace redblue::linalg {

template <class T>
struct ChosenMultiplication {
  std::string name;
  Multiplication<T> multiplication;
};

// Where op(A), op(B) and C lie; the rest of the setup is as it starts.
MultiplicationSetup setup_of(const GemmLayouts& layouts, int ranks);

// For matrices in the caller's layouts: `setup` says where they lie; domains, steps and how
// messages travel are filled in. Throws Error naming the least memory that would do where
// options.memory does not. Collective with options.memory, local without.
template <class T>
ChosenMultiplication<T> choose_multiplication(comm::Communicator& communicator,
                                              const GemmShape& shape, MultiplicationSetup setup,
                                              const GemmOptions& options);

}  // namespace redblue::linalg
