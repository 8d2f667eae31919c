// Reproducible test matrices and the check of a product against them.
#pragma once

#include <cstdint>
#include <vector>

#include "comm/communicator.hpp"
#include "redblue/linalg.hpp"

namespace redblue {

// Element (row, column) of the random matrix `seed`, in [-1/2, 1/2); the same on every rank.
double random_element(std::uint64_t seed, std::int64_t row, std::int64_t column);

// Seeds of the two factors of a checked product.
inline constexpr std::uint64_t seed_a = 1;
inline constexpr std::uint64_t seed_b = 2;

// This rank's part of the random matrix `seed`, in the plan's native layout.
std::vector<double> random_part(const GemmPlan& plan, Operand operand, std::uint64_t seed);

struct Residual {
  double value = 0;  // max |(C - A B) x| / (k n eps max|A| max|B| max|x|), x random
  bool ok = true;    // value below 1 and every number finite
};

// Checks C = A B for the random matrices A and B without forming A B: w = C x against A (B x),
// computed from the elements' definition in plain loops. Collective; moves m + k words per rank.
Residual check_product(comm::Communicator& communicator, const GemmShape& shape,
                       const std::vector<OwnedPart>& parts, const double* c);

}  // namespace redblue
