// SPDX-License-Identifier: BSD-3-Clause
// What two orders of a program move through every cache of a processor, beside the bound.
#pragma once

#include <vector>

#include "program/enumerate.hpp"
#include "redblue/measure.hpp"
#include "schedule/traffic/loop_program.hpp"

namespace redblue::measure_detail {

// Additions, multiplications and so on of all instances, as the source writes them.
double operations(const program::Program& program, const program::Sizes& sizes);

// `schedule`: the program in another order; nothing where that is its own.
std::vector<LevelTraffic> level_traffic(const MeasureRequest& request,
                                        const program::Program& program,
                                        const program::Sizes& sizes,
                                        const std::optional<schedule::SizedOrder>& schedule,
                                        const ProgressCallback& progress);

}  // namespace redblue::measure_detail
