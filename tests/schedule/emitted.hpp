// SPDX-License-Identifier: BSD-3-Clause
// Runs a C function and a rewritten one on the same data.
#pragma once

#include <string>
#include <vector>

namespace redblue::test {

// Compiles `original` (a file of kernels/) and `rewritten` (the same file, changed), calls the one
// function both define with every int parameter `size` and the same doubles, and compares all
// arrays bit by bit; loops that OpenMP shares run on three threads; `flags` are the
// compiler's. Empty when equal, else what
// went wrong.
std::string difference(const std::string& original, const std::string& rewritten, int size,
                       const std::string& flags = "");

// Likewise at several sizes, for code that calls BLAS: elements may be apart by `tolerance` times
// the larger one's magnitude, or an array's mean. Diagonals of arrays of size x size are made
// dominant.
std::string difference_within(double tolerance, const std::string& original,
                              const std::string& rewritten, const std::vector<int>& sizes,
                              const std::string& flags = "");

}  // namespace redblue::test
