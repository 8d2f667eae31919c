// SPDX-License-Identifier: BSD-3-Clause
// The program that calls two versions of a function on the same data.
#pragma once

#include <optional>
#include <string>

#include "program/enumerate.hpp"
#include "program/program.hpp"

namespace redblue::measure_detail {

// Which calls threads share.
enum class Sharing { none_then_second, both };

// Calls `original` and `scheduled`, both the program's function under another name. Where there are
// more threads than one (OpenMP), both run on them, or neither and then `scheduled` once more. Run
// with a number of repetitions it prints the seconds of all calls on a line for each; with 0, after
// one call of each, "same" or the first element in which the last call's results differ. A second
// number: the seconds after which a signal ends it. Elements differ where a bit does; with a
// tolerance, floating-point ones where they are further apart than it times the largest of their
// magnitudes and their array's mean one, and behind "same" stands the largest such part. Throws
// Error where the function has a parameter for which no value can be made up.
std::string driver(const program::Program& program, const program::Sizes& sizes, int threads,
                   Sharing sharing = Sharing::none_then_second,
                   std::optional<double> tolerance = {});

}  // namespace redblue::measure_detail
