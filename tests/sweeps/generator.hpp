// SPDX-License-Identifier: BSD-3-Clause
// Random stencil programs as C text.
#pragma once

#include <cstdint>
#include <string>

namespace redblue::test {

struct RandomStencil {
  std::string text;  // a C file with one function f
  std::string set;   // sizes: "T=5,N0=20"
};

// Time steps of one to four sweeps on one to three arrays of float or double in one to three
// dimensions, and arrays that are only read: distances up to 3 that differ by direction, uneven
// boxes, updates of an element from itself, edges set by statements of their own, two statements in
// one nest, choices by data and by place, loops in any order, downwards and with offsets,
// coefficients by time and by line. The same text for the same seed on every machine.
RandomStencil random_stencil(std::uint64_t seed);

}  // namespace redblue::test
