// SPDX-License-Identifier: BSD-3-Clause
// Lower against upper bound, as tile and bound --gap show it.
#pragma once

#include "redblue/schedule.hpp"

namespace redblue::cli {

std::string row(const MemoryTraffic& t);     // "30 = 20 loads + 10 stores"
std::string way(const PredictedTraffic& t);  // how it was found
void print(const Gap& gap);

}  // namespace redblue::cli
