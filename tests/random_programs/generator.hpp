// SPDX-License-Identifier: BSD-3-Clause
// Random affine programs as C text.
#pragma once

#include <cstdint>
#include <string>

namespace redblue::test {

// A function f of the parameters N and M with up to 3 statements, 4 loops deep, on arrays of up to
// 2 dimensions and a scalar: guards, bounds with min and max, steps other than 1 and downwards,
// offsets in subscripts, updates in place, sums, choices, statements nobody needs, arrays and
// scalars that die with the function, are returned or are read after it. The same text for the same
// seed on every machine.
std::string random_program(std::uint64_t seed);

}  // namespace redblue::test
