// SPDX-License-Identifier: BSD-3-Clause
// Random loop nests as programs of the model.
#pragma once

#include <string>

#include "counting/interpreter.hpp"

namespace redblue::counting {

// Nests of one to three levels over the parameters n and m: affine, multiplicative, coupled,
// triangular, several loops in one body, guards that fail at once, negative steps. `two_paths`:
// many conditions, with a loop on each side and a value that later loops use.
Program random_nest(unsigned seed, bool two_paths);

// What the program does, as C with floor and ceil.
std::string text(const Program& program);

}  // namespace redblue::counting
