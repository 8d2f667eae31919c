// SPDX-License-Identifier: BSD-3-Clause
// fmin and fmax that fill vectors: as library calls they are slower than all else in a loop, and
// gcc keeps the calls unless told that there are no NaNs.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace redblue::schedule::codegen {

// The functions of this kind that a text calls and what stands in their place: {"fmin",
// "redblue_fmin"}, ..
std::vector<std::pair<std::string, std::string>> called_extremes(const std::string& text);

// Definitions of those that the region calls. They return what C's functions do: the other operand
// where one is a NaN; of two zeros the second, which C leaves open.
std::string extremes_defined(const std::string& region);

}  // namespace redblue::schedule::codegen
