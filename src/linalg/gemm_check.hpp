// Reproducible test matrices and the check of a product against them.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "comm/number.hpp"
#include "layout/arrangement.hpp"
#include "redblue/linalg.hpp"

namespace redblue {

// Element (row, column) of the random matrix `seed`, in [-1/2, 1/2); the same on every rank.
double random_element(std::uint64_t seed, std::int64_t row, std::int64_t column);

// Seeds of the two factors of a checked product, and of what is added to.
inline constexpr std::uint64_t seed_a = 1;
inline constexpr std::uint64_t seed_b = 2;
inline constexpr std::uint64_t seed_c = 9;

// The same of any type; the imaginary part is a random matrix of its own.
template <class T>
T random_number(std::uint64_t seed, std::int64_t row, std::int64_t column);

// An array of `words` with these patches of the random matrix `seed`; what lies between them is not
// a number.
template <class T>
std::vector<T> random_array(const std::vector<layout::Patch>& patches, Words words,
                            std::uint64_t seed);

// This rank's part of the random matrix `seed`, in the plan's native layout.
template <class T>
std::vector<T> random_part(const GemmPlan<T>& plan, Operand operand, std::uint64_t seed);

struct Residual {
  double value = 0;  // max |(C - A B) x| / (k n eps max|A| max|B| max|x|), x random
  bool ok = true;    // value below 1 and every number finite
};

// Checks C = A B for the random matrices A and B without forming A B: w = C x against A (B x),
// computed from the elements' definition in plain loops. `held` is what this rank holds of C.
// Collective; moves m + k words per rank.
template <class T>
Residual check_product(comm::Communicator& communicator, const GemmShape& shape,
                       const std::vector<layout::Patch>& held, const T* c);

}  // namespace redblue
